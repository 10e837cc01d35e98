"""EASY backfilling of a long log, beside a plain loop and AccaSim."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from bench import logs
from bench.kernel import Kernel, deepest_queue
from bench.measure import Child, alternating, child, seconds
from bench.peers import Run, Unavailable, accasim, plain_loop, same_starts
from bench.results import Figure, quotients, rates
from bench.settings import Settings
from pipeline.studies import hpc_memory

JOBS, TINY_JOBS = 100_000, 300
DEPTHS = {1: "EASY by the general form", 50: "goal: at most 1000", -1: "conservative; goal: at most 2000"}
"""Reservations that the general form is measured with, and what each is."""
PEER_LIMIT_S = 180.0
"""A peer that takes longer replays a tenth of the log."""

Peer = Callable[[Path], Run]
"""Replays an SWF log; raises Unavailable where it cannot, TimeoutError where it takes too long."""


def run(settings: Settings) -> Iterator[Figure]:
    """Figures of this project, then of each peer with the ratio to ours."""
    count = settings.size(JOBS, TINY_JOBS)
    log = logs.jobs(count)
    inputs = logs.inputs(log)
    kernel = Kernel(inputs, "unlimited", logs.PROCESSORS)
    arrays = kernel.jobs.model
    plain_s = np.empty(count)

    def plain() -> None:
        plain_loop.schedule(
            arrays.release_s, arrays.nodes, arrays.optimal_s, arrays.walltime_s, logs.PROCESSORS, plain_s
        )

    times = alternating({"kernel": kernel.run, "plain": plain}, settings.runs)
    yield Figure("jobs", [count], "jobs", f"Lublin-Feitelson, {logs.PROCESSORS} processors, load {logs.LOAD}")
    yield Figure("deepest queue", [deepest_queue(arrays.release_s, kernel.start_s)], "jobs")
    yield Figure("kernel", [1000 * s for s in times["kernel"]], "ms", "arrays in and out, one thread; goal: at most 80")
    yield rates("kernel", count, times["kernel"], "jobs/s")
    yield Figure(
        "plain loop", [1000 * s for s in times["plain"]], "ms", "EASY and nothing else, same arrays: lower bound"
    )
    yield quotients("kernel / plain loop", times["kernel"], times["plain"])
    yield Figure("same starts as plain loop", [100 * float(np.mean(plain_s == kernel.start_s))], "%")

    for depth in DEPTHS:
        reserving = Kernel(inputs, "unlimited", logs.PROCESSORS, backfilling="reserve", reserve_depth=depth)
        its_s = seconds(reserving.run, settings.runs)
        yield Figure(f"kernel, reserve_depth {depth}", [1000 * s for s in its_s], "ms", DEPTHS[depth])

    tables_s = seconds(lambda: hpc_memory.replay(inputs, logs.scenario()), settings.runs)
    yield Figure("replay", [1000 * s for s in tables_s], "ms", "tables in, tables out")
    yield rates("replay", count, tables_s, "jobs/s")

    scratch = settings.folder("easy")
    path = logs.write_swf(log, scratch / "log")
    _own_process(path, scratch, "easy")
    processes = [_own_process(path, scratch, "easy") for _ in range(settings.long_runs)]
    yield Figure("process", [p.wall_s for p in processes], "s", "log in, schedule out, imports among it")
    yield Figure("process, peak memory", [p.peak_gb for p in processes], "GB")

    yield from _beside(settings, log, "AccaSim", "easy", _accasim(settings))


def _accasim(settings: Settings) -> Peer:
    def peer(path: Path) -> Run:
        python = accasim.environment(settings.environments / "accasim")
        return accasim.run(python, path, logs.PROCESSORS, settings.folder("easy") / "accasim", PEER_LIMIT_S)

    return peer


def _own_process(path: Path, scratch: Path, backfilling: str) -> Child:
    """This project as a process: log in, schedule out."""
    command = [sys.executable, "-m", "bench.whole_replay", path.parent, scratch / "ingested"]
    return child([*command, scratch / "schedule.parquet", backfilling])


def _beside(settings: Settings, log: pl.DataFrame, name: str, backfilling: str, peer: Peer) -> Iterator[Figure]:
    """A peer, our process and our kernel in turn on one log; on its first tenth where the peer is too slow for it."""
    scratch, note = settings.folder("easy"), f"beside our {backfilling}"
    try:
        try:
            first = peer(path := logs.write_swf(log, scratch / "log"))
        except TimeoutError:
            note += f"; {len(log) // 10} jobs, since {len(log)} take it more than {PEER_LIMIT_S:g} s"
            log = log.head(len(log) // 10)
            first = peer(path := logs.write_swf(log, scratch / "log"))
        kernel = Kernel(logs.inputs(log), "unlimited", logs.PROCESSORS, backfilling=backfilling)
        runs, own, kernel_s = [], [], []
        for number in range(settings.long_runs):
            runs.append(peer(path) if number else first)
            own.append(_own_process(path, scratch, backfilling))
            kernel_s.append(statistics.median(seconds(kernel.run, 3)))
    except (Unavailable, TimeoutError) as reason:
        yield Figure(name, [], "s", str(reason))
        return
    simulation_s = [run.simulation_s for run in runs]
    yield Figure(f"{name}, simulation", simulation_s, "s", f"{runs[0].program}, {note}")
    yield Figure(f"{name}, process", [run.process.wall_s for run in runs], "s")
    yield Figure(f"{name}, peak memory", [run.process.peak_gb for run in runs], "GB")
    yield quotients(
        f"{name} / ours, simulation", simulation_s, kernel_s, "its simulation, which parses the log, by our kernel"
    )
    yield quotients(f"{name} / ours, process", [r.process.wall_s for r in runs], [o.wall_s for o in own])
    yield quotients(f"{name} / ours, peak memory", [r.process.peak_gb for r in runs], [o.peak_gb for o in own])

    starts_s, submit_s = kernel.start_s + kernel.jobs.submit_s[0], kernel.jobs.submit_s
    same = same_starts(runs[0].schedule, kernel.jobs.job_id, starts_s)
    waits = runs[0].schedule.join(log.select("job_id", "submit_s"), on="job_id", validate="1:1")
    yield Figure(f"{name}, same starts as ours", [100 * same], "%", "of all jobs")
    yield Figure(f"{name}, mean wait", [(waits["start_s"] - waits["submit_s"]).mean()], "s")
    yield Figure(f"{name}, mean wait of ours", [float(np.mean(starts_s - submit_s))], "s", note)
