"""Answers about traces: the view `answer` for a terminal, for the page, for a spreadsheet or another program."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb

from pipeline.drops import leads
from pipeline.drops.shipped import SHIPPED
from pipeline.runtime.database import opened
from pipeline.runtime.study import declared
from pipeline.runtime.wording import FORMATS, did_you_mean, escaped, listing
from pipeline.tables import DATABASE_NAME
from pipeline.warehouse.answer import as_text, read
from pipeline.warehouse.definitions import quoted
from pipeline.warehouse.status import FAILURE_SQL

WIDTH = 110
MOST_LISTED = 12
FAILED_SQL = f"""\
SELECT part, string_agg({FAILURE_SQL}, '; ' ORDER BY study, stage) AS failed
FROM failure GROUP BY part"""
TRACES_SQL = f"""\
SELECT trace.*, content, most_ranks, unused, failed
FROM trace
LEFT JOIN trace_content USING (trace, drop)
LEFT JOIN unused USING (trace)
LEFT JOIN ({FAILED_SQL}) ON part = 'trace-' || drop
ORDER BY trace, drop"""
OF_PROGRAMS_SQL = f"""\
SELECT asked.* REPLACE (trace.trace AS trace), unused, CASE status WHEN 'read' THEN failed ELSE status END AS failed
FROM trace
LEFT JOIN ({{}}) AS asked ON asked.trace = trace.trace AND status = 'read'
LEFT JOIN unused ON unused.trace = trace.trace
LEFT JOIN ({FAILED_SQL}) ON part = 'trace-' || drop
WHERE (trace.trace, drop) IN {{}}
ORDER BY trace.trace, drop, study, place"""
WHOLE = ("study", "topic", "trace", "subject", "origin", "about", "measure", "amount", "details", "assumed", "how_true")
"""Columns of the view that are the same in all settings of an answer."""
USE = ("setting", "scheduler", "also", "gain")
ENOUGH = "enough"


def answers(connection: duckdb.DuckDBPyConnection, of: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Each answer: WHOLE, and in `use` the schedulers of its settings (USE); studies in their order.

    of: traces whose answers are asked for; None = all, also those of workloads of no trace.
    """
    answered = []
    for study in _studies(connection, of):
        asked = f"SELECT * FROM answer_{study}" + ("" if of is None else f" WHERE trace IN {_listed(of)}")
        rows = read(connection, f"{asked} ORDER BY place").to_dicts()
        for whole, settings in groupby(rows, key=itemgetter(*WHOLE)):
            use = [{name: row[name] for name in USE} for row in settings if row["setting"] is not None]
            answered.append(dict(zip(WHOLE, whole, strict=True)) | {"use": use})
    return answered


def _studies(connection: duckdb.DuckDBPyConnection, of: Collection[str] | None) -> list[str]:
    """Studies that may have an answer for the traces, in their order; all where none are named."""
    answering = {name: study.answers for name, study in declared().items() if study.answers}
    if of is None:
        return list(answering)
    among = f"WHERE trace IN {_listed(of)} LIMIT 1"
    tables = sorted({table for topics in answering.values() for topic in topics.values() for table in topic.of})
    filled = {table for table in tables if connection.execute(f"SELECT 1 FROM {table} {among}").fetchall()}
    return [name for name, topics in answering.items() if any(filled & set(topic.of) for topic in topics.values())]


