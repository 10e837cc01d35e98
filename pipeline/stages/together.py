"""A part of a study's scenarios and their replays by all schedulers in one process.

The files are those that the stages write one by one. Where a part is small, starting a process for each of them is most
of the work.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pipeline.runtime import sources
from pipeline.stages.replay import Share, write_shares
from pipeline.stages.scenarios import write_scenarios


def write_part(study: str, part: str, folders: Iterable[Path], settings: Path, results: Path, chunks: int = 1) -> None:
    """Write the scenarios of the part, `<results>/scenarios/<study>/<part>`, and replay them by every scheduler.

    part: `trace-<drop>`, or `synthetic`; folders and settings as in `write_scenarios`. The replays are
    `<results>/replay/<study>/<scheduler>/<part>/<chunk>`.
    """
    drop = part.removeprefix(sources.OF_DROP) if part.startswith(sources.OF_DROP) else None
    write_scenarios(study, settings, folders, results / "scenarios" / study / part, drop)
    write_replays(study, part, results, chunks)


def write_replays(study: str, part: str, results: Path, chunks: int = 1) -> None:
    """The replays of `write_part`, of scenarios that are there."""
    shares = [
        Share(scheduler, chunk, chunks, results / "replay" / study / scheduler / part / str(chunk))
        for scheduler in sources.schedulers(study)
        for chunk in range(chunks)
    ]
    write_shares(study, shares, results / "scenarios" / study / part)
