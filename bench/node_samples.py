"""A drop of node memory (marconi100) made ready for its join: what the reader has in hand when it comes to the samples.

The reader's own modules are used, stage by stage, since the stages are what is measured.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from pipeline import drops
from pipeline.fit.series import PhaseWriter
from pipeline.readers import _exadata_jobs, _exadata_metrics
from pipeline.readers._deliver import Delivery
from pipeline.readers._items import Trace, Yields
from pipeline.readers.marconi100 import FREE, JOBS, TOTAL

COLUMNS = ["timestamp", "value", "node"]
DELTA = 2.0
_Result = TypeVar("_Result")


class NodeSamples:
    """Jobs with their placements, capacities of the nodes, and the files of mem_free of the drop in `folder`."""

    def __init__(self, folder: Path, scratch: Path):
        self.folder, self.scratch = folder, scratch
        scratch.mkdir(parents=True, exist_ok=True)
        self._drop = replace(drops.load(folder), scratch=scratch)
        jobs = _returned(_exadata_jobs.read(self._drop, self._files(JOBS)))
        if jobs is None:
            raise ValueError(f"{folder}: no job had its nodes to itself; generate more days")
        self._jobs = jobs
        self._nodes = _exadata_metrics.NodeTable(jobs.nodes)
        self._capacity = _returned(_exadata_metrics.capacity(self._drop, self._files(TOTAL), self._jobs))
        self.files = self._files(FREE)

    @property
    def rows(self) -> int:
        """Samples in the files."""
        return sum(pq.read_metadata(file).num_rows for file in self.files)

    @property
    def jobs(self) -> int:
        """Jobs that had their nodes to themselves."""
        return len(self._jobs.job_id)

    def decode(self, read_dictionary: list[str] | None = None) -> None:
        """What pyarrow does to decode time, value and node on one thread, and no more."""
        for file in self.files:
            with pq.ParquetFile(file, read_dictionary=read_dictionary) as parquet:
                for _ in parquet.iter_batches(columns=COLUMNS, use_threads=False):
                    pass

    def join(self) -> None:
        """What the reader does with the samples: decode, join, segment by node and by job, write the phases."""
        writers = []

        def writer(path: Path) -> PhaseWriter:
            writers.append(PhaseWriter(path, DELTA))
            return writers[-1]

        delivery = Delivery(self._drop, self.scratch, writer)
        delivery.take(Trace(self._drop.name))
        delivery.of(_exadata_metrics.stream(self._drop, {FREE: self.files}, self._jobs, self._nodes, self._capacity))
        for opened in [*writers, delivery.rejected]:
            opened.close()

    def write_placements(self) -> Path:
        """Placements as a file: a row per slot (a job on a node), its node, start_ms, end_ms and total_kib."""
        placed = self._jobs.placements
        of_node = np.repeat(np.arange(len(self._jobs.nodes)), np.diff(placed.first))
        path = self.scratch / "placements.parquet"
        pl.DataFrame(
            {
                "slot": placed.slot,
                "node": self._jobs.nodes.gather(of_node),
                "start_ms": placed.job_start_ms[placed.job],
                "end_ms": placed.job_end_ms[placed.job],
                "total_kib": self._capacity.kib[of_node],
            }
        ).write_parquet(path)
        return path

    def phases(self) -> pl.DataFrame:
        """Phases of nodes that the last join wrote: slot, phase, duration_s, memory_gb."""
        placed = self._jobs.placements
        slots = pl.DataFrame(
            {
                "job_id": self._jobs.job_id.gather(np.repeat(np.arange(self.jobs), np.diff(placed.first_slot))),
                "node": self._jobs.nodes.gather(placed.slot_node),
            }
        ).with_row_index("slot")
        written = pl.read_parquet(self.scratch / "phases.parquet").drop_nulls("node")
        return written.join(slots, on=["job_id", "node"], validate="m:1").select(
            "slot", "phase", "duration_s", "memory_gb"
        )

    def _files(self, metric: str) -> list[Path]:
        return sorted(self.folder.glob(f"year_month=*/plugin=*/metric={metric}/*.parquet"))


def _returned(items: Yields[_Result]) -> _Result:
    """What a part of a reader returns; what it yields is left."""
    while True:
        try:
            next(items)
        except StopIteration as end:
            return end.value
