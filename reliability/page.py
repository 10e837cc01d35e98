"""docs/trials.md: what the records of the trials say."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence

from pipeline.runtime.sources import ROOT
from reliability import trials
from reliability.record import Record

PAGE = ROOT / "docs" / "trials.md"

HEAD = """\
# Trials

Generated from the records of real runs: `python -m reliability TRIAL --record` runs a trial, keeps its record and
writes this page; `--help` lists the trials. The tests run each of them in a small size at every change. What is
promised stands on the page about [reliability](reliability.md).
"""


def text(records: Mapping[str, Record]) -> str:
    """The page, a section a trial that has a record."""
    parts = [HEAD]
    for name, module in trials.found().items():
        if name not in records:
            continue
        record = records[name]
        title, _, rest = (inspect.getdoc(module) or name).partition("\n")
        outcome = "Nothing happened that must not." if record.report.passed else "**Something happened that must not.**"
        parts += [
            f"## {title.rstrip('.')}\n",
            *([f"{rest.strip()}\n"] if rest.strip() else []),
            f"`{record.command}`, {record.day}, commit `{record.commit}`, {record.machine}. {outcome}\n",
            _table(("", "found", ""), [(f.figure, f.value, f.note) for f in record.report.findings]),
            *(f"{table.title}:\n\n{_table(table.columns, table.rows)}" for table in record.report.details),
        ]
    return "\n".join(parts)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
