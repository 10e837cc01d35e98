"""Steps on what one drop gave, in a process of their own: whatever becomes of them costs this drop alone.

What polars or numba do at import is left to that process, so the steps import their stages themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.runtime import bounded, sources
from pipeline.runtime.bounded import Bounds, OutOfBounds


class Step(NamedTuple):
    """Work within bounds. stage: of a study on a part of its workloads, which writes the folders `targets`; without
    these what it is called in a sentence.
    """

    work: Callable[[], Any]
    bounds: Bounds
    stage: str
    study: str = ""
    part: str = ""
    targets: Sequence[Path] = ()


def each(steps: Sequence[Step]) -> Iterator[Any]:
    """What the work of each step returns; one process does them all, and another one those after a crash.

    Where a step goes beyond the bounds or its process crashes, the folders that it did not write say so (failed);
    without folders OutOfBounds is raised, as is all that a step raises.
    """
    before = {target: _identity(target) for step in steps for target in step.targets}
    outcomes = bounded.each(lambda step: step.work(), steps, [step.bounds for step in steps])
    with closing(outcomes):
        for step, outcome in zip(steps, outcomes, strict=True):
            if isinstance(outcome, OutOfBounds) and step.targets:
                missing = [target for target in step.targets if _identity(target) == before[target]]
                bounded.run(partial(fail, step, ValueError(f"its process {outcome}"), missing), Bounds())
            elif isinstance(outcome, OutOfBounds):
                raise OutOfBounds(f"{step.stage} {outcome}")
            elif isinstance(outcome, BaseException):
                raise outcome
            yield outcome


def run(work: Callable[[], None], stage: str, study: str, part: str, targets: Sequence[Path], bounds: Bounds) -> None:
    """Do one step (each). Synthetic workloads have no bounds: no drop is to blame for them."""
    if not part.startswith(sources.OF_DROP):
        work()
        return
    list(each([Step(work, bounds, stage, study, part, targets)]))


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


def fail(step: Step, error: Exception, missing: Sequence[Path]) -> None:
    """Have the folders say why they are missing; a failure of the machine is raised."""
    from pipeline.runtime import failed

    def again() -> None:
        raise error

    failed.attempt(again, step.stage, step.study, step.part, (), missing)


def _identity(folder: Path) -> int | None:
    """What is another number once the folder has been replaced; None where there is none."""
    return folder.stat().st_ino if folder.is_dir() else None
