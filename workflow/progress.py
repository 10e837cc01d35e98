"""One line a finished job: how far a run has come, and about how long it may yet take.

How long a job takes is read from its benchmark file, which the last run of it left. A job that has none is taken to
last as long as in a run that ships with the project (workflow/usual_times.csv), scaled by how this run goes; what has
to be compiled counts with the first job that needs it. What is left is then laid out on the cores as Snakemake would,
so that the last jobs, which wait for all others, count in full. All that Snakemake says is in its log file below
.snakemake/log.
"""

from __future__ import annotations

import csv
import heapq
import logging
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from statistics import fmean

from snakemake_interface_logger_plugins.common import LogEvent

SAID_HERE = {LogEvent.JOB_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS}
"""What the lines below represent on the screen."""
OF_NO_USE = (
    "Select jobs to execute...",
    # The rules `warehouse` and `database` (workflow/rules/warehouse.smk) share their work, as is meant; so do `report`
    # and `page`.
    "Touching output file results/warehouse.done",
    "Touching output file results/report.done",
    "Warning: the following output files of rule database were not present",
    "Warning: the following output files of rule page were not present",
)
"""Beginnings of messages that would only puzzle whoever watches a run."""
USUAL = Path(__file__).with_name("usual_times.csv")
"""Seconds of each job of a run of a configuration, by its benchmark file below results/logs, and of what it has to
compile first, by stage and study. `python workflow/usual.py` writes it."""
DEFAULT = "default"
COMPILING = "compiling"
LEAST_SHARE = 0.02
"""Share of a first run, by its usual times, that has to be done before its time left is told."""


@dataclass(frozen=True)
class Job:
    """A job of a run.

    needs: jobs of this run that come before it. earlier_s: how long it took the last time. usual_s: how long it, or
    one like it, took in the run that ships. stage: ingest, fit, scenarios/<study>, replay/<study> and so on.
    """

    label: str
    needs: frozenset[int] = frozenset()
    earlier_s: float | None = None
    usual_s: float = 0.0
    stage: str = ""


@dataclass
class Course:
    """What of a run is done, and when it began. Times are seconds of one clock.

    compiling_s: stage to the usual time of compiling what its jobs need, where that has still to be done.
    """

    jobs: Mapping[int, Job]
    cores: int
    compiling_s: Mapping[str, float] = field(default_factory=dict)
    started_s: dict[int, float] = field(default_factory=dict)
    took_s: dict[int, float] = field(default_factory=dict)

    def begin(self, ids: Iterable[int], now_s: float) -> None:
        """Jobs have started."""
        self.started_s |= dict.fromkeys(ids, now_s)

    def end(self, job: int, now_s: float) -> None:
        """A job is done."""
        self.took_s[job] = now_s - self.started_s.get(job, now_s)

    def left_s(self, now_s: float) -> float | None:
        """Estimate of the time left; None where too little is done to tell."""
        left = {job: about for job, about in self.jobs.items() if job not in self.took_s}
        compiling = self._compiling()
        new = {job: about for job, about in self.jobs.items() if about.earlier_s is None}
        usual = {job: about.usual_s + compiling.get(job, 0.0) for job, about in new.items()}
        done = [job for job in new if job in self.took_s]
        if sum(usual[job] for job in done) < LEAST_SHARE * sum(usual.values()):
            return None
        pace = self._paces([job for job in done if job not in compiling])
        compiled = [job for job in done if job in compiling]
        longer_s = sum(self.took_s[job] - new[job].usual_s * pace(new[job].stage) for job in compiled)
        of_compiling = max(longer_s, 0.0) / sum(compiling[job] for job in compiled) if compiled else pace("")
        expected = {
            job: about.usual_s * pace(about.stage) + compiling.get(job, 0.0) * of_compiling
            if about.earlier_s is None
            else about.earlier_s
            for job, about in left.items()
        }
        for job in expected.keys() & self.started_s.keys():
            expected[job] = max(expected[job] - (now_s - self.started_s[job]), 0.0)
        needs = {job: about.needs & left.keys() for job, about in left.items()}
        return makespan_s(expected, needs, self.cores, self.started_s)

    def _compiling(self) -> dict[int, float]:
        """Usual time of compiling, in the jobs that do: the first of each stage, one per core, wait for each other."""
        first: dict[str, list[int]] = {stage: [] for stage in self.compiling_s}
        for job in dict.fromkeys((*self.started_s, *self.jobs)):
            of_stage = first.get(self.jobs[job].stage, []) if job in self.jobs else []
            if len(of_stage) < self.cores:
                of_stage.append(job)
        return {job: self.compiling_s[stage] / len(jobs) for stage, jobs in first.items() for job in jobs}

    def _paces(self, done: Collection[int]) -> Callable[[str], float]:
        """How long jobs of a stage take in this run, as a multiple of the usual time.

        That of the stages of one kind (all replays) where some are done, else that of all. done: jobs that compile
        nothing.
        """
        took: dict[str, float] = {}
        takes: dict[str, float] = {}
        for job in done:
            for kind in ("", self.jobs[job].stage.partition("/")[0]):
                took[kind] = took.get(kind, 0.0) + self.took_s[job]
                takes[kind] = takes.get(kind, 0.0) + self.jobs[job].usual_s

        def pace(stage: str) -> float:
            kind = stage.partition("/")[0]
            known = next((name for name in (kind, "") if takes.get(name)), None)
            return 1.0 if known is None else took[known] / takes[known]

        return pace


