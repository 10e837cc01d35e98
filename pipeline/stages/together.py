"""A part of a study's scenarios and their replays by all schedulers, both rounds, in one process.

The files are those that the stages write one by one. Where a part is small, starting a process for each of them is most
of the work.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pipeline.runtime import sources
from pipeline.stages import refine
from pipeline.stages.replay import Share, write_shares
from pipeline.stages.scenarios import write_scenarios


def write_part(
    study: str,
    part: str,
    folders: Iterable[Path],
    settings: Path,
    results: Path,
    chunks: int = 1,
    second_round: Path | None = None,
) -> None:
    """Write the scenarios of the part, `<results>/scenarios/<study>/<part>`, and replay them by every scheduler.

    part: `trace-<drop>`, or `synthetic`; folders and settings as in `write_scenarios`. The replays are
    `<results>/replay/<study>/<scheduler>/<part>/<chunk>`. With the settings of a second round its scenarios and replays
    follow, as parts named `<part>.refined`.
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
    drop = part.removeprefix(sources.OF_DROP) if part.startswith(sources.OF_DROP) else None
    write_scenarios(study, settings, folders, prepared, drop)
    schedulers = sources.schedulers(study)
    replay(dict.fromkeys(schedulers, prepared), part)
    if second_round is None:
        return
    against = sources.refined_against(study)
    again = part + sources.REFINED
    refined = {name: results / "scenarios" / study / again / name for name in schedulers if name != against}
    for scheduler, source in refined.items():
        refine.write_refinement(
            study, second_round, prepared, replays(scheduler, part) + replays(against, part), source
        )
    replay(refined, again)
