"""Tables that are told by their header and first rows: what a table is, and which of its columns is which.

What is found is used as if `columns:` in trace.yaml had said it. Nothing is guessed: where a column may be two, where
numbers of memory or time have no unit in their name or values, or an essential column is missing, the table is refused
with a trace.yaml to complete. What trace.yaml states wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from pipeline.drops import PLACEHOLDER, SETTINGS_FILE, TABLES, ColumnSource, DropSettings, Refusal
from pipeline.readers import _dates, _guess, _propose
from pipeline.readers._columns import with_own_unit
from pipeline.readers._files import TABLE_SUFFIXES, open_table, stem
from pipeline.readers._propose import EPOCH_S
from pipeline.readers._tables import named
from pipeline.runtime.wording import listing

TEXT_SUFFIXES = (*TABLE_SUFFIXES, ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".psv", ".dat", ".log")
MOST_FILES = 50
"""Files of a drop that are looked into; archives of thousands are told by their names."""
MOST_SHOWN = 20
MOST_LOOKED = 1000
"""Rows by which columns are told where no name of one is known."""
INSTANTS = ("submit_s", "start_s", "end_s", "time_s", "timestamp")
UNAMBIGUOUS_BY_ORDER = ("user", "name", "node")
"""Columns that no answer depends on: of several that may be one the likeliest is taken."""
ASKED = ("used_memory_gb", "walltime_s")
"""Columns that are asked about even where trace.yaml maps all that is needed."""
SAME = 0.02
"""Relative error up to which run times agree with starts and ends."""


@dataclass(frozen=True)
class Shape:
    """A kind of table: what it is called, the format that reads it, columns that it needs (`a|b+c`: a, or b and c)."""

    what: str
    format: str
    needed: str
    optional: str = ""
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def choices(self) -> list[list[list[str]]]:
        """Of each need the ways to meet it, each a list of columns."""
        return [[way.split("+") for way in need.split("|")] for need in self.needed.split()]

    @property
    def columns(self) -> list[str]:
        """All columns, each once."""
        named = [column for need in self.choices for way in need for column in way]
        return list(dict.fromkeys([*named, *self.optional.split()]))


_JOBS_OPTIONAL = "walltime_s requested_memory_gb used_memory_gb user name start_s end_s runtime_s sensitivity"
SHAPES = {
    "jobs": Shape("jobs", "jobs", "job_id submit_s nodes runtime_s|start_s+end_s", _JOBS_OPTIONAL),
    "samples": Shape("memory samples", "memory_samples", "used_gb job_id|node time_s|timestamp", "job_id node"),
    "sm_curve": Shape("points of curves against SMs", "sm_curve", "app sms time_s|throughput_per_s|ipc", "beside",
        _guess.DURATIONS,
    ),
    "corun_pairs": Shape(
        "pairs measured side by side", "kernels",
        "app_a app_b slowdown_a|corun_a_s+alone_a_s|corun_a_per_s slowdown_b|corun_b_s+alone_b_s|corun_b_per_s",
        "alone_a_s alone_b_s corun_a_s corun_b_s alone_a_per_s alone_b_per_s",
    ),
    "kernels": Shape(
        "kernels of a GPU", "kernels", "kernel gflops memory_gbps", "time_s",
        {**_guess.DURATIONS, "app": "app application program"},
    ),
    "perf_table": Shape("times of PIM applications", "pim_tables", "app ranks time_s", "", _guess.DURATIONS),
    "tasks": Shape("real-time tasks", "tasks", "task_id period deadline work kind"),
}  # fmt: skip
NAMED = {
    ("jobs", "memory_samples"): "job_id submit_s nodes",
    ("sm_curve", "sm_curve"): "app sms",
    ("sm_curve", "kernels"): "app sms",
    ("corun_pairs", "sm_curve"): "app_a app_b",
    ("corun_pairs", "kernels"): "app_a app_b",
    ("kernels", "kernels"): "kernel",
}
"""What a table needs less of, where its name and format say already what it is."""


@dataclass
class TableMatch:
    """What the columns of a file are as one kind of table.

    `sources` are those that are guessed, `complete` whether the table has all that it needs, `problems` why the guess
    cannot be used, each a clause, and `proposed` the sources to propose, where `sources` cannot be used.
    """

    file: Path
    table: str
    shape: Shape
    sources: dict[str, ColumnSource] = field(default_factory=dict)
    given: dict[str, ColumnSource] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    proposed: dict[str, ColumnSource] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return not self.missing

    @property
    def used(self) -> set[str]:
        """Source columns that are used."""
        both = {**self.given, **self.proposed}
        return {name for source in both.values() for name in source.names}

    @property
    def essential(self) -> bool:
        """Whether a column that the table needs was guessed."""
        return any(column in self.sources for need in self.shape.choices for way in need for column in way)


def look(file: Path, shapes: Mapping[str, Shape], settings: DropSettings) -> list[TableMatch]:
    """What the columns of a file are as each of the tables (keys of SHAPES), without those that they do not resemble.

    None of them where the file is no table that can be opened.
    """
    try:
        opened = open_table(file)
        looks = [_by_names(file, table, shape, opened.names, settings) for table, shape in shapes.items()]
        looks = [match for match in looks if match.complete or _likely(match)] if len(opened.names) > 1 else []
        wanted = {name for match in looks for source in match.proposed.values() for name in source.names}
        wanted &= set(opened.names)
        rows = next(iter(opened.batches(sorted(wanted), lambda _: None)), None) if wanted else None
    except Refusal:
        return []
    if rows is not None:
        for match in looks:
            _by_values(match, rows, settings)
    return looks


def _by_names(file: Path, table: str, shape: Shape, names: Sequence[str], settings: DropSettings) -> TableMatch:
    match = TableMatch(file, table, shape)
    words = {**_guess.WORDS, **shape.words}
    for column in shape.columns:
        stated = settings.columns.get(column)
        if stated and all(name in names for name in stated.names):
            match.given[column] = stated
        elif column in names:
            match.given[column] = ColumnSource(**{"from": [column]})
    taken = {name for source in match.given.values() for name in source.names}
    several: dict[str, list[str]] = {}
    for column in shape.columns:
        free = [name for name in names if name not in taken]
        maybe = [] if column in match.given else _guess.candidates(free, column, words)
        if not maybe:
            continue
        if len(maybe) > 1 and column not in UNAMBIGUOUS_BY_ORDER:
            several[column] = maybe
        unit = _guess.unit_of(maybe[0], column)
        unit = None if unit == _guess.canonical_unit(column) else unit
        match.proposed[column] = ColumnSource(**{"from": [maybe[0]], "unit": unit})
        taken.update(maybe if len(maybe) > 1 and column not in UNAMBIGUOUS_BY_ORDER else maybe[:1])
    match.sources = dict(match.proposed)
    for column, maybe in several.items():
        match.skipped[column] = f"{' and '.join(map(repr, maybe))} may both be {column}"
    free = [name for name in names if name not in taken]
    if "nodes" in shape.columns and not {"nodes"} & {*match.given, *match.proposed}:
        _cores(match, free, settings)
    for column in _guess.COUNTED.keys() & set(shape.columns):
        _counted(match, column, free, settings)
    if table == "jobs":
        memory, limits = (list(filter(says, free)) for says in (_guess.says_memory, _guess.says_limit))
        _ask(match, "used_memory_gb", memory, "may be memory that was requested or used")
        _ask(match, "walltime_s", limits, "may limit the run time (walltime_s)")
    for need in shape.choices:
        there = {*match.given, *match.proposed}
        if any(set(way) <= there for way in need):
            continue
        match.missing.append(" or ".join(" and ".join(way) for way in need))
        for column in next((way for way in need if set(way) & there), need[0]):
            if column not in there:
                near = _guess.nearest(free, column, words)
                unit = _guess.unit_of(near, column) if near else None
                match.proposed[column] = ColumnSource(**{"from": [near or PLACEHOLDER], "unit": unit})
    return match


def _ask(match: TableMatch, column: str, names: Sequence[str], why: str) -> None:
    """Propose the first of names that say what a column holds, though not surely, where nothing else was found."""
    if names and column not in {*match.given, *match.proposed}:
        match.proposed[column] = ColumnSource(**{"from": names[:1], "unit": _guess.unit_of(names[0], column)})
        match.skipped[column] = f"{names[0]!r} {why}"


def _cores(match: TableMatch, free: Sequence[str], settings: DropSettings) -> None:
    """Propose a column of cores in the place of nodes, or take it where trace.yaml says that jobs share nodes."""
    cores = _guess.cores(free)
    if len(cores) != 1:
        return
    match.proposed["nodes"] = match.sources["nodes"] = ColumnSource(**{"from": cores})
    if settings.share != "cores":
        match.skipped["nodes"] = f"no column counts nodes, and {cores[0]!r} counts cores"
        match.keys["share"] = "cores"


def _counted(match: TableMatch, column: str, free: Sequence[str], settings: DropSettings) -> None:
    """Take a column that counts slices for SMs, or DPUs for ranks, unless trace.yaml states that it does not."""
    count_columns = {name: means for name in free if (means := _guess.counted(column, name))}
    if len(count_columns) != 1 or column in {*match.given, *match.proposed}:
        return
    ((name, (key, value, _)),) = count_columns.items()
    if key not in settings.model_fields_set or getattr(settings, key) == value:
        match.proposed[column] = match.sources[column] = ColumnSource(**{"from": [name]})


def _units(sources: Mapping[str, ColumnSource], settings: DropSettings) -> dict[str, str]:
    """Keys of trace.yaml that names of guessed columns state, as `sizes: mig` of a column called slices."""
    means = (_guess.counted(column, source.names[0]) for column, source in sources.items())
    return {key: value for key, value, _ in filter(None, means) if key not in settings.model_fields_set}


def _by_values(match: TableMatch, rows: pl.DataFrame, settings: DropSettings) -> None:
    """Complete units by the first rows, and find out which guesses cannot be used."""
    guessed = {c: s for c, s in match.proposed.items() if s.names[0] in rows.columns}
    dated = {c for c, s in guessed.items() if c in INSTANTS and _dated(rows[s.names[0]])}
    for column, source in guessed.items():
        if _guess.canonical_unit(column) is None or column in dated or _guess.unit_of(source.names[0], column):
            continue
        values = rows[source.names[0]]
        if with_own_unit(values, column):
            continue
        unit, sure = _likely_unit(column, values, guessed, rows, dated)
        replaced = ColumnSource(**{"from": source.names, "unit": unit})
        match.proposed[column] = replaced
        if column in match.sources:
            match.sources[column] = replaced
        if not sure:
            match.skipped.setdefault(column, f"{source.names[0]!r} ({column}) has no unit in its name or values")
    if match.table == "samples":
        _moments(match, rows, dated)
    if "submit_s" in guessed.keys() - dated and "start_s" in dated:
        # A time in the queue is no moment. Without a better one the start is proposed.
        match.skipped["submit_s"] = f"{guessed['submit_s'].names[0]!r} is no date, so it may be the time in the queue"
        match.proposed["submit_s"] = guessed["start_s"]
    texts = [
        rows[guessed[c].names[0]].rename("t") for c in sorted(dated) if rows[guessed[c].names[0]].dtype == pl.String
    ]
    if texts:
        try:
            _dates.order_of(pl.concat(texts), settings.dates)
        except Refusal as refusal:
            match.skipped["dates"] = refusal.detail.partition("; ")[0]
            match.keys["dates"] = "day_first"
    start_end = {"start_s", "end_s"} <= {*match.given, *match.sources} - match.skipped.keys()
    if start_end and "runtime_s" in match.skipped:
        # Starts and ends tell it.
        match.proposed.pop("runtime_s"), match.sources.pop("runtime_s", None), match.skipped.pop("runtime_s")


def _moments(match: TableMatch, rows: pl.DataFrame, dated: set[str]) -> None:
    """Of samples, have times that count from 1970 as the column timestamp."""
    source = match.proposed.get("time_s")
    if source is None or source.names[0] not in rows.columns:
        return
    numbers = rows[source.names[0]].cast(pl.Float64, strict=False) if "time_s" not in dated else None
    if numbers is None or _epoch_unit(numbers * source.scale) == "s":
        for sources in (match.proposed, match.sources):
            if "time_s" in sources:
                sources["timestamp"] = sources.pop("time_s")


def _likely_unit(
    column: str, values: pl.Series, guessed: Mapping[str, ColumnSource], rows: pl.DataFrame, dated: set[str]
) -> tuple[str | None, bool]:
    """The unit of numbers without one, and whether it is told by anything or is only the likeliest."""
    numbers = _numbers(values)
    if not len(numbers):
        return None, True
    if column in INSTANTS:
        unit = _epoch_unit(numbers)
        return (None if unit == "s" else unit, True) if unit else ("s", False)
    if column == "runtime_s" and {"start_s", "end_s"} <= guessed.keys():
        return _by_start_and_end(numbers, guessed, rows, dated)
    if column.endswith("_gb"):
        largest = numbers.max()
        return next((unit for unit, least in (("B", 4e9), ("kB", 4e6), ("MB", 2e3)) if largest >= least), "GB"), False
    return "s", False


def _by_start_and_end(
    numbers: pl.Series, guessed: Mapping[str, ColumnSource], rows: pl.DataFrame, dated: set[str]
) -> tuple[str | None, bool]:
    """The unit by which run times are ends less starts, where both are numbers with the same unit."""
    if dated & {"start_s", "end_s"}:
        return "s", False
    start, end = (_numbers(rows[guessed[column].names[0]], keep=True) for column in ("start_s", "end_s"))
    unit = _epoch_unit(start.drop_nulls())
    if unit is None:
        return "s", False
    took = ((end - start) * (1e-3 if unit == "ms" else 1.0)).drop_nulls()
    for name, scale in (("s", 1.0), ("min", 60.0), ("h", 3600.0), ("ms", 1e-3)):
        if len(took) == len(numbers) and abs(numbers.sum() * scale - took.sum()) <= SAME * took.sum() > 0:
            return (None if name == "s" else name), True
    return "s", False


def _numbers(values: pl.Series, *, keep: bool = False) -> pl.Series:
    if values.dtype == pl.String:
        values = values.str.strip_chars().str.replace(",", ".", literal=True)
    elif not values.dtype.is_numeric():
        values = pl.Series([None] * len(values), dtype=pl.Float64)
    numbers = values.cast(pl.Float64, strict=False)
    return numbers if keep else numbers.drop_nulls()


def _epoch_unit(numbers: pl.Series) -> str | None:
    """s or ms where all the numbers are times since 1970 by their size."""
    numbers = numbers.drop_nulls()
    for unit, scale in (("s", 1), ("ms", 1000)):
        if len(numbers) and numbers.is_between(EPOCH_S[0] * scale, EPOCH_S[1] * scale).all():
            return unit
    return None


def _dated(values: pl.Series) -> bool:
    if values.dtype in (pl.Datetime, pl.Date):
        return True
    return values.dtype == pl.String and bool(values.str.contains(_dates.DATED).any())


@dataclass(frozen=True)
class Completion:
    """Settings with what was found, sentences that say it, and the trace.yaml that would say the same."""

    settings: DropSettings
    notes: list[str]
    proposed: str | None = None


def tell(files: Sequence[Path], settings: DropSettings) -> Completion | None:
    """What the tables among files that no reader knows by their names are; None where they look like nothing known.

    Raises Refusal where they look like something, but not surely: it says why, and what to put into trace.yaml.
    """
    files = [file for file in files if stem(file, TEXT_SUFFIXES)][:MOST_FILES]
    fits: dict[Path, list[TableMatch]] = {}
    likely: list[TableMatch] = []
    shapes = {table: shape for table, shape in SHAPES.items() if _of_format(table, shape, settings.format)}
    for file in files:
        looks = look(file, shapes, settings)
        whole = [match for match in looks if match.complete]
        whole = [a for a in whole if not any(a is not b and a.used < b.used for b in whole)]
        if whole:
            fits[file] = whole
        likely += [match for match in looks if not match.complete]
    if not fits:
        if not likely:
            return None
        # Of two that lack as much, the one that more columns speak for.
        nearest = min(likely, key=lambda match: (len(match.missing) / len(match.shape.choices), -len(match.used)))
        unknown = any(PLACEHOLDER in source.names for source in nearest.proposed.values())
        by_contents = by_what_it_holds([nearest.file], settings) if nearest.table == "jobs" and unknown else None
        raise by_contents or _refusal(nearest, settings)
    for file, whole in fits.items():
        if len(whole) > 1:
            what = " and ".join(match.shape.what for match in whole)
            raise _refusal(whole[0], settings, [f"{file.name} looks like {what}"])
    chosen = [whole[0] for whole in fits.values()]
    for match in chosen:
        if not _all_stated(match, settings) and match.skipped:
            raise _refusal(match, settings)
    return _merge_matches(chosen, settings)


def _all_stated(match: TableMatch, settings: DropSettings) -> bool:
    """Whether trace.yaml maps columns and no needed one is missing; all guesses are then dropped, or questions.

    Where one is missing, a guess is dropped that would add to what is stated, as a time to a rate.
    """
    if not settings.columns:
        return False
    needs = SHAPES[match.table].choices
    met = [need for need in needs if any(set(way) <= match.given.keys() for way in need)]
    spare = {column for need in met for way in need for column in way} if match.table != "jobs" else set()
    stated = len(met) == len(needs)
    dropped = match.sources.keys() & (match.sources.keys() if stated else spare)
    for column in dropped:
        source = match.sources.pop(column)
        if column in ASKED:
            match.skipped.setdefault(column, f"{source.names[0]!r} may be {column}")
        else:
            match.proposed.pop(column), match.skipped.pop(column, None)
    return stated


def _doubts(match: TableMatch) -> list[str]:
    """What was left out of a file since nothing tells surely what it is, and how to use it, as a sentence."""
    doubts = [why for column, why in match.skipped.items() if column in match.proposed]
    proposed = _guess.mapping({c: match.proposed[c] for c in match.skipped if c in match.proposed})
    remedy = f"If they are right, put `columns: {proposed}` into {SETTINGS_FILE}."
    return [f"Left out of {match.file.name}: {'; '.join(doubts)}. {remedy}"] if doubts else []


def by_what_it_holds(files: Sequence[Path], settings: DropSettings) -> Refusal | None:
    """Why jobs whose header has no known words is not read, with a proposed trace.yaml; None for others."""
    files = [file for file in files if stem(file, TEXT_SUFFIXES)]
    if len(files) != 1 or settings.format not in (None, "jobs"):
        return None
    try:
        table = open_table(files[0])
        rows = next(iter(table.batches(table.names, lambda _: None)))
    except (Refusal, StopIteration):
        return None
    sure = _by_names(files[0], "jobs", SHAPES["jobs"], table.names, settings)
    known = {**sure.given, **{c: s for c, s in sure.sources.items() if c not in sure.skipped}}
    proposal = _propose.of_jobs(rows.head(MOST_LOOKED), known, settings)
    if proposal is None:
        return None
    lines = [as_yaml({"format": "jobs", "jobs": files[0].name}, {})]
    lines += [f"{key}: {value}  # {proposal.why[key]}" for key, value in proposal.keys.items()]
    text = "\n".join([*lines, proposal.text()])
    sentence = (
        f"{files[0].name} may be a table of jobs, by what its columns hold, but their names are not known. Look at "
        f"each line, correct it, and put this into {SETTINGS_FILE}:"
    )
    return Refusal("columns_ambiguous", f"{sentence}\n{text}", proposed=text)


def _of_format(table: str, shape: Shape, stated: str | None) -> bool:
    """Whether a table may be one of a drop of the stated format."""
    beside = {"jobs": "memory_samples", "corun_pairs": "sm_curve", "sm_curve": "kernels"}
    return stated in (None, shape.format, beside.get(table))


def _likely(match: TableMatch) -> bool:
    met = len(match.shape.choices) - len(match.missing)
    return met >= 2 and 2 * met >= len(match.shape.choices)


def _merge_matches(chosen: Sequence[TableMatch], settings: DropSettings) -> Completion:
    """Settings for all tables of a drop."""
    tables: dict[str, list[Path]] = {}
    for match in chosen:
        tables.setdefault(match.table, []).append(match.file)
    repeated = next((table for table, files in tables.items() if len(files) > 1), None)
    if repeated:
        names = " and ".join(sorted(file.name for file in tables[repeated]))
        raise Refusal("table_repeated", f"{names} both look like {SHAPES[repeated].what}; keep one of them in a drop")
    formats = {match.shape.format for match in chosen} - ({"jobs"} if "samples" in tables else set())
    if formats == {"kernels", "sm_curve"} and "kernels" not in tables:
        formats = {"sm_curve"}
    elif formats == {"kernels", "sm_curve"}:
        formats = {"kernels"}
    if len(formats) > 1:
        parts = "; ".join(f"{match.file.name}: {match.shape.what}" for match in chosen)
        raise Refusal(
            "format_ambiguous", f"several kinds of tables in one folder ({parts}); split it into several drops"
        )
    columns: dict[str, ColumnSource] = dict(settings.columns)
    for match in chosen:
        for column, source in match.sources.items():
            if column in settings.columns and settings.columns[column] != source:
                raise _not_there(column, source, match, settings)
            if columns.setdefault(column, source) != source:
                raise Refusal(
                    "columns_ambiguous",
                    f"{column} is {source.names[0]!r} in {match.file.name} and {columns[column].names[0]!r} in another "
                    "file; give both the same name",
                )
    keys = {"format": formats.pop()} | _files_of({table: files[0].name for table, files in tables.items()})
    for match in chosen:
        keys |= _units(match.sources, settings)
    update = {key: value for key, value in keys.items() if key != "tables"} | {"columns": columns}
    update["tables"] = {**settings.tables, **keys.get("tables", {})}
    notes = [note for match in chosen if (note := said(match.file.name, match.sources))]
    return Completion(settings.model_copy(update=update), notes, as_yaml(keys, columns))


def _not_there(column: str, source: ColumnSource, match: TableMatch, settings: DropSettings) -> Refusal:
    """Why a column that trace.yaml maps to a name that the file does not have is not guessed."""
    stated = listing(settings.columns[column].names)
    return Refusal(
        "columns_missing",
        f"{SETTINGS_FILE} says that {column} is {stated!r}, which {match.file.name} does not have; did you mean "
        f"{source.names[0]!r}?",
        file=SETTINGS_FILE,
    )


def _files_of(tables: Mapping[str, str]) -> dict:
    """The keys of trace.yaml that say which file holds which table."""
    keys: dict = {key: name for key, name in tables.items() if key in ("jobs", "samples")}
    others = {key: name for key, name in tables.items() if key in TABLES}
    return keys | ({"tables": others} if others else {})


def complete(tables: Mapping[str, Path], fmt: str, settings: DropSettings) -> Completion:
    """Settings with the columns of tables that their names tell, where these are not called as they should be.

    Nothing is guessed where trace.yaml maps columns and none is missing. A drop of one table that would lack columns
    is refused with a trace.yaml; of several, the reader says so of the file.
    """
    columns, units, notes = dict(settings.columns), {}, []
    for table, file in tables.items():
        shape = SHAPES[table]
        if (table, fmt) in NAMED:
            shape = replace(shape, needed=NAMED[table, fmt], optional=" ".join(shape.columns))
        match = next(iter(look(file, {table: shape}, settings)), None)
        if match is None or _all_stated(match, settings):
            notes += _doubts(match) if match else []
            continue
        if match.missing or (match.essential and match.skipped):
            unknown = any(PLACEHOLDER in source.names for source in match.proposed.values())
            if len(tables) == 1 and not unknown:
                raise _refusal(match, settings)
            continue
        sources = {c: s for c, s in match.sources.items() if c not in match.skipped and c not in columns}
        columns |= sources
        units |= _units(sources, settings)
        note = said(file.name, sources)
        notes += [*([note] if note else []), *_doubts(match)]
    if columns == settings.columns:
        return Completion(settings, notes)
    named_files = {table: file.name for table, file in tables.items() if stem(file) != table}
    keys = {"format": fmt} | _files_of(named_files) | units
    return Completion(settings.model_copy(update={"columns": columns, **units}), notes, as_yaml(keys, columns))


def tables_of(fmt: str, files: Iterable[Path], settings: DropSettings) -> dict[str, Path]:
    """The tables of a format that tells them by their names, each with its file; none for other formats."""
    files = list(files)
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
    table_files = {}
    for table in of_format.get(fmt, ()):
        stated = getattr(settings, table, None) or settings.tables.get(table)
        matching = named(files, table, stated)
        if len(matching) == 1:
            table_files[table] = matching[0]
    return table_files


def said(file: str, sources: Mapping[str, ColumnSource]) -> str | None:
    """What was taken for what, as a sentence; None where every column has its own name."""
    parts = []
    for column, source in sources.items():
        means = _guess.counted(column, source.names[0])
        more = f" ({means[2]}, as {means[0]}: {means[1]} says)" if means else f" ({source.unit})" if source.unit else ""
        parts += [f"{column} is {source.names[0]}{more}"] if source.names != [column] else []
    return f"Columns of {file} by their names: {listing(parts, MOST_SHOWN)}." if parts else None


def as_yaml(keys: Mapping[str, object], columns: Mapping[str, ColumnSource]) -> str:
    """The keys and columns as the text of a trace.yaml."""
    lines = []
    for key, value in keys.items():
        inner = ", ".join(f"{k}: {_guess.quoted(v)}" for k, v in value.items()) if isinstance(value, dict) else ""
        lines.append(f"{key}: {{{inner}}}" if inner else f"{key}: {_guess.quoted(str(value))}")
    mapping = _guess.mapping(columns)
    return "\n".join([*lines, *([f"columns: {mapping}"] if mapping != "{}" else [])])


def _refusal(match: TableMatch, settings: DropSettings, problems: Sequence[str] = ()) -> Refusal:
    """Why a table is not read: what it looks like, what is not sure, and a trace.yaml that would settle it."""
    maybe = [
        f"{column} maybe {source.names[0]!r}"
        for column, source in match.proposed.items()
        if source.names not in ([column], [PLACEHOLDER])
    ]
    why = [*problems, *match.skipped.values()]
    why += [f"no column is surely {' or '.join(match.missing)}"] if len(match.missing) == 1 else []
    why += [f"no columns are surely {', '.join(match.missing)}"] if len(match.missing) > 1 else []
    keys: dict = {"format": match.shape.format} | _files_of({match.table: match.file.name}) | match.keys
    keys |= _units(match.proposed, settings)
    text = as_yaml(keys, {**settings.columns, **match.proposed})
    sentence = (
        f"{match.file.name} looks like {match.shape.what} ({listing(maybe, MOST_SHOWN) or 'by its columns'}), but "
        f"{'; '.join(why)}. Look at it, and if it is right, put this into {SETTINGS_FILE}:"
    )
    return Refusal("columns_missing" if match.missing else "columns_ambiguous", f"{sentence}\n{text}", proposed=text)
