"""Broken and hostile drops: every reader and the configuration under fuzzing.

Inputs are mutants of small valid drops of each format (bytes, fields, lines, settings, Parquet tables and their types,
names of files) that [atheris](https://github.com/google/atheris) picks by the lines of `pipeline` they reach, and
hand-made traps (`reliability/fuzzing/hostile.py`). Each is ingested, then fitted. What must not
happen: an exception other than a refusal, more than 20 million calls of functions or 1.5 GB of memory for a drop, a
rejected row without a sentence, a row in a canonical table that breaks the table's rules. Coverage is libFuzzer's
count of edges between the lines of the Python code (compiled kernels run as Python, so that they count and are
bounds-checked); where atheris cannot be installed, mutants are drawn blindly, and none is told.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.environments import Unavailable
from pipeline.runtime.sources import ROOT
from reliability.fuzzing import blind, container, environment, hostile, targets
from reliability.report import Details, Finding, Report

log = logging.getLogger(__name__)

FOUND = ROOT / "build" / "fuzz"
"""Where inputs that did harm are kept, a folder a target."""


@dataclass(frozen=True)
class Outcome:
    """What fuzzing of a target came to; edges: None where coverage is not told."""

    target: str
    executions: int
    edges: tuple[int, int] | None
    faults: dict[str, str]


def arguments(parser: argparse.ArgumentParser) -> None:
    """How long, from which seed, and what."""
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices (1)")
    parser.add_argument("--target", action="append", choices=targets.names(), help="only this one; may be repeated")
    parser.add_argument("--blind", action="store_true", help="without coverage, and without atheris")
    parser.add_argument("--no-traps", action="store_true", help="without the hand-made traps")


def run(options: argparse.Namespace) -> Report:
    """Fuzz the targets one after the other, then spring the traps."""
    variables = None if options.blind else _variables()
    outcomes = []
    for name in options.target or targets.names():
        outcome = (
            _blind(name, options) if variables is None else _guided(name, options.seconds, options.seed, variables)
        )
        outcomes.append(outcome)
        log.info("%s: %d executions, %d findings", name, outcome.executions, len(outcome.faults))
    sprung = [] if options.no_traps else list(traps())
    return _report(outcomes, sprung, guided=variables is not None)


def _variables() -> Mapping[str, str] | None:
    try:
        return environment.variables()
    except Unavailable as error:
        log.warning("%s; mutants are drawn blindly", error)
        return None


def _blind(name: str, options: argparse.Namespace) -> Outcome:
    executions, found = blind.run(targets.target(name), options.seed, sys.maxsize, options.seconds)
    for key, (_, files) in found.items():
        container.write(files, FOUND / name / key)
    return Outcome(name, executions, None, {key: fault.sentence for key, (fault, _) in found.items()})


def _guided(name: str, seconds: int, seed: int, variables: Mapping[str, str]) -> Outcome:
    """Run libFuzzer on a target, anew with another seed where it ended before its time."""
    folder = FOUND / name
    before = set(folder.glob("*.txt"))
    executions, edges, faults = 0, [], {}
    left = seconds
    while left > 0:
        command = [sys.executable, "-m", "reliability.fuzzing.guided", name, folder, str(left), str(seed)]
        done = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, errors="replace")
        executions += int(
            _last(r"stat::number_of_executed_units:\s*(\d+)", done.stderr) or _last(r"#(\d+)", done.stderr) or 0
        )
        edges += [int(count) for count in re.findall(r"cov: (\d+)", done.stderr)]
        ran = int(_last(r"Done \d+ runs in (\d+) second", done.stderr) or 0)
        if done.returncode == 0:
            break
        faults[f"ended-{seed}"] = (done.stderr.strip().splitlines() or ["no message"])[-1][:300]
        log.warning("%s ended with code %d: %s", name, done.returncode, done.stderr[-2000:])
        left -= max(ran, seconds // 4, 1)
        seed += 1
    for path in sorted(set(folder.glob("*.txt")) - before):
        faults[path.stem] = path.read_text(encoding="utf-8").strip()
    return Outcome(name, executions, (edges[0], edges[-1]) if edges else None, faults)


def _last(pattern: str, text: str) -> str | None:
    found = re.findall(pattern, text)
    return found[-1] if found else None


@dataclass(frozen=True)
class Sprung:
    """What a trap came to: calls of functions, peak of memory, and the fault, if any."""

    name: str
    calls: int
    rss_mb: float
    fault: str | None


def traps(names: list[str] | None = None) -> Iterator[Sprung]:
    """Spring the traps, in a process that another one follows when it dies."""
    with tempfile.TemporaryDirectory(prefix="apportion-traps-") as scratch:
        left = []
        for name in names or hostile.TRAPS:
            left.append(Path(scratch) / name)
            hostile.TRAPS[name](left[-1])
        while left:
            command = [sys.executable, "-m", "reliability.fuzzing.once", *left]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
            lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            for line in lines:
                fault = line["fault"]
                said = None if fault is None else f"{fault['kind']} at {fault['place']}: {fault['sentence']}"
                yield Sprung(line["name"], line["calls"], line["rss_mb"], said)
            if len(lines) < len(left):
                why = (done.stderr.strip().splitlines() or ["no message"])[-1]
                yield Sprung(left[len(lines)].name, 0, 0.0, f"the process died ({done.returncode}): {why[:300]}")
            left = left[len(lines) + 1 :]


def _report(outcomes: list[Outcome], sprung: list[Sprung], *, guided: bool) -> Report:
    faults = [(f"{o.target}: {key}", said) for o in outcomes for key, said in o.faults.items()]
    faults += [(f"trap {trap.name}", trap.fault) for trap in sprung if trap.fault]
    findings = [
        Finding("targets", str(len(outcomes)), "chosen by coverage" if guided else "drawn blindly, without atheris"),
        Finding("executions", str(sum(o.executions for o in outcomes))),
        Finding("findings", str(len(faults))),
        Finding("traps", str(len(sprung))),
    ]
    if sprung:
        busy, large = max(sprung, key=lambda trap: trap.calls), max(sprung, key=lambda trap: trap.rss_mb)
        findings += [
            Finding("busiest trap", f"{busy.calls / 1e6:.1f} million calls", busy.name),
            Finding("largest trap", f"{large.rss_mb:.0f} MB", f"{large.name}; the process itself takes some 400 MB"),
        ]
    rows = [
        (o.target, str(o.executions), *(map(str, o.edges) if o.edges else ("", "")), str(len(o.faults)))
        for o in outcomes
    ]
    details = [Details("By target", ("target", "executions", "edges of the seeds", "edges reached", "findings"), rows)]
    if faults:
        details.append(
            Details("Found", ("where", "what"), [(where, said.replace("\n", " ")) for where, said in faults])
        )
    return Report(findings, not faults, details)
