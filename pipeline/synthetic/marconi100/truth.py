"""What a generated trace holds, for whoever wants to check a reader against it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from pipeline.synthetic.marconi100.memory import LARGEST_GB
from pipeline.synthetic.marconi100.workload import CONSTANT, PHASED, Jobs, Shapes


@dataclass
class Truth:
    """Jobs as they ran, phases as they were drawn, and what was put into the files.

    jobs: job_id, user_id, submit_time, start_time, end_time, limit_s, num_nodes, cpus (a node), nodes (list), pattern,
    year_month (of the end; null: not in any table), shares_node (some job of the tables ran beside it), fault.
    phases: job_id, phase, start_s, end_s (since the job's start, half-open), memory_gb (a node, were it the job's own);
    of jobs whose pattern is phased or constant. rows: year_month, metric, rows. faults: year_month, metric, fault,
    count. ganglia_only and job_table_only: nodes that occur in one plugin only.
    """

    jobs: pl.DataFrame
    phases: pl.DataFrame
    rows: pl.DataFrame
    faults: pl.DataFrame
    ganglia_only: list[int] = field(default_factory=list)
    job_table_only: list[int] = field(default_factory=list)

    def count(self, metric: str, fault: str) -> int:
        """Faults of a kind in all months of a metric, or of the job table (job_info_marconi100)."""
        return self.faults.filter((pl.col("metric") == metric) & (pl.col("fault") == fault))["count"].sum()


def phases(first_job_id: int, shapes: Shapes, jobs: Jobs) -> pl.DataFrame:
    """Phases of the jobs as far as they came, columns as `Truth.phases` has."""
    known = np.flatnonzero(np.isin(shapes.pattern[jobs.shape], (PHASED, CONSTANT)))
    shape = jobs.shape[known]
    count = shapes.first[shape + 1] - shapes.first[shape]
    job = np.repeat(known, count)
    number = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    at = shapes.first[jobs.shape[job]] + number
    end_s = shapes.phase_end_s[at] * jobs.stretch[job]
    start_s = np.where(number == 0, 0.0, np.append(0.0, end_s[:-1]))
    # The last phase goes on to the job's end.
    last = number == np.repeat(count - 1, count)
    end_s = np.where(last, jobs.run_s[job], np.minimum(end_s, jobs.run_s[job]))
    frame = pl.DataFrame(
        {
            "job_id": first_job_id + job,
            "phase": number,
            "start_s": start_s,
            "end_s": end_s,
            "memory_gb": np.minimum(shapes.memory_gb[at] * jobs.factor[job], LARGEST_GB),
        }
    )
    return frame.filter(pl.col("start_s") < pl.col("end_s"))
