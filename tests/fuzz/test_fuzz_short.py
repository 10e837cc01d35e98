"""A short run of every fuzzing target: the seeds, those that once did harm among them, and some mutants."""

from random import Random

import pytest

from reliability.fuzzing import blind, mutation, targets

MUTANTS, OF_CONFIGURATION = 1, 25
CONTENTS = 1
"""Mutants of the contents of files, which have more forms than the other kinds."""
KINDS = [change for _, change in mutation.KINDS]


@pytest.fixture(scope="module", autouse=True)
def compiled():
    targets.warm_up()


@pytest.mark.parametrize("name", targets.names())
def test_no_mutant_does_harm(name):
    target = targets.target(name)
    most = len(target.seeds) + (OF_CONFIGURATION if name == targets.CONFIGURATION else MUTANTS)
    executions, faults = blind.run(target, seed=1, most=most)
    assert executions == most
    assert {key: fault.sentence for key, (fault, _) in faults.items()} == {}


@pytest.mark.parametrize("name", targets.names()[:-1])
def test_no_kind_of_change_does_harm(name):
    """Every reader gets every kind of mutant: blind draws alone leave the rare ones out."""
    target, random = targets.target(name), Random(name)
    for change in (*KINDS, *KINDS[-1:] * (CONTENTS - 1)):
        files = dict(random.choice(target.seeds))
        change(files, random.choice(sorted(files)), random)
        fault = target.examine(files)
        assert fault is None, f"{change.__name__}: {fault.sentence}"


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
