"""Fixtures that several test folders share."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from reliability import runs

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def trace_data() -> Path:
    """Folder of the real traces; skips where they are absent."""
    folder = Path(os.environ.get("TRACE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real traces absent: {folder} does not exist (set TRACE_DATA)")
    return folder


@pytest.fixture(scope="session")
def once(tmp_path_factory) -> Callable[[str, Callable[[Path], object]], Path]:
    """`once(name, make)`: a folder that `make(folder)` filled, once for all workers, which only read it."""
    # Workers of pytest-xdist have a folder each in that of the session.
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def first(once) -> runs.Project:
    """A small project that ran: its results are those of the first of two versions; tests read it."""
    return runs.Project(once("first", lambda folder: runs.Project(folder).create().run()))
