"""One execution of a workload by Slurm's own daemons, in a folder and on ports of its own, under a faster clock.

Slurm is that of Debian's packages; all of it, the jobs included, runs under libfaketime, so that an hour takes minutes
and every process has the same time. Sources: slurm.conf(5), jobcomp/filetxt of Slurm 22.05, faketime(1).
"""

from __future__ import annotations

import getpass
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import polars as pl

HERE = Path(__file__).parent
CONF = HERE / "slurm.conf"
PROCESSES = Path("/proc")
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
"""Daemons lie where an ordinary user's PATH does not look."""

NEEDED = {
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "squeue": "slurm-client",
    "sinfo": "slurm-client",
    "faketime": "faketime",
}
"""Programs, and Debian's packages that have them."""

PLACE = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
JobCompLoc={folder}/completed.txt
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} State=UNKNOWN\n"

PORTS = range(10_000, 32_768)
"""Where ports are taken from: Linux takes those of outgoing connections from above."""
UNTRIED = iter(random.sample(PORTS, len(PORTS)))

FIRST_DAY = "2024-01-01 00:00:00"
"""What the clock shows when it starts, in UTC."""

END_S = 10.0
"""Seconds that an execution which is ended early has for its daemons to end by themselves."""

FIELDS = {
    "job": "Name",
    "submit": "SubmitTime",
    "start": "StartTime",
    "end": "EndTime",
    "cpus": "ProcCnt",
    "limit_min": "TimeLimit",
    "state": "JobState",
}
"""Columns of what is collected, and what they are called in the file of jobcomp/filetxt."""


def missing() -> list[str]:
    """Debian's packages whose programs are not there."""
    return sorted({package for name, package in NEEDED.items() if shutil.which(name, path=PATH) is None})


def version() -> str:
    """Of Slurm, as `22.05.8`."""
    environment = os.environ | {"PATH": PATH}
    told = subprocess.run(["slurmctld", "-V"], env=environment, capture_output=True, text=True, check=True)
    return told.stdout.split()[-1]


class Execution:
    """A workload that Slurm executes; a context that ends every process of it and removes its folder.

    jobs: job (whole number), submit_s, nodes, run_s, limit_s, whole seconds, in order of submission. The machine has
    `nodes` nodes of one processor, with a daemon each; with `one_node` it is one node with so many processors, which is
    less to start, but Slurm then reserves all of it for a job that waits. speed: seconds of Slurm's clock per real one.
    """

    def __init__(self, jobs: pl.DataFrame, nodes: int, speed: int, *, one_node: bool = False):
        self.jobs = jobs
        self.folder = Path(tempfile.mkdtemp(prefix="apportion-slurm-"))
        try:
            self._write(nodes, one_node)
            self.process = self._start(speed)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def _write(self, nodes: int, one_node: bool) -> None:
        names = ["one"] if one_node else [f"n{number}" for number in range(1, nodes + 1)]
        (self.folder / "state").mkdir(mode=0o700)
        for name in names:
            (self.folder / "spool" / name).mkdir(mode=0o700, parents=True)
        host, (port, *ports) = socket.gethostname().partition(".")[0], _free_ports(1 + len(names))
        conf = CONF.read_text(encoding="utf-8") + PLACE.format(
            folder=self.folder, host=host, user=getpass.getuser(), port=port
        )
        for name, its in zip(names, ports, strict=True):
            conf += NODE.format(name=name, host=host, port=its, cpus=nodes if one_node else 1)
        (self.folder / "slurm.conf").write_text(conf, encoding="utf-8")
        asked = self.jobs.select("job", "submit_s", "nodes", "run_s", "limit_s")
        asked.write_csv(self.folder / "workload.csv")
        sleep = self.folder / "sleep.sh"
        sleep.write_text('#!/bin/sh\nexec sleep "$1"\n', encoding="utf-8")
        sleep.chmod(0o755)

    def _start(self, speed: int) -> subprocess.Popen:
        # What runs under the clock has the marker in its environment, the program that keeps the clock has not.
        command = [
            "faketime", "-m", "-f", f"@{FIRST_DAY} x{speed}",
            "env", self._marker, sys.executable, HERE / "clocked.py", self.folder,
        ]  # fmt: skip
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH", "SQUEUE"))
        }
        with (self.folder / "output.log").open("wb") as output:
            return subprocess.Popen(
                command, env=environment | {"PATH": PATH, "TZ": "UTC"}, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip

    @property
    def _marker(self) -> str:
        return f"SLURM_CONF={self.folder}/slurm.conf"

    def ended(self) -> bool:
        """Whether all jobs have ended. Raises RuntimeError, with the end of the logs, where it failed."""
        code = self.process.poll()
        if code:
            raise RuntimeError(f"Slurm's execution failed with exit code {code}\n{self._logs()}")
        return code == 0

    def _logs(self) -> str:
        """The end of what was printed, and of the log of Slurm's controller."""
        paths = [self.folder / name for name in ("slurmctld.log", "output.log")]
        return "\n".join(f"{path.name}: …{path.read_text(errors='replace')[-2000:]}" for path in paths if path.exists())

    def schedule(self) -> pl.DataFrame:
        """What became of each job: the columns of FIELDS, times in UTC, in order of `job`.

        Raises RuntimeError where not every job has ended exactly once.
        """
        found = completed((self.folder / "completed.txt").read_text(encoding="utf-8"))
        if found["job"].to_list() != self.jobs["job"].sort().to_list():
            raise RuntimeError(f"of {self.jobs.height} jobs {found['job'].n_unique()} ended\n{self._logs()}")
        return found

    def __enter__(self) -> Execution:
        return self

    def __exit__(self, *_: object) -> None:
        for stop in (signal.SIGTERM, signal.SIGKILL):
            begun = time.monotonic()
            # The program that keeps the clock ends with what it runs, and takes the shared clock away.
            while (left := self.processes()) or self.process.poll() is None:
                for process in left:
                    _signal(process, stop)
                if stop == signal.SIGTERM and time.monotonic() - begun > END_S:
                    break
                time.sleep(0.2)
        shutil.rmtree(self.folder, ignore_errors=True)

    def processes(self) -> list[int]:
        """Processes under the clock, told by their environment: those of jobs are nobody's children."""
        marker, found = self._marker.encode(), []
        for path in PROCESSES.glob("[0-9]*/environ"):
            try:
                environment = path.read_bytes()
            except OSError:
                continue
            if marker in environment.split(b"\0"):
                found.append(int(path.parent.name))
        return found


def completed(text: str) -> pl.DataFrame:
    """Jobs of a file of jobcomp/filetxt, a job a line."""
    rows = [dict(re.findall(r"(\w+)=(\S*)", line)) for line in text.splitlines()]
    columns = {name: [row[field] for row in rows] for name, field in FIELDS.items()}
    whole, times = ["job", "cpus", "limit_min"], ["submit", "start", "end"]
    table = pl.DataFrame(columns, schema=dict.fromkeys(FIELDS, pl.String))
    return table.with_columns(pl.col(whole).cast(pl.Int64), pl.col(times).str.to_datetime("%Y-%m-%dT%H:%M:%S")).sort(
        "job"
    )


def _signal(process: int, stop: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, stop)


def _free_ports(count: int) -> list[int]:
    """Ports that no other execution of this process gets. Raises RuntimeError where there are not so many."""
    found: list[int] = []
    for port in UNTRIED:
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError(f"{count} ports from {PORTS.start} on are not free")
