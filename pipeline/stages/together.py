"""All schedulers of a study on a part of its workloads, both rounds, in one process.

The files are those that the stages write one by one. Where a part is small, starting a process for each of them is most
of the work.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.runtime import sources
from pipeline.stages import refine
from pipeline.stages.replay import Share, write_shares


def write_part(study: str, part: str, chunks: int, results: Path, settings: Path | None = None) -> None:
    """Replay the part of every scheduler of the study: `<results>/replay/<study>/<scheduler>/<part>/<chunk>`.

    With the settings of a second round its scenarios and replays follow, as parts named `<part>.refined`.
    """

    def replays(scheduler: str, name: str) -> list[Path]:
        return [results / "replay" / study / scheduler / name / str(chunk) for chunk in range(chunks)]

    def replay(sources_of: dict[str, Path], name: str) -> None:
        """Replay the scenarios of each scheduler, which lie in its folder of `sources_of`."""
        shares = [
            Share(scheduler, chunk, chunks, source, target)
            for scheduler, source in sources_of.items()
            for chunk, target in enumerate(replays(scheduler, name))
        ]
        write_shares(study, shares, prepared)

    prepared = results / "scenarios" / study / part
    schedulers = sources.schedulers(study)
    replay(dict.fromkeys(schedulers, prepared), part)
    if settings is None:
        return
    against = sources.refined_against(study)
    again = part + sources.REFINED
    refined = {name: results / "scenarios" / study / again / name for name in schedulers if name != against}
    for scheduler, source in refined.items():
        refine.write_refinement(study, settings, prepared, replays(scheduler, part) + replays(against, part), source)
    replay(refined, again)
