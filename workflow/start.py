"""What is looked at before the first job starts: that this is the only run, that its files can be written and dated."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Collection, Iterable
from pathlib import Path

from pipeline.runtime import manifest, one_run

ROOM_BYTES = 1 << 20
"""What has to fit on the disk at the least, where no earlier run says more."""
DATABASE = "apportion.duckdb"

BUILT = "warehouse.done"
"""File that represents the database among those that Snakemake makes."""
TIMESTAMP = ".snakemake_timestamp"
"""File that dates a folder which a rule made."""


def begin(results: Path, inputs: Iterable[Path], now_s: float | None = None) -> None:
    """Make this process the run of the working directory.

    inputs: files and folders that jobs take. now_s: seconds since 1970, by default now. Snakemake takes what is made of
    a file from the future for out of date, for ever: results that are dated there, since the clock was set back, are
    dated now. Raises RuntimeError with a sentence where another run is under way, where nothing can be written, and
    where a file that is no result is dated in the future.
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
    free, needed = shutil.disk_usage(results).free, room(results)
    if free < needed:
        raise RuntimeError(
            f"{free / 1e6:,.0f} MB are free at {results.absolute()}, and a run needs {needed / 1e6:,.0f} MB and more: "
            "the database is brought up to date in a copy; make room there; nothing was changed"
        )
    now_s = time.time() if now_s is None else now_s
    dated = {path / TIMESTAMP if (path / TIMESTAMP).is_file() else path for path in inputs}
    late = sorted(path for path in dated if path.exists() and path.stat().st_mtime > now_s)
    for path in late:
        if path.is_relative_to(results):
            os.utime(path, (now_s, now_s))
    ahead = [str(path) for path in late if not path.is_relative_to(results)]
    if ahead:
        raise RuntimeError(
            f"{ahead[0]} is dated in the future, or the clock of this machine is behind ({len(ahead)} such files); "
            f"set the clock right, or date them now: touch {' '.join(ahead[:20])}"
        )


def discard_changed(results: Path, folders: Collection[str]) -> list[str]:
    """Delete which of these folders are not as they were written, so that a run makes them again; a sentence for each.

    Then, and where the database is not as it was written, it is no longer known to be up to date. It stays until the
    next one is whole.
    """
    said = []
    for folder, fault in manifest.damaged(results).items():
        if f"{folder}" in set(folders):
            shutil.rmtree(folder)
            said.append(f"{fault}; {folder} is deleted and made again")
    database = results / DATABASE
    log = database.with_name(f"{DATABASE}.wal")
    if (results / BUILT).exists() and database.exists():
        fault = manifest.fault_of_file(database, quick=True) or (log.exists() and f"another program left {log}")
        said += [f"{fault}; the database is made again"] if fault else []
    if said:
        (results / BUILT).unlink(missing_ok=True)
    return said


def room(results: Path) -> int:
    """Bytes that a run needs at the least beside what is there: the previous run's database is written once more."""
    database = results / DATABASE
    return max(ROOM_BYTES, database.stat().st_size if database.is_file() else 0)
