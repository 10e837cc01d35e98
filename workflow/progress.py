"""How far a run has come: a bar in a terminal, elsewhere one line a finished job.

All that Snakemake says is in its log file below .snakemake/log.
"""

from __future__ import annotations

import atexit
import logging
import signal
import sys
import time
from collections.abc import Mapping
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from snakemake_interface_logger_plugins.common import LogEvent

SAID_HERE = {LogEvent.JOB_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS}
"""What the bar or the lines represent on the screen."""
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


class Announcer(logging.Handler):
    """Turns Snakemake's events into progress: on the bar where there is one, else in lines through its own logger.

    labels: what each job is, by its number. screen: what writes to the terminal, above the bar while there is one.
    """

    def __init__(
        self,
        labels: Mapping[int, str],
        say: logging.Logger,
        bar: Progress | None = None,
        screen: logging.StreamHandler | None = None,
    ):
        super().__init__()
        self.labels, self.say, self.bar, self.screen = labels, say, bar, screen
        self.task = None if bar is None else bar.add_task("", total=len(labels))
        self._started_s: dict[int, float] = {}
        self._ended: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of an event; at one of progress, say where the run stands."""
        event = getattr(record, "event", None)
        now_s = time.monotonic()
        if event == LogEvent.JOB_STARTED:
            self._started_s |= dict.fromkeys(record.jobs, now_s)
            if self.bar is not None:
                self.bar.update(self.task, description="; ".join(self.labels.get(job, "") for job in record.jobs))
        elif event == LogEvent.JOB_FINISHED and record.job_id in self.labels:
            elapsed_s = now_s - self._started_s.get(record.job_id, now_s)
            self._ended.append(f"{self.labels[record.job_id]}, {elapsed_s:.0f} s")
        elif event == LogEvent.PROGRESS:
            self._say(record.done, record.total, "; ".join(self._ended))
            self._ended.clear()

    def _say(self, done: int, total: int, ended: str) -> None:
        if self.bar is None:
            self.say.info(f"job {done} of {total}{': ' if ended else ''}{ended}")
            return
        self.bar.update(self.task, completed=done, total=total)
        if done == total:
            self.bar.stop()
            self.screen.setStream(sys.stderr)


def announce(dag, logger: logging.Logger) -> None:
    """Say the progress of the run of `dag` (Snakemake's), in place of what Snakemake says of a job through `logger`.

    Nothing is left out of Snakemake's log file, nor of the screen with --verbose.
    """
    labels = {dag.jobid(job): " ".join([job.rule.name, *map(str, job.wildcards)]) for job in dag.needrun_jobs()}
    bar = None
    screen = next((handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"), None)
    if screen is not None and logger.level > logging.DEBUG:
        if sys.stderr.isatty():
            bar = _bar()
            screen.setStream(sys.stderr)
        screen.addFilter(
            lambda record: getattr(record, "event", None) not in SAID_HERE and not str(record.msg).startswith(OF_NO_USE)
        )
        signal.signal(signal.SIGINT, partial(_interrupted, screen, bar))
    logger.addHandler(Announcer(labels, logger, bar, screen))


def _bar() -> Progress:
    """A bar below all else that is written to the terminal, until it is stopped."""
    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    now = TextColumn("{task.description}", markup=False)
    bar = Progress(*columns, now, console=Console(stderr=True), refresh_per_second=2)
    bar.start()
    atexit.register(bar.stop)
    return bar


def _interrupted(screen: logging.Handler, bar: Progress | None, *_: object) -> None:
    """On Ctrl-C say one sentence in place of all that Snakemake has to say of the jobs that end with it."""
    screen.addFilter(lambda _: False)
    if bar is not None:
        bar.stop()
    sys.stderr.write("interrupted; jobs under way leave nothing behind, and the next run takes up from here\n")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    raise KeyboardInterrupt
