"""Canonical job tables: `jobs` with `phases` (optional `profiles`) as CSV or Parquet.

Source: the columns of pipeline.tables (Job, Phase, MemoryProfile) by their names, or mapped in `trace.yaml`.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._items import Note, Reading, Trace, Yields
from pipeline.readers._tables import WholeTable, held_bytes, load_table, named, one
from pipeline.tables import GIVEN

FORMAT = "canonical"
GIVES = ("jobs", "phases")


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The tables among the files, if jobs and phases are there."""
    jobs, phases, profiles = (named(files, name) for name in ("jobs", "phases", "profiles"))
    if settings.jobs:
        jobs = named(files, "jobs", settings.jobs)
    return [*jobs, *phases, *profiles] if jobs and phases else []


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the tables."""
    return held_bytes(recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Jobs, phases and profiles. Without readable jobs and phases the drop is refused."""
    yield Trace(drop.name)
    stated = {"jobs": drop.settings.jobs}
    loaded: dict[str, WholeTable] = {}
    for name in ("jobs", "phases", "profiles"):
        file = one(drop, named(files, name, stated.get(name)), name)
        if file is None:
            continue
        with Reading(file) as reading:
            loaded[name] = yield from load_table(drop, file, name)
        yield reading
    unread = [name for name in ("jobs", "phases") if name not in loaded]
    if unread:
        raise Refusal("table_missing", f"without its {' and '.join(unread)} the drop cannot be used; mend the file")
    origin = loaded["jobs"].earliest_us()
    if origin is not None:
        yield Note(drop.name, f"Times count from the first time in the jobs, Unix time {origin / 1e6:.0f}.")
    for name, table in loaded.items():
        yield from table.hand_over(origin, **({} if name == "jobs" else {"origin": GIVEN}))
