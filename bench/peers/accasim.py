"""AccaSim (Galleguillos et al., 2018), from the package index, in an environment of its own.

Its EASYBackfilling with FirstFit on one node that has all processors as cores.
"""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from bench.peers import Run, Unavailable, environments, process

VERSION = "1.1.3"
DRIVER = Path(__file__).with_name("accasim_driver.py")


def environment(folder: Path) -> Path:
    """The interpreter of AccaSim's environment in `folder`. Raises Unavailable where it cannot be installed."""
    return environments.environment(folder, f"AccaSim {VERSION}", [f"accasim=={VERSION}"])


def run(python: Path, log: Path, processors: int, scratch: Path, timeout_s: float) -> Run:
    """AccaSim's run on an SWF log. Raises Unavailable where it fails, TimeoutError where it takes longer."""
    scratch.mkdir(parents=True, exist_ok=True)
    system = scratch / "system.json"
    description = {
        "start_time": 0,
        "equivalence": {"processor": {"core": 1}},
        "groups": {"all": {"core": processors}},
        "resources": {"all": 1},
    }
    system.write_text(json.dumps(description), encoding="utf-8")
    # Isolated, since this folder, with a file of the same name, would come first on its path.
    command = [python, "-I", "-W", "ignore", DRIVER, log, system, scratch]
    done = process(command, timeout_s, scratch)
    written = scratch / f"sched-{log.name}"
    if not written.exists() or not done.output.strip():
        raise Unavailable("AccaSim wrote no schedule")
    schedule = pl.read_csv(written, separator=";", has_header=False, new_columns=["job_id", "start_s"]).drop_nulls()
    written.unlink()
    program = f"AccaSim {VERSION}, EASYBackfilling and FirstFit on one node with all cores"
    return Run(program, done, float(done.output.split()[-1]), schedule.cast({"start_s": pl.Float64}))
