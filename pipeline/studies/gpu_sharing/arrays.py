"""From tables to arrays: curves, mixes of applications, and the scenarios that one family of schedulers runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.gpus.mig import MIG_PARTS, layouts
from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.rules import Rule
from pipeline.simulation.table import checked_inputs, codes, comparable, require_finite
from pipeline.studies.gpu_sharing import model
from pipeline.studies.gpu_sharing.inputs import APPS, INPUTS
from pipeline.studies.gpu_sharing.model.asking import Batch
from pipeline.studies.gpu_sharing.model.moving import WAYS

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

    curve, sms, ipc: one per point; names: one per curve; of_app: one per curve and column of `apps` (OF_APP first).
    """

    curve: np.ndarray
    sms: np.ndarray
    ipc: np.ndarray
    names: list[str]
    of_app: dict[str, np.ndarray]


@dataclass(frozen=True)
class Problem:
    """Scenarios of one family on GPUs of one size, with one interpolation and one kind of sizes.

    scenarios: their rows, with every column of the study's DEFAULTS; number: place of each in the whole batch.
    sms: of the GPU. mig: whether it is in MIG slices. ipc: throughput alone of curve c on n SMs, shape
    (curves, sms + 1), NaN on slices that are not measured.
    first_slot: where the slots of each scenario begin (one more than scenarios) in curve (row of ipc), slot and app;
    of_app: for each column of `apps` one value a row of ipc. modules: the schedulers' modules by name.
    """

    scenarios: pl.DataFrame
    number: np.ndarray
    sms: int
    mig: bool
    ipc: np.ndarray
    first_slot: np.ndarray
    curve: np.ndarray
    slot: pl.Series
    app: pl.Series
    of_app: dict[str, np.ndarray]
    modules: Mapping[str, ModuleType]

    @cached_property
    def applications(self) -> np.ndarray:
        """Applications of each scenario's mix."""
        return np.diff(self.first_slot)

    @cached_property
    def cooperative(self) -> np.ndarray:
        """Throughput of each slot in cooperative multitasking: alone on all SMs, 1/k of the time."""
        return self.ipc[self.curve, self.sms] / np.repeat(self.applications, self.applications)

    def spread(self, column: str) -> np.ndarray:
        """A column of the scenarios for each slot."""
        return np.repeat(self.scenarios[column].to_numpy(), self.applications)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums over the slots of each scenario; of flags, how many hold."""
        values = values.astype(np.int64) if values.dtype == bool else values
        return np.add.reduceat(values, self.first_slot[:-1])

    def of_apps(self, column: str, default: float) -> np.ndarray:
        """A column of the table `apps` for each slot; `default` where it does not say."""
        values = self.of_app.get(column)
        if values is None:
            return np.full(len(self.curve), default)
        return np.where(np.isnan(values), default, values)[self.curve]

    def rules(self) -> Iterator[tuple[Rule, np.ndarray]]:
        """The rules of the scenarios' schedulers, and the scenarios of each."""
        of_scheduler = self.scenarios.select("scheduler").with_row_index("s", 0)
        for (name,), rows in of_scheduler.group_by("scheduler", maintain_order=True):
            yield self.modules[name].rule, rows["s"].to_numpy().astype(np.int64)

    def batch(self, **stated: np.ndarray) -> Batch:
        """The scenarios as engines take them; `stated` are arrays of the batch where a family has others."""
        scenarios, slots = self.scenarios, len(self.curve)
        count, gamma = len(scenarios), stated.pop("gamma", self.spread("gamma"))
        seed = scenarios["seed"].cast(pl.Int64).fill_null(0) if "seed" in scenarios.columns else np.zeros(count)
        most = int(self.applications.max())
        of_k = [self.layouts(k).reshape(-1) for k in range(most + 1)]
        batch = Batch(
            sms=self.sms, first_slot=self.first_slot, seed=np.array(seed, np.int64),
            gives_spare=np.zeros(count, bool), midpoint=np.zeros(count, bool), clock_row=np.zeros(count, np.int64),
            freeing=scenarios["freeing"].replace_strict(list(WAYS), range(len(WAYS)), return_dtype=pl.Int64).to_numpy(),
            migrate_cycles=scenarios["migrate_cycles"].cast(pl.Float64).to_numpy(),
            curve=self.curve, cooperative=self.cooperative, pressure=self.of_apps("pressure", 1.0), gamma=gamma,
            known_gamma=np.where(self.spread("decide_by") == "profile", 0.0, gamma),
            block_cycles=self.of_app["block_cycles"][self.curve], target=np.zeros(slots),
            clock_speedup=np.ones(slots), held=np.zeros(slots, np.int64), measured=np.zeros(slots), ipc=self.ipc,
            clock=np.ones((1, self.sms)), layouts=np.concatenate(of_k),
            first_layout=np.append(0, np.cumsum([len(each) for each in of_k])), memory=np.zeros((most, self.sms + 2)),
        )  # fmt: skip
        return batch._replace(**stated)

    def layouts(self, applications: int) -> np.ndarray:
        """SMs of so many applications in each layout of MIG slices, shape (layouts, k); none where any split can be."""
        return layouts(applications) * (self.sms // MIG_PARTS) if self.mig else np.empty((0, applications), np.int64)

    def require_all_used(self, split: np.ndarray, *, or_in_turn: bool = False) -> None:
        """Raise ValueError where a scenario's slots do not have one SM each at least and all SMs together.

        or_in_turn: each may have all SMs as well. In MIG slices they have a layout of measured ones instead.
        """
        first = self.first_slot[:-1]
        least, most = np.minimum.reduceat(split, first), np.maximum.reduceat(split, first)
        if self.mig:
            known = [{tuple(each) for each in self.layouts(k)} for k in range(int(self.applications.max()) + 1)]
            slots = np.split(split, self.first_slot[1:-1])
            sound = np.array([tuple(each) in known[len(each)] for each in slots])
            sound &= self.sums(np.isnan(self.ipc[self.curve, np.clip(split, 0, self.sms)])) == 0
        else:
            sound = (least >= 1) & (most <= self.sms) & (self.sums(split) == self.sms)
        if or_in_turn:
            sound |= (least == self.sms) & (most == self.sms)
        if not sound.all():
            raise self.refusal(int(np.argmin(sound)), split)

    def refusal(self, s: int, split: np.ndarray) -> ValueError:
        """Says what the rule of scenario s chose, and what its family would take."""
        row = self.scenarios.row(s, named=True)
        a, b = self.first_slot[s : s + 2]
        possible = self.modules[row["scheduler"]].FAMILY.possible
        if self.mig:
            possible = "these have to be MIG slices that fit beside each other and are measured, or all in turn"
        return ValueError(
            f"scenario {row['scenario_id']!r}: the rule of scheduler {row['scheduler']} gives "
            f"{', '.join(map(str, split[a:b]))} SMs to the applications of mix {row['mix_id']!r}, which are "
            f"{', '.join(map(str, self.app[int(a) : int(b)]))}; of {self.sms} SMs, {possible}"
        )

    def recorded(self, which: np.ndarray, begin: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scenario, row of the slot and round of what is recorded round by round for the scenarios `which`.

        begin: where the records of each of them begin, one more than there are.
        """
        length = np.diff(begin)
        scenario = np.repeat(which, length)
        within, applications = np.arange(begin[-1]) - np.repeat(begin[:-1], length), self.applications[scenario]
        return scenario, self.first_slot[scenario] + within % applications, within // applications

    def rounds(
        self, which: np.ndarray, begin: np.ndarray, split: np.ndarray, throughput: np.ndarray, from_cycle: np.ndarray
    ) -> pl.DataFrame:
        """What is recorded as rows of the table `rounds`."""
        scenario, row, number = self.recorded(which, begin)
        return pl.DataFrame(
            {
                "_scenario": self.number[scenario],
                "round": number,
                "slot": self.slot.gather(row),
                "sms": split,
                "throughput": throughput,
                "from_cycle": from_cycle,
            }
        )


class Replayed(NamedTuple):
    """What a family makes of a problem: SMs and throughput (IPC) of each slot, measures of each scenario beside those
    of its split (NaN: not defined), and what was recorded of rounds.
    """

    split: np.ndarray
    throughput: np.ndarray
    measures: dict[str, np.ndarray]
    rounds: Sequence[pl.DataFrame] = ()


def prepare(inputs: Mapping[str, pl.DataFrame]) -> tuple[Mixes, Curves]:
    """Arrays of `mixes` (mix_id, slot, app, [curve_set]), `sm_curves` ([curve_set], app, sms, ipc) and [`apps`].

    `apps` ([curve_set], app, and any of the columns of OF_APP, others that are numbers) tells more of applications.
    Raises ValueError naming a missing table or column, an unknown application, a value out of range or a row that
    occurs twice.
    """
    apps = APPS if "apps" in inputs else {}
    inputs = checked_inputs(inputs, INPUTS | apps)
    curves, mixes = inputs["sm_curves"], inputs["mixes"]
    points = _points(curves)
    keys = points.select(SET, APP).unique(maintain_order=True).with_row_index("_curve")
    points = points.join(keys, on=[SET, APP], how="left", maintain_order="left")
    names = keys[APP].cast(pl.String).to_list()
    of_app = {name: np.full(len(keys), default) for name, default in OF_APP.items()}
    if apps:
        of_app |= _of_app(inputs["apps"], keys, of_app)
    known = Curves(
        points["_curve"].to_numpy().astype(np.int64), points["sms"].to_numpy(), points["ipc"].to_numpy(), names, of_app
    )
    return _mixes(mixes, keys), known


def _keyed(frame: pl.DataFrame, table: str) -> pl.DataFrame:
    """The frame with comparable ids of set of curves and application."""
    if "curve_set" in frame.columns and frame["curve_set"].null_count():
        raise ValueError(f"{table}: curve_set is null in row {frame['curve_set'].is_null().arg_true()[0] + 1}")
    sets = comparable(frame["curve_set"]).cast(pl.String) if "curve_set" in frame.columns else pl.lit("", pl.String)
    return frame.with_columns(sets.alias(SET), comparable(frame["app"]).alias(APP))


def _points(curves: pl.DataFrame) -> pl.DataFrame:
    """Points of the curves, checked and in order, without those at no SMs."""
    keyed = _keyed(curves, "sm_curves").select(SET, APP, pl.col("sms").cast(pl.Float64), pl.col("ipc").cast(pl.Float64))
    broken = keyed.filter((pl.col("sms") == 0) & (pl.col("ipc") != 0))
    if len(broken):
        _, app, _, ipc = broken.row(0)
        raise ValueError(f"sm_curves: app {app!r} has ipc {ipc:g} at 0 SMs; a curve has an ipc of 0 there")
    points = keyed.filter(pl.col("sms") > 0).sort(SET, APP, "sms", maintain_order=True)
    twice = points.select(SET, APP, "sms").is_duplicated()
    if twice.any():
        _, app, sms, _ = points.filter(twice).row(0)
        raise ValueError(f"sm_curves: app {app!r} has {sms:g} SMs twice; give one point for each number of SMs")
    return points


def _of_app(apps: pl.DataFrame, keys: pl.DataFrame, defaults: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Numeric columns of `apps` as arrays, one value per curve; null and absent rows take the default, or NaN."""
    keyed = _keyed(apps, "apps")
    on = [SET, APP] if "curve_set" in apps.columns else [APP]
    if keyed.select(on).is_duplicated().any():
        app = keyed.filter(keyed.select(on).is_duplicated())["app"][0]
        raise ValueError(f"apps: app {app!r} occurs twice")
    _require_alike(keyed[APP], keys[APP], "apps")
    app_rows = keys.join(keyed.drop([SET] if len(on) == 1 else []), on=on, how="left", maintain_order="left")
    columns = [name for name in apps.columns if apps[name].dtype.is_numeric() and name not in ("app", "curve_set")]
    for name in columns:
        require_finite(apps, name, "apps", {"min": 0}, where=apps[name].is_not_null())
    return {
        name: app_rows[name].cast(pl.Float64).fill_null(defaults[name][0] if name in defaults else np.nan).to_numpy()
        for name in columns
        if len(keys)
    }


def _mixes(mixes: pl.DataFrame, keys: pl.DataFrame) -> Mixes:
    frame = (
        _keyed(mixes, "mixes")
        .with_columns(comparable(mixes["mix_id"]).alias("_mix"), comparable(mixes["slot"]).alias("_slot"))
        .sort("_mix", "_slot", maintain_order=True)
    )
    _require_alike(frame[APP], keys[APP], "mixes")
    if "curve_set" not in mixes.columns and keys[SET].n_unique() > 1:
        raise ValueError("mixes: missing column curve_set; sm_curves holds several sets of curves")
    on = [SET, APP] if "curve_set" in mixes.columns else [APP]
    with_curve = frame.join(keys.select(*on, "_curve"), on=on, how="left", maintain_order="left")
    if with_curve["_curve"].null_count():
        its_set, app, mix = with_curve.filter(pl.col("_curve").is_null()).select(SET, APP, "_mix").row(0)
        known = [str(a) for a in (keys.filter(pl.col(SET) == its_set) if len(on) > 1 else keys)[APP].unique().sort()]
        where = f" of curve_set {its_set!r}" if len(on) > 1 else ""
        some = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
        raise ValueError(
            f"unknown app {app!r} in mix {mix!r}; sm_curves{where} has {some or 'none'}{did_you_mean(app, known)}"
        )
    mix = frame["_mix"].unique().sort()
    first = np.searchsorted(codes(frame["_mix"], mix, "mix"), np.arange(len(mix) + 1)).astype(np.int64)
    return Mixes(mix, first, with_curve["_curve"].to_numpy().astype(np.int64), frame["slot"], frame["app"])


def _require_alike(ids: pl.Series, among: pl.Series, table: str) -> None:
    if ids.dtype != among.dtype:
        raise ValueError(f"app: ids are {ids.dtype} in {table} and {among.dtype} in sm_curves")


def problem(scenarios: pl.DataFrame, mixes: Mixes, curves: Curves, modules: Mapping[str, ModuleType]) -> Problem:
    """The scenarios, all of one size of GPU, interpolation and kind of sizes, with the curves that their mixes need.

    Raises ValueError naming a mix of more applications than there are SMs, a GPU in slices that has no sevenths, or a
    curve that ends before `sms` or has no throughput there.
    """
    sms, interpolation, mig = scenarios["sms"][0], scenarios["interpolation"][0], scenarios["sizes"][0] == "mig"
    if mig and sms % MIG_PARTS:
        raise ValueError(
            f"scenario {scenarios['scenario_id'][0]!r}: a GPU of {sms} SMs has no sevenths; of sizes mig sms is a "
            "multiple of 7"
        )
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
    ipc = _reaching(curves, used, sms, None if mig else interpolation)
    return Problem(
        scenarios.drop("_number"), scenarios["_number"].to_numpy(), sms, mig, ipc, first,
        np.searchsorted(used, mixes.curve[row]).astype(np.int64), mixes.slot.gather(row), mixes.app.gather(row),
        {name: values[used] for name, values in curves.of_app.items()}, modules,
    )  # fmt: skip


def _reaching(curves: Curves, used: np.ndarray, sms: int, interpolation: str | None) -> np.ndarray:
    """Throughput of the used curves on 0..sms SMs; interpolation None: NaN where it is not measured."""
    wanted = np.isin(curves.curve, used)
    number = np.searchsorted(used, curves.curve[wanted])
    points = number, curves.sms[wanted], curves.ipc[wanted], sms
    table = model.throughput_table(*points, interpolation) if interpolation else model.slice_table(*points)
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


def targets(problem: Problem) -> np.ndarray:
    """Throughput that each slot is to reach, the scenario's level of half of that on all SMs; 0: it has no target.

    A level of 200 is the throughput on all SMs.

    Raises ValueError naming a level that is none, or a QoS slot that the mix does not have.
    """
    scenarios = problem.scenarios
    given = scenarios["qos_level"].cast(pl.Float64).to_numpy()
    level = np.where(given > 1, given / 100, given)
    if not ((level > 0) & (level <= 2)).all():
        s = int(np.argmax(~((level > 0) & (level <= 2))))
        raise ValueError(
            f"scenario {scenarios['scenario_id'][s]!r}: unknown qos_level {given[s]:g}; known are per cent above 1 up "
            "to 200, as the thesis' 100, 95, 90, 85 and 80, and shares up to 1"
        )
    target = np.repeat(level, problem.applications) * problem.ipc[problem.curve, problem.sms] / 2
    return np.where(_has_target(problem), target, 0.0)


def _has_target(problem: Problem) -> np.ndarray:
    """Whether each slot has a target."""
    scenarios, lists = problem.scenarios, problem.scenarios["qos_slots"]
    for s in np.flatnonzero((lists.list.len() == 0).to_numpy()):
        raise ValueError(f"scenario {scenarios['scenario_id'][int(s)]!r}: qos_slots is empty; name at least one slot")
    s = np.repeat(np.arange(len(scenarios)), problem.applications)
    row = np.arange(len(problem.curve))
    # Slots that have names are counted in their order.
    place = problem.slot.cast(pl.Int64) if problem.slot.dtype.is_integer() else row - problem.first_slot[s]
    of_slot = pl.DataFrame({"s": s, "slot": place, "row": row})
    asked = pl.DataFrame({"s": np.arange(len(scenarios)), "slot": lists}).explode("slot", empty_as_null=False)
    target_slots = asked.join(of_slot, on=["s", "slot"], how="left", maintain_order="left")
    if target_slots["row"].null_count():
        s, slot, _ = target_slots.filter(pl.col("row").is_null()).row(0)
        known = ", ".join(str(each) for each in of_slot.filter(s=s)["slot"])
        raise ValueError(
            f"scenario {scenarios['scenario_id'][s]!r}: qos_slots names slot {slot}, which mix "
            f"{scenarios['mix_id'][s]!r} does not have; it has {known}"
        )
    has_target = np.zeros(len(problem.curve), bool)
    has_target[target_slots["row"].to_numpy()] = True
    return has_target


def together(frames: Iterable[pl.DataFrame], scenario_id: pl.Series, by: Iterable[str] = ()) -> pl.DataFrame:
    """Frames of several problems as one, in the order of the scenarios; their number becomes their id."""
    frame = pl.concat(list(frames)).sort("_scenario", *by, maintain_order=True)
    return frame.select(scenario_id.gather(frame["_scenario"]).alias("scenario_id"), pl.exclude("_scenario"))
