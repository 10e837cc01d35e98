"""From the columns of a source table to canonical ones: names, units, numbers, times and ids.

Times are either relative (seconds since an origin the table does not name) or absolute (timestamps). Absolute ones are
carried as whole microseconds since 1970 until the trace's origin is known, so that subtracting it loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import dataframely as dy
import polars as pl

from pipeline.drops import PERCENT, ColumnSource, DropSettings, Refusal
from pipeline.readers import _dates, _names, _slurm
from pipeline.readers._numbers import GB_PER_BYTE
from pipeline.readers._series import run_starts
from pipeline.runtime.wording import did_you_mean, listing

ID_SEPARATOR = "/"
MICROSECONDS = 1_000_000
CALENDAR_S = (0, 253_402_300_799)
"""The years 1970 to 9999, seconds since 1970; no machine is older."""
_INSTANTS = (pl.Datetime, pl.Date)
_CLOCKS = ("runtime_s", "walltime_s", "duration_s")
"""Columns of durations, which may be written as `[days-]hours:minutes:seconds`."""
_SIZE = r"(?i)^(\d+(?:\.\d+)?)\s*([kmgtp]i?b?|b)$"
_MIG_PROFILE = r"^\s*(?:MIG[ -])?([1-7])g\.\d+gb(?:\+[\w.+]+)?\s*$"
_BYTES = {
    suffix: base**power
    for base, letters in ((1000, "{}b"), (1024, "{}ib"), (1024, "{}"))
    for power, letter in enumerate("kmgtp", start=1)
    for suffix in [letters.format(letter)]
} | {"b": 1}
"""Bytes of the unit that a size ends in: `MB` is decimal, `MiB` binary, and so is a letter alone, as in schedulers."""
_TIMES = ("timestamp", "time_s", "submit_s", "start_s", "end_s")
_OF_TRACE = ("trace", "origin")


@dataclass(frozen=True)
class Binding:
    """Source of each canonical column of a table, the columns left out, and those that hold timestamps.

    percent_of: what percentages of a column of whole numbers are of (SMs of the GPU). dates: which part of a date with
    slashes is first, where it is known. slices: SMs are MIG slices, which may stand there by name (2g.10gb).
    """

    sources: dict[str, ColumnSource]
    extra: tuple[str, ...]
    absolute: frozenset[str] = frozenset()
    percent_of: int | None = None
    dates: str | None = None
    slices: bool = False

    @property
    def columns(self) -> list[str]:
        """Source columns, each once."""
        return list(dict.fromkeys(name for source in self.sources.values() for name in source.names))

    def numbers(self, schema: type[dy.Schema]) -> list[str]:
        """Source columns of the schema's numbers, but those of timestamps."""
        return [
            source.names[0]
            for column, source in self.sources.items()
            if column not in self.absolute and column != "timestamp" and schema.columns()[column].dtype != pl.String
        ]


def bind(
    names: Sequence[str],
    settings: DropSettings,
    schema: type[dy.Schema],
    required: Sequence[str | tuple[str, ...]],
    aliases: Sequence[str] = (),
) -> Binding:
    """Find the source of each column of the schema (and of `aliases`) among the columns `names` of a table.

    A source that `columns:` of trace.yaml maps is taken where the table has it, else the column of the canonical name.
    Of a tuple in `required` one column is enough. Raises Refusal `columns_missing` with what was found.
    """
    sources = {}
    for column in [*aliases, *(c for c in schema.columns() if c not in _OF_TRACE)]:
        mapped = settings.columns.get(column)
        if mapped and all(name in names for name in mapped.names):
            sources[column] = mapped
        elif column in names:
            sources[column] = ColumnSource(**{"from": [column]})
    problems = []
    for choice in required:
        choice = (choice,) if isinstance(choice, str) else choice
        if any(column in sources for column in choice):
            continue
        mapped = [name for c in choice if c in settings.columns for name in settings.columns[c].names]
        sought = [name for name in mapped if name not in names] or choice
        hints = [name for word in sought if (name := did_you_mean(word, names))]
        maybe = [source.names[0] for source in _names.columns(names, choice).values()]
        hint = hints[0] if hints else "".join(f", maybe {name!r}" for name in maybe[:1])
        source = f" (mapped to {listing(mapped)})" if mapped else ""
        problems.append(f"no column {' or '.join(choice)}{source}{hint}" + ("" if hint.endswith("?") else "."))
    if problems:
        proposed = _names.columns(names, [c for c in schema.columns() if c not in _OF_TRACE])
        example = _names.mapping(proposed) if proposed else f"{{{_first(required[0])}: {listing(names[:1]) or 'name'}}}"
        raise Refusal(
            "columns_missing",
            f"{' '.join(problems)} Found: {listing(names)}. Rename the columns, or map "
            f"them in trace.yaml, as `columns: {example}`",
        )
    used = {name for source in sources.values() for name in source.names}
    extra = tuple(name for name in names if name not in used)
    return Binding(sources, extra, percent_of=settings.gpu_sms, slices=settings.sizes == "mig")


