"""One run at a time in a folder, and jobs that end with the run that started them.

A run holds an advisory lock (flock(2)) on a file for as long as it lives. The kernel lets go of it however the run
ends, kill -9 included, so no lock is left over. Its jobs wait for the same lock and end when they get it: a job whose
run is gone would otherwise put what it was asked for then in the place of what a later run was asked for.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

log = logging.getLogger(__name__)

LOCK = Path(".snakemake", "run.lock")
VARIABLE = "APPORTION_RUN"
"""Environment variable of jobs: machine, process and start of their run, and the path of its lock."""
WAIT_S = 0.1
ENDED = 75
"""Exit code of a job whose run is gone (EX_TEMPFAIL of sysexits.h)."""

_held: list[int] = []


class AnotherRunError(RuntimeError):
    """Another run is under way in the folder."""


def hold(lock: Path) -> None:
    """Make this process the run of the folder until it ends; its children find the run in their environment.

    Waits for jobs of a killed run, which end by themselves. Raises AnotherRunError where another run is under way.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    waiting = False
    while not _locked(descriptor, fcntl.LOCK_EX):
        # Jobs share the lock for the moment in which they end, a run never does.
        if not _locked(descriptor, fcntl.LOCK_SH):
            owner = _owner(descriptor)
            os.close(descriptor)
            raise AnotherRunError(f"another run is under way in this folder{owner}; wait for it, or end it first")
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        if not waiting:
            log.warning("waiting for jobs of a run that was killed: they end with it")
        waiting = True
        time.sleep(WAIT_S)
    run = f"{os.uname().nodename} {os.getpid()} {time.time_ns()}"
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, run.encode(), 0)
    os.environ[VARIABLE] = f"{run} {lock.absolute()}"
    _held.append(descriptor)


def held(lock: Path) -> bool:
    """Whether a run is under way that holds the lock."""
    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _locked(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def end_with_run() -> None:
    """End this process as soon as the run that started it is gone; without effect in a process that no run started.

    Jobs on other machines are not watched: not every file system that machines share tells them of each other's locks.
    """
    machine, _, given = os.environ.get(VARIABLE, "").partition(" ")
    if machine != os.uname().nodename:
        return
    process, started, lock = given.split(" ", 2)
    with contextlib.suppress(OSError):
        descriptor = os.open(lock, os.O_RDONLY)
        run = f"{machine} {process} {started}"
        threading.Thread(target=_watch, args=(descriptor, run), name="end with run", daemon=True).start()


def _watch(descriptor: int, run: str) -> None:
    # A later run has written its own name: this job began after the end of its own.
    if os.pread(descriptor, 1000, 0).decode() == run:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        except OSError:
            return
    log.error("the run that started this job is gone; the job ends, nothing was written")
    os._exit(ENDED)


def _locked(descriptor: int, kind: int) -> bool:
    """Whether the lock could be taken at once."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _owner(descriptor: int) -> str:
    """Who holds the lock, in brackets; nothing where it does not say."""
    words = os.pread(descriptor, 1000, 0).decode(errors="replace").split()
    if len(words) != 3 or not words[2].isdigit():
        return ""
    since = datetime.fromtimestamp(int(words[2]) / 1e9, UTC).astimezone()
    return f" (process {words[1]} on {words[0]}, since {since:%Y-%m-%d %H:%M:%S})"
