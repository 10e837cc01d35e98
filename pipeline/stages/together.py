"""All schedulers of a study on a part of its workloads, both rounds, in one process.

The files are those that the stages write one by one. Where a part is small, starting a process for each of them is most
of the work.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.runtime import sources
from pipeline.stages import refine
from pipeline.stages import replay as stage


def write_part(study: str, part: str, chunks: int, results: Path, settings: Path | None = None) -> None:
    """Replay the part of every scheduler of the study: `<results>/replay/<study>/<scheduler>/<part>/<chunk>`.

    With the settings of a second round its scenarios and replays follow, as parts named `<part>.refined`.
    """
    schedulers = sources.schedulers(study)
    prepared = results / "scenarios" / study / part
    for scheduler in schedulers:
        _replay(study, scheduler, part, chunks, results, prepared, prepared)
    if settings is None:
        return
    against = sources.refined_against(study)
    for scheduler in schedulers:
        if scheduler == against:
            continue
        ran = [_folder(results, study, name, part, chunk) for name in (scheduler, against) for chunk in range(chunks)]
        refined = part + sources.REFINED
        source = results / "scenarios" / study / refined / scheduler
        refine.write_refinement(study, settings, prepared, ran, source)
        _replay(study, scheduler, refined, chunks, results, source, prepared)


def _replay(study: str, scheduler: str, part: str, chunks: int, results: Path, source: Path, workloads: Path) -> None:
    for chunk in range(chunks):
        target = _folder(results, study, scheduler, part, chunk)
        stage.write_replay(study, scheduler, chunk, chunks, source, target, workloads)


def _folder(results: Path, study: str, scheduler: str, part: str, chunk: int) -> Path:
    return results / "replay" / study / scheduler / part / str(chunk)
