"""From tables to arrays: curves, mixes of applications, and the scenarios that one family of schedulers runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import polars as pl

from pipeline.replay.table import codes, comparable, require_columns, require_finite
from pipeline.studies.gpu_sharing import model
from pipeline.wording import did_you_mean

OF_APP = {"pressure": 1.0, "block_cycles": 25_000.0}
"""Columns of the optional table `apps`, with what they are where it does not say."""
SET, APP = "_set", "_app"


@dataclass(frozen=True)
class Mixes:
    """Applications of all mixes, by mix, then slot.

    mix: ids, sorted; first_slot: where each mix begins in the others; curve: number of the application's curve; slot
    and app: as given.
    """

    mix: pl.Series
    first_slot: np.ndarray
    curve: np.ndarray
    slot: pl.Series
    app: pl.Series


@dataclass(frozen=True)
class Curves:
    """Points of all curves, by curve, then SMs; and what is known of each curve's application.

    curve, sms, ipc: one a point; names: one a curve; of_app: one a curve for each column of `apps` (OF_APP first).
    """

    curve: np.ndarray
    sms: np.ndarray
    ipc: np.ndarray
    names: list[str]
    of_app: dict[str, np.ndarray]


@dataclass(frozen=True)
class Problem:
    """Scenarios of one family on GPUs of one size, with one interpolation.

    scenarios: their rows, with every column of the study's DEFAULTS; number: place of each in the whole batch.
    sms: of the GPU. ipc: throughput alone of curve c on n SMs, shape (curves, sms + 1).
    first_slot: where the slots of each scenario begin (one more than scenarios) in curve (row of ipc), slot and app;
    of_app: for each column of `apps` one value a row of ipc. modules: the schedulers' modules by name.
    """

    scenarios: pl.DataFrame
    number: np.ndarray
    sms: int
    ipc: np.ndarray
    first_slot: np.ndarray
    curve: np.ndarray
    slot: pl.Series
    app: pl.Series
    of_app: dict[str, np.ndarray]
    modules: Mapping[str, ModuleType]

    def stated(self, constant: str) -> list:
        """What the scheduler of each scenario states as the constant."""
        by_name = {name: getattr(self.modules[name], constant) for name in self.scenarios["scheduler"].unique()}
        return [by_name[name] for name in self.scenarios["scheduler"]]

    def per_slot(self, values: Mapping[str, np.ndarray | pl.Series]) -> pl.DataFrame:
        """A frame with a row a slot of every scenario: number of the scenario, slot, app and the values."""
        number = np.repeat(self.number, np.diff(self.first_slot))
        return pl.DataFrame({"_scenario": number, "slot": self.slot, "app": self.app, **values})

    def metrics(self, values: Mapping[str, np.ndarray]) -> pl.DataFrame:
        """A frame with a row a scenario and measure (one array each, a value a scenario; NaN is not defined)."""
        count = len(values)
        return pl.DataFrame(
            {
                "_scenario": np.repeat(self.number, count),
                "metric": pl.Series(list(values), dtype=pl.String).gather(np.tile(np.arange(count), len(self.number))),
                "value": pl.Series(np.column_stack(list(values.values())).reshape(-1)).fill_nan(None),
            }
        )


def prepare(inputs: Mapping[str, pl.DataFrame]) -> tuple[Mixes, Curves]:
    """Arrays of `mixes` (mix_id, slot, app, [curve_set]), `sm_curves` ([curve_set], app, sms, ipc) and [`apps`].

    `apps` ([curve_set], app, and any of the columns of OF_APP, others that are numbers) tells more of applications.
    Raises ValueError naming a missing table or column, an unknown application, a value out of range or a row that
    occurs twice.
    """
    for table in ("sm_curves", "mixes"):
        if table not in inputs:
            raise ValueError(f"inputs: missing table {table}; found {', '.join(inputs)}{did_you_mean(table, inputs)}")
    curves, mixes = inputs["sm_curves"], inputs["mixes"]
    require_columns(curves, ("app", "sms", "ipc"), "sm_curves")
    require_columns(mixes, ("mix_id", "slot", "app"), "mixes")
    points = _points(curves)
    keys = points.select(SET, APP).unique(maintain_order=True).with_row_index("_curve")
    points = points.join(keys, on=[SET, APP], how="left", maintain_order="left")
    names = keys[APP].cast(pl.String).to_list()
    of_app = {name: np.full(len(keys), default) for name, default in OF_APP.items()}
    if "apps" in inputs:
        of_app |= _of_app(inputs["apps"], keys, of_app)
    known = Curves(
        points["_curve"].to_numpy().astype(np.int64), points["sms"].to_numpy(), points["ipc"].to_numpy(), names, of_app
    )
    return _mixes(mixes, keys), known


def _keyed(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """The frame with comparable ids of set of curves and application."""
    for column in ("app", "curve_set"):
        if column in frame.columns and frame[column].null_count():
            raise ValueError(f"{table}: {column} is null in row {frame[column].is_null().arg_true()[0] + 1}")
    sets = comparable(frame["curve_set"]).cast(pl.String) if "curve_set" in frame.columns else pl.lit("", pl.String)
    return frame.with_columns(sets.alias(SET), comparable(frame["app"]).alias(APP))


def _points(curves: pl.DataFrame) -> pl.DataFrame:
    """Points of the curves, checked and in order, without those at no SMs."""
    require_finite(curves, "sms", "sm_curves", 0)
    require_finite(curves, "ipc", "sm_curves", 0)
    keyed = _keyed(curves, "sm_curves").select(
        SET, APP, pl.col("sms").cast(pl.Float64), pl.col("ipc").cast(pl.Float64)
    )  # fmt: skip
    broken = keyed.filter((pl.col("sms") % 1 != 0) | ((pl.col("sms") == 0) & (pl.col("ipc") != 0)))
    if len(broken):
        _, app, sms, ipc = broken.row(0)
        why = "an ipc of 0 there" if sms == 0 else "whole SMs"
        raise ValueError(f"sm_curves: app {app!r} has a point at {sms:g} SMs with ipc {ipc:g}; a curve has {why}")
    points = keyed.filter(pl.col("sms") > 0).sort(SET, APP, "sms", maintain_order=True)
    twice = points.select(SET, APP, "sms").is_duplicated()
    if twice.any():
        _, app, sms, _ = points.filter(twice).row(0)
        raise ValueError(f"sm_curves: app {app!r} has {sms:g} SMs twice; give one point for each number of SMs")
    return points


def _of_app(apps: pl.DataFrame, keys: pl.DataFrame, defaults: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Numeric columns of `apps` as arrays, one value a curve; null and absent rows take the default, or NaN."""
    require_columns(apps, ("app",), "apps")
    keyed = _keyed(apps, "apps")
    on = [SET, APP] if "curve_set" in apps.columns else [APP]
    if keyed.select(on).is_duplicated().any():
        app = keyed.filter(keyed.select(on).is_duplicated())["app"][0]
        raise ValueError(f"apps: app {app!r} occurs twice")
    _require_alike(keyed[APP], keys[APP], "apps")
    found = keys.join(keyed.drop([SET] if len(on) == 1 else []), on=on, how="left", maintain_order="left")
    columns = [name for name in apps.columns if apps[name].dtype.is_numeric() and name not in ("app", "curve_set")]
    for name in columns:
        require_finite(apps, name, "apps", 0, where=apps[name].is_not_null())
    return {
        name: found[name].cast(pl.Float64).fill_null(defaults[name][0] if name in defaults else np.nan).to_numpy()
        for name in columns
        if len(keys)
    }


