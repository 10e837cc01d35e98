"""What happens under the faster clock: Slurm's daemons start, jobs are submitted at their times, all of them end.

`machine.py` runs this file as a program, with the folder of the execution. Standard library only, as it starts often.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from pathlib import Path

MOST_LOOKS = 1000
"""So often are nodes asked whether they are idle."""
LOOK_S, END_LOOK_S = 5, 60
"""Seconds between two looks, of the faster clock."""
BEGIN_S = 10
"""From the node being idle to the time from which submissions count."""


def main(folder: Path) -> None:
    """Run the jobs of `folder`/workload.csv (job, submit_s, nodes, run_s, limit_s).

    Raises RuntimeError where a daemon ends, or jobs are there when all of them ought to have ended long ago.
    """
    with (folder / "workload.csv").open(encoding="utf-8", newline="") as file:
        jobs = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    nodes = sorted(path.name for path in (folder / "spool").iterdir())
    daemons = [subprocess.Popen(["slurmctld", "-D"])]
    daemons += [subprocess.Popen(["slurmd", "-D", "-N", node]) for node in nodes]
    try:
        _wait_for_nodes(daemons)
        begin_s = time.time() + BEGIN_S
        for job in jobs:
            time.sleep(max(0, begin_s + job["submit_s"] - time.time()))
            _submit(folder, job, one_node=len(nodes) == 1)
        # Were the jobs to run one after another, each up to its limit, and Slurm took a minute for each.
        latest_s = time.time() + sum(job["limit_s"] + 60 for job in jobs) + 3600
        while _output("squeue", "--noheader", "--format=%i"):
            _require_running(daemons)
            if time.time() > latest_s:
                raise RuntimeError("some jobs have not ended, though their limits are over")
            time.sleep(END_LOOK_S)
    finally:
        for daemon in daemons:
            daemon.terminate()
        for daemon in daemons:
            daemon.wait()


def _wait_for_nodes(daemons: list[subprocess.Popen]) -> None:
    for _ in range(MOST_LOOKS):
        _require_running(daemons)
        if _output("sinfo", "--noheader", "--format=%T", check=False) == "idle":
            return
        time.sleep(LOOK_S)
    raise RuntimeError("a node did not become idle")


def _require_running(daemons: list[subprocess.Popen]) -> None:
    for daemon in daemons:
        if daemon.poll() is not None:
            raise RuntimeError(f"{daemon.args[0]} ended with exit code {daemon.returncode}")


def _submit(folder: Path, job: dict[str, int], *, one_node: bool) -> None:
    minutes = -(-job["limit_s"] // 60)
    subprocess.run(
        [
            "sbatch", "--quiet", f"--job-name={job['job']}", f"--ntasks={job['nodes']}", "--chdir=/",
            f"--nodes={1 if one_node else job['nodes']}",
            f"--time={minutes}", "--output=/dev/null", folder / "sleep.sh", str(job["run_s"]),
        ],
        check=True,
    )  # fmt: skip


def _output(*command: str, check: bool = True) -> str:
    return subprocess.run(command, check=check, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
