"""Mutants are small changes that tests notice; the trial says which they do not."""

import argparse
import ast

import pytest

from pipeline.runtime.sources import ROOT
from reliability import mutant_tests, mutation
from reliability.forked_tests import ForkedTests
from reliability.trials import mutants
from reliability.trials.mutants import EQUIVALENT, KILLED, SURVIVED, Mutant

SOURCE = '''
"""Docstring 1."""
FIRST = 3

def gain(a: int = 1, b=2) -> float:
    """Docstring 2."""
    if a < 0 and not b:
        raise ValueError(f"{a} is below {0}")
    total = max(a, b) + 1
    total *= 2
    return -total
'''


def changed(source=SOURCE):
    return [(m.kind, m.before, m.after) for m in mutation.mutations(source)]


def test_every_kind_of_change_is_made_within_functions():
    found = changed()
    assert ("boundary", "if a < 0 and (not b):", "if a <= 0 and (not b):") in found
    assert ("opposite", "if a < 0 and (not b):", "if a >= 0 and (not b):") in found
    assert ("and/or", "if a < 0 and (not b):", "if a < 0 or not b:") in found
    assert ("negated", "if a < 0 and (not b):", "if not (a < 0 and (not b)):") in found
    assert ("sign", "if a < 0 and (not b):", "if a < 0 and b:") in found
    assert ("extreme", "total = max(a, b) + 1", "total = min(a, b) + 1") in found
    assert ("arithmetic", "total = max(a, b) + 1", "total = max(a, b) - 1") in found
    assert ("constant", "total = max(a, b) + 1", "total = max(a, b) + 2") in found
    assert ("removed", "total *= 2", "pass") in found
    assert ("sign", "return -total", "return total") in found
    assert not any("Docstring" in before or "FIRST" in before or "raise" in before for _, before, _ in found)


def test_jumps_are_told_apart_by_what_they_stand_in():
    found = changed(
        "def f(a):\n    for x in a:\n        if x:\n            continue\n        if not x:\n            break\n"
    )
    removed = [(before, after) for kind, before, after in found if kind == "removed"]
    assert removed == [("if x: … continue", "if x: … pass"), ("if not x: … break", "if not x: … pass")]


@pytest.mark.parametrize("path", ["pipeline/simulation/easy.py", "pipeline/studies/pim_ranks/care.py"])
def test_every_mutant_is_a_program_of_its_own(path):
    source = (ROOT / path).read_text(encoding="utf-8")
    changes = mutation.mutations(source)[::7]
    texts = {mutation.mutant(source, change.number) for change in changes}
    assert len(texts) == len(changes) > 20
    assert ast.unparse(ast.parse(source)) + "\n" not in texts
    for text in texts:
        compile(text, path, "exec")


def test_a_change_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no change number 1000 of this source"):
        mutation.mutant(SOURCE, 1000)


def test_all_modules_and_their_tests_are_there():
    for module in mutant_tests.modules():
        assert (ROOT / module).is_file()
        assert all((ROOT / test).is_file() for test in mutant_tests.tests_of(module)), module
    for test in mutant_tests.SLOW:
        path, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"no tests are named for mutants of pipeline/simulation/csr\.py"):
        mutant_tests.tests_of("pipeline/simulation/csr.py")


def test_the_same_seed_draws_the_same_mutants():
    modules = ["pipeline/fit/sm_curve.py", "pipeline/fit/levels.py"]
    assert mutants.sample(5, 1, modules) == mutants.sample(5, 1, modules) != mutants.sample(5, 2, modules)
    everything = mutants.sample(10**6, 1, modules)
    assert len(set(everything)) == len(everything) > 50


def test_slips_in_two_fits_are_noticed_and_the_copy_is_left_as_it_was(tmp_path):
    def slip(module, before, after):
        source = (ROOT / module).read_text(encoding="utf-8")
        (change,) = [c for c in mutation.mutations(source) if (c.before, c.after) == (before, after)]
        return Mutant(module, change)

    share = "share = (ranks - points[left]) / width"
    noticed = [
        slip("pipeline/fit/perf_table.py", share, "share = (ranks + points[left]) / width"),
        slip("pipeline/fit/perf_table.py", "left = np.maximum(right - 1, 0)", "left = np.minimum(right - 1, 0)"),
    ]
    clip = "right = np.clip(np.searchsorted(points, ranks, side='left'), min(1, len(points) - 1), len(points) - 1)"
    same = slip("pipeline/fit/perf_table.py", clip, clip.replace("min(1, len(points) - 1)", "min(1, len(points) - 2)"))
    tree = mutants.copied(tmp_path / "copy")
    with ForkedTests(tree) as tests:
        fates = [mutants.meet(tests, mutant) for mutant in [*noticed, same]]
    assert [fate for fate, _ in fates] == [KILLED, KILLED, SURVIVED]
    assert all(test.startswith("tests/fit/test_perf_table.py::") for fate, test in fates if fate == KILLED)
    assert mutants.identity(same) in mutants.equivalents()
    for path in (tree / "pipeline").rglob("*.py"):
        assert path.read_bytes() == (ROOT / path.relative_to(tree)).read_bytes()


def test_mutants_that_were_looked_at_are_changes_that_can_be_made():
    for file, before, after in mutants.equivalents():
        found = mutation.mutations((ROOT / file).read_text(encoding="utf-8"))
        assert any((change.before, change.after) == (before, after) for change in found), (file, before, after)


def test_the_report_counts_survivors_apart_from_what_computes_the_same():
    change = mutation.mutations(SOURCE)[0]
    fates = [(Mutant("a.py", change), KILLED, "t"), (Mutant("b.py", change), EQUIVALENT, "no caller")]
    found = mutants.report(fates)
    assert found.passed
    assert found.details[0].rows == [["b.py", change.before, change.after, "no caller"]]
    assert not mutants.report([*fates, (Mutant("c.py", change), SURVIVED, "")]).passed


def test_what_an_earlier_run_noticed_is_read_from_its_log(tmp_path):
    path = tmp_path / "run.log"
    path.write_text(
        '12:00:00 {"fate": "killed", "file": "a.py", "line": 3, "before": "x", "after": "y", "by": "t"}\n'
        '12:00:01 {"fate": "survived", "file": "a.py", "line": 4, "before": "z", "after": "y", "by": ""}\n'
    )
    assert mutants.noticed_before(path) == {("a.py", "x", "y"): (KILLED, "t")}
    assert mutants.noticed_before(None) == {}


def test_options_have_defaults():
    parser = argparse.ArgumentParser()
    mutants.arguments(parser)
    assert vars(parser.parse_args([])) == {"mutants": 200, "seed": 1, "workers": 1, "fates": None, "module": None}
