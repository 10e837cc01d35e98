"""What a scheduler's file may say: words, types and keys that a study does not know are errors that name them."""

import importlib
import re
from types import ModuleType

import pytest

from pipeline import sources
from pipeline.studies.gpu_sharing import splits
from pipeline.studies.pim_graph.model import LOCAL, NEVER, OWNER, Policy

GOOD = {
    "gpu_corun": {"SHARING": "leftover", "OVERHEAD": ("injection",), "TRANSFORMED": True},
    "gpu_partition": {"METHOD": "merge", "PARTNER": "least_load"},
    "gpu_sharing": {"FAMILY": splits, "POLICY": "max_throughput"},
    "hpc_memory": {"GRANTS": "phases", "order": lambda jobs, scenario: jobs},
    "pim_graph": {"POLICY": Policy(OWNER, LOCAL, unique=True, steals=NEVER)},
    "pim_ranks": {"DISPATCH": "alone", "GRANT": "best", "OVERHEAD": 0.1},
}
ABSENT = object()
BAD = [
    ("gpu_corun", "SHARING", "leftovers", "SHARING is 'leftovers'; known: time_sliced, leftover, complementary, "
     "searched; did you mean 'leftover'?"),
    ("gpu_corun", "OVERHEAD", "injection", "a tuple of mps_overhead, communication, injection would be right"),
    ("gpu_corun", "OVERHEAD", ("injections",), "did you mean 'injection'?"),
    ("gpu_corun", "TRANSFORMED", "no", "TRANSFORMED is 'no'; True or False would be right"),
    ("gpu_partition", "METHOD", "merged", "did you mean 'merge'?"),
    ("gpu_partition", "PARTNER", "least", "known: smallest_union, least_load"),
    ("gpu_partition", "PARTNER", ABSENT, "has no PARTNER"),
    ("gpu_sharing", "POLICY", "max_speed", "POLICY is 'max_speed'; known: cooperative, equal_compute"),
    ("gpu_sharing", "FAMILY", "splits", "FAMILY is 'splits'; a module with SMS and replay would be right"),
    ("hpc_memory", "GRANTS", "phase", "did you mean 'phases'?"),
    ("hpc_memory", "order", ABSENT, "has no order"),
    ("pim_graph", "POLICY", Policy(OWNER, LOCAL, unique=True, steals=3), "POLICY.steals is 3; known, of model.py: "
     "NEVER, ALWAYS, WORTHWHILE"),
    ("pim_graph", "POLICY", Policy(OWNER, LOCAL, unique=1, steals=NEVER), "POLICY.unique is 1; True or False"),
    ("pim_graph", "CANDIDATES", (Policy(OWNER, LOCAL, unique=True, steals=NEVER),), "one with checked=ALL must be"),
    ("pim_ranks", "DISPATCH", "shortest", "DISPATCH is 'shortest'; known: alone, in_order, first_fit, priorities"),
    ("pim_ranks", "GRANT", "gang", "GRANT is 'gang'; known: machine, best, leftover, worth_it"),
    ("pim_ranks", "OVERHEAD", "0.1", "OVERHEAD is '0.1'; a share of at least 0 would be right"),
    ("pim_ranks", "SIMPLICITY", True, "SIMPLICITY is True; a whole number of at least 0 would be right"),
]  # fmt: skip


def scheduler(study, **changed):
    """The schedulers' package of a study, and a path on which one more lies."""
    module = ModuleType(f"pipeline.studies.{study}.schedulers.mine")
    for key, value in ({"SIMPLICITY": 1} | GOOD[study] | changed).items():
        if value is not ABSENT:
            setattr(module, key, value)
    return module


def load(study, monkeypatch, module):
    """Look through the folder of the study's schedulers once more, with this module in it."""
    package = importlib.import_module(f"pipeline.studies.{study}.schedulers")
    studies = importlib.import_module("pipeline.studies")
    found = type("Found", (), {"name": "mine"})
    monkeypatch.setattr(studies.pkgutil, "iter_modules", lambda path: [found])
    monkeypatch.setattr(studies.importlib, "import_module", lambda name: module)
    return studies.plugins(package.__name__, package.__path__, package.check)


@pytest.mark.parametrize("study", sorted(GOOD))
def test_words_that_are_known_pass(study, monkeypatch):
    module = scheduler(study)
    assert load(study, monkeypatch, module) == {"mine": module}


@pytest.mark.parametrize(
    ("study", "key", "value", "sentence"), BAD, ids=[f"{s}-{k}-{i}" for i, (s, k, *_) in enumerate(BAD)]
)
def test_what_is_not_known_is_an_error_that_names_the_file(study, key, value, sentence, monkeypatch):
    with pytest.raises(ValueError, match=re.escape(sentence)) as caught:
        load(study, monkeypatch, scheduler(study, **{key: value}))
    assert str(caught.value).startswith(f"pipeline/studies/{study}/schedulers/mine.py")


def test_a_key_that_is_mistyped_is_recognised(monkeypatch):
    module = scheduler("pim_ranks", DISPATCH=ABSENT, DISPACTH="alone")
    with pytest.raises(ValueError, match=r"has no DISPATCH; did you mean 'DISPACTH'\?"):
        load("pim_ranks", monkeypatch, module)


def test_every_study_checks_its_schedulers():
    assert sorted(GOOD) == sorted(sources.studies())
