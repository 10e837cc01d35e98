"""EASY backfilling of a long log: the kernel beside a plain compiled loop, the process beside AccaSim.

`python -m bench.easy DROP SCRATCH SCHEDULE` is the process: a log in, its schedule (job_id, start_s) out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from bench import environments, plain_loop
from bench.environments import Unavailable
from bench.figures import Figure, alternating, rate, ratio
from bench.readers import write_log
from pipeline.runtime import storage
from pipeline.simulation import reserve
from pipeline.stages.ingest import ingest
from pipeline.studies import hpc_memory
from pipeline.studies.hpc_memory import SCHEDULERS, admission, arrays, model
from pipeline.studies.hpc_memory.orders import rule_of

COPIES, PROCESSORS = 25, 100
"""Of the log of KTH, and of its machine."""
ACCASIM = "1.1.3"
PEER_LIMIT_S = 180.0


class Kernel:
    """EASY on a log, ready to run as often as one likes; `start_s` counts from the first release."""

    def __init__(self, inputs: Mapping[str, pl.DataFrame], nodes: int):
        (self.jobs,) = arrays.prepared(inputs).values()
        module = SCHEDULERS["unlimited"]
        self.rule, self.occasions = model.compiled(module.rule), model.Occasions.of(module.rule)
        self.workload = self.jobs.ordered(module, {"largest_by": "memory"})
        self.machine = model.Machine(nodes, np.inf, 0.03, 1.0, model.SERIAL, admission.RULES["easy"], False, 0)
        self.key = rule_of("submit").compiled()
        self.start_s, self.end_s = (np.empty(len(self.jobs.nodes)) for _ in range(2))

    def run(self) -> None:
        """Replay."""
        edges, timeline = np.empty(0), np.empty((0, 7))
        model.run(
            self.workload, self.machine, reserve.Dialect(), self.key, self.rule, self.occasions, self.start_s,
            self.end_s, edges, edges, timeline, 8,
        )  # fmt: skip


def inputs_of(log: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Tables of hpc_memory for a log (job_id, submit_s, nodes, walltime_s, runtime_s): one phase a job, no memory."""
    log = log.with_columns(workload_id=pl.lit("log"), phase=pl.lit(0), memory_gb=pl.lit(0.0))
    return {
        "jobs": log.select("workload_id", "job_id", "submit_s", "nodes", "walltime_s"),
        "phases": log.select("workload_id", "job_id", "phase", "memory_gb", duration_s="runtime_s"),
    }


def run(runs: int, scratch: Path, *, tiny: bool) -> Iterator[Figure]:
    """Times of kernel, plain loop and replay; of the process, and of AccaSim on the same log."""
    path = scratch / "log" / "log.swf"
    path.parent.mkdir()
    write_log(path, 1, 300) if tiny else write_log(path, COPIES)
    log = _read(path.parent, scratch / "read")
    inputs, count = inputs_of(log), len(log)
    kernel, plain_s = Kernel(inputs, PROCESSORS), np.empty(count)
    jobs = kernel.jobs.model
    calls = {
        "kernel": kernel.run,
        "plain loop": lambda: plain_loop.schedule(
            jobs.release_s, jobs.nodes, jobs.optimal_s, jobs.walltime_s, PROCESSORS, plain_s
        ),
        "replay": lambda: hpc_memory.replay(inputs, SCENARIO),
    }
    times = alternating(calls, runs)
    for name, taken in times.items():
        yield rate(name, count, taken, "jobs", "tables in, tables out" if name == "replay" else "")
    yield ratio("kernel / plain loop", times["kernel"], times["plain loop"], "goal: at most 1.5")
    yield Figure("same starts as plain loop", [100 * float(np.mean(plain_s == kernel.start_s))], "%")

    command = [sys.executable, "-m", "bench.easy", path.parent, scratch / "ingested", scratch / "schedule.parquet"]
    _timed(command)
    own = [_timed(command)[0] for _ in range(runs)]
    yield Figure("process", own, "s", "log in, schedule out, imports among it")
    try:
        peer = [_accasim(path, scratch) for _ in range(runs)]
    except Unavailable as reason:
        yield Figure("AccaSim", [], "s", str(reason))
        return
    process_s, simulation_s = zip(*peer, strict=True)
    yield Figure("AccaSim, process", process_s, "s", f"AccaSim {ACCASIM}, EASYBackfilling, FirstFit on one node")
    yield ratio("AccaSim / ours, simulation", simulation_s, times["kernel"], "its simulation parses the log")
    yield ratio("AccaSim / ours, process", process_s, own)


SCENARIO = pl.DataFrame(
    {"scenario_id": ["easy"], "scheduler": ["unlimited"], "workload_id": ["log"], "nodes": [PROCESSORS]}
)


def _timed(command: Sequence[str | Path]) -> tuple[float, str]:
    """Wall time of a process and what it printed. Raises Unavailable where it fails or takes too long."""
    began = time.perf_counter()
    try:
        done = subprocess.run(
            list(map(str, command)), cwd=environments.ROOT, capture_output=True, text=True, timeout=PEER_LIMIT_S,
            check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unavailable(f"stopped after {PEER_LIMIT_S:g} s") from None
    except subprocess.CalledProcessError as error:
        raise Unavailable((error.stderr.strip().splitlines() or ["no message"])[-1]) from None
    return time.perf_counter() - began, done.stdout


def _accasim(log: Path, scratch: Path) -> tuple[float, float]:
    """Seconds of AccaSim as a process, and of its simulation alone, on one node that has all processors as cores."""
    python = environments.environment(environments.FOLDER / "accasim", f"AccaSim {ACCASIM}", [f"accasim=={ACCASIM}"])
    system = {"start_time": 0, "equivalence": {"processor": {"core": 1}}}
    system |= {"groups": {"all": {"core": PROCESSORS}}, "resources": {"all": 1}}
    (scratch / "system.json").write_text(json.dumps(system), encoding="utf-8")
    driver = Path(__file__).with_name("accasim_driver.py")
    wall_s, said = _timed([python, "-I", "-W", "ignore", driver, log, scratch / "system.json", scratch])
    if not said.strip():
        raise Unavailable("AccaSim wrote no schedule")
    return wall_s, float(said.split()[-1])


def _read(drop: Path, scratch: Path) -> pl.DataFrame:
    ingest(drop, scratch)
    # Ties of submission go by job number, which an id is not.
    return pl.read_parquet(scratch / "jobs.parquet").with_columns(pl.col("job_id").cast(pl.Int64))


def main(drop: Path, scratch: Path, schedule: Path) -> None:
    """Write the EASY schedule of the SWF log in folder `drop`."""
    log = _read(drop, scratch)
    storage.write(hpc_memory.replay(inputs_of(log), SCENARIO)["outcomes"].select("job_id", "start_s"), schedule)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
