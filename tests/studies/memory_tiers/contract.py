"""Contract cases of memory_tiers."""

from random import Random

import polars as pl
from contracts import Contract
from memory_tiers_cases import random_jobs, scenario, tables
from memory_tiers_slow import Job, Machine

NODES, LOCAL_GB, POOL_GB = 6, 1.5, 9.0
BACKFILLINGS = ("easy", "fcfs", "reserve")


class Case(Contract):
    each = ("jobs", "job_id")
    tables = {
        "jobs": ("workload_id", "job_id", "submit_s", "nodes"),
        "phases": ("workload_id", "job_id", "phase", "duration_s", "memory_gb"),
    }
    needed = ("nodes",)
    ids = ("job_id",)
    optional = {
        "jobs": {
            "walltime_s": pl.lit(None, pl.Float64),
            "request_gb": pl.lit(None, pl.Float64),
            "sensitivity": pl.lit(None, pl.Float64),
        }
    }
    instants = {"jobs": ("submit_s",)}
    durations = {"jobs": ("submit_s", "walltime_s"), "phases": ("duration_s",), "scenarios": ("tau_s",)}
    result_instants = result_durations = ("start_s", "end_s")
    placed = "start_s"
    reasons = ("larger_than_machine", "request_exceeds_node", "pool_too_small")
    order = ("submit_s", "start_s", "end_s")
    empty_is_known = True

    def case(self, scheduler, seed):
        rng = Random(seed)
        workloads = {f"{scheduler} {k:02d}": random_jobs(rng, NODES, 12) for k in range(6)}
        workloads[f"{scheduler} 00"].append(Job(99, 1, NODES + 1, [(1, 1)], 1, 1, 0))
        machines = [
            Machine(
                NODES, LOCAL_GB, POOL_GB, 0.25, BACKFILLINGS[k % 3], -1 if k % 3 == 2 else 1,
                "requeue" if scheduler == "dynamic_pool" and k > 2 else "wait", 0.5,
            )
            for k in range(len(workloads))
        ]  # fmt: skip
        rows = [
            scenario(f"{name} s", name, scheduler, machine) | {"spans": 2, "sensitivity_scale": 1.5}
            for name, machine in zip(workloads, machines, strict=True)
        ]
        return tables(workloads), pl.DataFrame(rows)

    def single(self, scheduler):
        """Its nodes have what it asks for, so that nothing of the pool is missing while it moves."""
        job = Job(7, 3, 2, [(2, 1), (1.5, 0), (4, 1.5)], 9, 1.5, 1)
        rows = [scenario(each, "w", scheduler, Machine(NODES, LOCAL_GB, POOL_GB, 0.03, each)) for each in BACKFILLINGS]
        metrics = {"makespan_s": 7.5, "steady_response_s": 7.5, "rejected_jobs": 0, "steady_utilisation": None}
        return tables({"w": [job]}), pl.DataFrame(rows), {"job_id": 7, "start_s": 3, "end_s": 10.5}, metrics

    def held(self, inputs, scenarios, result):
        """Nodes; what is held of the pool is compared with the slow reference at every instant."""
        served = result["outcomes"].drop_nulls("start_s").join(scenarios.drop("nodes"), on="scenario_id")
        served = served.join(inputs["jobs"].select("workload_id", "job_id", "nodes"), on=["workload_id", "job_id"])
        yield served.select("scenario_id", start="start_s", end="end_s", amount="nodes", limit=pl.lit(NODES))
        assert (result["metrics"].filter(metric="pool_peak_gb")["value"] <= POOL_GB + 1e-9).all()
