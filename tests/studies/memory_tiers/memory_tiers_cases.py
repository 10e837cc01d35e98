"""Random jobs and machines of memory_tiers, and their tables."""

import polars as pl
from memory_tiers_slow import Job

CLASSES = ("low", "high")


def random_jobs(rng, nodes, count, phases=3):
    """Jobs in whole seconds and eighths of a GB: many things fall on one instant."""
    jobs, submit = [], 0
    for number in range(count):
        submit += rng.choice((0, 0, 1, 2, 5))
        own = [(rng.randint(1, 6), rng.randint(0, 24) / 8) for _ in range(rng.randint(1, phases))]
        length, peak = sum(seconds for seconds, _ in own), max(memory for _, memory in own)
        limit = length * rng.choice((0.5, 1, 1, 2))
        request = peak * rng.choice((1, 1, 1.5, 2))
        jobs.append(Job(number, submit, rng.randint(1, nodes), own, limit, request, rng.choice((0, 0.25, 1))))
    return jobs


def tables(workloads):
    """Inputs of `replay` from lists of jobs by workload."""
    rows = [(name, job) for name, jobs in workloads.items() for job in jobs]
    jobs = {
        "workload_id": [name for name, _ in rows],
        "job_id": [job.id for _, job in rows],
        "submit_s": [float(job.submit) for _, job in rows],
        "nodes": [job.nodes for _, job in rows],
        "walltime_s": [float(job.limit) for _, job in rows],
        "request_gb": [float(job.request) for _, job in rows],
        "sensitivity": [float(job.beta) for _, job in rows],
        "sensitivity_class": [CLASSES[job.beta > 0.5] for _, job in rows],
    }
    phases = [(name, job.id, k, float(s), float(gb)) for name, job in rows for k, (s, gb) in enumerate(job.phases)]
    columns = ["workload_id", "job_id", "phase", "duration_s", "memory_gb"]
    return {"jobs": pl.DataFrame(jobs), "phases": pl.DataFrame(phases, schema=columns, orient="row")}


def scenario(name, workload, scheduler, machine):
    """A row of the scenario table."""
    return {
        "scenario_id": name,
        "workload_id": workload,
        "scheduler": scheduler,
        "nodes": machine.nodes,
        "local_per_node_gb": float(machine.local),
        "pool_per_node_gb": float(machine.pool) / machine.nodes,
        "alpha": machine.alpha,
        "backfilling": machine.backfilling,
        "reserve_depth": machine.reserve_depth,
        "growth": machine.growth,
        "tau_s": machine.tau,
    }
