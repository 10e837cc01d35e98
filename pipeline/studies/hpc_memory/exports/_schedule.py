"""Schedules of hpc_memory: jobs with their starts and ends, and nodes for them."""

from __future__ import annotations

import numba
import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.export.source import Source

STUDY = "hpc_memory"
SAME_INSTANT_S = 1e-6
"""A job may start on nodes that another leaves less than this later: starts and ends are sums of floats."""

SCHEDULE_SQL = """\
SELECT job_id, submit_s, nodes, walltime_s, start_s, end_s, rejected
FROM outcome_hpc_memory
JOIN job_hpc_memory USING (job_id)
WHERE scenario_id = $1 AND workload_id = $2
ORDER BY submit_s, job_id"""


def schedule(source: Source, scenario_id: str) -> tuple[dict, pl.DataFrame]:
    """Row of a scenario, and its jobs by submission: job_id, submit_s, nodes, walltime_s, start_s, end_s, rejected."""
    scenario = source.scenario(scenario_id, STUDY)
    return scenario, source.rows(SCHEDULE_SQL, scenario_id, scenario["workload_id"])


def first_fit(jobs: pl.DataFrame, machine_nodes: int) -> pl.Series:
    """Nodes of each job as ranges `0-3 7`: the free ones with the lowest numbers when it starts; empty if it did not.

    jobs: job_id, nodes, start_s, end_s. The model counts nodes and does not name them; jobs take theirs in the order of
    their starts, at one instant by their ids. Raises ValueError where more nodes are in use than the machine has.
    """
    ran = jobs.with_row_index("row").filter(pl.col("start_s").is_not_null()).sort("start_s", "job_id")
    start_s, end_s, nodes = (ran[name].to_numpy() for name in ("start_s", "end_s", "nodes"))
    firsts, lasts, counts, short = _first_fit(start_s.copy(), end_s.copy(), nodes.astype(np.int64), machine_nodes)
    if short >= 0:
        job = ran.row(short, named=True)
        raise ValueError(
            f"job {job['job_id']} starts on {job['nodes']} nodes at {job['start_s']:g} s, when fewer of "
            f"{machine_nodes} are free"
        )
    ranges = pl.DataFrame({"row": ran["row"].to_numpy().repeat(counts), "first": firsts, "last": lasts})
    one = pl.col("first") == pl.col("last")
    named = ranges.with_columns(
        name=pl.when(one).then(pl.format("{}", "first")).otherwise(pl.format("{}-{}", "first", "last"))
    )
    joined = named.group_by("row", maintain_order=True).agg(pl.col("name").str.join(" "))
    every = jobs.with_row_index("row").join(joined, on="row", how="left", maintain_order="left")
    return every["name"].fill_null("")


@numba.njit(cache=True)
def _first_fit(
    start_s: NDArray, end_s: NDArray, nodes: NDArray, machine_nodes: int
) -> tuple[NDArray, NDArray, NDArray, int]:  # pragma: no cover
    """First and last nodes of the ranges of all jobs, ranges a job, and the job without enough nodes (-1: none)."""
    free_from = np.full(machine_nodes, -np.inf)
    firsts, lasts = [0 for _ in range(0)], [0 for _ in range(0)]
    counts = np.zeros(len(nodes), dtype=np.int64)
    for job in range(len(nodes)):
        wanted, last = nodes[job], -2
        for node in range(machine_nodes):
            if wanted == 0:
                break
            if free_from[node] > start_s[job] + SAME_INSTANT_S:
                continue
            if node == last + 1:
                lasts[-1] = node
            else:
                firsts.append(node)
                lasts.append(node)
                counts[job] += 1
            free_from[node] = end_s[job]
            last = node
            wanted -= 1
        if wanted > 0:
            return np.array(firsts), np.array(lasts), counts, job
    return np.array(firsts), np.array(lasts), counts, -1
