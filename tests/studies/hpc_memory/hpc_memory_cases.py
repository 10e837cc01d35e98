"""Cases of the slow reference as tables for the compiled replay, and random cases for both."""

from __future__ import annotations

from dataclasses import asdict
from random import Random

import polars as pl
from hpc_memory_slow import Job, Scenario

from pipeline.studies import hpc_memory

SCHEDULERS = ("unlimited", "aggregated", "priority", "stochastic", "oldest_first", "largest_first", "cost_aware")
RECONFIGURATIONS = ("serial", "incremental", "restart")
BACKFILLINGS = ("easy", "easy_per_event", "fcfs", "memory_aware_easy", "reserve")
METRICS = (
    "utilisation",
    "busy_utilisation",
    "mean_response_s",
    "mean_wait_s",
    "makespan_s",
    "reconfigurations",
    "moved_gb",
    "steady_utilisation",
    "steady_response_s",
    "steady_wait_s",
    "steady_slowdown",
)


def machine(nodes: int, memory, scheduler: str = "priority", **options) -> Scenario:
    """A scenario of the schedules computed by hand: alpha = 1/2 and tau = 1 s unless given."""
    return Scenario(nodes, memory, scheduler, **({"alpha": 0.5, "tau": 1} | options))


def tables(workloads: dict[str, list[Job]]) -> dict[str, pl.DataFrame]:
    """`jobs`, `phases` and, where a job has one, `profiles` of the workloads."""
    ids = [job.job_id for jobs in workloads.values() for job in jobs]
    id_type = pl.String if any(isinstance(job_id, str) for job_id in ids) else pl.Int64
    key = {"workload_id": pl.String, "job_id": id_type}
    job_rows, phase_rows, profile_rows = [], [], []
    for workload_id, jobs in workloads.items():
        for job in jobs:
            name = (workload_id, job.job_id)
            job_rows.append((*name, job.submit, job.nodes, job.walltime))
            phase_rows += [(*name, k, duration, memory) for k, (duration, memory) in enumerate(job.phases)]
            profile_rows += [(*name, memory, share) for memory, share in job.profile or ()]
    jobs_schema = key | {"submit_s": pl.Float64, "nodes": pl.Int64, "walltime_s": pl.Float64}
    phases_schema = key | {"phase": pl.Int64, "duration_s": pl.Float64, "memory_gb": pl.Float64}
    inputs = {
        "jobs": pl.DataFrame(job_rows, schema=jobs_schema, orient="row", strict=False),
        "phases": pl.DataFrame(phase_rows, schema=phases_schema, orient="row", strict=False),
    }
    if profile_rows:
        profiles_schema = key | {"memory_gb": pl.Float64, "probability": pl.Float64}
        inputs["profiles"] = pl.DataFrame(profile_rows, schema=profiles_schema, orient="row", strict=False)
    return inputs


def scenario_table(scenarios: dict[str, tuple[str, Scenario]]) -> pl.DataFrame:
    """Scenario rows {scenario_id: (workload_id, Scenario)}, every option given."""
    schema = {
        "scenario_id": pl.String,
        "workload_id": pl.String,
        "seed": pl.Int64,
        "nodes": pl.Int64,
        "memory_gb": pl.Float64,
        "scheduler": pl.String,
        "alpha": pl.Float64,
        "tau_s": pl.Float64,
        "reconfiguration": pl.String,
        "backfilling": pl.String,
        "free_start": pl.Boolean,
        "largest_by": pl.String,
    }
    rows = []
    for scenario_id, (workload_id, scenario) in scenarios.items():
        row = asdict(scenario)
        row["memory_gb"], row["tau_s"] = row.pop("memory"), row.pop("tau")
        rows.append({"scenario_id": scenario_id, "workload_id": workload_id, "seed": 0} | row)
    return pl.DataFrame(rows, schema=schema, strict=False)


