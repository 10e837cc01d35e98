"""No mutant of a small valid drop or of a configuration does harm; `pytest --all tests/fuzz` draws many more.

A drop that does harm is printed. Once the fault is mended it becomes a seed, in a folder `found-…`.
"""

import copy
import re
import zlib

import oracle
import pytest
import seeds
import yaml
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from mutants import mutants

from pipeline.config import Configuration, ConfigurationError, parse
from pipeline.readers import _recognise
from pipeline.runtime.sources import ROOT

FORMATS = [module.FORMAT for module in _recognise.reader_modules()]
FEW, MANY = 5, 300
"""Mutants of the seeds of a format."""
CONFIGURATIONS = [
    Configuration().model_dump(mode="json"),
    *(yaml.safe_load(path.read_bytes()) for path in sorted((ROOT / "config").glob("*.yaml"))),
]
ODD = (None, True, -1, 1.5, 10**30, float("inf"), float("nan"), "", "x", "\ud800", [], {}, [[1]], {"": 1}, 10**400)


def _drawn(test, strategy, most):
    """Run a test on so many draws. One draw in thousands may take long: it is no fault of the strategy."""
    limits = settings(max_examples=most, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    return limits(given(strategy)(test))


@pytest.mark.parametrize("name", FORMATS)
def test_no_seed_does_harm(name):
    for files in seeds.of(name):
        oracle.examine_files(files)


@pytest.mark.parametrize("name", FORMATS)
def test_no_mutant_does_harm(name):
    # A format of its own seed: else all would get the same changes.
    seed(zlib.crc32(name.encode()))(_drawn(oracle.examine_files, mutants(seeds.of(name)), FEW))()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
def test_no_mutant_of_many_does_harm(name):
    """New ones in each run; `--hypothesis-seed=N` draws those of N again."""
    _drawn(oracle.examine_files, mutants(seeds.of(name)), MANY)()


def _places(tree):
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in list(items):
        yield tree, key
        yield from _places(value)


@st.composite
def _configurations(draw):
    tree = copy.deepcopy(draw(st.sampled_from(CONFIGURATIONS)))
    holder, key = draw(st.sampled_from(list(_places(tree))))
    holder[key] = draw(st.sampled_from((*ODD, [holder[key]], {"": holder[key]})))
    return tree


def _taken_or_refused(tree):
    try:
        parse(tree)
    except ConfigurationError as error:
        assert re.match(r"\d+ problem\(s\) in the configuration:\n  ", str(error))
        assert len(str(error)) < 100 * oracle.LONGEST_SENTENCE


def test_no_configuration_does_harm():
    seed(1)(_drawn(_taken_or_refused, _configurations(), 25))()


@pytest.mark.exhaustive
def test_no_configuration_of_many_does_harm():
    _drawn(_taken_or_refused, _configurations(), 100 * MANY)()


def test_a_fault_is_noticed(monkeypatch):
    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr(oracle, "fit", broken)
    with pytest.raises(AssertionError, match="KeyError: 'x'"):
        oracle.examine_files(seeds.of("swf")[0])