def _first(choice: str | tuple[str, ...]) -> str:
    return choice if isinstance(choice, str) else choice[0]


def find_absolute(binding: Binding, frame: pl.DataFrame, dates: str | None = None) -> Binding:
    """The binding with the columns named that hold timestamps in `frame` (a table, or a batch of one), and their order.

    `timestamp` always does; the others where their values are of a date type, or texts none of which is a number and
    some a timestamp. dates: the order that trace.yaml states. Raises Refusal where nobody can tell day and month apart.
    """
    absolute = set()
    for column in binding.sources.keys() & set(_TIMES):
        values = frame[binding.sources[column].names[0]]
        if column == "timestamp" or values.dtype in (pl.Datetime, pl.Date) or _all_timestamps(values):
            absolute.add(column)
    texts = [frame[binding.sources[column].names[0]] for column in sorted(absolute)]
    texts = [values.rename("text") for values in texts if values.dtype == pl.String]
    order = _dates.order_of(pl.concat(texts), dates) if texts else dates
    return replace(binding, absolute=frozenset(absolute), dates=order)


def _all_timestamps(values: pl.Series) -> bool:
    if values.dtype != pl.String or values.cast(pl.Float64, strict=False).null_count() < len(values):
        return False
    return bool(values.str.contains(_dates.DATED).any())


