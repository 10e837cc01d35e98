"""Figure 4 of the paper at full size: 30 batches of 1000 jobs, all schedulers, eight memory sizes, two processes."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from bench.measure import Child, child
from bench.results import Figure, rates
from bench.settings import Settings
from pipeline.runtime import sources
from pipeline.stages.scenarios import write_scenarios

BATCHES, TINY_BATCHES = 30, 2
JOBS, TINY_JOBS = 1000, 10
WORKERS = 2
CHUNKS, TINY_CHUNKS = 2, 1
TINY_SCHEDULERS = ["priority", "unlimited"]
STUDY = "hpc_memory"


def run(settings: Settings) -> Iterator[Figure]:
    """Time and memory of the replays as the workflow runs them: a process per scheduler and chunk, two at a time."""
    scenarios = _scenarios(
        settings.folder("figure4"), settings.size(BATCHES, TINY_BATCHES), settings.size(JOBS, TINY_JOBS)
    )
    schedulers = settings.size(sources.schedulers(STUDY), TINY_SCHEDULERS)
    warm = _scenarios(settings.folder("figure4-warm"), 1, TINY_JOBS)
    _replay(warm, schedulers, 1)

    walls, largest, together, cpu = [], [], [], []
    for _ in range(settings.long_runs):
        began = time.perf_counter()
        children = _replay(scenarios, schedulers, settings.size(CHUNKS, TINY_CHUNKS))
        walls.append(time.perf_counter() - began)
        largest.append(max(c.peak_gb for c in children))
        together.append(_together_gb(children))
        cpu.append(sum(c.cpu_s for c in children))

    rows = pl.read_parquet(scenarios / "scenarios.parquet").filter(pl.col("scheduler").is_in(schedulers))
    jobs = pl.read_parquet(scenarios / "jobs.parquet").group_by("workload_id").len("jobs")
    replayed = rows.join(jobs, on="workload_id", how="left")["jobs"].sum()
    note = f"{len(rows)} scenarios of {rows['workload_id'].n_unique()} batches; unlimited knows no memory size"
    yield Figure("jobs replayed", [replayed], "jobs", note)
    yield Figure("all replays", walls, "s", f"{WORKERS} processes at a time, kernels compiled before; goal: below 60")
    yield Figure("all replays, CPU", cpu, "s", "imports of all processes among it")
    yield rates("all replays", replayed, walls, "jobs/s")
    yield Figure("largest process, peak memory", largest, "GB")
    yield Figure("processes together, peak memory", together, "GB", "sum of peaks, an upper bound; goal: below 1.5")


def _scenarios(folder: Path, batches: int, jobs: int) -> Path:
    """Workloads and scenarios of the figure, as the stage before writes them."""
    sweep = {"workload": "phased", "batches": batches, "jobs": jobs}
    settings = folder / "settings.json"
    settings.write_text(json.dumps({STUDY: {"sweeps": {"figure4": sweep}, "timeline": 0}}), encoding="utf-8")
    write_scenarios(STUDY, settings, [], folder / "scenarios")
    return folder / "scenarios"


def _replay(scenarios: Path, schedulers: list[str], chunks: int) -> list[Child]:
    """One process per scheduler and chunk, WORKERS at a time."""
    target = scenarios.with_name("replay")
    shutil.rmtree(target, ignore_errors=True)

    def one(job: tuple[str, int]) -> Child:
        scheduler, chunk = job
        command = [sys.executable, "-m", "pipeline", "--quiet", "replay", STUDY, scheduler, "--scenarios", scenarios]
        options = ["--chunk", str(chunk), "--chunks", str(chunks), "--target", target / scheduler / str(chunk)]
        return child([*command, *options])

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, itertools.product(schedulers, range(chunks))))


def _together_gb(children: list[Child]) -> float:
    """The largest sum of the peaks of processes that run at the same time."""
    return max(
        sum(other.peak_gb for other in children if other.began_s <= one.began_s < other.began_s + other.wall_s)
        for one in children
    )
