"""Steps on one drop in processes of their own: whatever becomes of them costs this drop alone.

What polars or numba do at import is left to these processes, so the stages are imported in them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipeline import drops
from pipeline.drops import Folder, Refusal
from pipeline.readers import _recognise
from pipeline.runtime import bounded, sources
from pipeline.runtime.bounded import LIMITS, Bounds, OutOfBounds


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

    def recognise() -> None:
        if path.is_dir():
            _recognise.modules([Folder(path.name, path)])

    def read(folder: Folder | None = own_folder) -> None:
        from pipeline.stages import ingest

        ingest.ingest(path, target, folder, **phasing)

    def fit_it() -> None:
        from pipeline.stages import fit

        fit.fit(target, fitted, bin_gb=bin_gb, **phasing)

    steps = {recognise: recognition, read: reading} | ({fit_it: reading} if fitted else {})
    outcomes = zip(steps, bounded.each(lambda step: step(), list(steps), list(steps.values())), strict=True)
    step, error = next(((step, error) for step, error in outcomes if isinstance(error, BaseException)), (None, None))
    if step is None:
        return
    if step is fit_it:
        _fail_to_fit(error, target, fitted)
        return
    if not isinstance(error, OutOfBounds):
        raise error
    refused = Folder(own_folder.key if own_folder else path.name, path, _refusal(error))
    bounded.run(lambda: read(refused), Bounds())
    if fitted:
        fit(target, fitted, reading, bin_gb=bin_gb, **phasing)


def check(
    path: Path, *, full: bool, write: bool, recognition: Bounds | None = None, reading: Bounds | None = None
) -> tuple[str, int]:
    """`stages.ingest.check` of a file or folder: what it says, and the exit code; without bounds in this process."""

    def work() -> tuple[str, int]:
        from pipeline.stages import ingest

        return ingest.check(path, full=full, write=write)

    try:
        _require_recognised(path, recognition)
        return bounded.run(work, reading)
    except OutOfBounds as error:
        refusal = _refusal(error)
        return f"{path.name}: refused\n  rejected 1 x {refusal.reason}, first {path.name}: {refusal.detail}", 2


def fit(ingested: Path, target: Path, bounds: Bounds, **phasing: Any) -> None:
    """`stages.fit` of an ingested drop; where that fails for what the drop holds, the folder says so (failed)."""

    def work() -> None:
        from pipeline.stages import fit

        fit.fit(ingested, target, **phasing)

    try:
        bounded.run(work, bounds)
    except Exception as error:
        _fail_to_fit(error, ingested, target)


def _fail_to_fit(error: BaseException, ingested: Path, target: Path) -> None:
    """Have the folder say why an ingested drop is not fitted; a failure of the machine is raised."""
    from pipeline.runtime import failed, manifest

    def fail() -> None:
        raise error

    manifest.require_whole(ingested)
    failed.attempt(fail, "fit", "", f"{sources.OF_DROP}{ingested.name}", (), [target])


def _require_recognised(path: Path, bounds: Bounds | None) -> None:
    """Raise OutOfBounds for a folder that cannot be recognised within the bounds."""
    if bounds is None or not path.is_dir():
        return
    work: Callable[[], Any] = lambda: _recognise.modules([Folder(path.name, path)])  # noqa: E731
    bounded.run(work, bounds)


def _refusal(error: OutOfBounds) -> Refusal:
    return Refusal("reader_failed", f"reading failed: {error}, so nothing of the drop is used; {LIMITS}")
