"""A trace in a notebook or a shell: what the stages read and fit, as frames in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest


def trace(folder: str | Path, delta: float = 2.0, node_memory: str = "mean") -> dict[str, pl.DataFrame]:
    """The canonical tables of a data drop that have rows, by name, as read and as fitted.

    folder: a drop, as the verb `check` takes it. delta: |z-score| of a change that begins a phase. node_memory: what
    a job over several nodes needs per node at a time, the mean over its nodes or their max. Rows that were not
    taken are in `rejected_rows`, what is said of the trace is in `traces`. Nothing is kept on disk. Raises
    NotADirectoryError where the folder is not there, ValueError where the drop was refused as a whole.
    """
    path = Path(folder).absolute()
    if not path.is_dir():
        raise NotADirectoryError(f"{path} is no folder; a drop is the folder around its files")
    with tempfile.TemporaryDirectory(prefix="apportion-") as scratch:
        read, fitted = Path(scratch, "ingest", path.name), Path(scratch, "fit", path.name)
        summary = ingest.ingest(path, read, delta=delta, node_memory=node_memory)
        if summary.format is None or (summary.traces["status"] != "read").all():
            reasons = pl.read_parquet(read / "rejected_rows.parquet")
            why = "; ".join(reasons.select(pl.format("{}: {}", "reason", "detail")).to_series().head(3))
            raise ValueError(f"{path} was refused: {why}")
        fit_drop.fit(read, fitted, delta=delta, node_memory=node_memory)
        # What a fit gives takes the place of what was read under the same name.
        files = {file.stem: file for stage in (read, fitted) for file in sorted(stage.glob("*.parquet"))}
        frames = {name: pl.read_parquet(file) for name, file in files.items() if name in tables.CANONICAL}
    return {name: frame for name, frame in sorted(frames.items()) if not frame.is_empty()}
