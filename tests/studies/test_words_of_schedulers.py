"""What every scheduler's file has to say: a rank and a rule of its study's signature, else a sentence names the file.

What else a study asks of a file is tried with that study.
"""

import importlib
from types import ModuleType

import pytest

from pipeline.runtime import sources

STUDIES = sources.studies()
KEY = {"pim_graph": "place"}
"""What a study calls its rule, where that is not `rule`."""


def load(study, monkeypatch, **changed):
    """Look through a folder with one scheduler in it: the study's first one, with these constants changed."""
    package = importlib.import_module(f"pipeline.studies.{study}.schedulers")
    studies = importlib.import_module("pipeline.studies")
    module = ModuleType(f"{package.__name__}.mine")
    plain = next(each for each in package.SCHEDULERS.values() if hasattr(each, KEY.get(study, "rule")))
    vars(module).update({**vars(plain), "__name__": module.__name__, **changed})
    monkeypatch.setattr(studies.pkgutil, "iter_modules", lambda path: [type("Found", (), {"name": "mine"})])
    monkeypatch.setattr(studies.importlib, "import_module", lambda name: module)
    return studies.plugins(package.__name__, package.__path__, package.check)


@pytest.mark.parametrize("study", STUDIES)
def test_a_file_that_says_what_is_known_passes(study, monkeypatch):
    assert list(load(study, monkeypatch)) == ["mine"]


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize(("rank", "sentence"), [(True, "COMPLEXITY is True"), (-1, "COMPLEXITY is -1")])
def test_a_rank_is_a_whole_number_of_at_least_0(study, rank, sentence, monkeypatch):
    with pytest.raises(ValueError, match=sentence) as caught:
        load(study, monkeypatch, COMPLEXITY=rank)
    assert str(caught.value).startswith(f"pipeline/studies/{study}/schedulers/mine.py")


@pytest.mark.parametrize("study", STUDIES)
def test_a_rule_of_no_signature_is_an_error_that_names_the_file(study, monkeypatch):
    key = KEY.get(study, "rule")
    with pytest.raises(ValueError, match=f"{key} is 'shortest'; ") as caught:
        load(study, monkeypatch, **{key: "shortest"})
    assert str(caught.value).startswith(f"pipeline/studies/{study}/schedulers/mine.py")
