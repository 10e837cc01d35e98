"""Tables of any name that are told by their header: canonical columns, or columns that trace.yaml maps to them.

Nothing else is taken. Where words for columns (names.yaml) make a table likely, it is refused with a trace.yaml to
complete: what no word points to is left open there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipeline.drops import PLACEHOLDER, SETTINGS_FILE, TABLES, ColumnSource, DropSettings, Refusal
from pipeline.readers import _names
from pipeline.readers._files import TABLE_SUFFIXES, CsvTable, first_lines, open_table, separator_of, stem
from pipeline.readers._tables import ROW, named
from pipeline.runtime.wording import listing

TEXT_SUFFIXES = (*TABLE_SUFFIXES, ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".psv", ".dat", ".log")
MOST_FILES = 50
"""Files of a drop that are looked into; archives of thousands are told by their names."""
MOST_SHOWN = 20
SAMPLED_ROWS = 1000
ROWS_AN_ID = 5
"""Rows that each id of jobs or tasks may have on average."""


@dataclass(frozen=True)
class Shape:
    """A kind of table: what it is called, the format that reads it, columns that it needs (`a|b+c`: a, or b and c).

    durations: whether time_s is how long something takes, not when it was.
    """

    what: str
    format: str
    needed: str
    optional: str = ""
    durations: bool = False

    @property
    def choices(self) -> list[list[list[str]]]:
        """Of each need the ways to meet it, each a list of columns."""
        return [[way.split("+") for way in need.split("|")] for need in self.needed.split()]

    @property
    def columns(self) -> list[str]:
        """All columns, each once."""
        of_needs = [column for need in self.choices for way in need for column in way]
        return list(dict.fromkeys([*of_needs, *self.optional.split()]))


_EACH_ROW = ColumnSource(**{"from": [ROW]})
SHAPES = {
    "jobs": Shape("jobs", "jobs", "job_id submit_s nodes runtime_s|start_s+end_s",
        "walltime_s requested_memory_gb used_memory_gb user name sensitivity",
    ),
    "samples": Shape("memory samples", "memory_samples", "used_gb job_id|node time_s|timestamp"),
    "sm_curve": Shape(
        "points of curves against SMs", "sm_curve", "app sms time_s|throughput_per_s|ipc", "beside", durations=True
    ),
    "corun_pairs": Shape(
        "pairs measured side by side", "kernels",
        "app_a app_b slowdown_a|corun_a_s+alone_a_s|corun_a_per_s slowdown_b|corun_b_s+alone_b_s|corun_b_per_s",
        "alone_a_per_s alone_b_per_s",
    ),
    "kernels": Shape("kernels of a GPU", "kernels", "kernel gflops memory_gbps", "time_s", durations=True),
    "perf_table": Shape("times of PIM applications", "pim_tables", "app ranks time_s", durations=True),
    "tasks": Shape("real-time tasks", "tasks", "task_id period deadline work kind"),
}  # fmt: skip


@dataclass
class TableMatch:
    """What the columns of a file are as one kind of table.

    given: columns that are there by their own names or as trace.yaml maps them; proposed: those that words point to,
    and needed ones that none does; missing: what is needed and not given; keys: of trace.yaml, for the proposal.
    """

    file: Path
    table: str
    shape: Shape
    given: dict[str, ColumnSource] = field(default_factory=dict)
    proposed: dict[str, ColumnSource] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    several: list[str] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)

    @property
    def used(self) -> set[str]:
        """Source columns that are used."""
        both = {**self.given, **self.proposed}
        return {name for source in both.values() for name in source.names if name != PLACEHOLDER}

    @property
    def likely(self) -> bool:
        """Whether at least two needs, and half of them, are met by what is given or proposed."""
        there = {column for column, source in self.proposed.items() if source.names != [PLACEHOLDER]} | {*self.given}
        met = sum(any(set(way) <= there for way in need) for need in self.shape.choices)
        return met >= 2 and 2 * met >= len(self.shape.choices)


def look(file: Path, table: str, settings: DropSettings) -> TableMatch | None:
    """What the columns of a file are as a table (key of SHAPES); None where it is no table that can be opened."""
    try:
        names = open_table(file).names
    except Refusal:
        return None
    if len(names) < 2:
        return None
    match = TableMatch(file, table, SHAPES[table])
    for column in match.shape.columns:
        stated = settings.columns.get(column)
        if stated and (all(name in names for name in stated.names) or (column, stated.names) == ("job_id", [ROW])):
            match.given[column] = stated
        elif column in names:
            match.given[column] = ColumnSource(**{"from": [column]})
    _propose(match, names)
    return match


def _propose(match: TableMatch, names: Sequence[str]) -> None:
    """Propose the columns that are not given, each name once, and find out which needs are not met."""
    free = [name for name in names if name not in match.used]
    for column in match.shape.columns:
        if column in match.given:
            continue
        words_of = "duration" if column == "time_s" and match.shape.durations else None
        maybe = [name for name in _names.candidates(free, column, words_of) if _may_be(match.file, name, column)]
        instead = None if maybe else _names.counted(free, column)
        if instead:
            maybe = [instead[0]]
            match.keys |= instead[1]
        if not maybe:
            continue
        match.proposed[column] = _names.source(maybe[0], column)
        if len(maybe) > 1:
            match.several.append(f"{' and '.join(map(repr, sorted(maybe)))} may both be {column}")
        free = [name for name in free if name not in maybe]
    for need in match.shape.choices:
        if any(set(way) <= match.given.keys() for way in need):
            continue
        match.missing.append(" or ".join(" and ".join(way) for way in need))
        there = {*match.given, *match.proposed}
        if not any(set(way) <= there for way in need):
            way = next((way for way in need if set(way) & there), need[0])
            match.proposed |= {c: ColumnSource(**{"from": [PLACEHOLDER]}) for c in way if c not in there}


def _may_be(file: Path, name: str, column: str) -> bool:
    """Whether the first values of a column allow it: ids differ, and numbers of nodes are not all 0 or 1."""
    if column not in ("job_id", "task_id", "nodes"):
        return True
    values = [value for value in _first_values(file, name) if value]
    if column == "nodes":
        return {"0", "1"} != {value.removesuffix(".0") for value in values}
    return len(values) < ROWS_AN_ID or len(set(values)) * ROWS_AN_ID > len(values)


def _first_values(file: Path, name: str) -> list[str]:
    """Texts of the first values of a column; none where they cannot be read."""
    table = open_table(file)
    if isinstance(table, CsvTable):
        lines = first_lines(file)[: SAMPLED_ROWS + 1] or [""]
        rows, place = csv.reader(lines[1:], delimiter=separator_of(lines[0])), table.names.index(name)
        try:
            return [row[place].strip() for row in rows if len(row) > place]
        except csv.Error:
            return []
    try:
        return next(table.batches([name], lambda _: None))[name].head(SAMPLED_ROWS).cast(pl.String).to_list()
    except (Refusal, StopIteration, pl.exceptions.PolarsError):
        return []


@dataclass(frozen=True)
class Told:
    """Settings that say what the tables of a drop are, and the trace.yaml that says the same."""

    settings: DropSettings
    proposed: str


def tell(files: Sequence[Path], settings: DropSettings) -> Told | None:
    """What the tables among files that no reader knows by their names are; None where they look like nothing known.

    Raises Refusal where they look like something, but not surely: it says why, and what to put into trace.yaml.
    """
    files = [file for file in files if stem(file, TEXT_SUFFIXES)][:MOST_FILES]
    tables = [table for table in SHAPES if _of_format(table, settings.format)]
    chosen: list[TableMatch] = []
    likely: list[TableMatch] = []
    for file in files:
        matches = [match for table in tables if (match := look(file, table, settings))]
        whole = [match for match in matches if not match.missing]
        whole = [a for a in whole if not any(a is not b and _given(a) < _given(b) for b in whole)]
        if len(whole) > 1:
            what = " and ".join(match.shape.what for match in whole)
            raise _refusal(whole[0], settings, f"{file.name} looks like {what}")
        chosen += whole
        likely += [match for match in matches if match.missing and match.likely]
    if chosen:
        return _merge(chosen, settings)
    if not likely:
        return None
    # Of two that lack as much, the one that more columns speak for.
    raise _refusal(min(likely, key=lambda match: (_open(match) / len(match.shape.choices), -len(match.used))), settings)


def _given(match: TableMatch) -> set[str]:
    return {name for source in match.given.values() for name in source.names}


def _open(match: TableMatch) -> int:
    return sum(source.names == [PLACEHOLDER] for source in match.proposed.values())


def _of_format(table: str, stated: str | None) -> bool:
    """Whether a table may be one of a drop of the stated format."""
    beside = {"jobs": "memory_samples", "corun_pairs": "sm_curve", "sm_curve": "kernels"}
    return stated in (None, SHAPES[table].format, beside.get(table))


def _merge(chosen: Sequence[TableMatch], settings: DropSettings) -> Told:
    """Settings for all tables of a drop."""
    tables: dict[str, list[Path]] = {}
    for match in chosen:
        tables.setdefault(match.table, []).append(match.file)
    repeated = next((table for table, files in tables.items() if len(files) > 1), None)
    if repeated:
        names = " and ".join(sorted(file.name for file in tables[repeated]))
        raise Refusal("table_repeated", f"{names} both look like {SHAPES[repeated].what}; keep one of them in a drop")
    formats = {match.shape.format for match in chosen} - ({"jobs"} if "samples" in tables else set())
    if formats == {"kernels", "sm_curve"}:
        formats = {"kernels" if "kernels" in tables else "sm_curve"}
    if len(formats) > 1:
        parts = "; ".join(f"{match.file.name}: {match.shape.what}" for match in chosen)
        raise Refusal(
            "format_ambiguous", f"several kinds of tables in one folder ({parts}); split it into several drops"
        )
    keys = {"format": formats.pop()} | _files_of({table: files[0].name for table, files in tables.items()})
    update = keys | {"tables": {**settings.tables, **keys.get("tables", {})}}
    return Told(settings.model_copy(update=update), _as_yaml(keys, settings.columns, settings))


def _files_of(tables: Mapping[str, str]) -> dict:
    """The keys of trace.yaml that say which file holds which table."""
    keys: dict = {key: name for key, name in tables.items() if key in ("jobs", "samples")}
    others = {key: name for key, name in tables.items() if key in TABLES}
    return keys | ({"tables": others} if others else {})


def doubts(fmt: str, files: Iterable[Path], settings: DropSettings) -> list[str]:
    """What jobs of a recognised drop may have beside the columns that are read, as a sentence.

    Raises Refusal where the only table of the drop lacks a needed column and words point to one: it proposes it.
    """
    tables = _tables_of(fmt, list(files), settings)
    sentences = []
    for table, file in tables.items():
        match = look(file, table, settings)
        if match is None:
            continue
        if len(tables) == 1 and match.missing and match.likely and not _open(match):
            raise _refusal(match, settings)
        if table == "jobs" and not match.missing and match.proposed:
            text = _names.mapping(match.proposed)
            sentences.append(
                f"Columns of {file.name} that may be of use: if this is right, put `columns: {text}` into "
                f"{SETTINGS_FILE}."
            )
    return sentences


def _tables_of(fmt: str, files: list[Path], settings: DropSettings) -> dict[str, Path]:
    """The tables of a format that tells them by their names, each with its file; none for other formats."""
    if fmt == "jobs":
        stated = named(files, "jobs", settings.jobs)
        return {"jobs": (stated or files)[0]} if stated or len(files) == 1 else {}
    of_format = {
        "memory_samples": ("samples", "jobs"),
        "sm_curve": ("sm_curve", "corun_pairs"),
        "kernels": ("kernels", "corun_pairs", "sm_curve"),
        "pim_tables": ("perf_table",),
        "tasks": ("tasks",),
    }
    found = {}
    for table in of_format.get(fmt, ()):
        matching = named(files, table, getattr(settings, table, None) or settings.tables.get(table))
        if len(matching) == 1:
            found[table] = matching[0]
    return found


def _as_yaml(keys: Mapping[str, object], columns: Mapping[str, ColumnSource], settings: DropSettings) -> str:
    """The keys and columns as the text of a trace.yaml."""
    lines = []
    for key, value in keys.items():
        inner = ", ".join(f"{k}: {_names.quoted(v)}" for k, v in value.items()) if isinstance(value, dict) else ""
        lines.append(f"{key}: {{{inner}}}" if inner else f"{key}: {_names.quoted(str(value))}")
    mapping = _names.mapping(columns, settings.columns)
    return "\n".join([*lines, *([f"columns: {mapping}"] if mapping != "{}" else [])])


def _refusal(match: TableMatch, settings: DropSettings, problem: str | None = None) -> Refusal:
    """Why a table is not read: what it looks like, what is not sure, and a trace.yaml that would settle it."""
    for column in match.proposed.keys() & settings.columns.keys():
        stated, maybe = listing(settings.columns[column].names), match.proposed[column].names
        hint = "" if maybe == [PLACEHOLDER] else f"; did you mean {maybe[0]!r}?"
        return Refusal(
            "columns_missing",
            f"{SETTINGS_FILE} says that {column} is {stated!r}, which {match.file.name} does not have{hint}",
            file=SETTINGS_FILE,
        )
    if _open(match) == 1 and match.proposed.get("job_id", _EACH_ROW).names == [PLACEHOLDER]:
        # Nothing but its jobs' ids is missing, and rows have numbers.
        match.proposed["job_id"] = _EACH_ROW
    maybe = [
        f"{column} maybe {source.names[0]!r}"
        for column, source in match.proposed.items()
        if source.names not in ([column], [PLACEHOLDER], [ROW])
    ]
    why = [*([problem] if problem else []), *match.several]
    why += [f"no column is called {', '.join(match.missing)}"] if match.missing else []
    why += ["job_id: row numbers its rows"] if match.proposed.get("job_id") == _EACH_ROW else []
    keys: dict = {"format": match.shape.format} | _files_of({match.table: match.file.name})
    keys |= {key: value for key, value in match.keys.items() if key not in settings.model_fields_set}
    text = _as_yaml(keys, {**settings.columns, **match.proposed}, settings)
    sentence = (
        f"{match.file.name} looks like {match.shape.what} ({listing(maybe, MOST_SHOWN) or 'by its columns'}), but "
        f"{'; '.join(why)}. Look at it, complete it, and if it is right, put this into {SETTINGS_FILE}:"
    )
    return Refusal("columns_missing" if match.missing else "columns_ambiguous", f"{sentence}\n{text}", proposed=text)
