"""Fixtures that several test folders share."""

import fcntl
import os
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

# Compiled loops test their indices here, and have a cache of their own. Workflows run what users run.
os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")

import projects
import pytest

ROOT = Path(__file__).resolve().parent.parent
OF_CONTRACT = "test_contract.py"
LONGEST = "workflow"
"""The folder whose tests come in the first half, since the longest are among them."""
TAKEN = {True: 60, False: 20}
"""Of the contract's tests, and of others with parameters, a sample has one in so many."""


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="also the exhaustive tests, which take longest")
    parser.addoption(
        "--sample", action="store_true", help="quick tests and a sample of the contract's, always the same"
    )


def pytest_configure(config):
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(Failures(config), "failures")


class Failures:
    """Says a failure when it happens: all tests together take long."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            said = self.config.pluginmanager.get_plugin("terminalreporter")
            said.write_line(f"\nFAILED {report.nodeid}\n{report.longreprtext[-2000:]}")


def pytest_collection_modifyitems(config, items):
    """In an order in which workers seldom wait (_apart), and the exhaustive with --all only.

    With --sample slow tests are left out but for the contract's, and users of `once`, too; of cases of one test a part
    is taken.
    """
    if not config.getoption("--all"):
        left = [item for item in items if item.get_closest_marker("exhaustive")]
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=left)
    if not config.getoption("--sample"):
        _apart(items)
        return
    taken, left = [], []
    for item in items:
        of_contract = item.path.name == OF_CONTRACT
        quick = (of_contract or item.get_closest_marker("slow") is None) and "once" not in item.fixturenames
        once = not hasattr(item, "callspec") or zlib.crc32(item.nodeid.encode()) % TAKEN[of_contract] == 0
        (taken if quick and once else left).append(item)
    items[:] = taken
    config.hook.pytest_deselected(items=left)


def _apart(items: list[pytest.Item]) -> None:
    """Spread the files of each folder over the whole run: two that need one fixture are seldom begun together."""
    files = list(dict.fromkeys(item.path for item in items))
    of_folder = {
        folder: [file for file in files if file.parent == folder] for folder in {file.parent for file in files}
    }
    place = {
        file: (number + 0.5) / len(among) / (2 if LONGEST in file.parts else 1)
        for among in of_folder.values()
        for number, file in enumerate(among)
    }
    items.sort(key=lambda item: (place[item.path], str(item.path)))


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
def tiny(once) -> projects.Project:
    """The tiny project of all studies, which ran once on two cores; tests only read it."""

    def make(folder: Path) -> None:
        said = projects.Project(folder).create().run().stdout
        (folder / projects.SAID).write_text(said, encoding="utf-8")

    return projects.Project(once("tiny", make))


@pytest.fixture
def own_project(tiny, tmp_path) -> Iterator[projects.Project]:
    """A copy of the tiny project for a test that runs it, or changes it for good."""
    yield tiny.copied(tmp_path / "project")
    # pytest cannot remove folders in folders as deep as some hostile drops have.
    subprocess.run(["rm", "-rf", tmp_path / "project"], check=True)
