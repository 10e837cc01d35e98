"""Workloads and scenarios of Chapters 4 and 5: quality of service and process variation.

On surrogate curves the mixes are those of the thesis' figures, on curves of a trace all that there are of a kind;
docs/models/gpu_sharing-qos.md and gpu_sharing-variation.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from pipeline import tables
from pipeline.simulation.table import require_known
from pipeline.statistics.streams import stream
from pipeline.studies.gpu_sharing import tables as gpu_sharing
from pipeline.studies.gpu_sharing.config import ChapterSweep, QosSweep, VariationSweep
from pipeline.studies.gpu_sharing.families import qos_rounds
from pipeline.studies.gpu_sharing.model import sm_map
from pipeline.studies.gpu_sharing.replay import DEFAULTS
from pipeline.studies.gpu_sharing.schedulers import SCHEDULERS, takes_slices
from pipeline.studies.gpu_sharing.workload import surrogates
from pipeline.studies.gpu_sharing.workload.curves import CurveSets
from pipeline.tables.mix_names import stated_mix

if TYPE_CHECKING:
    from pipeline.config import Configuration

QOS, VARIATION = "qos", "variation"
"""Kinds of workloads, and the fields of the study's configuration that hold their sweeps."""
SURROGATE = "surrogate"
ONE_CLASS = (("BPR", "NN"), ("AES-E", "ID"), ("JPEG-D", "DVC"), ("RAY", "SAD"), ("DVC", "SHA1"))
"""Pairs within a class of Table 3."""
TABLE_3 = (*itertools.product(surrogates.COMPUTE, surrogates.MEMORY), *ONE_CLASS)
SHARES = (
    ("clock_speedup_2", 15, 4),
    ("clock_speedup_3", 10, 3),
    ("clock_speedup_2_left", 15, 8),
    ("clock_speedup_3_left", 10, 8),
)
"""Columns of `apps`, with SMs and memory controllers of the machine of Figure 4 whose speed-up they hold."""
DIES = (8, 15, surrogates.SMS, 60, 120)
"""SMs of the dies whose maps are kept, the thesis' among them."""
IDLE, GATED, BEST_EFFORT = "idle", "gated", "best_effort"
READINGS = ("threshold_v", "voltage_exponent", "cluster_sms", "controllers")
"""Columns of a scenario of process variation that only matter where SMs have clocks of their own."""

MIXES = tables.polars_schema(gpu_sharing.GpuSharingWorkload) | {
    "apps": pl.List(pl.String),
    "targets": pl.Int64,
    "spare": pl.String,
    "sms": pl.Int64,
    "sizes": pl.String,
}
"""Workloads with what their mixes consist of, applications with a target first, use of spare SMs and the machine."""

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class _Mix:
    """Applications that run at once, those with a target first; what becomes of SMs that these leave."""

    apps: tuple[str, ...]
    targets: int = 0
    spare: str = IDLE


def qos_mixes() -> Iterator[_Mix]:
    """Figures 9, 10 and 12: each QoS application alone, all pairs of them, each beside each best-effort application."""
    yield from (_Mix((app,), 1) for app in surrogates.QOS)
    yield from (_Mix(pair, 2, GATED) for pair in itertools.combinations_with_replacement(surrogates.QOS, 2))
    for app, other in itertools.product(surrogates.QOS, surrogates.BEST_EFFORT):
        yield _Mix((app, other), 1, BEST_EFFORT)


def variation_mixes(applications: int) -> Iterator[_Mix]:
    """Table 3's pairs, or the combinations of more applications that have both classes (Figure 8)."""
    if applications == 2:
        yield from (_Mix(pair) for pair in TABLE_3)
        return
    for apps in itertools.combinations((*surrogates.COMPUTE, *surrogates.MEMORY), applications):
        if set(apps) & set(surrogates.COMPUTE) and set(apps) & set(surrogates.MEMORY):
            yield _Mix(apps)


