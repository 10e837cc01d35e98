"""Scenario tables as every study reads them: defaults, options, ids of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

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


def with_defaults(scenarios: pl.DataFrame, defaults: Mapping[str, Any], required: Iterable[str]) -> pl.DataFrame:
    """Scenarios with `seed` (0) and every column of `defaults`; absent columns and null cells take the default.

    Columns are cast to the dtype of the default where it has one. Raises ValueError naming a required column that is
    absent or null, or a scenario_id that occurs twice.
    """
    required = ["scenario_id", *required]
    require_columns(scenarios, required, "scenarios")
    for column in required:
        if scenarios[column].null_count():
            raise ValueError(f"scenarios: {column} is null in row {scenarios[column].is_null().arg_true()[0] + 1}")
    duplicated = scenarios["scenario_id"].is_duplicated()
    if duplicated.any():
        raise ValueError(f"scenarios: scenario_id {scenarios['scenario_id'].filter(duplicated)[0]!r} occurs twice")
    columns = []
    for name, default in {"seed": 0, **defaults}.items():
        if default is None:
            columns.append(pl.col(name) if name in scenarios.columns else pl.lit(None).alias(name))
            continue
        dtype = pl.Series([default]).dtype
        given = pl.col(name).cast(dtype) if name in scenarios.columns else pl.lit(None, dtype)
        columns.append(given.fill_null(pl.lit(default, dtype)).alias(name))
    return scenarios.with_columns(columns)


def require_finite(
    frame: pl.DataFrame,
    column: str,
    table: str,
    minimum: float,
    *,
    exclusive: bool = False,
    where: pl.Series | None = None,
) -> None:
    """Raise ValueError naming the first row (of those `where` holds) whose value is null, not finite or too small."""
    value = frame[column].cast(pl.Float64)
    good = value.is_finite() & ((value > minimum) if exclusive else (value >= minimum))
    bad = ~good.fill_null(False)
    rows = (bad if where is None else bad & where).arg_true()
    if len(rows):
        bound = f"{'above' if exclusive else 'at least'} {minimum:g}"
        found = frame[column][rows[0]]
        raise ValueError(f"{table}: {column} is {found} in row {rows[0] + 1}; it must be {bound} and finite")


def require_whole(frame: pl.DataFrame, column: str, table: str) -> None:
    """Raise ValueError naming the first row whose value is not a whole number; nulls pass."""
    broken = (frame[column].cast(pl.Float64) % 1 != 0).fill_null(False).arg_true()
    if len(broken):
        raise ValueError(
            f"{table}: {column} is {frame[column][broken[0]]} in row {broken[0] + 1}; it must be a whole number"
        )


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
    found = pl.DataFrame({"id": ids}).join(places, on="id", how="left", maintain_order="left")["code"]
    if found.null_count():
        unknown = ids.filter(found.is_null())[0]
        some = ", ".join(str(i) for i in among.unique(maintain_order=True)[:5])
        hint = did_you_mean(unknown, (str(i) for i in among.head(10_000)))
        raise ValueError(f"unknown {what} {unknown!r}; known are {some}{', …' if len(among) > 5 else ''}{hint}")
    return found.to_numpy()
