"""A cluster of one machine: Slurm's own daemons in a folder, for tests; nothing of the system is touched."""

import getpass
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo")
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
"""Daemons lie where an ordinary user's PATH does not look."""

MOST_LOOKS = 1200
"""So often, twice a second, is the node asked whether it is idle."""

CONF = """\
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
CommunicationParameters=NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory_mb} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP
"""


def missing() -> list[str]:
    """Programs of Slurm and munge that are not there."""
    return [name for name in NEEDED if shutil.which(name, path=PATH) is None]


@contextmanager
def running() -> Iterator[dict[str, str]]:
    """The cluster for as long as the block lasts; gives the environment in which its commands work.

    Raises RuntimeError with the daemons' logs where its node does not become idle.
    """
    # Munge's socket allows a path of about a hundred characters: pytest's folders can be longer.
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))
    try:
        environment = _configured(folder)
        try:
            _start(folder, environment)
            yield environment
        finally:
            _stop(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _configured(folder: Path) -> dict[str, str]:
    for name in ("spool", "state", "munge", "bin"):
        (folder / name).mkdir(mode=0o700)
    # munge wants every folder above its socket to be one that others can enter.
    folder.chmod(0o755)
    (folder / "munge").chmod(0o755)
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(64))
    key.chmod(stat.S_IRUSR)
    conf = folder / "slurm.conf"
    memory_mb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20
    conf.write_text(
        CONF.format(
            folder=folder, host=socket.gethostname().partition(".")[0], user=getpass.getuser(), ports=_free_ports(2),
            cores=os.cpu_count(), memory_mb=memory_mb * 9 // 10,
        )
    )  # fmt: skip
    # Inside a job Snakemake's plugin drops all SLURM_* variables, the configuration's path among them.
    srun = folder / "bin" / "srun"
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={conf} exec {shutil.which("srun", path=PATH)} "$@"\n')
    srun.chmod(0o755)
    return os.environ | {"SLURM_CONF": str(conf), "PATH": f"{folder / 'bin'}:{PATH}"}


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _start(folder: Path, environment: dict[str, str]) -> None:
    munge = folder / "munge"
    commands = (
        ["munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
         f"--log-file={munge}/log", f"--seed-file={munge}/seed"],
        ["slurmctld", "-f", f"{folder}/slurm.conf"],
        ["slurmd", "-f", f"{folder}/slurm.conf"],
    )  # fmt: skip
    for command in commands:
        subprocess.run(command, env=environment, check=True, capture_output=True)
    for _ in range(MOST_LOOKS):
        state = subprocess.run(
            ["sinfo", "--noheader", "--format=%T"], env=environment, capture_output=True, text=True, check=False
        )
        if state.stdout.strip() == "idle":
            return
        time.sleep(0.5)
    logs = "\n".join(path.read_text(errors="replace") for path in folder.glob("*.log"))
    raise RuntimeError(f"the node is not idle after some minutes: {state.stdout}{state.stderr}\n{logs}")


def _stop(folder: Path) -> None:
    for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
        with suppress(FileNotFoundError, ProcessLookupError, ValueError):
            process = int((folder / name).read_text())
            os.kill(process, signal.SIGTERM)
            for _ in range(100):
                os.kill(process, 0)
                time.sleep(0.1)
            os.kill(process, signal.SIGKILL)
