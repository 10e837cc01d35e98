"""Random cases of `reserve` for the compiled replay and the slow one."""

from random import Random

import polars as pl
import reserve_slow as slow

from pipeline.studies import hpc_memory

DEPTHS = (0, 1, 2, 3, 50, -1)
RESERVATIONS = ("recomputed", "kept")


def random_jobs(rng, nodes):
    """Whole seconds in a short time: most instants have several events. Some jobs run longer than their limits."""
    jobs = []
    last = rng.choice((2, 6, 15, 40))
    for job_id in range(rng.randint(3, 14)):
        run = rng.randint(1, rng.choice((4, 4, 12)))
        limit = max(1, run + rng.choice((0, 0, 1, 2, 5, 9, -1, -3)))
        size = rng.choice((1, 1, rng.randint(1, nodes), rng.randint(1, nodes), nodes))
        jobs.append(slow.Job(job_id, rng.randint(0, last), size, run, limit, rng.randint(0, 3)))
    first = min(job.submit for job in jobs)  # a replay counts multiples of the resolution from the first release
    for job in jobs:
        job.submit -= first
    return jobs


def compiled(cases):
    """(start, end) by job of each (jobs, scenario's columns), from one replay."""
    rows = [
        (str(k), j.job_id, float(j.submit), j.nodes, float(j.limit), float(j.run), float(j.priority))
        for k, (jobs, _) in enumerate(cases)
        for j in jobs
    ]
    names = ("workload_id", "job_id", "submit_s", "nodes", "walltime_s", "duration_s", "priority")
    table = pl.DataFrame(rows, schema=names, orient="row")
    phases = table.select("workload_id", "job_id", "duration_s", phase=pl.lit(0), memory_gb=pl.lit(0.0))
    scenarios = pl.DataFrame(
        [
            {"scenario_id": str(k), "workload_id": str(k), "scheduler": "unlimited", "backfilling": "reserve"} | columns
            for k, (_, columns) in enumerate(cases)
        ],
        infer_schema_length=None,
    )
    outcomes = hpc_memory.replay({"jobs": table.drop("duration_s"), "phases": phases}, scenarios)["outcomes"]
    schedules = [{} for _ in cases]
    for scenario, job, start, end in outcomes.drop_nulls("start_s").drop("rejected").iter_rows():
        schedules[int(scenario)][job] = (start, end)
    return schedules


def assert_as_slow(cases, key=None):
    """The same schedules as the slow reference, which sorts its queue by `key`."""
    for (jobs, columns), schedule in zip(cases, compiled(cases), strict=True):
        fresh = [slow.Job(j.job_id, j.submit, j.nodes, j.run, j.limit, j.priority) for j in jobs]
        site = slow.Site(**columns | {"queue_order": key})
        assert schedule == slow.replay(fresh, site), f"{columns}\n{jobs}"


def cases(seed, count, draw):
    """[(jobs, scenario's columns)]: `draw` gives the columns of each workload's scenarios."""
    rng = Random(seed)
    made = []
    for _ in range(count):
        nodes = rng.randint(2, 7)
        jobs = random_jobs(rng, nodes)
        made += [(jobs, {"nodes": nodes} | columns) for columns in draw(rng)]
    return made
