"""Contract cases of hpc_memory."""

from itertools import product
from random import Random

import polars as pl
from contracts import Contract
from hpc_memory_cases import BACKFILLINGS, RECONFIGURATIONS, random_workload, scenario_table, tables
from hpc_memory_slow import Job, Scenario

NODES, MEMORY_GB = 6, 16
OPTIONS = [(*words, k % 2 == 0) for k, words in enumerate(product(RECONFIGURATIONS, BACKFILLINGS))]


class Case(Contract):
    each = ("jobs", "job_id")
    tables = {
        "jobs": ("workload_id", "job_id", "submit_s", "nodes"),
        "phases": ("workload_id", "job_id", "phase", "duration_s", "memory_gb"),
    }
    needed = ("memory_gb",)
    ids = ("job_id",)
    optional = {"jobs": {"walltime_s": pl.lit(None, pl.Float64)}}
    instants = {"jobs": ("submit_s",)}
    durations = {"jobs": ("submit_s", "walltime_s"), "phases": ("duration_s",), "scenarios": ("tau_s",)}
    result_instants = result_durations = ("start_s", "end_s")
    powers = {"s": 1, "steady_slowdown": None}  # bounded by a run time in seconds
    placed = "start_s"
    reasons = ("larger_than_machine",)
    order = ("submit_s", "start_s", "end_s")
    empty_is_known = True

    def case(self, scheduler, seed):
        rng = Random(seed)
        workloads = {f"{scheduler} {k:02d}": random_workload(rng, NODES) for k in range(len(OPTIONS))}
        workloads[f"{scheduler} 00"].append(Job(99, 1, NODES + 1, ((1, 1),), None, ((1, 1),)))
        rows = {
            f"{name} s": (name, Scenario(NODES, MEMORY_GB, scheduler, 0.25, k % 3, *OPTIONS[k]))
            for k, name in enumerate(workloads)
        }
        return tables(workloads), scenario_table(rows).with_columns(timeline=pl.lit(True), spans=pl.lit(2))

    def single(self, scheduler):
        """Its memory is usable from the start, and there is enough in every share."""
        enough = Scenario(NODES, 8 * NODES, scheduler, 0.03, 0)
        rows = scenario_table(dict.fromkeys(BACKFILLINGS, ("w", enough))).with_columns(backfilling="scenario_id")
        inputs = tables({"w": [Job(7, 3, 2, ((2, 5), (1.5, 0), (4, 8)))]})
        metrics = {"mean_response_s": 7.5, "makespan_s": 7.5, "mean_wait_s": 0, "utilisation": None}
        return inputs, rows, {"job_id": 7, "start_s": 3, "end_s": 10.5}, metrics

    def held(self, inputs, scenarios, result):
        """Nodes, and memory: a target holds until the next one, the last of which is 0."""
        served = result["outcomes"].drop_nulls("start_s").join(scenarios.drop("nodes"), on="scenario_id")
        jobs = inputs["jobs"].select("workload_id", "job_id", "nodes")
        served = served.join(jobs, on=["workload_id", "job_id"])
        yield served.select("scenario_id", start="start_s", end="end_s", amount="nodes", limit=pl.lit(NODES))
        timeline = result["timeline"].join(scenarios, on="scenario_id")
        assert (timeline["usable_gb"] <= timeline["target_gb"] + 1e-9).all()
        yield timeline.filter(pl.col("scheduler") != "unlimited").select(
            "scenario_id", start="time_s", end=pl.col("time_s").shift(-1).over("scenario_id", "job_id"),
            amount="target_gb", limit=pl.lit(float(MEMORY_GB)),
        ).drop_nulls("end")  # fmt: skip
