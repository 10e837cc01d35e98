"""pyss, the Python scheduler simulator of Feitelson's group, from a checkout that the user gives.

It is a Python 2 program; PYSS_PYTHON names an interpreter that runs it (default: python2, else the present one). Its
EasyBackfillScheduler makes a pass an event, as `backfilling: easy_per_event` does.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import polars as pl

from bench.peers import Run, Unavailable, process

DRIVER = Path(__file__).with_name("pyss_driver.py")


def run(checkout: Path | None, log: Path, processors: int, scratch: Path, timeout_s: float) -> Run:
    """Its run on an SWF log. Raises Unavailable without a checkout or where it fails, TimeoutError where it is slow."""
    if checkout is None:
        raise Unavailable("no checkout of pyss given (--pyss PATH, or PYSS in the environment)")
    roots = [root for root in (checkout, checkout / "src") if (root / "schedulers" / "easy_scheduler.py").is_file()]
    if not roots:
        raise Unavailable(f"{checkout} is no checkout of pyss: schedulers/easy_scheduler.py is not there")
    python = os.environ.get("PYSS_PYTHON") or shutil.which("python2") or sys.executable
    scratch.mkdir(parents=True, exist_ok=True)
    written = scratch / "pyss.csv"
    # -O leaves out its assertions, some of which search the whole queue.
    command = [python, "-O", DRIVER, roots[0].resolve(), log, str(processors), written]
    done = process(command, timeout_s, scratch)
    schedule = pl.read_csv(written, schema={"job_id": pl.Int64, "start_s": pl.Float64, "simulation_s": pl.Float64})
    return Run("pyss, EasyBackfillScheduler", done, schedule["simulation_s"][0], schedule.drop("simulation_s"))
