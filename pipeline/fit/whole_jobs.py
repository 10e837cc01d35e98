"""Jobs as wholes, a row each, while their phases wait on disk: what the fits of all jobs at once read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.fit.phases import first_rows, require
from pipeline.runtime.scratch import Scratch

JOB = ["trace", "job_id"]
_PHASE = np.dtype([("duration_s", np.float64), ("memory_gb", np.float64)])


class Batch(NamedTuple):
    """Phases of complete jobs, sorted in each job by memory, then length."""

    job: np.ndarray  # int64, number of the job of each phase, increasing
    trace: np.ndarray  # int64, number of its trace
    duration_s: np.ndarray
    memory_gb: np.ndarray


class WholeJobs:
    """Jobs numbered in the order in which they came, and their phases as wholes, batch by batch.

    Held are some thirty bytes per job. Use as a context manager: it has a temporary file.
    """

    def __init__(self, folder: Path | None = None):
        self._scratch = Scratch(_PHASE, folder)
        self._tables: list[pl.DataFrame] = []
        self._numbers: dict[str, int] = {}

    @classmethod
    def of(cls, phases: pl.DataFrame) -> WholeJobs:
        """Jobs of a frame as for `append`, its rows in any order."""
        require(phases, [*JOB, "duration_s", "memory_gb"], "phases")
        whole = cls()
        try:
            whole.append(phases.sort(JOB))
        except ValueError:
            whole.__exit__()
            raise
        return whole

    def __enter__(self) -> WholeJobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.__exit__()

    def append(self, phases: pl.DataFrame) -> None:
        """Take phases of complete jobs that are not here yet, the rows of a job in one piece.

        phases: trace, job_id, duration_s (s), memory_gb (GB per node), and node where it holds rows of nodes: only
        those of whole jobs (node null) count. Raises ValueError for a phase without length.
        """
        rows = phases.filter(pl.col("node").is_null()) if "node" in phases.columns else phases
        if rows.is_empty():
            return
        without_length = rows.filter(~(pl.col("duration_s") > 0).fill_null(False))
        if without_length.height:
            row = without_length.row(0, named=True)
            raise ValueError(f"job {row['job_id']!r}: a phase lasts {row['duration_s']} s; a phase has a length")
        first = first_rows(rows, JOB)
        for trace_id in rows["trace"].unique(maintain_order=True):
            self._numbers.setdefault(trace_id, len(self._numbers))
        count = np.diff(first)
        jobs = rows[first[:-1]].select(
            pl.col("trace").replace_strict(self._numbers, return_dtype=pl.UInt32).alias("trace_number"),
            "job_id",
            pl.Series("phases", count, pl.UInt32),
        )
        # Sums over a job do not depend on the order of its rows.
        ordered = rows.select(
            pl.Series("job", np.repeat(np.arange(count.size), count)),
            pl.col("memory_gb", "duration_s").cast(pl.Float64),
        ).sort("job", "memory_gb", "duration_s")
        records = np.empty(ordered.height, _PHASE)
        for name in _PHASE.names:
            records[name] = ordered[name].to_numpy()
        self._scratch.write(len(self._tables), records)
        # Rechunked, so that the rows of the phases, of which these are a part, can go.
        self._tables.append(jobs.rechunk())

    @property
    def traces(self) -> list[str]:
        """Names of the traces, by number."""
        return list(self._numbers)

    @property
    def jobs(self) -> pl.DataFrame:
        """trace_number, job_id and phases (how many) of each job, by number."""
        schema = {"trace_number": pl.UInt32, "job_id": pl.String, "phases": pl.UInt32}
        return pl.concat([pl.DataFrame(schema=schema), *self._tables])

    def batches(self) -> Iterator[Batch]:
        """All phases, some at a time."""
        past = 0
        for part, table in enumerate(self._tables):
            count = table["phases"].to_numpy()
            rows = self._scratch.read(part)
            trace = np.repeat(table["trace_number"].to_numpy().astype(np.int64), count)
            job = np.repeat(np.arange(past, past + table.height), count)
            yield Batch(job, trace, *(np.ascontiguousarray(rows[name]) for name in _PHASE.names))
            past += table.height

    def find(self, jobs: pl.DataFrame) -> pl.DataFrame:
        """Those rows of a table with trace and job_id that have phases, with `job`, their number; in any order."""
        numbered = self.jobs.select("trace_number", "job_id").with_row_index("job")
        coded = jobs.with_columns(
            pl.col("trace").replace_strict(self._numbers, default=None, return_dtype=pl.UInt32).alias("trace_number")
        )
        return coded.join(numbered, on=["trace_number", "job_id"]).drop("trace_number")

    def by_name(self) -> np.ndarray:
        """Numbers of the jobs sorted by trace and job id."""
        rank = np.empty(len(self.traces), np.uint32)
        rank[np.argsort(self.traces)] = np.arange(len(self.traces))
        jobs = self.jobs
        jobs = jobs.select(pl.Series("trace_number", rank[jobs["trace_number"].to_numpy()]), "job_id")
        return jobs.select(pl.arg_sort_by("trace_number", "job_id")).to_series().to_numpy()