def makespan_s(
    seconds: Mapping[int, float], needs: Mapping[int, Collection[int]], cores: int, running: Collection[int] = ()
) -> float:
    """Length of the list schedule of jobs on equal cores, the running and then the longest ones first.

    seconds: job to duration; needs: job to the jobs that have to end before it starts.
    """
    waiting = {job: len(needs[job]) for job in seconds}
    followers: dict[int, list[int]] = {job: [] for job in seconds}
    for job in seconds:
        for before in needs[job]:
            followers[before].append(job)
    ready = [(job not in running, -seconds[job], job) for job, count in waiting.items() if not count]
    heapq.heapify(ready)
    busy: list[tuple[float, int]] = []
    now = 0.0
    while ready or busy:
        while ready and len(busy) < cores:
            _, negative, job = heapq.heappop(ready)
            heapq.heappush(busy, (now - negative, job))
        now, ended = heapq.heappop(busy)
        for job in followers[ended]:
            waiting[job] -= 1
            if not waiting[job]:
                heapq.heappush(ready, (True, -seconds[job], job))
    return now


def worded(seconds: float) -> str:
    """A duration as one says it: 40 s, 3 min, 1 h 20 min."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def seconds_of(benchmark: str | Path | None) -> float | None:
    """Seconds in a benchmark file of Snakemake; None where it is not there or has none."""
    if not benchmark or not Path(benchmark).is_file():
        return None
    with Path(benchmark).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    try:
        return float(rows[-1]["s"])
    except (IndexError, KeyError, TypeError, ValueError):
        return None


def job_of(benchmark: str | Path) -> str:
    """Name of the job that leaves a benchmark file: its path below results/logs, without the ending."""
    return str(benchmark).partition("results/logs/")[2].removesuffix(".tsv")


def stage_of(job: str) -> str:
    """Stage of a job by its name: ingest, fit, warehouse and so on, with the study where the stage has one."""
    below = job.split("/")
    return "/".join(below[: 2 if below[0] in ("replay", "scenarios") else 1])


class UsualTimes:
    """What workflow/usual_times.csv says of a configuration, by the name of its file without the ending.

    Of one that it does not know: what it says of the default. Times are seconds.
    """

    def __init__(self, configuration: str = DEFAULT, path: Path = USUAL):
        self._seconds: dict[str, float] = {}
        self._compiling: dict[str, float] = {}
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if all(row["configuration"] != configuration for row in rows):
            configuration = DEFAULT
        for row in rows:
            if row["configuration"] == configuration:
                stage = row["job"].removeprefix(f"{COMPILING}/")
                known = self._seconds if stage == row["job"] else self._compiling
                known[stage] = float(row["seconds"])

    def seconds(self, job: str) -> float:
        """Time of a job; where it is not known, the mean of those that it is nearest to."""
        if job in self._seconds:
            return self._seconds[job]
        for folder in PurePosixPath(job).parents if job else ():
            near = [known for other, known in self._seconds.items() if PurePosixPath(other).is_relative_to(folder)]
            if near:
                return fmean(near)
        return 0.0

    def compiling(self, studies: Collection[str]) -> dict[str, float]:
        """Stage to the time of compiling what its jobs need, where of these studies nothing is compiled.

        Stages of no study, such as the fits, compile where nothing is compiled of any.
        """
        of_stages = {stage: stage.partition("/")[2] for stage in self._compiling}
        nothing = set(filter(None, of_stages.values())) <= set(studies)
        return {
            stage: self._compiling[stage]
            for stage, study in of_stages.items()
            if (study in studies if study else nothing)
        }


class Announcer(logging.Handler):
    """Turns Snakemake's events into lines of progress, said through its own logger."""

    def __init__(self, course: Course, say: logging.Logger):
        super().__init__()
        self.course, self.say = course, say
        self._ended: list[int] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of an event; at one of progress, say where the run stands."""
        event = getattr(record, "event", None)
        now = time.monotonic()
        if event == LogEvent.JOB_STARTED:
            self.course.begin(record.jobs, now)
        elif event == LogEvent.JOB_FINISHED:
            self.course.end(record.job_id, now)
            self._ended.append(record.job_id)
        elif event == LogEvent.PROGRESS:
            self.say.info(self._line(record.done, record.total, now))
            self._ended.clear()

    def _line(self, done: int, total: int, now_s: float) -> str:
        known = [job for job in self._ended if job in self.course.jobs]
        ended = ", ".join(f"{self.course.jobs[job].label} {self.course.took_s[job]:.0f} s" for job in known)
        left = self.course.left_s(now_s) if done < total else None
        width = len(str(total))
        return f"{done:>{width}} of {total} steps{': ' if ended else ''}{ended}" + (
            f" – about {worded(left)} left" if left else ""
        )


def announce(
    dag, cores: int, logger: logging.Logger, to_compile: Collection[str] = (), configuration: str = DEFAULT
) -> None:
    """Say the progress of the run of `dag` (Snakemake's) through `logger`, in place of what Snakemake says of a job.

    to_compile: studies of which no kernel is compiled yet; configuration: as in UsualTimes.

    Nothing is left out of Snakemake's log file, nor of the screen with --verbose.
    """
    planned = {dag.jobid(job): job for job in dag.needrun_jobs()}
    ids = {job: number for number, job in planned.items()}
    usual = UsualTimes(configuration)
    jobs = {
        number: Job(
            " ".join([job.rule.name, *map(str, job.wildcards)]),
            frozenset(ids[before] for before in dag.dependencies[job] if before in ids),
            # Rules without a benchmark write a line or nothing.
            seconds_of(job.benchmark) if job.benchmark else 0.0,
            usual.seconds(job_of(job.benchmark or "")),
            stage_of(job_of(job.benchmark or "")),
        )
        for number, job in planned.items()
    }
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and logger.level > logging.DEBUG:
            handler.addFilter(
                lambda record: (
                    getattr(record, "event", None) not in SAID_HERE and not str(record.msg).startswith(OF_NO_USE)
                )
            )
            signal.signal(signal.SIGINT, partial(_interrupted, handler))
    logger.addHandler(Announcer(Course(jobs, cores, usual.compiling(to_compile)), logger))


def _interrupted(screen: logging.Handler, *_: object) -> None:
    """On Ctrl-C say one sentence in place of all that Snakemake has to say of the jobs that end with it."""
    screen.addFilter(_nothing)
    sys.stderr.write("interrupted; jobs under way leave nothing behind, and the next run takes up from here\n")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    raise KeyboardInterrupt


def _nothing(_: logging.LogRecord) -> bool:
    return False
