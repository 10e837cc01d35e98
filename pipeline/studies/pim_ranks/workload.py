"""What is asked of the machine: sets of jobs and queues, the tables they are replayed with, and the scenarios."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit import measured_shapes
from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.table import require_known
from pipeline.statistics.streams import stream
from pipeline.studies.parts import share
from pipeline.studies.pim_ranks import STUDY, sets
from pipeline.studies.pim_ranks import tables as pim_ranks
from pipeline.studies.pim_ranks.config import PimSweep
from pipeline.studies.pim_ranks.replay import DEFAULTS
from pipeline.studies.pim_ranks.rules import MOST_JOBS
from pipeline.studies.pim_ranks.schedulers import PROFILED, SCHEDULERS, VARIED
from pipeline.tables.results import scenario_schema

if TYPE_CHECKING:
    from pipeline.config import Configuration

WORKLOADS = tables.polars_schema(pim_ranks.PimRanksWorkload)
QUEUE = tables.polars_schema(pim_ranks.PimRanksJob)
PERF_TABLES = tables.polars_schema(pim_ranks.PimRanksTable)
BEST_RANKS = {"table_id": pl.String, "app": pl.String, "best_ranks": pl.Int64}
_STAGE = tables.polars_schema(tables.PimStage)
STAGES = {"table_id": pl.String} | {name: dtype for name, dtype in _STAGE.items() if name != "trace"}
REQUESTS = {"table_id": pl.String, "app": pl.String, "ranks": pl.Int64}
SCENARIOS = scenario_schema(STUDY)
Tables = dict[str, pl.DataFrame]


DRAWN = "measured_shapes"
"""What the ids of admissible tables begin with."""


@dataclass(frozen=True)
class _Tables:
    """A set of performance tables: of an admissible member (perhaps as proxies for VirtualPIM), or of a trace.

    host_share, transfer, requests, ranks: of a proxy, how its stages are made of the member's table.
    """

    table_id: str
    member: int | None = None
    trace: str | None = None
    host_share: float | None = None
    transfer: tuple[float, ...] = sets.TRANSFER
    requests: str | None = None
    ranks: int | None = None


@dataclass(frozen=True)
class _Recipe:
    """A workload: what is known of it, its queue, and the tables and machine sizes that it is replayed with."""

    workload_id: str
    facts: dict[str, Any]
    queue: Callable[[], pl.DataFrame]
    machines: list[tuple[_Tables, int]]
    has_stages: bool


def workloads(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> Tables:
    """Queues and tables of every workload that the sweeps of the configuration need.

    `catalog` holds the canonical tables of all drops (traces, perf_tables, queues, pim_stages, pim_requests). Returns
    `queue`, `perf_tables`, `best_ranks`, `stages`, `requests` as `replay` takes them and `workloads`, one row a
    workload: where it comes from.
    """
    source = _Source(config, catalog)
    recipes: dict[str, _Recipe] = {}
    needed: dict[str, _Tables] = {}
    for sweep in _sweeps(config):
        for recipe in source.recipes(sweep):
            recipes.setdefault(recipe.workload_id, recipe)
            needed |= {chosen.table_id: chosen for chosen, _ in recipe.machines}
    ordered = [recipes[key] for key in sorted(recipes)]
    facts = [dict.fromkeys(WORKLOADS) | {"workload_id": r.workload_id} | r.facts for r in ordered]
    return {
        "workloads": pl.DataFrame(facts, schema=WORKLOADS),
        "queue": pl.concat([pl.DataFrame(schema=QUEUE), *(r.queue().cast(QUEUE) for r in ordered)]),
        **source.tables([needed[key] for key in sorted(needed)]),
    }


def scenarios(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Scenario table of the configuration: every sweep, each scenario once, sorted by id."""
    source = _Source(config, catalog)
    rows: dict[str, dict] = {}
    for sweep in _sweeps(config):
        for recipe in source.recipes(sweep):
            for row in _rows(sweep, recipe):
                rows[row["scenario_id"]] = row
    return pl.DataFrame([rows[key] for key in sorted(rows)], schema=SCENARIOS)


def part(config: Configuration, catalog: Mapping[str, pl.DataFrame], drop: str | None) -> Configuration:
    """The configuration's share that depends on the tables or queues of one drop; None: on no drop.

    Raises ValueError where a sweep names a trace that is in no drop of the catalog.
    """
    source = _Source(config, catalog)
    traces, possible = source.catalog["traces"], source.possible
    return share(config, "pim_ranks", drop, traces, takes_traces=_of_a_trace, possible=possible)


