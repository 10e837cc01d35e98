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
    prepared = results / "scenarios" / study / part
    drop = part.removeprefix(sources.OF_DROP) if part.startswith(sources.OF_DROP) else None
    write_scenarios(study, settings, folders, prepared, drop)
    shares = [
        Share(scheduler, chunk, chunks, results / "replay" / study / scheduler / part / str(chunk))
        for scheduler in sources.schedulers(study)
        for chunk in range(chunks)
    ]
    write_shares(study, shares, prepared)
