"""What is asked of the GPU: pairs and queues of applications, the models they are replayed with, and the scenarios."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.gpus import find
from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.table import require_known
from pipeline.statistics.streams import stream
from pipeline.studies.gpu_corun import STUDY, dropped, ensemble, published
from pipeline.studies.gpu_corun import tables as gpu_corun
from pipeline.studies.gpu_corun.config import CorunSweep
from pipeline.studies.gpu_corun.inputs import KERNEL_DEFAULTS
from pipeline.studies.gpu_corun.replay import DEFAULTS
from pipeline.studies.gpu_corun.schedulers import SCHEDULERS
from pipeline.studies.parts import share
from pipeline.tables.catalog import content_of
from pipeline.tables.results import scenario_schema

if TYPE_CHECKING:
    from pipeline.config import Configuration

WORKLOADS = tables.polars_schema(gpu_corun.GpuCorunWorkload)
QUEUE = tables.polars_schema(gpu_corun.GpuCorunApplication)
KERNELS = tables.polars_schema(gpu_corun.GpuCorunKernel)
SCENARIOS = scenario_schema(STUDY)
DEFAULT_MODEL = "default"
_PARAMETERS = {name: value for name, value in DEFAULTS.items() if name not in ("model_id", "seed")}

LACKING = {
    "queue": "lacks rates of a kernel of its queue",
    "measured": "has no pair measured on one card of which both have rates",
} | dict.fromkeys(("pairs", "drawn"), "lacks rates of a kernel of any kind")
"""What a trace lacks that a sweep of such workloads cannot take."""

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class _Recipe:
    """A workload: what is known of it, and its applications in order with their arrivals."""

    workload_id: str
    facts: dict[str, Any]
    kernels: tuple[str, ...]
    arrival_s: tuple[float, ...]


def workloads(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> Tables:
    """Queues and kernels of every workload that the sweeps of the configuration need.

    `catalog` holds the canonical tables of all drops (traces, kernels, sm_fits, queues). Returns `queue` and
    `kernels` as `replay` takes them and `workloads`, one row per workload: where it comes from.
    """
    source = _Source(config, catalog)
    recipes: dict[str, _Recipe] = {}
    kernels: dict[str, pl.DataFrame] = {}
    for sweep in _sweeps(config):
        for group, models, _ in source.groups(sweep):
            recipes |= {recipe.workload_id: recipe for recipe in group}
            kernels |= {model_id: frame for model_id, _, frame in models}
    made = [recipes[key] for key in sorted(recipes)]
    facts = [dict.fromkeys(WORKLOADS) | {"workload_id": r.workload_id} | r.facts for r in made]
    queue = [
        (recipe.workload_id, place, *application)
        for recipe in made
        for place, application in enumerate(zip(recipe.kernels, recipe.arrival_s, strict=True))
    ]
    named = [kernels[key].with_columns(model_id=pl.lit(key)).select(list(KERNELS)) for key in sorted(kernels)]
    return {
        "workloads": pl.DataFrame(facts, schema=WORKLOADS),
        "queue": pl.DataFrame(queue, schema=QUEUE, orient="row"),
        "kernels": pl.concat([pl.DataFrame(schema=KERNELS), *named]),
    }


def scenarios(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Scenario table of the configuration: every sweep, each scenario once, sorted by id."""
    source = _Source(config, catalog)
    parts = [pl.DataFrame(schema=SCENARIOS)]
    for sweep in _sweeps(config):
        for group, models, sms in source.groups(sweep):
            parts += _rows(sweep, group, models, sms)
    return pl.concat(parts).unique("scenario_id", keep="first", maintain_order=True).sort("scenario_id")


def part(config: Configuration, catalog: Mapping[str, pl.DataFrame], drop: str | None) -> Configuration:
    """The configuration's share that depends on the kernels or queues of one drop; None: on no drop.

    Raises ValueError where a sweep names a trace that is in no drop of the catalog.
    """
    source = _Source(config, catalog)
    traces, possible = source.catalog["traces"], source.possible
    return share(config, "gpu_corun", drop, traces, takes_traces=CorunSweep.of_traces, possible=possible)


