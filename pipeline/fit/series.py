"""Phases of jobs whose samples come as arrays, batch by batch: segmentation while a trace is being read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit.phases import MEAN, Phases, cut, merge_nodes
from pipeline.runtime.storage import TableWriter
from pipeline.tables.series import JobSeries

WHOLE = -1
"""Node number of a job as a whole."""


def segment_jobs(series: JobSeries, delta: float, node_memory: str = MEAN) -> tuple[np.ndarray, np.ndarray, Phases]:
    """Phases of jobs as wholes (node_memory: mean or maximum over their nodes at each time) and of each of their nodes.

    Returns, a row per phase, positions of the job in the batch and numbers of the node (WHOLE: the job), sorted by job
    with the job before its nodes, and the phases, whose `series` means nothing here. The phases are those of
    `phases.segment` on each series and on `phases.job_series`.
    """
    whole_first, whole_s, top_gb, mean_gb = merge_nodes(
        series.first_series,
        series.first,
        np.ascontiguousarray(series.time_s),
        np.ascontiguousarray(series.used_gb),
    )
    whole = cut(whole_first, whole_s, top_gb, delta, mean_gb if node_memory == MEAN else top_gb)
    nodes = cut(series.first, series.time_s, series.used_gb, delta)
    owner = np.repeat(np.arange(len(series.job)), np.diff(series.first_series))
    job = np.concatenate([whole.series, owner[nodes.series]])
    order = np.argsort(job, kind="stable")
    node = np.concatenate([np.full(len(whole.series), WHOLE), series.node[nodes.series]])
    merged = (np.concatenate(columns)[order] for columns in zip(whole, nodes, strict=True))
    return job[order], node[order], Phases(*merged)


class PhaseWriter:
    """Writes `phases.parquet` of a trace, batch of jobs by batch of jobs."""

    def __init__(self, path: Path, delta: float, node_memory: str = MEAN):
        self._delta, self._node_memory = delta, node_memory
        self._writer = TableWriter(path, tables.polars_schema(tables.Phase))

    @property
    def rows(self) -> int:
        """Phases so far."""
        return self._writer.rows

    def append(self, trace_id: str, jobs: pl.Series, nodes: pl.Series, series: JobSeries) -> None:
        """Segment complete jobs; `jobs` and `nodes` hold the names that numbers in `series` represent."""
        job, node, phases = segment_jobs(series, self._delta, self._node_memory)
        self._writer.append(
            pl.DataFrame(
                {
                    "trace": pl.repeat(trace_id, len(job), dtype=pl.String, eager=True),
                    "job_id": jobs.gather(series.job[job]),
                    "node": nodes.gather(np.maximum(node, 0)).set(pl.Series(node == WHOLE), None),
                    "phase": phases.phase,
                    "duration_s": phases.end_s - phases.start_s,
                    "memory_gb": phases.memory_gb,
                    "origin": pl.repeat(tables.FITTED, len(job), dtype=pl.String, eager=True),
                },
                schema=tables.polars_schema(tables.Phase),
            )
        )

    def close(self) -> None:
        """Write what is waiting."""
        self._writer.close()
