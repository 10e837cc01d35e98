"""Workloads and scenarios of Chapters 4 and 5: quality of service and process variation, on surrogate curves.

Mixes are those of the thesis' figures; docs/models/gpu_sharing-qos.md and gpu_sharing-variation.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from pipeline.config import Configuration
from pipeline.config.gpu_chapters import QosSweep, VariationSweep
from pipeline.streams import stream
from pipeline.studies.gpu_sharing import sm_map, surrogates

QOS, VARIATION = "qos", "variation"
"""Kinds of workloads."""
ONE_CLASS = (("BPR", "NN"), ("AES-E", "ID"), ("JPEG-D", "DVC"), ("RAY", "SAD"), ("DVC", "SHA1"))
"""Pairs within a class of Table 3."""
TABLE_3 = (*itertools.product(surrogates.COMPUTE, surrogates.MEMORY), *ONE_CLASS)
IDLE, GATED, BEST_EFFORT = "idle", "gated", "best_effort"

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


def workloads(config: Configuration) -> Tables:
    """Inputs of the configured scenarios, as `replay` takes them, and where they come from.

    Returns `workloads`, `mixes`, `sm_curves`, `apps`, `clock_speedups` (the machines of Figure 4) and `sm_maps`
    (map_seed, sm, frequency), the keys of which are curve_set, workload and map.
    """
    made = pl.concat([_workload_rows(kind, members, mixes) for kind, members, mixes in _asked(config)])
    made = made.unique("workload_id", maintain_order=True).sort("workload_id")
    members = max((members for _, members, _ in _asked(config)), default=0)
    drawn = surrogates.draw(members, config.seed) if members else {}
    used = made["curve_set"].unique()
    named = {name: _named(frame).filter(pl.col("curve_set").is_in(used.implode())) for name, frame in drawn.items()}
    mixes = made.select(mix_id="workload_id", app=pl.col("mix").str.split("+"), curve_set="curve_set")
    return {
        "workloads": made,
        "mixes": mixes.with_columns(slot=pl.int_ranges(pl.col("app").list.len())).explode("slot", "app"),
        "sm_curves": named["curves"],
        "apps": _of_apps(named["apps"], named["clock_speedups"]),
        "clock_speedups": named["clock_speedups"],
        "sm_maps": _maps(config),
    }


def scenarios(config: Configuration) -> pl.DataFrame:
    """Scenarios of the configured sweeps, each once: scenario_id, scheduler, seed, workload_id and their parameters."""
    parts = [_qos_scenarios(sweep) for sweep in _sweeps(config.gpu_sharing.qos)]
    parts += [_variation_scenarios(sweep, config.seed) for sweep in _sweeps(config.gpu_sharing.variation)]
    rows = pl.concat(parts, how="diagonal").unique("scenario_id", maintain_order=True).sort("scenario_id")
    return rows.with_columns(
        seed="member", mix_id="workload_id", sms=pl.lit(surrogates.SMS), interpolation=pl.lit("linear")
    ).drop("member")


def _sweeps(named: dict) -> list:
    return [sweep for sweep in named.values() if sweep is not None]


def _asked(config: Configuration) -> Iterator[tuple[str, int, list[_Mix]]]:
    """Kind, members and mixes of each sweep."""
    for sweep in _sweeps(config.gpu_sharing.qos):
        yield QOS, sweep.members, list(qos_mixes())
    for sweep in _sweeps(config.gpu_sharing.variation):
        yield VARIATION, sweep.members, [mix for k in sweep.applications for mix in variation_mixes(k)]


def _workload_rows(kind: str, members: int, mixes: Iterable[_Mix]) -> pl.DataFrame:
    """Workloads of the mixes on each member: the columns of the table, and targets and spare of the mix."""
    mixes = list(mixes)
    of_mix = pl.DataFrame(
        {
            "mix": ["+".join(mix.apps) for mix in mixes],
            "applications": [len(mix.apps) for mix in mixes],
            "targets": [mix.targets for mix in mixes],
            "spare": [mix.spare for mix in mixes],
        }
    )
    of_member = pl.DataFrame({"member": range(members)}, schema={"member": pl.Int64})
    number = pl.col("member").cast(pl.String).str.zfill(4)
    family = pl.format("{}/surrogate/{}", pl.lit(kind), number)
    return of_member.join(of_mix, how="cross", maintain_order="left_right").with_columns(
        workload_id=pl.format("{}/{}", family, "mix"),
        family=family,
        kind=pl.lit(kind),
        curve_set=pl.format("surrogate/{}", number),
        trace_id=pl.lit(None, pl.String),
        origin=pl.lit("synthetic"),
    )


def _named(frame: pl.DataFrame) -> pl.DataFrame:
    """A table of the surrogates with the set of curves in place of the member."""
    number = pl.col("member").cast(pl.String).str.zfill(4)
    return frame.select(pl.format("surrogate/{}", number).alias("curve_set"), pl.exclude("member"))


def _of_apps(apps: pl.DataFrame, speedups: pl.DataFrame) -> pl.DataFrame:
    """The table `apps`: contention, class, and speed-up with the clock beside one and beside two others.

    Two applications leave each other 15 SMs and 4 memory controllers, three 10 and 3 (Section 4.1).
    """
    key = ["curve_set", "app"]
    shared = [
        speedups.filter(sms=sms, memory_controllers=controllers).select(*key, pl.col("speedup").alias(name))
        for name, sms, controllers in (("clock_speedup_2", 15, 4), ("clock_speedup_3", 10, 3))
    ]
    bound = speedups.group_by(key, maintain_order=True).agg(
        compute_bound=(pl.col("speedup").min() >= 1.30).cast(pl.Float64)
    )
    for other in (*shared, bound):
        apps = apps.join(other, on=key, how="left", maintain_order="left")
    return apps


def _map_seeds(members: int, maps: int, seed: int) -> pl.DataFrame:
    """Maps of SM frequencies, others for each member: member, map_seed."""
    drawn = [stream(seed, "gpu_sharing map", m, i).integers(2**31) for m in range(members) for i in range(maps)]
    return pl.DataFrame(
        {"member": [m for m in range(members) for _ in range(maps)], "map_seed": [int(value) for value in drawn]},
        schema={"member": pl.Int64, "map_seed": pl.Int64},
    )


def _maps(config: Configuration) -> pl.DataFrame:
    seeds = {
        seed
        for sweep in _sweeps(config.gpu_sharing.variation)
        for seed in _map_seeds(sweep.members, sweep.maps, config.seed)["map_seed"]
    }
    parts = [
        pl.DataFrame({"map_seed": [seed] * surrogates.SMS, "frequency": sm_map.frequencies(seed, surrogates.SMS)})
        for seed in sorted(seeds)
    ]
    empty = pl.DataFrame(schema={"map_seed": pl.Int64, "frequency": pl.Float64})
    frame = pl.concat([empty, *parts]).with_columns(sm=pl.int_range(pl.len()).over("map_seed"))
    return frame.select("map_seed", "sm", "frequency")


def _qos_scenarios(sweep: QosSweep) -> pl.DataFrame:
    options = [
        {"scheduler": "profile_minimum", "decide_by": decide_by, "midpoint": False, "start": "half", "name": name}
        for decide_by, name in (("measured", ""), ("profile", "-by_profile"))
        if decide_by in sweep.decide_by
    ]
    options += [
        {"scheduler": "dynamic_linear", "decide_by": "measured", "midpoint": midpoint, "start": start,
         "name": f"-{'midpoint' if midpoint else 'straight'}-{start}"}
        for midpoint, start in itertools.product(sweep.midpoint, sweep.start)
    ]  # fmt: skip
    chosen = [option for option in options if sweep.schedulers is None or option["scheduler"] in sweep.schedulers]
    levels = pl.DataFrame({"qos_level": sweep.levels}, schema={"qos_level": pl.Float64})
    gammas = pl.DataFrame({"gamma": sweep.gamma}, schema={"gamma": pl.Float64})
    rows = _workload_rows(QOS, sweep.members, qos_mixes())
    for other in (levels, gammas, pl.DataFrame(chosen)):
        rows = rows.join(other, how="cross", maintain_order="left_right")
    level, gamma = (pl.col(name).cast(pl.String).str.strip_suffix(".0") for name in ("qos_level", "gamma"))
    return rows.select(
        pl.format("gpu_sharing/{}/{}/q{}{}-gamma{}", "workload_id", "scheduler", level, "name", gamma).alias(
            "scenario_id"
        ),
        "scheduler", "workload_id", "member", "qos_level", "gamma", "decide_by", "midpoint", "start", "spare",
        qos_slots=pl.int_ranges("targets"),
    )  # fmt: skip


def _variation_scenarios(sweep: VariationSweep, seed: int) -> pl.DataFrame:
    mixes = [mix for k in sweep.applications for mix in variation_mixes(k)]
    rows = _workload_rows(VARIATION, sweep.members, mixes)
    chosen = pl.DataFrame({"scheduler": sweep.schedulers or ["even_split", "profile"]})
    rows = rows.join(chosen, how="cross", maintain_order="left_right")
    at_one_clock = rows.with_columns(clocking=pl.lit("global"), name=pl.lit("global"))
    assignments = pl.DataFrame({"assignment": sweep.assignment})
    maps = _map_seeds(sweep.members, sweep.maps, seed)
    per_sm = (
        rows.join(maps, on="member", maintain_order="left_right")
        .join(assignments, how="cross", maintain_order="left_right")
        .with_columns(clocking=pl.lit("per_sm"), name=pl.format("{}-map{}", "assignment", "map_seed"))
    )
    both = pl.concat([at_one_clock, per_sm], how="diagonal")
    return both.select(
        pl.format("gpu_sharing/{}/{}/{}-gamma{}", "workload_id", "scheduler", "name", pl.lit(f"{sweep.gamma:g}")).alias(
            "scenario_id"
        ),
        "scheduler", "workload_id", "member", "clocking", "assignment", "map_seed",
        gamma=pl.lit(sweep.gamma),
    )  # fmt: skip