class _Source:
    """What workloads are made of: the seed, the ensemble and the tables of the drops."""

    def __init__(self, config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> None:
        self.seed = config.seed
        self.catalog = {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()} | dict(catalog)
        self.sizes = [(s.machines, s.draws) for s in _sweeps(config) if s.machines]

    @cached_property
    def ensemble(self) -> list[ensemble.Member]:
        """Admissible models, as many as the largest sweep asks for."""
        machines, draws = (max(sizes) for sizes in zip(*self.sizes, strict=True))
        return ensemble.draw(self.seed, machines, draws)

    @cached_property
    def of_trace(self) -> dict[str, pl.DataFrame]:
        """Applications of each trace that has kernels with both rates."""
        kernels = self.catalog["kernels"].sort("trace", maintain_order=True)
        by_trace = {
            trace: dropped.applications(
                own_kernels,
                *(self.catalog[t].filter(trace=trace) for t in ("gpu_apps", "sm_fits")),
                self.catalog["gpus"].filter(trace=trace)["repetitions"].max(),
            )
            for (trace,), own_kernels in kernels.group_by("trace", maintain_order=True)
        }
        return {trace: applications for trace, applications in by_trace.items() if len(applications)}

    def groups(self, sweep: CorunSweep) -> Iterator[tuple[list[_Recipe], list[ensemble.Member], list[int]]]:
        """Workloads of a sweep, the models and the numbers of SMs that all of them are replayed with."""
        if not sweep.of_traces():
            facts = {"origin": "published"}
            recipes = list(self._recipes(sweep, "", published.kernels(), facts))
            yield recipes, self._models(sweep), sweep.sms or [DEFAULTS["sms"]]
            return
        asked = sweep.card()
        for trace in self._chosen(sweep):
            applications = self.of_trace[trace]
            filled = applications.with_columns(
                pl.lit(None, pl.Float64).alias(c) for c in KERNEL_DEFAULTS if c not in applications.columns
            )
            kind = self.catalog["traces"].filter(pl.col("trace") == trace)["kind"][0]
            facts = {"trace": trace, "origin": kind}
            recipes = list(self._recipes(sweep, f"/{trace}", filled, facts))
            profiled, fits, cards = (self.catalog[name].filter(trace=trace) for name in ("kernels", "sm_fits", "gpus"))
            card = dropped.machine(profiled, fits, cards, asked)
            named = find(asked["gpu"])
            sms = (named and named.sms) or dropped.gpu_sms(profiled) or cards["sms"].max() or DEFAULTS["sms"]
            yield recipes, [(trace, card, filled)], sweep.sms or [sms]

    def possible(self, sweep: CorunSweep) -> list[str]:
        """Traces that a sweep can take its kernels, or its queue and kernels, from."""
        if sweep.workload == "measured":
            return sorted(trace for trace in self.of_trace if self._measured(trace, None))
        if sweep.workload != "queue":
            return sorted(self.of_trace)
        asked = self.catalog["queues"].group_by("trace").agg(pl.col("app").unique())
        return sorted(t for t, apps in asked.iter_rows() if set(apps) <= self._names(t))

    def _measured(self, trace: str, largest: int | None) -> list[tuple[str, str]]:
        """Pairs of a trace's applications that ran side by side, none where cards are several: a profile is of one."""
        pairs = self.catalog["corun_pairs"].filter(trace=trace).drop_nulls("slowdown_a")
        if pairs["gpu"].n_unique() != 1:
            return []
        ran = {*pairs["app_a"], *pairs["app_b"]}
        names = [name for name in self.of_trace[trace]["kernel"] if name in ran]
        of_pair = pairs.select(pl.concat_list("app_a", "app_b").list.sort()).to_series().unique().to_list()
        return sorted((a, b) for a, b in of_pair if {a, b} <= set(names[: largest or dropped.SIDE_BY_SIDE]))

    def _names(self, trace: str) -> set[str]:
        return set(self.of_trace[trace]["kernel"]) if trace in self.of_trace else set()

    def _chosen(self, sweep: CorunSweep) -> list[str]:
        possible = self.possible(sweep)
        for trace in sweep.traces or []:
            if trace not in possible:
                there = trace in self.catalog["traces"]["trace"].to_list()
                why = LACKING[sweep.workload] if there else "is not among the traces"
                hint = did_you_mean(trace, possible)
                raise ValueError(f"gpu_corun sweep ({sweep.workload}): trace {trace!r} {why}{hint}")
        return possible if sweep.traces is None else list(sweep.traces)

    def _models(self, sweep: CorunSweep) -> list[ensemble.Member]:
        if not sweep.machines:
            return [(DEFAULT_MODEL, dropped.PAPERS_CARD, published.kernels())]
        drawn = max(draws for _, draws in self.sizes)
        wanted = {m * drawn + k for m, k in itertools.product(range(sweep.machines), range(sweep.draws))}
        members = (member for place, member in enumerate(self.ensemble) if place in wanted)
        return [(model_id, machine | dropped.PAPERS_CARD, kernels) for model_id, machine, kernels in members]

    def _recipes(self, sweep: CorunSweep, of: str, kernels: pl.DataFrame, facts: dict) -> Iterator[_Recipe]:
        if sweep.workload == "queue":
            yield self._traced(facts)
        elif sweep.workload == "measured":
            yield from _pairs("measured", of, self._measured(facts["trace"], sweep.largest), facts)
        elif sweep.workload == "drawn":
            yield from self._drawn(sweep, of, kernels, facts)
        else:
            names = sorted(kernels["kernel"].head((sweep.largest or dropped.most(kernels)) if of else len(kernels)))
            yield from _pairs("alone", of, [(name,) for name in names], facts)
            yield from _pairs("pair", of, itertools.combinations_with_replacement(names, 2), facts)

    def _drawn(self, sweep: CorunSweep, of: str, kernels: pl.DataFrame, facts: dict) -> Iterator[_Recipe]:
        """Queues drawn uniformly among the kernels, all there at 0 or arriving at a load."""
        names = kernels["kernel"].sort().to_list()
        mean_loop_s = kernels["loop_s"].fill_null(KERNEL_DEFAULTS["loop_s"]).mean()
        loads = sweep.load if sweep.arrival == "poisson" else [None]
        trace = facts.get("trace")
        name = of if trace is None else content_of(self.catalog, trace)
        for count, batch, load in itertools.product(sweep.applications, range(sweep.batches), loads):
            chosen = stream(self.seed, "gpu_corun queue", name, count, batch).integers(len(names), size=count)
            arrival_s = np.zeros(count)
            family = f"drawn{of}/n{count}"
            if load is not None:
                gaps = stream(self.seed, "gpu_corun arrivals", name, count, batch).exponential(size=count)
                arrival_s = np.cumsum(gaps) * mean_loop_s / load
                family += f"-poisson{load:.12g}"
            row = {"kind": "drawn", "batch": batch, "arrival": sweep.arrival, "load": load, "applications": count,
                   "family": family}  # fmt: skip
            kernels_of = tuple(names[k] for k in chosen)
            yield _Recipe(f"{family}/b{batch:02d}", row | facts, kernels_of, tuple(arrival_s.tolist()))

    def _traced(self, facts: dict) -> _Recipe:
        trace = facts["trace"]
        jobs = self.catalog["queues"].filter(pl.col("trace") == trace).sort("arrival_s", "job_id")
        row = {"kind": "queue", "batch": 0, "arrival": "traced", "applications": len(jobs), "family": f"queue/{trace}"}
        return _Recipe(f"queue/{trace}", row | facts, tuple(jobs["app"]), tuple(jobs["arrival_s"]))


def _pairs(kind: str, of: str, pairs: Iterable[tuple[str, ...]], facts: dict) -> Iterator[_Recipe]:
    """Workloads of applications that are there together at 0."""
    for applications in pairs:
        pair = "-".join(applications)
        row = {"kind": kind, "pair": pair, "batch": 0, "arrival": "queued", "family": f"{kind}{of}/{pair}",
               "applications": len(applications)}  # fmt: skip
        yield _Recipe(row["family"], row | facts, applications, (0.0,) * len(applications))


def _sweeps(config: Configuration) -> list[CorunSweep]:
    return [sweep for sweep in config.gpu_corun.sweeps.values() if sweep is not None]


def _rows(
    sweep: CorunSweep, group: list[_Recipe], models: list[ensemble.Member], sizes: list[int]
) -> Iterator[pl.DataFrame]:
    """Scenarios on workloads, models and GPUs of these sizes; a column varies where it matters to the scheduler."""
    if sweep.schedulers is not None:
        require_known(pl.Series(sweep.schedulers), SCHEDULERS, "scheduler")
    names = sorted(SCHEDULERS) if sweep.schedulers is None else sweep.schedulers
    machines = pl.DataFrame([{"model_id": model_id} | _PARAMETERS | machine for model_id, machine, _ in models])
    card = "".join(f"-{name}:{value}" for name, value in sweep.card().items() if value is not None)
    for name, sms in itertools.product(names, sizes):
        most = SCHEDULERS[name].MOST_APPLICATIONS or np.inf
        queues = pl.DataFrame(
            [
                {"workload_id": r.workload_id, "seed": r.facts["batch"], "trace": r.facts.get("trace")}
                for r in group
                if len(r.kernels) <= most
            ],
            schema={"workload_id": pl.String, "seed": pl.Int64, "trace": pl.String},
        )
        varied = SCHEDULERS[name].OPTIONS
        for values in itertools.product(*(getattr(sweep, option) for option in varied)):
            options = dict(zip(varied, values, strict=True))
            own = "".join(f"-{k}:{v}" for k, v in options.items() if v != DEFAULTS[k]) + card
            model = pl.when(pl.col("trace").is_null()).then("/" + pl.col("model_id")).otherwise(pl.lit(""))
            scenario_id = pl.format(
                "gpu_corun/{}{}/{}/s{}{}", "workload_id", model, pl.lit(name), pl.lit(sms), pl.lit(own)
            )
            # What the database draws as a timeline: the pairs of the documented machine.
            timeline = (pl.col("model_id") == DEFAULT_MODEL) & pl.col("workload_id").str.starts_with("pair/")
            rows = queues.join(machines, how="cross", maintain_order="left_right").with_columns(
                scenario_id.alias("scenario_id"),
                pl.lit(name).alias("scheduler"),
                pl.lit(sms, pl.Int64).alias("sms"),
                timeline.alias("timeline"),
                *(pl.lit(value).alias(option) for option, value in options.items()),
            )
            absent = [pl.lit(None, dtype).alias(c) for c, dtype in SCENARIOS.items() if c not in rows.columns]
            yield rows.with_columns(absent).select(pl.col(c).cast(dtype) for c, dtype in SCENARIOS.items())