def _mixes(mixes: pl.DataFrame, keys: pl.DataFrame) -> Mixes:
    for column in ("mix_id", "slot"):
        if mixes[column].null_count():
            raise ValueError(f"mixes: {column} is null in row {mixes[column].is_null().arg_true()[0] + 1}")
    frame = (
        _keyed(mixes, "mixes")
        .with_columns(comparable(mixes["mix_id"]).alias("_mix"), comparable(mixes["slot"]).alias("_slot"))
        .sort("_mix", "_slot", maintain_order=True)
    )
    twice = frame.select("_mix", "_slot").is_duplicated()
    if twice.any():
        mix, slot = frame.filter(twice).select("_mix", "_slot").row(0)
        raise ValueError(f"mixes: slot {slot!r} occurs twice in mix {mix!r}")
    _require_alike(frame[APP], keys[APP], "mixes")
    if "curve_set" not in mixes.columns and keys[SET].n_unique() > 1:
        raise ValueError("mixes: missing column curve_set; sm_curves holds several sets of curves")
    on = [SET, APP] if "curve_set" in mixes.columns else [APP]
    found = frame.join(keys.select(*on, "_curve"), on=on, how="left", maintain_order="left")
    if found["_curve"].null_count():
        its_set, app, mix = found.filter(pl.col("_curve").is_null()).select(SET, APP, "_mix").row(0)
        known = [str(a) for a in (keys.filter(pl.col(SET) == its_set) if len(on) > 1 else keys)[APP].unique().sort()]
        where = f" of curve_set {its_set!r}" if len(on) > 1 else ""
        some = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
        raise ValueError(
            f"unknown app {app!r} in mix {mix!r}; sm_curves{where} has {some or 'none'}{did_you_mean(app, known)}"
        )
    mix = frame["_mix"].unique().sort()
    first = np.searchsorted(codes(frame["_mix"], mix, "mix"), np.arange(len(mix) + 1)).astype(np.int64)
    return Mixes(mix, first, found["_curve"].to_numpy().astype(np.int64), frame["slot"], frame["app"])