def workloads(config: Configuration, curves: CurveSets) -> Tables:
    """Inputs of the configured scenarios, as `replay` takes them, and where they come from.

    Returns `workloads`, `mixes`, `sm_curves`, `apps`, `clock_speedups` (the machines of Figure 4) and `sm_maps`
    (map_seed, sms, sm, frequency, threshold_v), sorted by their keys.
    """
    parts = [_mixes_of(kind, sweep, curves) for kind, sweep in _sweeps(config)]
    made = pl.concat([pl.DataFrame(schema=MIXES), *parts]).unique("workload_id", maintain_order=True)
    made = made.sort("workload_id")
    members = [sweep.members for _, sweep in _sweeps(config) if sweep.curves == SURROGATE]
    drawn = surrogates.draw(max(members, default=0), config.seed)
    used = made["curve_set"].unique()
    named = {name: _named(frame).filter(pl.col("curve_set").is_in(used.implode())) for name, frame in drawn.items()}
    of_traces = curves.table(made.filter(pl.col("trace").is_not_null())["curve_set"].unique())
    slots = made.select(mix_id="workload_id", app="apps", curve_set="curve_set")
    return {
        "workloads": made.select(list(tables.polars_schema(gpu_sharing.GpuSharingWorkload))),
        "mixes": slots.with_columns(slot=pl.int_ranges(pl.col("app").list.len())).explode("slot", "app"),
        "sm_curves": pl.concat([named["curves"], of_traces], how="diagonal_relaxed"),
        "apps": _of_apps(named["apps"], named["clock_speedups"]),
        "clock_speedups": named["clock_speedups"],
        "sm_maps": _maps(config, curves),
    }


def scenarios(config: Configuration, curves: CurveSets) -> pl.DataFrame:
    """Scenarios of the configured sweeps, each once: scenario_id, scheduler, seed, workload_id and their parameters."""
    parts = [
        _qos_scenarios(sweep, curves) if kind == QOS else _variation_scenarios(sweep, curves)
        for kind, sweep in _sweeps(config)
    ]
    known = {"scenario_id": pl.String, "workload_id": pl.String, "member": pl.Int64}
    rows = pl.concat([pl.DataFrame(schema=known), *parts], how="diagonal").unique("scenario_id", maintain_order=True)
    return rows.select(
        pl.exclude("member"), seed=pl.col("member").fill_null(0), mix_id="workload_id", interpolation=pl.lit("linear")
    ).sort("scenario_id")


def _sweeps(config: Configuration) -> Iterator[tuple[str, ChapterSweep]]:
    """Kind and sweep of all that are not left out."""
    for kind in (QOS, VARIATION):
        for sweep in getattr(config.gpu_sharing, kind).values():
            if sweep is not None:
                yield kind, sweep


def _mixes_of(kind: str, sweep: ChapterSweep, curves: CurveSets) -> pl.DataFrame:
    """Workloads of a sweep (MIXES): the columns of their table, and applications, targets and spare of the mix."""
    applications = getattr(sweep, "applications", [1, 2])
    if sweep.curves == SURROGATE:
        mixes = [mix for k in applications for mix in variation_mixes(k)] if kind == VARIATION else list(qos_mixes())
        sets = [
            (f"surrogate/{member:04d}", {"trace": None, "member": member, "origin": "synthetic", "sizes": "any"},
             surrogates.SMS, mixes)
            for member in range(sweep.members)
        ]  # fmt: skip
    else:
        machines = [(*chosen, sweep.sms or curves.machine(chosen[0])) for chosen in curves.chosen(sweep)]
        sets = [
            (
                curve_set,
                {**facts, "sizes": "mig" if curves.mig(curve_set) else "any"},
                sms,
                list(_of_trace(kind, applications, curves.applications(curve_set, sms), sms, curves.mig(curve_set))),
            )
            for curve_set, facts, sms in machines
        ]
    parts = [_of_set(kind, *one_set) for one_set in sets if one_set[-1]]
    return pl.concat([pl.DataFrame(schema=MIXES), *parts])


def _of_trace(kind: str, applications: list[int], names: list[str], sms: int, mig: bool) -> Iterator[_Mix]:
    """Mixes of a trace's applications: combinations; or each with a target, alone and beside each other one.

    Each has an SM at least. On MIG slices each application with a target is alone, and SMs have one clock. There is no
    map of clocks of more than sm_map.MOST_SMS.
    """
    names = [name for name in names if stated_mix(name) is None]
    if kind == VARIATION:
        sizes = [] if mig or sms > sm_map.MOST_SMS else [k for k in applications if k <= sms]
        yield from (_Mix(apps) for k in sizes for apps in itertools.combinations(names, k))
        return
    yield from (_Mix((name,), 1) for name in names)
    if sms > 1 and not mig:
        yield from (_Mix(pair, 1, BEST_EFFORT) for pair in itertools.permutations(names, 2))


