"""Answers about traces for a terminal, a spreadsheet or another program."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipeline import answers
from pipeline.answers import margins
from pipeline.runtime.wording import did_you_mean, escaped, listing
from pipeline.warehouse.answer import FORMATS, as_text

WIDTH = 110
MOST_LISTED = 12
SCHEMA = dict.fromkeys(("trace", "kind", "study", "about", "setting", "scheduler", "also", "runner_up"), pl.String) | {
    "margin": pl.Float64,
    "margin_lo": pl.Float64,
    "margin_hi": pl.Float64,
    "margin_kind": pl.String,
    "tied": pl.Boolean,
    "enough": pl.String,
    "assumed": pl.String,
    "true": pl.String,
    "unused": pl.String,
}
"""Columns of the answers as a table: a row per trace, question and setting."""


def answer(database: Path, names: Sequence[str] = (), form: str = "table", *, short: bool = False) -> str:
    """What to use for the named traces, or for all, as text.

    names: traces, or drops for all their traces. form: table (lines to read), lines (one for each trace), csv or json
    (the columns of SCHEMA; the margin of a scheduler that is best in several settings is the least of them). short: of
    the lines to read, those on each setting are left out where one says what is enough. Raises FileNotFoundError where
    there is no database, ValueError for a name that is no trace of it.
    """
    if not database.is_file():
        raise FileNotFoundError(f"{database} is not there; run `make` first")
    with duckdb.connect(str(database), read_only=True) as connection:
        found = answers.found(connection)
    traces = _chosen(found, names)
    if form in FORMATS and form != "table":
        return as_text(pl.DataFrame(_rows(traces), schema=SCHEMA, orient="row").to_arrow(), form)
    read = {row["trace_id"]: row for row in found.traces}
    if form == "lines":
        return "\n".join([*map(_line, traces), *map(escaped, _refused(found, names))])
    blocks = ["\n".join(_lines(trace, read[trace["trace_id"]], short=short)) for trace in traces]
    return "\n\n".join([*blocks, *map(escaped, _refused(found, names))])


def _chosen(found: answers.Answers, names: Sequence[str]) -> list[dict[str, Any]]:
    """The traces that have one of these names, or lie in a drop of this name; all without names.

    Raises ValueError for a name of no trace and no drop; one that was refused has no answers.
    """
    if not names:
        return found.by_trace
    drop_of = {row["trace_id"]: row["drop"] for row in found.traces}
    known = {*drop_of, *drop_of.values()}
    wanted = [_plain(name) for name in names]
    for name in wanted:
        if name not in known:
            raise ValueError(
                f"the database has no trace {name!r}{did_you_mean(name, known)} There are: "
                f"{listing(sorted(known), MOST_LISTED)}. A trace that was just added is in it after `make`."
            )
    return [trace for trace in found.by_trace if trace["trace_id"] in wanted or drop_of[trace["trace_id"]] in wanted]


def _refused(found: answers.Answers, names: Sequence[str]) -> list[str]:
    """A line for each of the named drops of which a trace was refused."""
    wanted = [_plain(name) for name in names]
    refused = dict.fromkeys(
        row["drop"] for row in found.traces if row["status"] != "read" and {row["drop"], row["trace_id"]} & set(wanted)
    )
    return [f"{drop}: refused, at least in part; `apportion status` says why" for drop in refused]


def _plain(name: str) -> str:
    """A trace or drop, from its name or from the path of its folder."""
    return name.rstrip("/").removeprefix("./").removeprefix("traces/")


def _lines(trace: dict[str, Any], read: dict[str, Any], *, short: bool = False) -> list[str]:
    about = ", ".join(filter(None, (read["content"], trace["format"], trace["kind"])))
    lines = _wrapped("", f"{trace['trace_id']}: {about}")
    if trace.get("unused"):
        lines += _wrapped("  ", f"not used: {trace['unused']}")
    if not trace["answers"]:
        alone = "a single job shares the machine with nobody"
        return [*lines, f"  no answer: {alone if read['jobs'] == 1 else 'nothing was replayed from it in this run'}"]
    for answer in trace["answers"]:
        lines += _wrapped("  ", f"{answer['study']}: {answer['about']}")
        shown = [(use["range"], _said(use)) for use in answer["use"] if not (short and answer["enough"])]
        width = max((len(setting) for setting, _ in shown), default=0)
        for setting, said in shown:
            lines += _wrapped("    ", f"{setting:<{width}}  {said}" if width else said, 4 + width + 2)
        if answer["enough"]:
            label = "enough: " if answer["study"] in ("hpc_memory", "gpu_partition", "memory_tiers") else ""
            lines += _wrapped("    ", f"{label}{answer['enough']}")
        if answer.get("assumed"):
            lines += _wrapped("    ", f"assumed: {answer['assumed']}")
        if answer.get("true"):
            lines += _wrapped("    ", f"how true: {answer['true']}")
    return lines


def _line(trace: dict[str, Any]) -> str:
    """The first answer for a trace, as far as it fits into a line."""
    said = "no answer"
    for answer in trace["answers"]:
        settings = [" ".join(filter(None, (use["range"], _said(use)))) for use in answer["use"]]
        said = next(filter(None, (answer["enough"], *settings)), said)
        if said != "no answer":
            break
    return textwrap.shorten(escaped(f"{trace['trace_id']}: {said}"), WIDTH, placeholder=" …")


def _said(use: dict[str, Any]) -> str:
    """The scheduler to use in a setting, and how much better it is than the next one."""
    rows = use["rows"]
    if use["scheduler"] is None:
        return "any, all tie" if use.get("also", "").startswith("tie") else "none will do"
    if "response_margin" in rows[0]:
        gain = margins.response(rows[0]) if len(rows) == 1 else None
    else:
        gain = margins.text(margins.least(rows), len(rows) > 1)
    return "; ".join(filter(None, (use["scheduler"], use.get("also"), gain)))


def _wrapped(indent: str, text: str, hang: int = 6) -> list[str]:
    return textwrap.wrap(
        escaped(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _rows(traces: list[dict[str, Any]]) -> list[tuple]:
    return [
        (
            *(trace["trace_id"], trace["kind"], answer["study"], answer["about"]),
            *((use["range"] or None, use["scheduler"], use.get("also") or None) if use else (None, None, None)),
            *(margins.least(use["rows"]).values() if use else [None] * len(margins.COLUMNS)),
            *(answer["enough"], answer.get("assumed"), answer.get("true"), trace.get("unused")),
        )
        for trace in traces
        for answer in trace["answers"]
        for use in answer["use"] or [None]
    ]
