"""A step of a study on what one drop gave, in a process of its own: whatever becomes of it costs this drop alone.

What polars or numba do at import is left to that process, so the step imports its stage itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.runtime import bounded, sources
from pipeline.runtime.bounded import LIMITS, Bounds, OutOfBounds


def run(
    work: Callable[[], None], stage: str, study: str, part: str, targets: Sequence[Path], bounds: Bounds | None
) -> None:
    """Do a step on a part of a study's workloads, which writes the folders `targets`.

    Where it goes beyond the bounds or its process crashes, the folders that it did not write say so (failed). Synthetic
    workloads have no bounds: no drop is to blame for them.
    """
    if not part.startswith(sources.OF_DROP):
        work()
        return
    before = {target: _identity(target) for target in targets}
    try:
        bounded.run(work, bounds)
    except OutOfBounds as error:
        from pipeline.runtime import failed

        sentence, missing = f"{error}; {LIMITS}", [each for each in targets if _identity(each) == before[each]]

        def fail() -> None:
            raise ValueError(sentence)

        failed.attempt(fail, stage, study, part, (), missing)


def folders(results: Path, study: str, part: str, chunks: int) -> list[Path]:
    """Folders of a part's scenarios and of its replays by all schedulers."""
    return [
        results / "scenarios" / study / part,
        *(
            results / "replay" / study / scheduler / part / str(chunk)
            for scheduler in sources.schedulers(study)
            for chunk in range(chunks)
        ),
    ]


def _identity(folder: Path) -> int | None:
    """What is another number once the folder has been replaced; None where there is none."""
    return folder.stat().st_ino if folder.is_dir() else None
