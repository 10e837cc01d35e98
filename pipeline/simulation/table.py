"""Scenario tables as every study reads them: defaults, options, ids of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from pipeline.runtime.study import REQUIRED, UNREAD, Parameter, Study, Table
from pipeline.runtime.wording import did_you_mean


def require_columns(frame: pl.DataFrame, columns: Iterable[str], table: str) -> None:
    """Raise ValueError naming the columns of `table` that are absent."""
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        hints = "".join(did_you_mean(c, frame.columns) for c in missing[:1])
        raise ValueError(f"{table}: missing column {', '.join(missing)}; found {', '.join(frame.columns)}{hints}")


def require_known(values: pl.Series, known: Iterable[str], what: str) -> None:
    """Raise ValueError naming the first value that is not among the known ones."""
    known = sorted(known)
    for value in values.unique(maintain_order=True):
        if value not in known:
            raise ValueError(f"unknown {what} {value!r}; known: {', '.join(known)}{did_you_mean(value, known)}")


def checked(scenarios: pl.DataFrame, study: Study, schedulers: Iterable[str], *required: str) -> pl.DataFrame:
    """Scenarios as the study declares their parameters: with defaults, in the order of their ids.

    required: columns beside those that the study requires. Raises ValueError naming a column that is missing, an id
    that occurs twice, an unknown scheduler or word, or column and row of a number out of range.
    """
    declared = {name: each for name, each in study.parameters.items() if each.default is not UNREAD}
    required = ("scenario_id", "scheduler", *required, *(n for n, each in declared.items() if each.default is REQUIRED))
    require_columns(scenarios, dict.fromkeys(required), "scenarios")
    _require_given(scenarios, required, "scenarios")
    _require_once(scenarios, ("scenario_id",), "scenarios")
    for name in ("seed", *(n for n, each in declared.items() if each.dtype == "count")):
        if name in scenarios.columns:  # before the default makes it an integer
            require_whole(scenarios, name, "scenarios")
    scenarios = _with_defaults(scenarios, {"seed": 0, **study.defaults})
    require_known(scenarios["scheduler"], schedulers, "scheduler")
    _require_in_range(scenarios, declared, "scenarios")
    return scenarios.with_columns(_id=comparable(scenarios["scenario_id"])).sort("_id").drop("_id")


def checked_inputs(inputs: Mapping[str, Any], declared: Mapping[str, Table]) -> dict[str, Any]:
    """Inputs with the columns that the declared tables may leave out.

    Raises ValueError naming a table or column that is missing, column and row of a null or of a value out of range, or
    a key that occurs twice.
    """
    return dict(inputs) | {name: _checked_input(inputs, name, table) for name, table in declared.items()}


def _checked_input(inputs: Mapping[str, Any], name: str, table: Table) -> pl.DataFrame:
    if name not in inputs:
        raise ValueError(f"inputs: missing table {name}; found {', '.join(inputs)}{did_you_mean(name, inputs)}")
    frame, columns = inputs[name], table.columns
    required = [column for column, each in columns.items() if each.default is REQUIRED]
    require_columns(frame, required, name)
    _require_given(frame, required, name)
    for column, each in columns.items():
        if column not in frame.columns:
            dtype = {"text": pl.String, "count": pl.Int64}.get(each.dtype, pl.Float64)
            frame = frame.with_columns(pl.lit(each.default, dtype).alias(column))
        elif each.default not in (None, REQUIRED):
            frame = frame.with_columns(pl.col(column).fill_null(each.default))
        if each.dtype == "count":
            require_whole(frame, column, name)
    _require_in_range(frame, columns, name)
    if table.key:
        _require_once(frame, table.key, name)
    return frame


def _require_given(frame: pl.DataFrame, columns: Iterable[str], table: str) -> None:
    for column in columns:
        if frame[column].null_count():
            raise ValueError(f"{table}: {column} is null in row {frame[column].is_null().arg_true()[0] + 1}")


def _require_once(frame: pl.DataFrame, key: tuple[str, ...], table: str) -> None:
    twice = frame.select(key).is_duplicated()
    if twice.any():
        *outer, (column, value) = frame.select(key).row(twice.arg_true()[0], named=True).items()
        where = ", ".join(f"{name.removesuffix('_id')} {of!r}" for name, of in outer)
        raise ValueError(f"{table}: {column} {value!r} occurs twice{' in ' if where else ''}{where}")


def _with_defaults(scenarios: pl.DataFrame, defaults: Mapping[str, Any]) -> pl.DataFrame:
    """Scenarios with every column of `defaults`, cast to the dtype of the default where it has one."""
    columns = []
    for name, default in defaults.items():
        if default is None:
            columns.append(pl.col(name) if name in scenarios.columns else pl.lit(None).alias(name))
            continue
        dtype = pl.Series([default]).dtype
        given = pl.col(name).cast(dtype) if name in scenarios.columns else pl.lit(None, dtype)
        columns.append(given.fill_null(pl.lit(default, dtype)).alias(name))
    return scenarios.with_columns(columns)


def _require_in_range(frame: pl.DataFrame, columns: Mapping[str, Parameter], table: str) -> None:
    """Raise ValueError naming the first word that is unknown, or number out of its limits; nulls pass."""
    for name, each in columns.items():
        if each.words:
            require_known(frame[name].drop_nulls(), each.words, name)
        elif each.dtype in ("number", "count"):
            require_finite(frame, name, table, each.limits, where=frame[name].is_not_null())


def require_finite(
    frame: pl.DataFrame, column: str, table: str, limits: Mapping[str, float], *, where: pl.Series | None = None
) -> None:
    """Raise ValueError naming the first row (of those `where` holds) whose value is null, not finite or out of limits.

    limits: min, min_exclusive and max, where there are any.
    """
    value = frame[column] if frame[column].dtype.is_integer() else frame[column].cast(pl.Float64)
    least, above, most = (limits.get(name) for name in ("min", "min_exclusive", "max"))
    good, bounds = value.is_finite(), []
    if least is not None:
        good, bounds = good & (value >= least), [f"at least {least:g}"]
    if above is not None:
        good, bounds = good & (value > above), [f"above {above:g}"]
    if most is not None:
        good, bounds = good & (value <= most), [*bounds, f"at most {most:g}"]
    bad = ~good.fill_null(False)
    rows = (bad if where is None else bad & where).arg_true()
    if len(rows):
        bad_value, right = frame[column][rows[0]], " and ".join([", ".join(bounds), "finite"] if bounds else ["finite"])
        raise ValueError(f"{table}: {column} is {bad_value} in row {rows[0] + 1}; it must be {right}")


def require_whole(frame: pl.DataFrame, column: str, table: str) -> None:
    """Raise ValueError naming the first row whose value is not a whole number; nulls pass."""
    values = frame[column]
    if values.dtype.is_integer() or values.dtype == pl.Null:
        return
    if not values.dtype.is_numeric():
        raise ValueError(f"{table}: {column} is {values.dtype}; it must be a whole number")
    broken = (values.cast(pl.Float64) % 1 != 0).fill_null(False).arg_true()
    if len(broken):
        row = broken[0]
        raise ValueError(f"{table}: {column} is {values[row]} in row {row + 1}; it must be a whole number")


def comparable(ids: pl.Series) -> pl.Series:
    """Ids as plain strings or Int64, so that they compare and sort alike whatever their dtype.

    Raises ValueError for ids that are neither strings nor integers.
    """
    if ids.dtype.is_integer():
        beyond = ids.dtype == pl.UInt64 and len(ids) and (ids.max() or 0) > 2**63 - 1
        return ids.cast(pl.Int128 if beyond else pl.Int64)
    if ids.dtype in (pl.String, pl.Categorical) or isinstance(ids.dtype, pl.Enum):
        return ids.cast(pl.String)
    if ids.dtype == pl.Null and not len(ids):
        return ids.cast(pl.String)
    raise ValueError(f"{ids.name}: ids are strings or integers, not {ids.dtype}")


def chosen(scenarios: pl.DataFrame, column: str, known: pl.Series | None) -> np.ndarray:
    """Number (int64) of the set of parameters that each scenario names in `column`, `<what>_id`, among the known ones.

    None: the parameters have no such column, and hold for all scenarios; of a single set the scenarios need not name
    it. Raises ValueError naming an id that is not known, or a scenario that names none of several.
    """
    given, what = scenarios[column], column.removesuffix("_id")
    if known is None:
        if given.null_count() < len(given):
            raise ValueError(f"unknown {what} {given.drop_nulls()[0]!r}; no table has a column {column}")
        return np.zeros(len(scenarios), np.int64)
    if given.null_count():
        if len(known) != 1:
            row = scenarios.filter(given.is_null())["scenario_id"][0]
            some = ", ".join(str(i) for i in known.head(5))
            raise ValueError(f"scenarios: {column} is null in scenario {row!r}; it must be one of {some}")
        given = given.cast(known.dtype).fill_null(known[0])
    return codes(given, known, what).copy()


def metrics_of(scenario_id: pl.Series, names: Iterable[str], values: np.ndarray) -> pl.DataFrame:
    """Table of metrics (scenario_id, metric, value) of a row of values for each scenario; nan becomes null."""
    names = pl.Series(list(names), dtype=pl.String)
    return pl.DataFrame(
        {
            "scenario_id": scenario_id.gather(np.repeat(np.arange(len(scenario_id)), len(names))),
            "metric": names.gather(np.tile(np.arange(len(names)), len(scenario_id))),
            "value": pl.Series(values.reshape(-1), dtype=pl.Float64).fill_nan(None),
        }
    )


def codes(ids: pl.Series, among: pl.Series, what: str) -> np.ndarray:
    """Position of each id in `among` (unique), as int64. Raises ValueError naming an id that is not there."""
    ids, among = comparable(ids), comparable(among)
    if ids.dtype != among.dtype:
        raise ValueError(f"{what}: ids are {ids.dtype} in one table and {among.dtype} in another")
    places = pl.DataFrame({"id": among, "code": np.arange(len(among), dtype=np.int64)})
    positions = pl.DataFrame({"id": ids}).join(places, on="id", how="left", maintain_order="left")["code"]
    if positions.null_count():
        unknown = ids.filter(positions.is_null())[0]
        some = ", ".join(str(i) for i in among.unique(maintain_order=True)[:5])
        hint = did_you_mean(unknown, (str(i) for i in among.head(10_000)))
        raise ValueError(f"unknown {what} {unknown!r}; known are {some}{', …' if len(among) > 5 else ''}{hint}")
    return positions.to_numpy()
