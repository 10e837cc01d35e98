"""What a trial found, as a file and as a section of docs/reliability.md."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipeline import storage
from pipeline.sources import ROOT

RECORDS = Path(__file__).with_name("records")


@dataclass(frozen=True)
class Finding:
    """One figure of a trial: what was counted or measured, and a sentence where it needs one."""

    figure: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Details:
    """A table that belongs to a trial, such as the mutants that no test noticed; cells are text."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """Findings of a run of a trial; `passed` is False where something happened that must not happen."""

    findings: Sequence[Finding]
    passed: bool
    details: Sequence[Details] = field(default_factory=tuple)


@dataclass(frozen=True)
class Record:
    """A report with the command, the day (ISO 8601), the code's commit and the machine it came from."""

    command: str
    day: str
    commit: str
    machine: str
    report: Report


def save(name: str, arguments: Sequence[str], report: Report, folder: Path = RECORDS) -> None:
    """Keep a report as the record of trial `name`, in place of an earlier one."""
    cores = len(os.sched_getaffinity(0))
    record = Record(
        command=" ".join(["python -m reliability", name, *arguments]),
        day=datetime.now(UTC).strftime("%Y-%m-%d"),
        commit=_commit(),
        machine=f"{cores} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        report=report,
    )
    with storage.replacing_file(folder / f"{name}.json") as part:
        part.write_text(json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(folder: Path = RECORDS) -> dict[str, Record]:
    """The records by the name of their trial."""
    return {path.stem: _record(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))}


def _record(read: dict[str, Any]) -> Record:
    report = read.pop("report")
    findings = [Finding(**finding) for finding in report["findings"]]
    details = [Details(**table) for table in report["details"]]
    return Record(**read, report=Report(findings, report["passed"], details))


def _commit() -> str:
    """Commit of the code, with a plus sign where it was changed since; empty outside a repository."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=9"], cwd=ROOT, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
