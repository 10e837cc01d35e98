"""The fidelity stage: what a study's replays of a drop give, beside what the drop measured.

A study has a module `fidelity` where it can compare: `TAKES`, the canonical tables that it reads of a drop (the first
is needed), and `compare`, from these to the tables that it gives (`tables.canonical.fidelity`).
"""

from __future__ import annotations

import importlib
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.runtime import failed, manifest, sources, storage


def write_fidelity(study: str, ingested: Path, target: Path) -> None:
    """Write what the study's `compare` gives for an ingested drop into the folder `target`.

    Where the drop cannot be compared, the folder says why (failed).
    """
    manifest.require_whole(ingested)
    part = f"{sources.OF_DROP}{ingested.name}"
    failed.attempt(lambda: _write(study, ingested, target), "fidelity", study, part, (), [target])


def _write(study: str, ingested: Path, target: Path) -> None:
    module = importlib.import_module(f"pipeline.studies.{study}.fidelity")
    frames = module.compare(**{name: _read(ingested, name) for name in module.TAKES})
    with manifest.replacing_folder(target) as folder:
        for name, frame in frames.items():
            storage.write(frame, folder / f"{name}.parquet")


def _read(folder: Path, name: str) -> pl.DataFrame:
    path = folder / f"{name}.parquet"
    return pl.read_parquet(path) if path.is_file() else tables.empty(tables.CANONICAL[name])
