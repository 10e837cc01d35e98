"""Figures of the large traces, kept in record.json beside this file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import origin
from pipeline.runtime import storage

RECORD = Path(__file__).with_name("record.json")


@dataclass(frozen=True)
class Stage:
    """A stage as a process: s, s of processors, peak memory in GB (1e9 bytes); None where it failed, as `note` says."""

    wall_s: float | None
    cpu_s: float | None
    peak_gb: float | None
    note: str = ""


@dataclass(frozen=True)
class Measurement:
    """Stages by name on a trace: how much of its full size it has, its items, its size on disk."""

    trace: str
    share: float
    items: int
    disk_gb: float
    stages: Mapping[str, Stage]


def merged(kept: Iterable[Measurement], found: Iterable[Measurement]) -> list[Measurement]:
    """Measurements by trace and share; what was found stands in place of what was kept."""
    by_key = {(m.trace, m.share): m for m in (*kept, *found)}
    return [by_key[key] for key in sorted(by_key)]


def load(path: Path = RECORD) -> tuple[str, list[Measurement]]:
    """Day and machine in words, and the measurements. Without a record: none."""
    if not path.is_file():
        return "", []
    read = json.loads(path.read_text(encoding="utf-8"))
    measurements = [
        Measurement(**row | {"stages": {name: Stage(**stage) for name, stage in row["stages"].items()}})
        for row in read["measurements"]
    ]
    return read["where"], measurements


def save(found: Sequence[Measurement], path: Path = RECORD) -> None:
    """Keep measurements beside those of other traces and sizes."""
    where = f"{origin.day()}, {origin.machine()}"
    rows = [asdict(measurement) for measurement in merged(load(path)[1], found)]
    with storage.replacing_file(path) as part:
        part.write_text(json.dumps({"where": where, "measurements": rows}, indent=1) + "\n", encoding="utf-8")
