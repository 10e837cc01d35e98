"""What is asked of the GPU: task sets (generated, dropped, of measured curves), and the scenarios."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.table import require_known
from pipeline.statistics.streams import stream
from pipeline.studies import parts
from pipeline.studies.gpu_partition import STUDY, generate, measured, model
from pipeline.studies.gpu_partition import tables as gpu_partition
from pipeline.studies.gpu_partition.config import PartitionSweep
from pipeline.studies.gpu_partition.replay import DEFAULTS
from pipeline.studies.gpu_partition.schedulers import OPTIONS, SCHEDULERS, exact_up_to, heeded
from pipeline.tables.catalog import content_of
from pipeline.tables.results import scenario_schema

if TYPE_CHECKING:
    from pipeline.config import Configuration

log = logging.getLogger(__name__)

WORKLOADS = tables.polars_schema(gpu_partition.GpuPartitionWorkload)
TASKS = tables.polars_schema(gpu_partition.GpuPartitionTask)
SCENARIOS = scenario_schema(STUDY)
READING = {option: PartitionSweep.model_fields[option].default[0] for option in OPTIONS}
"""The paper's reading of each option, which rows have whose schedulers do not heed it, and ids do not mention."""
MACHINE = ("execution_mode", "edf", "priority", "sizes")
"""Columns that sweeps vary for all schedulers; those of OPTIONS they vary for who heeds them."""
USUAL_SMS, USUAL_MEMORY_SHARE = 68, 0.5
"""What the names of generated sets do not mention."""
OF_TRACES = {"dropped": "tasks", "measured": "task_costs"}
"""Kinds of sweeps that depend on drops, and the canonical table that each takes its task sets from."""
LACK = {"dropped": "task sets", "measured": "SM curves that tasks can be made of"}

Tables = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class _Recipe:
    """A task set: what is known of it, its tasks, the GPUs it is put on, how its run times scale, partition sizes."""

    workload_id: str
    facts: dict[str, Any]
    tasks: Callable[[], pl.DataFrame]
    sms: tuple[int, ...]
    execution_mode: tuple[str, ...]
    sizes: tuple[str, ...]