def _of_set(kind: str, curve_set: str, facts: dict, sms: int, mixes: list[_Mix]) -> pl.DataFrame:
    """Workloads of the mixes on one set of curves and a GPU of so many SMs."""
    family = f"{kind}/{curve_set}"
    of_mix = {
        "apps": [list(mix.apps) for mix in mixes],
        "applications": [len(mix.apps) for mix in mixes],
        "targets": [mix.targets for mix in mixes],
        "spare": [mix.spare for mix in mixes],
    }
    frame = pl.DataFrame(of_mix).with_columns(mix=pl.col("apps").list.join("+"))
    known = {"family": family, "kind": kind, "curve_set": curve_set, "sms": sms} | facts
    return frame.with_columns(
        pl.format("{}/{}", pl.lit(family), "mix").alias("workload_id"),
        *(pl.lit(value, MIXES[name]).alias(name) for name, value in known.items()),
    ).select(pl.col(name).cast(dtype) for name, dtype in MIXES.items())


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    """A table of the surrogates with the set of curves in place of the member."""
    number = pl.col("member").cast(pl.String).str.zfill(4)
    return frame.select(pl.format("surrogate/{}", number).alias("curve_set"), pl.exclude("member"))


def _of_apps(apps: pl.DataFrame, speedups: pl.DataFrame) -> pl.DataFrame:
    """The table `apps`: contention, class, and speed-up with the clock beside one and beside two others.

    Two applications leave each other 15 SMs and 4 memory controllers, three 10 and 3; with all 8 the thesis tells what
    an application is bound by (Section 4.1).
    """
    key = ["curve_set", "app"]
    speedups = speedups.filter(clock=1.4)
    shared = [
        speedups.filter(sms=sms, memory_controllers=controllers).select(*key, pl.col("speedup").alias(name))
        for name, sms, controllers in SHARES
    ]
    bound = speedups.group_by(key, maintain_order=True).agg(
        compute_bound=(pl.col("speedup").min() >= 1.30).cast(pl.Float64)
    )
    for other in (*shared, bound):
        apps = apps.join(other, on=key, how="left", maintain_order="left")
    return apps


def _map_seeds(sweep: VariationSweep, curves: CurveSets) -> pl.DataFrame:
    """Maps of SM frequencies, others for each set of curves: curve_set, map_seed."""
    sets = _mixes_of(VARIATION, sweep, curves)["curve_set"].unique(maintain_order=True)
    rows = [
        (name, int(stream(curves.seed, "gpu_sharing map", curves.content(name), i).integers(2**31)))
        for name in sets
        for i in range(sweep.maps)
    ]
    return pl.DataFrame(rows, schema={"curve_set": pl.String, "map_seed": pl.Int64}, orient="row")


def _maps(config: Configuration, curves: CurveSets) -> pl.DataFrame:
    """Frequencies of the SMs of all maps of surrogates, on DIES: map_seed, sms, sm, frequency, threshold_v."""
    seeds = {
        seed
        for kind, sweep in _sweeps(config)
        if kind == VARIATION and sweep.curves == SURROGATE
        for seed in _map_seeds(sweep, curves)["map_seed"]
    }
    empty = pl.DataFrame(schema=tables.polars_schema(gpu_sharing.GpuSharingSmMap))
    parts = [
        pl.DataFrame(
            {
                "map_seed": [seed] * sms,
                "sms": [sms] * sms,
                "sm": range(sms),
                "frequency": sm_map.frequencies(seed, sms),
                "threshold_v": sm_map.mean_threshold_voltages(seed, sms),
            },
            schema=empty.schema,
        )
        for seed in sorted(seeds)
        for sms in DIES
    ]
    return pl.concat([empty, *parts])


def _schedulers(question: str, sweep: ChapterSweep) -> list[str]:
    """Schedulers of a sweep: those that it names, or all whose family answers the question.

    Raises ValueError naming one whose family answers another.
    """
    known = sorted(name for name, scheduler in SCHEDULERS.items() if scheduler.FAMILY.question == question)
    if sweep.schedulers is None:
        return known
    require_known(pl.Series(sweep.schedulers), known, "scheduler")
    return list(sweep.schedulers)


