"""A whole run of the workflow in a fresh folder: time, what each stage takes of it, memory, and runs of no change."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Child, child
from bench.results import Figure
from bench.settings import Settings
from pipeline.runtime.sources import ROOT

TINY_TARGET = "results/settings/hpc_memory.json"
NOTEWORTHY_SHARE = 0.2
"""A stage that takes more of a run than this has a sentence that says why."""
WHY = {
    "replay hpc_memory": "most scenarios of all: every memory size and setting, two rounds, 1000 jobs each",
    "scenarios": "a job for each part of each study, most of which starts and computes little",
    "replay pim_graph": "each level of each traversal is simulated task by task, for nine policies",
}


@dataclass(frozen=True)
class Job:
    """A finished job of a run: its stage (replays by study), wall time in s, peak memory in GB (1e9 bytes)."""

    stage: str
    wall_s: float
    peak_gb: float


def figures(settings: Settings, name: str, configuration: str, limit_s: float, kernels: Path) -> Iterator[Figure]:
    """Figures of a configuration (a path from the root), called `name`; each of its runs takes at most `limit_s`.

    kernels: folder for the compiled kernels; what an earlier run left there need not be compiled.

    Raises ChildFailed for a run that fails, TimeoutError for one that takes longer.
    """
    cores = len(os.sched_getaffinity(0))
    folder = _folder(settings, name)
    command = ["--quiet", "all", "--configfile", configuration, "--cores", str(cores)]
    command += [TINY_TARGET] if settings.tiny else []
    compiles = "none" if kernels.is_dir() and any(kernels.iterdir()) else "all"
    first = _snakemake(folder, command, limit_s, kernels)
    jobs = finished(folder / "results" / "logs")
    again = [_snakemake(folder, command, limit_s, kernels) for _ in range(settings.long_runs)]
    from_nothing = f"from empty results on {cores} cores, {len(jobs)} timed jobs; {compiles} of the kernels to compile"
    yield Figure(f"{name}, wall", [first.wall_s], "s", from_nothing)
    yield Figure(f"{name}, CPU", [first.cpu_s], "s", "all processes")
    yield Figure(f"{name}, nothing changed", [run.wall_s for run in again], "s", "the same command once more")
    yield Figure(f"{name}, nothing changed, CPU", [run.cpu_s for run in again], "s")
    if jobs:
        yield Figure(f"{name}, largest job, peak memory", [max(job.peak_gb for job in jobs)], "GB")
    yield from shares(name, jobs)


def shares(name: str, jobs: list[Job]) -> Iterator[Figure]:
    """What each stage takes of the time of all jobs, the most first."""
    spent: dict[str, float] = {}
    for job in jobs:
        spent[job.stage] = spent.get(job.stage, 0.0) + job.wall_s
    total = sum(spent.values())
    for stage, wall_s in sorted(spent.items(), key=lambda item: (-item[1], item[0])):
        mine = [job for job in jobs if job.stage == stage]
        jobs_of = "1 job" if len(mine) == 1 else f"{len(mine)} jobs"
        note = f"{jobs_of}, {wall_s:.1f} s, at most {max(job.peak_gb for job in mine):.2f} GB"
        if wall_s > NOTEWORTHY_SHARE * total:
            note += f"; {WHY.get(stage, 'no reason is known')}"
        yield Figure(f"{name}, {stage}", [100 * wall_s / total], "%", note)


def finished(logs: Path) -> list[Job]:
    """The jobs that left a benchmark file of Snakemake (seconds s, max_rss in MiB) below the folder."""
    found = []
    for path in sorted(logs.rglob("*.tsv")):
        with path.open(newline="", encoding="utf-8") as file:
            row = list(csv.DictReader(file, delimiter="\t"))[-1]
        stage, *rest = path.relative_to(logs).with_suffix("").parts
        # A job too short to be looked at has no memory.
        peak_gb = 0.0 if row["max_rss"] in ("-", "NA") else float(row["max_rss"]) * 2**20 / 1e9
        found.append(Job(f"{stage} {rest[0]}" if stage == "replay" else stage, float(row["s"]), peak_gb))
    return found


def _folder(settings: Settings, name: str) -> Path:
    """A folder to run in, with the project's configurations and drops."""
    folder = settings.folder("whole") / name
    folder.mkdir()
    for part in ("config", "traces"):
        (folder / part).symlink_to(ROOT / part)
    return folder


def _snakemake(folder: Path, options: list[str], limit_s: float, kernels: Path) -> Child:
    command = ["env", f"NUMBA_CACHE_DIR={kernels}", Path(sys.executable).with_name("snakemake")]
    return child([*command, "--snakefile", ROOT / "Snakefile", "--directory", folder, *options], limit_s, folder)