def traces(connection: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Rows of the table `trace`, read or refused, with their content, what was not used, and what failed on them."""
    return read(connection, TRACES_SQL).to_dicts()


def by_trace(traces: Iterable[dict[str, Any]], answers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every trace that was read, with its `answers`; own (whether its drop is none of those that ship) ones first."""
    of_trace: dict[str, list] = {}
    for answer in answers:
        of_trace.setdefault(answer["trace"], []).append(answer)
    read_traces = [
        trace | {"own": trace["drop"] not in SHIPPED, "answers": of_trace.get(trace["trace"], [])}
        for trace in traces
        if trace["status"] == "read"
    ]
    return sorted(read_traces, key=lambda row: not row["own"])


def text(database: Path, names: Sequence[str] = (), form: str = "table", *, short: bool = False) -> str:
    """What to use for the named traces, or for all.

    names: traces, or drops for all their traces. form: table (lines to read), lines (one for each trace), csv or json
    (a row for each setting, and one for a trace without any: columns of the view `answer`, `unused` and `failed`).
    short: of the lines to read, those on each setting are left out where one says what is enough. Raises
    FileNotFoundError where there is no database, ValueError for a name that is no trace of it.
    """
    return said_of(database, names, form, short=short)[0]


def said_of(database: Path, names: Sequence[str], form: str, *, short: bool = False) -> tuple[str, bool]:
    """`text`, and whether a trace has an answer and nothing failed on any."""
    with _opened(database) as connection:
        known = traces(connection)
        chosen = _chosen(known, names)
        whole = not any(trace["failed"] for trace in chosen)
        ids = [trace["trace"] for trace in chosen if trace["status"] == "read"]
        if form in FORMATS and form != "table":
            asked = " UNION ALL ".join(f"FROM answer_{study}" for study in _studies(connection, ids))
            asked = asked or "FROM answer WHERE false"
            pairs = ", ".join(f"('{quoted(trace['trace'])}', '{quoted(trace['drop'])}')" for trace in chosen)
            among = f"({pairs or '(NULL, NULL)'})"
            table = connection.sql(OF_PROGRAMS_SQL.format(asked, among)).to_arrow_table()
            return as_text(table, form), whole and table["study"].null_count < len(table)
        shown = by_trace(chosen, answers(connection, ids))
        whole = whole and any(trace["answers"] for trace in shown)
        if form != "lines":
            shown = [trace | {"missing": [] if trace["answers"] else _missing(connection, trace)} for trace in shown]
    refused = [f"{drop}: refused, at least in part; `apportion status` says why" for drop in _refused(chosen, names)]
    if form == "lines":
        return "\n".join([*map(_line, shown), *map(escaped, refused)]), whole
    lines = ["\n".join(_lines(trace, short=short)) for trace in shown]
    return "\n\n".join(lines + [escaped(line) for line in refused]), whole


def _missing(connection: duckdb.DuckDBPyConnection, trace: dict[str, Any]) -> list[str]:
    """What a trace without an answer lacks, and what reading it remarked, each in a line."""
    of_trace = f"WHERE trace = '{quoted(trace['trace'])}'"
    held = {name: read(connection, f"FROM {DATABASE_NAME[name]} {of_trace}") for name in leads.JUDGED}
    return leads.lacking(held, trace) + ([f"note: {trace['note']}"] if trace["note"] else [])


@contextmanager
def _opened(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads; errors of one that is not there, or of another version, are sentences."""
    if not database.is_file():
        raise FileNotFoundError(f"{database} is not there; run `make` first, or ask for a file: apportion answer FILE")
    with opened(database) as connection:
        yield connection


def knows(database: Path, name: str) -> bool:
    """Whether the database has a trace or a drop of this name, or of this folder among the traces."""
    with _opened(database) as connection:
        known = traces(connection)
    return any(_plain(name) in (trace["trace"], trace["drop"]) for trace in known)


def _chosen(known: list[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The traces that have one of these names, or lie in a drop of this name; all without names.

    Raises ValueError for a name of no trace and no drop.
    """
    if not names:
        return known
    all_names = {name for trace in known for name in (trace["trace"], trace["drop"])}
    wanted = {_plain(name) for name in names}
    for name in sorted(wanted - all_names):
        raise ValueError(
            f"the database has no trace {name!r}{did_you_mean(name, all_names)} There are: "
            f"{listing(sorted(all_names), MOST_LISTED)}. A trace that was just added is in it after `make`."
        )
    return [trace for trace in known if wanted & {trace["trace"], trace["drop"]}]


def _refused(chosen: list[dict[str, Any]], names: Sequence[str]) -> list[str]:
    """The drops that were asked for by name and of which a trace was refused."""
    return list(dict.fromkeys(trace["drop"] for trace in chosen if trace["status"] != "read")) if names else []


def _listed(names: Iterable[str]) -> str:
    """Names as a list of SQL, which may be empty."""
    return "(" + ", ".join([*(f"'{quoted(name)}'" for name in names), "NULL"]) + ")"


def _plain(name: str) -> str:
    """A trace or drop, from its name or from the path of its folder."""
    return name.rstrip("/").removeprefix("./").removeprefix("traces/")


def _lines(trace: dict[str, Any], *, short: bool = False) -> list[str]:
    about = ", ".join(filter(None, (trace["content"], trace["format"], trace["kind"])))
    lines = _wrapped("", f"{trace['trace']}: {about}")
    if trace["unused"]:
        lines += _wrapped("  ", f"not used: {trace['unused']}")
    if trace["failed"]:
        lines += _wrapped("  ", f"failed: {trace['failed']}")
    elif not trace["answers"]:
        alone = "a single job shares the machine with nobody"
        lines.append(f"  no answer: {alone if trace['jobs'] == 1 else 'nothing was replayed from it in this run'}")
        return [*lines, *(line for words in trace["missing"] for line in _wrapped("  ", words))]
    for answer in trace["answers"]:
        lines += _wrapped("  ", f"{answer['study']}: {answer['about']}")
        is_short = short and answer["measure"] == ENOUGH and answer["amount"]
        shown = [] if is_short else [(use["setting"], said(use)) for use in answer["use"]]
        width = max((len(setting) for setting, _ in shown), default=0)
        for setting, words in shown:
            lines += _wrapped("    ", f"{setting:<{width}}  {words}" if width else words, 4 + width + 2)
        notes = {answer["measure"]: answer["amount"], "besides": None if short else answer["details"]}
        notes |= {"assumed": answer["assumed"], "how true": answer["how_true"]}
        for label, note in notes.items():
            if note:
                lines += _wrapped("    ", f"{label}: {note}")
    return lines


def _line(trace: dict[str, Any]) -> str:
    """The first answer for a trace, as far as it fits into a line."""
    words = "no answer"
    for answer in trace["answers"]:
        settings = [" ".join(filter(None, (use["setting"], said(use)))) for use in answer["use"]]
        words = next(filter(None, (answer["amount"], *settings)), words)
        if words != "no answer":
            break
    return textwrap.shorten(escaped(f"{trace['trace']}: {words}"), WIDTH, placeholder=" …")


def said(use: dict[str, Any]) -> str:
    """The scheduler to use in a setting, and how much better it is than the next one."""
    if use["scheduler"] is None:
        return "any, all tie" if (use["also"] or "").startswith("tie") else "none will do"
    return "; ".join(filter(None, (use["scheduler"], use["also"], use["gain"])))


def _wrapped(indent: str, words: str, hang: int = 6) -> list[str]:
    return textwrap.wrap(
        escaped(words),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
