"""What a trial found, as a file and as a section of docs/trials.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench import origin
from pipeline.runtime import storage

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
    record = Record(
        command=" ".join(["python -m reliability", name, *arguments]),
        day=origin.day(),
        commit=origin.commit(),
        machine=origin.machine(),
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
