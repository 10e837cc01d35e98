"""Runs a command and notes its wall time, CPU time and peak memory: `launcher.py REPORT TIMEOUT_S COMMAND…`.

A program of its own because Linux hands the peak memory of the process that forks on to the child (when the child
executes its program, the peak of the address space it leaves behind counts as its own): a child of a benchmark that
holds a gigabyte would never seem to need less. This one needs a few MB. It imports nothing but the standard library and
runs with `python -I -S`.
"""

import json
import os
import signal
import sys
import time


def main(report, timeout_s, *command):
    """Write wall_s, cpu_s, peak_gb, code and timed_out of the command to the file `report` as JSON."""
    began = time.perf_counter()
    # A process group of its own: a time-out ends what the command has started, too.
    pid = os.posix_spawnp(command[0], command, os.environ, setpgroup=0)
    timed_out = False

    def stop(number, frame):  # noqa: ARG001
        nonlocal timed_out
        timed_out = number == signal.SIGALRM
        os.killpg(pid, signal.SIGKILL)

    for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    signal.setitimer(signal.ITIMER_REAL, float(timeout_s))
    _, status, usage = os.wait4(pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    measured = {
        "wall_s": time.perf_counter() - began,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_gb": usage.ru_maxrss * 1024e-9,
        "code": os.waitstatus_to_exitcode(status),
        "timed_out": timed_out,
    }
    with open(report, "w") as file:  # noqa: PTH123 - pathlib would triple the memory of this process
        json.dump(measured, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
