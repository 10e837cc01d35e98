"""Steps on one drop in processes of their own: whatever becomes of them costs this drop alone.

What polars or numba do at import is left to these processes, so the stages are imported in them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from pipeline import drops
from pipeline.drops import Folder, Refusal
from pipeline.readers import _recognise
from pipeline.runtime import sources
from pipeline.runtime.bounded import Bounds, OutOfBounds
from pipeline.stages import one_part
from pipeline.stages.one_part import Step

UNBOUNDED = Bounds()


def ingest(
    path: Path,
    target: Path,
    roots: list[Path],
    recognition: Bounds,
    reading: Bounds,
    fitted: Path | None = None,
    bin_gb: float | None = None,
    **phasing: float | str,
) -> None:
    """`stages.ingest` of the drop in folder `path` under its key among the trace roots, and `fit` of it, where asked.

    Out of bounds the drop is refused. fitted: folder for its fits.
    """
    own_folder = next((folder for folder in drops.discover(roots) if folder.path == path), None)

    def read(folder: Folder | None = own_folder) -> None:
        from pipeline.stages import ingest

        ingest.ingest(path, target, folder, **phasing)

    steps = [recognising(path, recognition), Step(read, reading, f"reading {path.name}")]
    fits = [fitting(target, fitted, reading, bin_gb=bin_gb, **phasing)] if fitted else []
    try:
        list(one_part.each(steps + fits))
    except OutOfBounds as error:
        refused = Folder(own_folder.key if own_folder else path.name, path, _refusal(error))
        list(one_part.each([Step(lambda: read(refused), UNBOUNDED, f"refusing {path.name}"), *fits]))


def check(
    path: Path, *, full: bool, write: bool, recognition: Bounds = UNBOUNDED, reading: Bounds = UNBOUNDED
) -> tuple[str, int]:
    """`stages.ingest.check` of a file or folder: what it says, and the exit code."""

    def work() -> tuple[str, int]:
        from pipeline.stages import ingest

        return ingest.check(path, Path(scratch), full=full, write=write)

    steps = [recognising(path, recognition), Step(work, reading, f"reading {path.name}")]
    # Made here, since nobody removes what a process has made that is ended.
    with tempfile.TemporaryDirectory(prefix="apportion-check-") as scratch:
        try:
            return list(one_part.each(steps))[-1]
        except OutOfBounds as error:
            refusal = _refusal(error)
            return f"{path.name}: refused\n  rejected 1 x {refusal.reason}, first {path.name}: {refusal.detail}", 2


def recognising(path: Path, bounds: Bounds) -> Step:
    """Telling what a drop is, which reading will do again: within less time."""

    def work() -> None:
        if path.is_dir():
            _recognise.modules([Folder(path.name, path)])

    return Step(work, bounds, f"recognising {path.name}")


def fitting(ingested: Path, target: Path, bounds: Bounds, **phasing: Any) -> Step:
    """`stages.fit` of an ingested drop; where that fails for what the drop holds, the folder says so (failed)."""
    part = f"{sources.OF_DROP}{ingested.name}"

    def work() -> None:
        from pipeline.runtime import manifest
        from pipeline.stages import fit

        manifest.require_whole(ingested)
        try:
            fit.fit(ingested, target, **phasing)
        except Exception as error:
            one_part.fail(step, error, [target])

    step = Step(work, bounds, "fit", "", part, [target])
    return step


def _refusal(error: OutOfBounds) -> Refusal:
    return Refusal("reader_failed", f"{error}, so nothing of the drop is used")