def workloads(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> Tables:
    """Task sets that the sweeps of the configuration need.

    `catalog` holds the canonical tables of all drops (traces, tasks, task_costs). Returns `tasks` as `replay` takes
    them and `workloads`, one row per task set: where it comes from.
    """
    source = _Source(config, catalog)
    recipes = {r.workload_id: r for sweep in _sweeps(config) for r in source.recipes(sweep)}
    made = [recipes[key] for key in sorted(recipes)]
    facts = [dict.fromkeys(WORKLOADS) | {"workload_id": recipe.workload_id} | recipe.facts for recipe in made]
    return {
        "workloads": pl.DataFrame(facts, schema=WORKLOADS),
        "tasks": pl.concat([pl.DataFrame(schema=TASKS), *(_conform(r.tasks()) for r in made)]),
    }


def scenarios(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Scenario table of the configuration: every sweep, each scenario once, sorted by id."""
    source = _Source(config, catalog)
    rows = {
        row["scenario_id"]: row
        for sweep in _sweeps(config)
        for recipe in source.recipes(sweep)
        for row in _rows(sweep, recipe)
    }
    return pl.DataFrame([rows[key] for key in sorted(rows)], schema=SCENARIOS)


def part(config: Configuration, catalog: Mapping[str, pl.DataFrame], drop: str | None) -> Configuration:
    """The configuration's share that depends on the task sets of one drop; None: on no drop.

    Raises ValueError where a sweep names a trace that is in no drop of the catalog.
    """
    source = _Source(config, catalog)
    return parts.share(
        config,
        "gpu_partition",
        drop,
        source.catalog["traces"],
        takes_traces=lambda sweep: sweep.workload in OF_TRACES,
        possible=lambda sweep: source.possible(sweep.workload),
    )


class _Source:
    """What task sets are made of: the seed, and the tables of the drops."""

    def __init__(self, config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> None:
        self.seed = config.seed
        self.catalog = {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()} | dict(catalog)

    def recipes(self, sweep: PartitionSweep) -> Iterator[_Recipe]:
        """The task sets of a sweep."""
        of = {"generated": self._drawn, "dropped": self._dropped, "measured": self._measured}
        yield from of[sweep.workload](sweep)

    def _drawn(self, sweep: PartitionSweep) -> Iterator[_Recipe]:
        sizes = sweep.sms or [USUAL_SMS]
        for n, u, m, number in itertools.product(sweep.tasks, sweep.utilisation, sizes, range(sweep.sets)):
            family = f"generated/n{n}-u{u:.12g}"
            family += "" if sweep.memory_share == USUAL_MEMORY_SHARE else f"-memory{sweep.memory_share:.12g}"
            family += "" if m == USUAL_SMS else f"-m{m}"
            family += "" if sweep.hyperperiod == generate.HYPERPERIOD else f"-h{sweep.hyperperiod}"
            workload_id = f"{family}/s{number:03d}"
            facts = {"family": family, "kind": "generated", "batch": number, "origin": tables.SYNTHETIC,
                     "tasks": n, "utilisation": u, "memory_share": sweep.memory_share,
                     "hyperperiod": sweep.hyperperiod}  # fmt: skip
            drawn = partial(self._generated, workload_id, n, u, m, number, sweep.memory_share, sweep.hyperperiod)
            yield _Recipe(workload_id, facts, drawn, (m,), _modes(sweep, "scaled"), tuple(sweep.sizes))

    def _generated(
        self, workload_id: str, n: int, u: float, m: int, number: int, memory_share: float, hyperperiod: int
    ) -> pl.DataFrame:
        rng = stream(self.seed, "gpu_partition set", n, f"{u:.12g}", m, f"{memory_share:.12g}", number)
        drawn = generate.task_set(rng, n, u, m, memory_share, hyperperiod)
        width = len(str(n))
        return pl.DataFrame(
            {
                "taskset_id": [workload_id] * n,
                "task_id": [f"{i:0{width}d}" for i in range(1, n + 1)],
                "kind": np.array(model.KINDS)[drawn["memory"].astype(int)].tolist(),
                **{name: drawn[name] for name in ("period", "deadline", "work")},
                "serial_fraction": pl.Series([None] * n, dtype=pl.Float64),
                "conflict_factor": pl.Series([None] * n, dtype=pl.Float64),
                "cost_origin": [tables.SYNTHETIC] * n,
                "conflict_origin": [measured.ASSUMED] * n,
                "period_origin": [tables.SYNTHETIC] * n,
            }
        )

    def _dropped(self, sweep: PartitionSweep) -> Iterator[_Recipe]:
        chosen = self._chosen(sweep)
        tasks = self.catalog["tasks"].filter(pl.col("trace").is_in(chosen)).sort("trace", "taskset_id", "task_id")
        kinds = dict(self.catalog["traces"].select("trace", "kind").iter_rows())
        for (trace, taskset), frame in tasks.group_by("trace", "taskset_id", maintain_order=True):
            workload_id = f"dropped/{trace}" + ("" if taskset == trace else f"/{taskset}")
            facts = {"family": workload_id, "kind": "dropped", "trace": trace, "batch": 0, "tasks": len(frame),
                     "utilisation": float((frame["work"] / frame["period"]).sum()), "origin": kinds[trace]}  # fmt: skip
            factor = pl.when(pl.col("conflict_factor").is_null()).then(pl.lit(measured.ASSUMED))
            named = frame.with_columns(
                taskset_id=pl.lit(workload_id),
                cost_origin=pl.lit(tables.GIVEN),
                period_origin=pl.lit(tables.GIVEN),
                conflict_origin=factor.otherwise(pl.lit(tables.GIVEN)),
            )
            sms = tuple(sweep.sms or [USUAL_SMS])
            yield _Recipe(
                workload_id, facts, partial(_as_it_is, named), sms, _modes(sweep, "scaled"), tuple(sweep.sizes)
            )

    def _measured(self, sweep: PartitionSweep) -> Iterator[_Recipe]:
        kinds = dict(self.catalog["traces"].select("trace", "kind").iter_rows())
        for trace in self._chosen(sweep):
            costs = self.catalog["task_costs"].filter(pl.col("trace") == trace).sort("app")
            machine, content = costs["machine_sms"][0], content_of(self.catalog, trace)
            # What was measured on slices runs on slices.
            sliced = self.catalog["sm_curves"].filter(pl.col("trace") == trace)["mig_slices"].count() > 0
            sizes = ("mig",) if sliced else tuple(sweep.sizes)
            for m, n, load in itertools.product(sweep.sms or [machine], sweep.tasks, sweep.load):
                family = f"measured/{trace}-n{n}-load{load:.12g}" + ("" if m == machine else f"-m{m}")
                for number in range(sweep.sets):
                    rng = stream(self.seed, "gpu_partition measured", content, n, f"{load:.12g}", m, number)
                    workload_id = f"{family}/s{number:03d}"
                    try:
                        tasks = measured.task_set(rng, costs, n, load * m, m, kinds[trace])
                    except ValueError as problem:
                        log.warning("%s is left out: %s", workload_id, problem)
                        continue
                    facts = {"family": family, "kind": "measured", "trace": trace, "batch": number, "tasks": n,
                             "utilisation": load * m, "origin": tables.COMPOSED}  # fmt: skip
                    named = tasks.with_columns(taskset_id=pl.lit(workload_id))
                    made = partial(_as_it_is, named)
                    yield _Recipe(workload_id, facts, made, (m,), _modes(sweep, "literal"), sizes)

    def _chosen(self, sweep: PartitionSweep) -> list[str]:
        """Traces that a sweep takes; raises ValueError for one that has nothing of what the sweep asks for."""
        possible = self.possible(sweep.workload)
        for trace in sweep.traces or []:
            if trace not in possible:
                there = trace in self.catalog["traces"]["trace"].to_list()
                why = f"has no {LACK[sweep.workload]}" if there else "is not among the traces"
                hint = did_you_mean(trace, possible)
                raise ValueError(f"gpu_partition sweep ({sweep.workload}): trace {trace!r} {why}{hint}")
        return possible if sweep.traces is None else sweep.traces

    def possible(self, workload: str) -> list[str]:
        """Traces that have task sets of a kind: given ones (dropped), or costs of applications (measured)."""
        return self.catalog[OF_TRACES[workload]]["trace"].unique().sort().to_list()


def _as_it_is(frame: pl.DataFrame) -> pl.DataFrame:
    return frame


def _modes(sweep: PartitionSweep, usual: str) -> tuple[str, ...]:
    return tuple(sweep.execution_mode or [usual])


def _conform(tasks: pl.DataFrame) -> pl.DataFrame:
    """Rows of the table of tasks; what a set does not have is null."""
    absent = {name: pl.lit(None, dtype) for name, dtype in TASKS.items() if name not in tasks.columns}
    return tasks.with_columns(**absent).select(*TASKS).cast(TASKS)


def _sweeps(config: Configuration) -> list[PartitionSweep]:
    return [sweep for sweep in config.gpu_partition.sweeps.values() if sweep is not None]


def _rows(sweep: PartitionSweep, recipe: _Recipe) -> Iterator[dict]:
    """Scenarios of a sweep on one task set; a column varies where it makes a difference to the scheduler."""
    possible = [
        name for name, scheduler in sorted(SCHEDULERS.items()) if recipe.facts["tasks"] <= exact_up_to(scheduler)
    ]
    if sweep.schedulers is not None:
        require_known(pl.Series(sweep.schedulers), SCHEDULERS, "scheduler")
        possible = sweep.schedulers  # the optimum's bound on large sets is there for who names it
    usual = DEFAULTS | READING
    for name, sms in itertools.product(possible, recipe.sms):
        varied = [*MACHINE, *(option for option in OPTIONS if option in heeded(SCHEDULERS[name]))]
        wanted = {option: getattr(sweep, option) for option in varied}
        wanted |= {"execution_mode": recipe.execution_mode, "sizes": recipe.sizes}
        for values in itertools.product(*wanted.values()):
            options = dict(zip(wanted, values, strict=True))
            if options["sizes"] == "mig" and sms < model.MIG_PARTS:
                continue
            own = "".join(f"-{k}:{v}" for k, v in options.items() if v != usual[k])
            yield {
                "scenario_id": f"gpu_partition/{recipe.workload_id}/{name}/m{sms}{own}",
                "scheduler": name,
                "seed": recipe.facts["batch"],
                "workload_id": recipe.workload_id,
                "taskset_id": recipe.workload_id,
                **usual,
                "sms": sms,
                **options,
            }
