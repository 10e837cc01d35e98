"""Do the tests notice a slip in the code?

Mutants are the package with one small change each: a comparison, an operator, a constant, a condition, a removed
statement. They are drawn at random over the event loop, the kernels, the schedulers and the fits, and each meets the
tests of its module with compilation off. A mutant that no test notices is a missing test, unless it computes the same:
these are listed with the reason.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import logging
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from typing import Any, NamedTuple

import numpy as np

from pipeline.runtime.sources import ROOT
from reliability import mutant_tests, mutation
from reliability.forked_tests import CPU_S, ForkedTests
from reliability.mutation import Mutation
from reliability.record import Details, Finding, Report

log = logging.getLogger(__name__)

COPIED = ("pipeline", "tests", "traces", "config", "reliability", "pyproject.toml")
EQUIVALENTS = Path(__file__).parent.parent / "equivalents.csv"
"""Mutants that were looked at and compute what the source does: file, statement, the same changed, why."""
KILLED, TIMED_OUT, SURVIVED, EQUIVALENT = "killed", "timed out", "survived", "equivalent"
NO_TESTS_FAILED = 0
TESTS_FAILED = (1, 2)
"""Exit codes of pytest: failures, and errors while tests are collected."""


class Mutant(NamedTuple):
    """A change of a module, which is a path from the root."""

    module: str
    change: Mutation


Identity = tuple[str, str, str]
"""What a mutant is known by while lines move: file, statement, the same changed."""
Fate = tuple[Mutant, str, str]
"""A mutant, what became of it, and the test that noticed it or why it is the same."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the trial."""
    parser.add_argument("--mutants", type=int, default=200, help="how many are drawn (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    parser.add_argument("--workers", type=int, default=1, help="mutants at a time (default: 1)")
    parser.add_argument("--fates", type=Path, help="log of an earlier run: what it noticed is not met again")
    parser.add_argument("--module", action="append", help="only of this module (a path from the root); may be repeated")


def run(options: argparse.Namespace) -> Report:
    """Draw mutants and hold each against the tests of its module; passed where none survives."""
    chosen = sample(options.mutants, options.seed, options.module or mutant_tests.modules())
    known = equivalents()
    settled = noticed_before(options.fates)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ExitStack() as stack:
        idle: Queue[ForkedTests] = Queue()
        for number in range(options.workers):
            idle.put(stack.enter_context(ForkedTests(copied(Path(folder, str(number))))))
        with ThreadPoolExecutor(options.workers) as pool:
            new = [mutant for mutant in chosen if identity(mutant) not in settled]
            sets = dict.fromkeys(tuple(mutant_tests.tests_of(mutant.module)) for mutant in new)
            controls = [pool.submit(_control, tests, idle) for tests in sets]
            met = pool.map(lambda mutant: settled.get(identity(mutant)) or _fate(mutant, idle), chosen)
            for control in controls:
                control.result()
            fates = [_judged(mutant, fate, by, known) for mutant, (fate, by) in zip(chosen, met, strict=True)]
    return report(fates)


def noticed_before(log_file: Path | None) -> dict[Identity, tuple[str, str]]:
    """Fates of the mutants that a run noticed, from its log; survivors are met again: tests may have come since."""
    if log_file is None:
        return {}
    found = {}
    for line in log_file.read_text(encoding="utf-8").splitlines():
        _, begins, text = line.partition(" {")
        if begins:
            told = json.loads("{" + text)
            if told["fate"] in (KILLED, TIMED_OUT):
                found[told["file"], told["before"], told["after"]] = told["fate"], told["by"]
    return found


def _control(files: Sequence[str], idle: Queue[ForkedTests]) -> None:
    """Raise RuntimeError where the tests do not pass in time without a mutant: their fate would say nothing."""
    tests = idle.get()
    try:
        code, output = tests.run(_arguments(files))
    finally:
        idle.put(tests)
    if code != NO_TESTS_FAILED:
        raise RuntimeError(f"without a mutant {', '.join(files)} end with {code}:\n{output[-2000:]}")


def _arguments(files: Sequence[str]) -> list[str]:
    left_out = [f"--deselect={test}" for test in mutant_tests.SLOW]
    return ["-x", "-q", "-p", "no:cacheprovider", *left_out, *files]


def _fate(mutant: Mutant, idle: Queue[ForkedTests]) -> tuple[str, str]:
    tests = idle.get()
    try:
        fate, by = meet(tests, mutant)
    finally:
        idle.put(tests)
    file, before, after = identity(mutant)
    told = {"fate": fate, "file": file, "line": mutant.change.line, "before": before, "after": after, "by": by}
    log.info("%s", json.dumps(told, ensure_ascii=False))
    return fate, by


def _judged(mutant: Mutant, fate: str, by: str, known: Mapping[Identity, str]) -> Fate:
    if fate == SURVIVED and identity(mutant) in known:
        fate, by = EQUIVALENT, known[identity(mutant)]
    return mutant, fate, by


def sample(count: int, seed: int, modules: Sequence[str]) -> list[Mutant]:
    """Mutants drawn without repetition from all of the modules', each equally likely; in the modules' order."""
    everything = [
        Mutant(module, change)
        for module in modules
        for change in mutation.mutations((ROOT / module).read_text(encoding="utf-8"))
    ]
    chosen = np.random.default_rng(seed).choice(len(everything), size=min(count, len(everything)), replace=False)
    return [everything[index] for index in sorted(chosen)]


def copied(folder: Path) -> Path:
    """The package and its tests in a folder, where they can be changed; without caches of compiled code."""
    ignored = shutil.ignore_patterns("__pycache__", ".kernels")
    folder.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def meet(tests: ForkedTests, mutant: Mutant) -> tuple[str, str]:
    """Whether the tests notice a mutant in their copy of the package, and which did; the copy is left as it was.

    Raises RuntimeError where pytest neither passes nor fails.
    """
    path = tests.folder / mutant.module
    source = path.read_text(encoding="utf-8")
    _replace(path, mutation.mutant(source, mutant.change.number))
    try:
        code, output = tests.run(_arguments(mutant_tests.tests_of(mutant.module)))
    finally:
        _replace(path, source)
    if code is None:
        return TIMED_OUT, ""
    if code == NO_TESTS_FAILED:
        return SURVIVED, ""
    if code not in TESTS_FAILED:
        raise RuntimeError(f"pytest ended with {code} on a mutant of {mutant.module}:\n{output[-2000:]}")
    noticed = [line.split()[1] for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return KILLED, noticed[0] if noticed else ""


def _replace(path: Path, source: str) -> None:
    """Write a source, and forget its compiled code: Python tells sources apart by length and whole seconds only."""
    path.write_text(source, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def identity(mutant: Mutant) -> Identity:
    """What a mutant is known by."""
    return mutant.module, mutant.change.before, mutant.change.after


def equivalents() -> dict[Identity, str]:
    """Why the mutants that were looked at compute the same, by their identity."""
    with EQUIVALENTS.open(encoding="utf-8", newline="") as file:
        return {(row["file"], row["before"], row["after"]): row["why"] for row in csv.DictReader(file)}


def report(fates: Sequence[Fate]) -> Report:
    """Findings from mutants with their fates."""
    counts = Counter(fate for _, fate, _ in fates)
    noticed = counts[KILLED] + counts[TIMED_OUT]
    judged = len(fates) - counts[EQUIVALENT]
    findings = [
        Finding("mutants", str(len(fates)), f"of {len({mutant.module for mutant, _, _ in fates})} modules"),
        Finding("noticed by a test", str(counts[KILLED])),
        Finding("never ended", str(counts[TIMED_OUT]), f"a test took over {CPU_S} s of CPU time; counts as noticed"),
        Finding("computes the same", str(counts[EQUIVALENT]), "looked at one by one, listed below"),
        Finding("not noticed", str(counts[SURVIVED])),
        Finding("noticed, of those that compute something else", f"{noticed / judged:.1%}" if judged else "none"),
    ]
    return Report(findings, counts[SURVIVED] == 0, [table for table in _tables(fates) if table.rows])


def _tables(fates: Sequence[Fate]) -> list[Details]:
    def rows(fate: str, *further: Any) -> list[list[str]]:
        return [[*identity(mutant), *([by] if further else [])] for mutant, found, by in fates if found == fate]

    return [
        Details("Computes the same", ("file", "statement", "mutant", "why"), rows(EQUIVALENT, "why")),
        Details("Not noticed", ("file", "statement", "mutant"), rows(SURVIVED)),
    ]