class _Source:
    """What workloads are made of: the seed, the admissible tables and the tables of the drops."""

    def __init__(self, config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> None:
        self.seed = config.seed
        self.catalog = {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()} | dict(catalog)
        chosen = self.catalog["perf_tables"].filter(pl.col("chosen"))
        self.of_trace = {trace: frame for (trace,), frame in chosen.sort("trace").group_by("trace")}
        drawn = [s for s in _sweeps(config) if not _of_a_trace(s)]
        self.members = max((s.members for s in drawn), default=0)

    @cached_property
    def ensemble(self) -> list[pl.DataFrame]:
        """Admissible tables (member, app, ranks, time_s), one a member; fewer members are the first."""
        return measured_shapes.tables(self.members, self.seed).partition_by("member", maintain_order=True)

    def recipes(self, sweep: PimSweep) -> Iterator[_Recipe]:
        """The workloads of a sweep."""
        if sweep.workload == "queue":
            yield from (self._traced(trace) for trace in self._chosen(sweep))
        elif sweep.workload == "virtual_pim":
            yield from self._proxies(sweep)
        elif sweep.tables == "dropped":
            for trace in self._chosen(sweep):
                machine = (_Tables(trace, trace=trace), self._ranks(trace))
                facts = {"trace": trace, "origin": self._origin(trace)}
                for number in sweep.sets:
                    mix, groups = self._drawn_of(trace, number)
                    yield from self._sets(sweep, number, mix, f"sets/{trace}", groups, [machine], facts)
        else:
            table_sets = [_Tables(f"{DRAWN}/{m:04d}", member=m) for m in range(sweep.members)]
            machines = list(itertools.product(table_sets, sweep.ranks))
            groups = sets.Groups.among(measured_shapes.TABLE_2)
            for number in _numbered(sweep):
                yield from self._sets(
                    sweep, number, sets.MIX[number], "sets", groups, machines, {"origin": "synthetic"}
                )

    def tables(self, needed: list[_Tables]) -> Tables:
        """Performance tables, best ranks, stages and requests of the sets of tables."""
        frames: dict[str, list[pl.DataFrame]] = {"perf_tables": [], "best_ranks": [], "stages": [], "requests": []}
        schemas = {"perf_tables": PERF_TABLES, "best_ranks": BEST_RANKS, "stages": STAGES, "requests": REQUESTS}
        for chosen in needed:
            if chosen.trace is not None:
                parts = self._of_trace(chosen.trace)
            else:
                parts = _of_member(chosen, self.ensemble[chosen.member])
            for name, frame in parts.items():
                named = frame.with_columns(table_id=pl.lit(chosen.table_id))
                frames[name].append(named.select(list(schemas[name])).cast(schemas[name]))
        return {name: pl.concat([pl.DataFrame(schema=schema), *frames[name]]) for name, schema in schemas.items()}

    def possible(self, sweep: PimSweep) -> list[str]:
        """Traces that a sweep can take its tables, or queue and tables, from."""
        if sweep.workload == "queue":
            queues = self.catalog["queues"].group_by("trace").agg(pl.col("app").unique()).sort("trace")
            return [t for t, apps in queues.iter_rows() if t in self.of_trace and self._has(t, apps)]
        return [
            trace
            for trace in sorted(self.of_trace)
            if any(groups.can_make(mix) for mix, groups in (self._drawn_of(trace, number) for number in sweep.sets))
        ]

    def _drawn_of(self, trace: str, number: str) -> tuple[tuple[int, int], sets.Groups]:
        """Mix and groups of a set of a drop's applications; the uniform one is empty where W1 to W5 have them all."""
        apps = self.of_trace[trace]["app"].unique()
        if number != sets.UNIFORM:
            return sets.MIX[number], sets.Groups.among(apps)
        return (1, 0), sets.Groups.alike(apps if set(apps) - set(measured_shapes.TABLE_2) else [])

    def _has(self, trace: str, apps: list[str]) -> bool:
        return set(apps) <= set(self.of_trace[trace]["app"])

    def _chosen(self, sweep: PimSweep) -> list[str]:
        possible = self.possible(sweep)
        for trace in sweep.traces or []:
            if trace not in possible:
                there = trace in self.catalog["traces"]["trace"].to_list()
                lacking = (
                    "lacks performance tables of all that its queue asks for"
                    if sweep.workload == "queue"
                    else ("has no performance table of an application that these sets are drawn among")
                )
                why = lacking if there else "is not among the traces"
                raise ValueError(
                    f"pim_ranks sweep ({sweep.workload}): trace {trace!r} {why}{did_you_mean(trace, possible)}"
                )
        return possible if sweep.traces is None else list(sweep.traces)

    def _origin(self, trace: str) -> str:
        return self.catalog["traces"].filter(pl.col("trace") == trace)["kind"][0]

    def _ranks(self, trace: str) -> int:
        """Ranks of the traced machine, as far as all of its tables go."""
        widest = self.of_trace[trace].group_by("app").agg(pl.col("ranks").max())["ranks"].min()
        stated = self.catalog["traces"].filter(pl.col("trace") == trace)["ranks"][0]
        return int(widest if stated is None else min(stated, widest))

    def _sets(self, sweep: PimSweep, number: str, mix: tuple[int, int], name: str, groups: sets.Groups, machines: list,
              facts: dict) -> Iterator[_Recipe]:  # fmt: skip
        if not groups.can_make(mix):
            return
        set_name = sets.name(number)
        for jobs, batch in itertools.product(sweep.jobs, range(sweep.batches)):
            queue = partial(self._drawn, number, mix, jobs, batch, groups)
            of_sets = {"kind": "sets", "set_name": set_name, "batch": batch, "jobs": jobs} | facts
            if sweep.arrival == "queued":
                family = f"{name}/{set_name}-n{jobs}"
                of_sets |= {"family": family, "arrival": "queued"}
                workload_id = f"{family}/b{batch:02d}"
                yield _Recipe(workload_id, of_sets, partial(queue, workload_id), machines, False)
                continue
            for load, (chosen, ranks) in itertools.product(sweep.load, machines):
                family = f"{name}/{set_name}-n{jobs}-poisson{load:.12g}-r{ranks}/{chosen.table_id}"
                workload_id = f"{family}/b{batch:02d}"
                arriving = partial(queue, workload_id, chosen=chosen, load=load, ranks=ranks)
                with_load = of_sets | {"family": family, "arrival": "poisson", "load": load}
                yield _Recipe(workload_id, with_load, arriving, [(chosen, ranks)], False)

    def _proxies(self, sweep: PimSweep) -> Iterator[_Recipe]:
        groups = sets.Groups.among(measured_shapes.TABLE_2)
        for number, jobs, batch in itertools.product(_numbered(sweep), sweep.jobs, range(sweep.batches)):
            host_share = sweep.heavy_host_share if number == "5" else sweep.host_share
            made = f"host{host_share:.12g}"
            if sweep.transfer != sets.TRANSFER:
                made += "-transfer" + ":".join(f"{share:.12g}" for share in sweep.transfer)
            machines = [
                (
                    _Tables(f"{DRAWN}/{m:04d}/{made}-{r}{ranks}", m, None, host_share, sweep.transfer, r, ranks),
                    ranks,
                )
                for m, r, ranks in itertools.product(range(sweep.members), sweep.requests, sweep.ranks)
            ]
            usual = (sweep.host_share, sweep.heavy_host_share) == (sets.HOST_SHARE, sets.HEAVY_HOST_SHARE)
            shares = "" if usual else f"{sweep.host_share:.12g} and {sweep.heavy_host_share:.12g}"
            family = f"virtual_pim/VW{number}-n{jobs}" + ("" if usual else f"-host {shares}".replace(" ", "_"))
            workload_id = f"{family}/b{batch:02d}"
            facts = {"kind": "virtual_pim", "set_name": f"VW{number}", "batch": batch, "jobs": jobs, "family": family,
                     "arrival": "queued", "host_share": host_share, "host_shares": shares or None,
                     "origin": "proxy"}  # fmt: skip
            queue = partial(self._drawn, f"V{number}", sets.PROXY_MIX[number], jobs, batch, groups, workload_id)
            yield _Recipe(workload_id, facts, queue, machines, True)

    def _traced(self, trace: str) -> _Recipe:
        jobs = self.catalog["queues"].filter(pl.col("trace") == trace).sort("arrival_s", "job_id")
        workload_id = f"queue/{trace}"
        facts = {"kind": "queue", "trace": trace, "batch": 0, "jobs": len(jobs), "family": workload_id,
                 "arrival": "traced", "origin": self._origin(trace)}  # fmt: skip
        asked = set(jobs["app"])
        of_stages, of_requests = (
            set(self.catalog[name].filter(pl.col("trace") == trace)["app"]) for name in ("pim_stages", "pim_requests")
        )
        queue = jobs.select(pl.lit(workload_id).alias("workload_id"), "job_id", "app", "arrival_s")
        machine = (_Tables(trace, trace=trace), self._ranks(trace))
        return _Recipe(workload_id, facts, lambda: queue, [machine], asked <= (of_stages & of_requests))

    def _drawn(self, number: str, mix: tuple[int, int], jobs: int, batch: int, groups: sets.Groups, workload_id: str,
               *, chosen: _Tables | None = None, load: float = 0.0, ranks: int = 0) -> pl.DataFrame:  # fmt: skip
        """A set, all queued at 0 or, with chosen tables, arriving at a load on so many ranks."""
        apps = sets.draw(stream(self.seed, "pim_ranks set", number, jobs, batch), mix, jobs, groups)
        arrival_s = np.zeros(jobs)
        if chosen is not None:
            gap_s = sets.mean_rank_s(mix, groups, self._best_rank_s(chosen, ranks)) / (load * ranks)
            arrivals = stream(self.seed, "pim_ranks arrivals", number, jobs, batch)
            arrival_s = np.cumsum(arrivals.exponential(size=jobs)) * gap_s
        width = len(str(jobs))
        return pl.DataFrame(
            {
                "workload_id": [workload_id] * jobs,
                "job_id": [f"{j:0{width}d}" for j in range(1, jobs + 1)],
                "app": apps.tolist(),
                "arrival_s": arrival_s,
            }
        )

    def _best_rank_s(self, chosen: _Tables, ranks: int) -> dict[str, float]:
        """Rank-seconds of each application on its best ranks, clamped to the machine."""
        parts = self.tables([chosen])
        best = parts["best_ranks"].select("app", ranks=pl.min_horizontal("best_ranks", pl.lit(ranks)))
        rows = parts["perf_tables"].join(best, on=["app", "ranks"], how="semi", maintain_order="left")
        return {app: r * time_s for app, r, time_s in rows.select("app", "ranks", "time_s").iter_rows()}

    def _of_trace(self, trace: str) -> Tables:
        chosen = self.of_trace[trace].sort("app", "ranks")
        stages, requests = (
            self.catalog[name].filter(pl.col("trace") == trace).sort("app") for name in ("pim_stages", "pim_requests")
        )
        return {
            "perf_tables": chosen.select("app", "ranks", "time_s"),
            "best_ranks": chosen.filter(pl.col("is_best")).select("app", best_ranks="ranks"),
            "stages": stages.sort("app", "stage"),
            "requests": requests,
        }


def _of_member(chosen: _Tables, member: pl.DataFrame) -> Tables:
    """Tables of an admissible member; of a proxy, its stages and requests too."""
    best = pl.DataFrame(
        {"app": list(measured_shapes.TABLE_2), "best_ranks": list(measured_shapes.TABLE_2.values())}
    ).sort("app")
    given = {"perf_tables": member.select("app", "ranks", "time_s"), "best_ranks": best}
    if chosen.requests is None:
        return given
    asked = {app: sets.request(chosen.requests, chosen.ranks, ranks) for app, ranks in best.iter_rows()}
    times = {app: frame["time_s"].to_numpy() for (app,), frame in member.group_by("app", maintain_order=True)}
    stages = [
        sets.proxy_stages(app, times[app], ranks, chosen.host_share, chosen.transfer) for app, ranks in asked.items()
    ]
    return given | {
        "stages": pl.concat(stages),
        "requests": pl.DataFrame({"app": list(asked), "ranks": list(asked.values())}),
    }


def _sweeps(config: Configuration) -> list[PimSweep]:
    return [sweep for sweep in config.pim_ranks.sweeps.values() if sweep is not None]


def _numbered(sweep: PimSweep) -> list[str]:
    """The sets of a sweep that Table 2 knows."""
    return [number for number in sweep.sets if number != sets.UNIFORM]


def _of_a_trace(sweep: PimSweep) -> bool:
    return sweep.workload == "queue" or sweep.tables == "dropped"


def _rows(sweep: PimSweep, recipe: _Recipe) -> Iterator[dict]:
    """Scenarios of a sweep on one workload; a column varies where it makes a difference to the scheduler."""
    possible = [
        name
        for name, scheduler in sorted(SCHEDULERS.items())
        if ("few_jobs" not in scheduler.NEEDS or recipe.facts["jobs"] <= MOST_JOBS)
        and ("stages" not in scheduler.NEEDS or recipe.has_stages)
    ]
    if sweep.schedulers is not None:
        require_known(pl.Series(sweep.schedulers), SCHEDULERS, "scheduler")
    names = possible if sweep.schedulers is None else [name for name in sweep.schedulers if name in possible]
    for name, (chosen, ranks) in itertools.product(names, recipe.machines):
        varied = [option for option in SCHEDULERS[name].NEEDS if option in VARIED]
        varied += PROFILED if "best_ranks" in SCHEDULERS[name].NEEDS else ()
        for values in itertools.product(*(getattr(sweep, option) for option in varied)):
            options = dict(zip(varied, values, strict=True))
            if sweep.workload == "virtual_pim":
                options["coop_limit"] = sweep.coop_limit
            own = "".join(f"-{k}:{v}" for k, v in options.items() if v != DEFAULTS[k])
            table = "" if chosen.trace is not None else f"/{chosen.table_id}"
            yield {
                "scenario_id": f"pim_ranks/{recipe.workload_id}{table}/{name}/r{ranks}{own}",
                "scheduler": name,
                "seed": recipe.facts["batch"],
                "workload_id": recipe.workload_id,
                "ranks": ranks,
                "table_id": chosen.table_id,
                **{k: DEFAULTS[k] for k in ("window", "ooo_window", "perf_at", "coop_limit", "objective", *PROFILED)},
                **options,
            }
