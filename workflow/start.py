"""What is looked at before the first job starts: that this is the only run, that its files can be written and dated."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from pipeline import one_run

ROOM_BYTES = 1 << 20
"""What has to fit on the disk at the least; whether a whole run does is only known afterwards."""


def begin(results: Path, code: Iterable[Path], now_s: float | None = None) -> None:
    """Make this process the run of the working directory.

    code: files that jobs name as their inputs. now_s: seconds since 1970, by default now. Raises RuntimeError with a
    sentence where another run is under way, where nothing can be written, and where a file is dated in the future:
    Snakemake takes what is made of it for out of date, for ever.
    """
    one_run.hold(one_run.LOCK)
    probe = results / f".writable.{os.getpid()}"
    try:
        results.mkdir(exist_ok=True)
        try:
            probe.write_bytes(bytes(ROOM_BYTES))
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        where = results.absolute()
        raise RuntimeError(f"nothing can be written to {where}: {error.strerror}; nothing was changed") from None
    now_s = time.time() if now_s is None else now_s
    ahead = sorted(str(path) for path in code if path.stat().st_mtime > now_s)
    if ahead:
        raise RuntimeError(
            f"{ahead[0]} is dated in the future, or the clock of this machine is behind ({len(ahead)} such files); "
            f"set the clock right, or date them now: touch {' '.join(ahead[:20])}"
        )