def compiled(cases: list[tuple[list[Job], Scenario]]) -> list[tuple[dict, dict, dict]]:
    """(starts, ends, metrics) of each case from one call of the compiled replay; rejected jobs are absent."""
    workload_of: dict[int, str] = {}
    workloads, scenarios = {}, {}
    for number, (jobs, scenario) in enumerate(cases):
        workload_id = workload_of.setdefault(id(jobs), f"w{len(workload_of)}")
        workloads[workload_id] = jobs
        scenarios[f"s{number}"] = (workload_id, scenario)
    result = hpc_memory.replay(tables(workloads), scenario_table(scenarios))
    case_results = [({}, {}, {}) for _ in cases]
    columns = result["outcomes"].select("scenario_id", "job_id", "start_s", "end_s")
    for scenario_id, job_id, start, end in columns.iter_rows():
        if start is not None:
            starts, ends, _ = case_results[int(scenario_id[1:])]
            starts[job_id], ends[job_id] = start, end
    for scenario_id, metric, value in result["metrics"].select("scenario_id", "metric", "value").iter_rows():
        case_results[int(scenario_id[1:])][2][metric] = value
    return case_results


def random_workload(rng: Random, nodes: int, *, dyadic: bool = True, most_jobs: int = 8) -> list[Job]:
    """1 to `most_jobs` jobs; `dyadic`: quarters of a second (whole ones in every other workload), whole gigabytes.

    Dyadic workloads are full of coincidences: equal releases, ends at releases, estimates that end at the shadow.
    """
    coarse = dyadic and rng.random() < 0.5

    def time(most: int) -> float:
        if coarse:
            return rng.randint(1, 4)
        return rng.randint(1, 4 * most) / 4 if dyadic else rng.uniform(0.1, most)

    def memory() -> float:
        return rng.choice((0, 1, 2, 2, 4, 4, 8, 3, 6)) if dyadic else rng.choice((0.0, rng.uniform(0.1, 8.0)))

    def submit(last: int) -> float:
        if coarse:
            return rng.randint(0, last)
        return rng.randint(0, 4 * last) / 4 if dyadic else rng.uniform(0, last)

    jobs = []
    last = rng.choice((2, 4, 8)) if coarse else rng.choice((0, 0, 4, 16, 40))
    count = rng.randint(most_jobs // 2, most_jobs) if coarse else rng.randint(1, most_jobs)
    for job_id in rng.sample(range(2 * most_jobs), count):
        phases = tuple((time(6), memory()) for _ in range(rng.choice((1, 1, 2, 3, 5))))
        full_speed = sum(duration for duration, _ in phases)
        walltime = rng.choice((None, full_speed, full_speed, full_speed * 2, full_speed / 2, time(20)))
        profile = None
        if rng.random() < 0.3:
            levels = sorted({memory() for _ in range(rng.randint(1, 4))})
            weights = [rng.randint(0, 4) for _ in levels]
            if sum(weights):
                profile = tuple((level, w / sum(weights)) for level, w in zip(levels, weights, strict=True))
        size = rng.choice((1, 1, rng.randint(1, nodes), rng.randint(1, nodes), nodes))
        if rng.random() < 0.02:
            size = nodes + 1
        jobs.append(Job(job_id, submit(last), size, phases, walltime, profile))
    return jobs


def random_scenario(rng: Random, nodes: int, scheduler: str, *, dyadic: bool = True) -> Scenario:
    """A scenario of the scheduler with every option drawn."""
    return Scenario(
        nodes=nodes,
        memory=rng.choice((0, 1, 4, 8, 16, 64, rng.randint(1, 8 * nodes))) if dyadic else rng.uniform(1, 6 * nodes),
        scheduler=scheduler,
        alpha=rng.choice((0.5, 0.5, 0.25, 0.125)) if dyadic else rng.uniform(0.02, 0.9),
        tau=rng.choice((0, 0.25, 1, 1, 2.5, 10)) if dyadic else rng.choice((0, rng.uniform(0.1, 8))),
        reconfiguration=rng.choice(RECONFIGURATIONS),
        backfilling=rng.choice(BACKFILLINGS),
        free_start=rng.random() < 0.3,
        largest_by=rng.choice(("memory", "nodes")),
    )