def to_canonical(
    frame: pl.DataFrame, binding: Binding, schema: type[dy.Schema], zone: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Canonical columns and `row` of a batch, and the rows with a value that cannot be read (row, reason, detail).

    Absolute times come as microseconds since 1970 (Int64), times without a zone are read in `zone`. Raises Refusal
    `column_type` for a column that cannot hold what it should.
    """
    columns, faults = [frame["row"]], []
    given = frame
    frame = frame.with_columns(_in_calendar(frame[name]) for name in binding.columns if frame[name].dtype in _INSTANTS)
    for column, source in binding.sources.items():
        dtype = pl.Float64() if column == "timestamp" else schema.columns()[column].dtype
        if dtype == pl.String:
            columns.append(_identifier(frame, source.names).alias(column))
            continue
        raw = frame[source.names[0]]
        if column in binding.absolute:
            value = _absolute(raw, source, zone, binding.dates)
            given_times = given[source.names[0]]
            # Polars panics over the text of a time of no calendar; its number has one.
            raw = given_times.to_physical() if given_times.dtype in _INSTANTS else given_times
            faults.append(
                (raw, value, f"{column}_unreadable", f"{column} = {{}} is no timestamp, as 2024-01-31T12:00:00Z")
            )
        else:
            value = _number(raw, source, column)
            if column == "sms" and binding.slices and raw.dtype == pl.String:
                value = value.fill_null(_slices(raw))
            faults.append((raw, value, f"{column}_unreadable", f"{column} = {{}} is not a number"))
            if dtype.is_integer() and source.unit == PERCENT:
                value = (value * binding.percent_of).round()
            if dtype.is_integer():
                number, value = value, _whole(value)
                faults.append((number, value, f"{column}_not_an_integer", f"{column} = {{}} is not a whole number"))
        columns.append(value.alias(column))
    canonical = pl.DataFrame(columns)
    rejected = [
        pl.select(
            frame["row"],
            pl.lit(reason).alias("reason"),
            pl.format(detail, raw.cast(pl.String, strict=False).str.slice(0, 80).fill_null("(no text)")).alias(
                "detail"
            ),
        ).filter(raw.is_not_null() & value.is_null())
        for raw, value, reason, detail in faults
        if value.null_count() > raw.null_count()
    ]
    if not rejected:
        return canonical, pl.DataFrame(schema={"row": pl.Int64, "reason": pl.String, "detail": pl.String})
    bad = pl.concat(rejected).unique("row", keep="first", maintain_order=True).sort("row")
    return canonical.join(bad, on="row", how="anti", maintain_order="left"), bad


def since(frame: pl.DataFrame, binding: Binding, origin_us: int) -> pl.DataFrame:
    """Absolute times as seconds since the origin (microseconds since 1970); `timestamp` becomes `time_s`."""
    return frame.with_columns(
        ((pl.col(column) - origin_us) / MICROSECONDS).alias("time_s" if column == "timestamp" else column)
        for column in sorted(binding.absolute)
    )


def _identifier(frame: pl.DataFrame, names: list[str]) -> pl.Series:
    """Texts of a column; of several columns their texts joined by `/`, null where one is null."""
    if len(names) == 1:
        return _text(frame[names[0]])
    starts = run_starts(frame.select(names))
    heads = frame.select(names).filter(starts)
    joined = pl.DataFrame([_text(heads[name]) for name in names]).select(
        pl.concat_str(names, separator=ID_SEPARATOR).alias("id")
    )
    return joined["id"].gather(starts.cum_sum() - 1)


def _text(values: pl.Series) -> pl.Series:
    if values.dtype == pl.Datetime:
        zoned = values.dtype.time_zone is not None
        values = values.dt.convert_time_zone("UTC") if zoned else values
        return values.dt.strftime("%Y-%m-%dT%H:%M:%S%.f" + ("Z" if zoned else ""))
    if values.dtype.is_nested() or values.dtype in (pl.Object, pl.Duration):
        raise _wrong_type(values, "a text or a number")
    if values.dtype.is_float():
        return values.cast(pl.String).str.strip_suffix(".0")
    # Bytes that are not UTF-8 name nothing.
    return values.cast(pl.String, strict=False)


def _number(values: pl.Series, source: ColumnSource, column: str = "") -> pl.Series:
    """Float64 in the canonical unit; null where it is not a number.

    Texts may bring a unit of their own: a size as `16 GB` in a column of memory, a duration as `1-02:30:00`.
    """
    if values.dtype == pl.Duration:
        return values.dt.total_microseconds() / MICROSECONDS
    if not (values.dtype.is_numeric() or values.dtype in (pl.String, pl.Null)):
        raise _wrong_type(values, "numbers")
    if values.dtype == pl.String:
        values = values.str.strip_chars()
    number = values.cast(pl.Float64, strict=False)
    scaled = number * source.scale if source.scale != 1.0 else number
    if number.null_count() == values.null_count() or values.dtype != pl.String:
        return scaled
    if column.endswith("_gb"):
        return scaled.zip_with(scaled.is_not_null(), _size_gb(values))
    if column in _CLOCKS:
        return scaled.zip_with(scaled.is_not_null(), _clock_s(values))
    return scaled


def _size_gb(texts: pl.Series) -> pl.Series:
    number, unit = (pl.col("text").str.extract(_SIZE, group) for group in (1, 2))
    scale = unit.str.to_lowercase().replace_strict(_BYTES, default=None, return_dtype=pl.Float64)
    return texts.to_frame("text").select((number.cast(pl.Float64) * scale * GB_PER_BYTE).alias("gb"))["gb"]


def _slices(texts: pl.Series) -> pl.Series:
    """Slices of a MIG profile by its name, as `2g.10gb` and `MIG 1g.5gb+me`."""
    return texts.str.extract(_MIG_PROFILE).cast(pl.Float64)


def _clock_s(texts: pl.Series) -> pl.Series:
    """Seconds of `[days-]hours:minutes:seconds`; of two parts nobody can tell whether they are hours or minutes."""
    text = pl.col("text")
    whole = pl.when(text.str.contains(r"\d:\d\d:\d\d")).then(text)
    return texts.to_frame("text").select(_slurm.duration_s(whole).alias("s"))["s"]


def _whole(values: pl.Series) -> pl.Series:
    return values.to_frame("n").select(
        pl.when(pl.col("n") == pl.col("n").floor()).then(pl.col("n")).cast(pl.Int64, strict=False)
    )["n"]


def _absolute(values: pl.Series, source: ColumnSource, zone: str, dates: str | None) -> pl.Series:
    """Int64 microseconds since 1970 of timestamps: of a date type, texts, or numbers (seconds or the stated unit).

    Null for what is none, and before 1970: one such instant would be the origin of all others.
    """
    moment = _moment(values, source, zone, dates)
    return _within(moment, moment, MICROSECONDS)


def _moment(values: pl.Series, source: ColumnSource, zone: str, dates: str | None) -> pl.Series:
    if values.dtype == pl.Date:
        values = values.cast(pl.Datetime("us"))
    if values.dtype == pl.Datetime:
        zoned = values.dtype.time_zone is not None
        moment = values if zoned else values.to_frame("t").select(_in_zone(pl.col("t"), zone))["t"]
        return moment.dt.epoch("us")
    if values.dtype == pl.String:
        moment = values.to_frame("t").select(_timestamp(pl.col("t"), zone).dt.epoch("us"))["t"]
        if not moment.null_count() > values.null_count():
            return moment
        others = pl.DataFrame({"t": values.filter(moment.is_null())})
        others = others.select(_timestamp(_dates.iso(pl.col("t"), dates), zone).dt.epoch("us"))["t"]
        moment = moment.scatter(moment.is_null().arg_true(), others)
        return moment.zip_with(moment.is_not_null(), _epoch(_number(values, source)))
    return _epoch(_number(values, source))


def _epoch(seconds: pl.Series) -> pl.Series:
    return (seconds * MICROSECONDS).round().cast(pl.Int64, strict=False)


def _in_calendar(values: pl.Series) -> pl.Series:
    """Dates and times without those of no calendar, over which polars panics."""
    per_second = {"ms": 10**3, "us": 10**6, "ns": 10**9}
    scale = 1 / 86400 if values.dtype == pl.Date else per_second[values.dtype.time_unit]
    return _within(values, values.to_physical(), scale)


def _within(values: pl.Series, since_1970: pl.Series, per_second: float) -> pl.Series:
    """The values whose numbers since 1970, so many a second, lie in the years 1 to 9999; null for the others."""
    return (
        values.to_frame("value")
        .select(pl.when((since_1970 / per_second).is_between(*CALENDAR_S)).then(pl.col("value")).alias(values.name))
        .to_series()
    )


def _timestamp(text: pl.Expr, zone: str) -> pl.Expr:
    """UTC moments of ISO 8601 texts (date and time apart by `T` or a blank), null where a text is none.

    Seconds may be missing. Other dates are made such texts first (_dates.iso).
    """
    text = text.str.strip_chars()
    text = text.str.replace(r"^(\d{4})-(\d)-", "${1}-0${2}-").str.replace(r"^(\d{4}-\d\d)-(\dT)", "${1}-0${2}")
    text = text.str.replace(r"^(\d{4}-\d\d-\d\d) ", "${1}T").str.replace(r"Z$", "+00:00")
    text = text.str.replace(r"^([\d-]{10}T\d\d:\d\d)($|[-+])", "${1}:00${2}")
    form = "%Y-%m-%dT%H:%M:%S%.f"
    return pl.coalesce(
        text.str.to_datetime(f"{form}%:z", strict=False, time_unit="us"),
        _in_zone(text.str.to_datetime(form, strict=False, time_unit="us"), zone),
    )


def _in_zone(naive: pl.Expr, zone: str) -> pl.Expr:
    # An hour that occurs twice when clocks go back is taken as its first occurrence; one that is skipped is no time.
    return naive.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null").dt.convert_time_zone("UTC")


def _wrong_type(values: pl.Series, wanted: str) -> Refusal:
    return Refusal("column_type", f"column {values.name} holds {values.dtype}, where {wanted} would be right")
