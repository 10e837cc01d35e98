"""Faults of a machine that happen once: each function makes one, and says what the run said and did.

Each starts from finished results of the first version, disturbs the run of the second, mends the cause, and leaves it
to the caller to run again and compare.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from reliability.runs import POLL_S, Project

DAY_S = 86_400
LARGEST_BYTES = 2 << 20
"""A file may become this large, where a disk is made full for one run (RLIMIT_FSIZE); the database is larger."""
TMPFS = "size=1m"
WAIT_S = 300
READ_ONLY = ("nothing can be written to", "Write-protected output files")
"""Our sentence, and Snakemake's where what is to be made anew is there already."""
CUT = 2
"""A damaged file keeps half of its bytes."""


class UnexpectedError(RuntimeError):
    """A fault was met otherwise than it has to be."""


def full_disk_for_a_file(project: Project) -> str:
    """Disk full while a job writes"""
    limit = (LARGEST_BYTES, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    return _refused(project, "File too large", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))


def full_disk_from_the_start(project: Project) -> str:
    """Disk full before the run"""
    with _mounted(project.results, "-t", "tmpfs", "-o", TMPFS, "tmpfs") as mounted:
        if not mounted:
            # The run's own probe is larger than any file may become.
            limit = (LARGEST_BYTES // 8, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
            return _refused(
                project,
                "nothing can be written to",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
            )
        (project.results / "filling").write_bytes(bytes(512 << 10))
        return _refused(project, "nothing can be written to")


def read_only_results(project: Project) -> str:
    """Results that may only be read"""
    with _mounted(project.results, "--bind", str(project.results)) as mounted:
        if mounted:
            subprocess.run(["mount", "-o", "remount,ro,bind", str(project.results)], check=True)
            return _refused(project, *READ_ONLY)
    project.results.chmod(0o555)
    try:
        return _refused(project, *READ_ONLY)
    finally:
        project.results.chmod(0o755)


def results_that_are_a_file(project: Project) -> str:
    """A file where the results should be"""
    kept = project.results.rename(project.folder / "kept")
    project.results.write_text("")
    try:
        return _refused(project, "results is a file and has to be a folder")
    finally:
        project.results.unlink()
        kept.rename(project.results)


def file_changes_during_ingest(project: Project) -> str:
    """A file of a drop grows while it is ingested"""
    return _disturbed_ingest(project, lambda: project.tasks.write_text(project.whole + "x,1,1"))


def file_disappears_during_ingest(project: Project) -> str:
    """A file of a drop disappears while it is ingested"""
    return _disturbed_ingest(project, project.tasks.unlink)


def drop_from_the_future_and_the_past(project: Project) -> str:
    """A drop dated in the future, then in the past"""
    for ahead_s in (400 * DAY_S, -4000 * DAY_S):
        _date(project.tasks, ahead_s)
        project.run()
        _require("Nothing to be done" in project.run()[1], "a drop with an odd date was ingested again and again")
    return "read again where its content has changed, whatever its date"


def code_from_the_future(project: Project) -> str:
    """Code dated in the future"""
    path = project.folder / "pipeline" / "stages" / "ingest.py"
    _date(path, DAY_S)
    try:
        return _refused(project, "is dated in the future")
    finally:
        _date(path, 0)


def results_from_the_future(project: Project) -> str:
    """Results dated in the future: the clock was set back"""
    for path in [project.results / "warehouse.done", *project.results.rglob(".snakemake_timestamp")]:
        _date(path, DAY_S)
    project.run()
    return "dated anew and used"


def two_runs_at_once(project: Project) -> str:
    """Two runs at once"""
    first = project.begin(output=subprocess.DEVNULL)
    _until(project.jobs)
    said = _refused(project, "another run is under way")
    _require(first.wait() == 0, "the first of two runs failed")
    return said


def memory_runs_out(project: Project) -> str:
    """A job killed for its memory (SIGKILL from the kernel)"""
    process = project.begin(output=subprocess.DEVNULL)
    os.kill(min(_until(project.jobs)), signal.SIGKILL)
    _require(process.wait() != 0, "a run went on as if nothing had happened though a job was killed")
    return "the run ends with what was killed; the next run makes it"


def truncated_parquet(project: Project) -> str:
    """A Parquet file of a stage cut short"""
    path = project.results / "scenarios" / "hpc_memory" / "synthetic" / "scenarios.parquet"
    project.run()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // CUT])
    (said,) = [line for line in project.run()[1].splitlines() if "is damaged" in line]
    _require(said.endswith(f"{path.parent.relative_to(project.folder)} is deleted and made again"), f"it says {said}")
    return said


FAULTS: tuple[tuple[Callable[[Project], str], ...], ...] = (
    (
        full_disk_from_the_start,
        read_only_results,
        results_that_are_a_file,
        code_from_the_future,
        full_disk_for_a_file,
    ),
    (file_disappears_during_ingest, file_changes_during_ingest, memory_runs_out, two_runs_at_once),
    (results_from_the_future, drop_from_the_future_and_the_past, truncated_parquet),
)
"""The faults; those of a group come one upon the other, and the next run is compared after the last of them."""


def _refused(project: Project, *sentences: str, **options) -> str:
    """The line with one of the sentences with which a run is refused.

    Raises UnexpectedError where it is not refused, or otherwise, or with a traceback.
    """
    code, output = project.run(check=False, **options)
    _require(code != 0, f"the run went on: {output[-500:]}")
    _require("Traceback" not in output, f"a traceback: {output[-3000:]}")
    lines = [line.strip() for line in output.splitlines() if any(sentence in line for sentence in sentences)]
    _require(bool(lines), f"not said: {sentences} in {output[-1500:]}")
    return lines[0][:300]


def _disturbed_ingest(project: Project, change: Callable[[], object]) -> str:
    process = project.begin(output=subprocess.DEVNULL)
    _until(lambda: "ingest" in project.jobs().values())
    change()
    code = process.wait()
    return "read as it then was, and again in the next run" if code == 0 else "the run ends and names the drop"


def _date(path: Path, ahead_s: float) -> None:
    os.utime(path, (time.time() + ahead_s,) * 2)


def _until(found: Callable[[], object]):
    end_s = time.monotonic() + WAIT_S
    while not (what := found()):
        _require(time.monotonic() < end_s, "no job started")
        time.sleep(POLL_S)
    return what


@contextlib.contextmanager
def _mounted(folder: Path, *arguments: str) -> Iterator[bool]:
    """Whether something could be mounted over the folder, for as long as the block lasts; only root may."""
    mounted = subprocess.run(["mount", *arguments, str(folder)], capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise UnexpectedError(sentence)