def _require_alike(ids: pl.Series, among: pl.Series, table: str) -> None:
    if ids.dtype != among.dtype:
        raise ValueError(f"app: ids are {ids.dtype} in {table} and {among.dtype} in sm_curves")


def problem(scenarios: pl.DataFrame, mixes: Mixes, curves: Curves, modules: Mapping[str, ModuleType]) -> Problem:
    """The scenarios, all of one size of GPU and one interpolation, with the curves that their mixes need.

    Raises ValueError naming a mix of more applications than there are SMs, or a curve that ends before `sms` or has no
    throughput there.
    """
    sms, interpolation = scenarios["sms"][0], scenarios["interpolation"][0]
    mix = codes(scenarios["mix_id"], mixes.mix, "mix")
    length = np.diff(mixes.first_slot)[mix]
    first = np.append(0, np.cumsum(length)).astype(np.int64)
    if len(length) and length.max() > sms:
        s = int(np.argmax(length > sms))
        raise ValueError(
            f"scenario {scenarios['scenario_id'][s]!r}: mix {mixes.mix[int(mix[s])]!r} has {length[s]} applications, "
            f"the GPU has {sms} SMs; each needs at least one"
        )
    row = np.arange(first[-1]) - np.repeat(first[:-1] - mixes.first_slot[mix], length)
    used = np.unique(mixes.curve[row])
    ipc = _reaching(curves, used, sms, interpolation)
    return Problem(
        scenarios.drop("_number"), scenarios["_number"].to_numpy(), sms, ipc, first,
        np.searchsorted(used, mixes.curve[row]).astype(np.int64), mixes.slot.gather(row), mixes.app.gather(row),
        {name: values[used] for name, values in curves.of_app.items()}, modules,
    )  # fmt: skip


def _reaching(curves: Curves, used: np.ndarray, sms: int, interpolation: str) -> np.ndarray:
    """Throughput of the used curves on 0..sms SMs."""
    wanted = np.isin(curves.curve, used)
    number = np.searchsorted(used, curves.curve[wanted])
    table = model.throughput_table(number, curves.sms[wanted], curves.ipc[wanted], sms, interpolation)
    bad = ~(table[:, -1] > 0)
    if bad.any():
        row = int(np.argmax(bad))
        name = curves.names[used[row]]
        if np.isnan(table[row, -1]):
            most = curves.sms[wanted][number == row].max()
            raise ValueError(
                f"sm_curves: app {name!r} is known up to {most:g} SMs, the GPU has {sms}; nothing is extrapolated, "
                f"give a point at {sms} SMs or more"
            )
        raise ValueError(f"sm_curves: app {name!r} has no throughput on {sms} SMs, so nothing can be compared with it")
    return table


def together(frames: Iterable[pl.DataFrame], scenario_id: pl.Series, by: Iterable[str] = ()) -> pl.DataFrame:
    """Frames of several problems as one, in the order of the scenarios; their number becomes their id."""
    frame = pl.concat(list(frames)).sort("_scenario", *by, maintain_order=True)
    return frame.select(scenario_id.gather(frame["_scenario"]).alias("scenario_id"), pl.exclude("_scenario"))