def _once(sweep: QosSweep) -> Iterator[dict]:
    """What varies where a rule is asked once, and what that adds to the name of a scenario."""
    for decide_by in sweep.decide_by:
        name = "" if decide_by == "measured" else f"-by_{decide_by}"
        yield {"decide_by": decide_by, "midpoint": False, "start": "half", "freeing": "wait", "name": name}


def _rounds(sweep: QosSweep) -> Iterator[dict]:
    """The same where it is asked again after each round."""
    for midpoint, start, freeing in itertools.product(sweep.midpoint, sweep.start, sweep.freeing):
        name = f"-{'midpoint' if midpoint else 'straight'}-{start}{'' if freeing == 'wait' else f'-{freeing}'}"
        yield {"decide_by": "measured", "midpoint": midpoint, "start": start, "freeing": freeing, "name": name}


def _qos_scenarios(sweep: QosSweep, curves: CurveSets) -> pl.DataFrame:
    chosen = [
        {"scheduler": name} | option
        for name in _schedulers(QOS, sweep)
        for option in (_rounds(sweep) if SCHEDULERS[name].FAMILY is qos_rounds else _once(sweep))
    ]
    levels = pl.DataFrame({"qos_level": sweep.levels}, schema={"qos_level": pl.Float64})
    gammas = pl.DataFrame({"gamma": sweep.gamma}, schema={"gamma": pl.Float64})
    rows = _mixes_of(QOS, sweep, curves)
    for other in (levels, gammas, pl.DataFrame(chosen)):
        rows = rows.join(other, how="cross", maintain_order="left_right")
    takes = [name for name, module in SCHEDULERS.items() if takes_slices(module)]
    rows = rows.filter((pl.col("sizes") == "any") | pl.col("scheduler").is_in(takes))
    level, gamma = (pl.col(name).cast(pl.String).str.strip_suffix(".0") for name in ("qos_level", "gamma"))
    return rows.select(
        pl.format(
            "gpu_sharing/{}/{}/s{}-q{}{}-gamma{}", "workload_id", "scheduler", "sms", level, "name", gamma
        ).alias("scenario_id"),
        "scheduler", "workload_id", "member", "qos_level", "gamma", "decide_by", "midpoint", "start", "freeing",
        "spare", "sms", "sizes",
        qos_slots=pl.int_ranges("targets"),
        idle_w=pl.lit(DEFAULTS["idle_w"]), gated_w=pl.lit(DEFAULTS["gated_w"]),
    )  # fmt: skip


def _variation_scenarios(sweep: VariationSweep, curves: CurveSets) -> pl.DataFrame:
    rows = _mixes_of(VARIATION, sweep, curves)
    chosen = pl.DataFrame({"scheduler": _schedulers(VARIATION, sweep)})
    rows = rows.join(chosen, how="cross", maintain_order="left_right")
    options = pl.DataFrame(list(_variation_options(sweep)))
    # At one clock there is no map, and nothing is sensitive to it.
    defaults = [pl.lit(DEFAULTS[name], options.schema[name]).alias(name) for name in READINGS]
    at_one_clock = rows.with_columns(*defaults, clocking=pl.lit("global"), name=pl.lit("global"))
    maps = _map_seeds(sweep, curves)
    per_sm = (
        rows.join(maps, on="curve_set", maintain_order="left_right")
        .join(options, how="cross", maintain_order="left_right")
        .with_columns(clocking=pl.lit("per_sm"), name=pl.format("{}-map{}{}", "assignment", "map_seed", "own"))
    )
    both = pl.concat([at_one_clock, per_sm], how="diagonal")
    return both.select(
        pl.format(
            "gpu_sharing/{}/{}/s{}-{}-gamma{}", "workload_id", "scheduler", "sms", "name", pl.lit(f"{sweep.gamma:g}")
        ).alias("scenario_id"),
        "scheduler", "workload_id", "member", "clocking", "assignment", "map_seed", *READINGS, "sms", "sizes",
        gamma=pl.lit(sweep.gamma),
    )  # fmt: skip


def _variation_options(sweep: VariationSweep) -> Iterator[dict]:
    """What varies where each SM has its clock, and what that adds to the name of a scenario."""
    for assignment, *values in itertools.product(sweep.assignment, *(getattr(sweep, name) for name in READINGS)):
        reading = dict(zip(READINGS, values, strict=True))
        own = "".join(f"-{name}:{value}" for name, value in reading.items() if value != DEFAULTS[name])
        yield {"assignment": assignment, "own": own, **reading}
