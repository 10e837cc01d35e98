"""A short run of every fuzzing target: the seeds, those that once did harm among them, and some mutants."""

import pytest

from reliability.fuzzing import blind, targets

MUTANTS = 25


@pytest.fixture(scope="module", autouse=True)
def compiled():
    targets.warm_up()


@pytest.mark.parametrize("name", targets.names())
def test_no_mutant_does_harm(name):
    target = targets.target(name)
    executions, found = blind.run(target, seed=1, most=len(target.seeds) + MUTANTS)
    assert executions == len(target.seeds) + MUTANTS
    assert {key: fault.sentence for key, (fault, _) in found.items()} == {}


def test_every_reader_has_a_seed_that_is_read_whole():
    """A mutant of what no reader takes would test the refusal of formats, sixteen times."""
    for name in targets.names()[:-1]:
        assert targets.target(name).seeds, name


def test_mutants_are_those_of_the_seed():
    target = targets.target("swf")
    first, again, other = (
        [files for files, _ in zip(blind.inputs(target, seed), range(20), strict=False)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
