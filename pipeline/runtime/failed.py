"""A drop that cannot be replayed costs its own answers and no other: its folders say so, and the run goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl

from pipeline.runtime import manifest, sources, storage

log = logging.getLogger(__name__)

FILE = "failed.parquet"
"""The only file of a folder that a step did not come to write, for what the drop holds."""
SCHEMA = {"study": pl.String, "part": pl.String, "stage": pl.String, "detail": pl.String}


def of(folders: Iterable[Path]) -> pl.DataFrame:
    """What failed, as the folders say: columns of SCHEMA, each failure once."""
    files = [folder / FILE for folder in folders if (folder / FILE).is_file()]
    return pl.concat([pl.DataFrame(schema=SCHEMA), *map(pl.read_parquet, files)]).unique(maintain_order=True)


def attempt(
    work: Callable[[], None], stage: str, study: str, part: str, needed: Iterable[Path], targets: Iterable[Path]
) -> None:
    """Do a step of a study on a part of its workloads, which writes the folders `targets`.

    Where the part is of a drop and the step fails, or the folders that it needs say that an earlier one did, `targets`
    hold this alone. Failures of the machine (OSError, MemoryError) and of synthetic workloads are raised.
    """
    # Fitting a drop is no study's step.
    before = of(needed).with_columns(study=pl.when(study="").then(pl.lit(study)).otherwise("study"))
    if before.is_empty():
        try:
            return work()
        except (OSError, MemoryError):
            raise
        except Exception as error:
            if not part.startswith(sources.OF_DROP):
                raise
            log.exception("%s: %s of %s failed", study, stage, part)
            detail = f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            before = pl.DataFrame([(study, part, stage, detail)], schema=SCHEMA, orient="row")
    for target in targets:
        with manifest.replacing_folder(target) as folder:
            storage.write(before, folder / FILE)
    return None
