"""Ways to run a queue that a log is replayed under, simplest first. batch_system.py has the parameters."""

from __future__ import annotations

from typing import Any, NamedTuple


class Setting(NamedTuple):
    """A dialect: its name, what it is in a sentence, and the columns of its scenarios."""

    name: str
    about: str
    columns: dict[str, Any]


def _reserve(depth: int, **columns: Any) -> dict[str, Any]:
    return {"backfilling": "reserve", "reserve_depth": depth, **columns}


KEPT = {"reservations": "kept"}
SLURM = {
    "backfill_interval_s": 30.0,
    "backfill_depth": 500,
    "backfill_resolution_s": 60.0,
    "backfill_window_s": 86400.0,
}
"""Defaults of Slurm: bf_interval, bf_max_job_test, bf_resolution, bf_window (slurm.conf, SchedulerParameters)."""
LAGS = {"launch_lag_s": 2.0, "release_lag_s": 3.0}
"""Seconds from the decision to the start of a job, and from its end to its nodes being free."""

SETTINGS = (
    Setting("fcfs", "jobs start in the order of their submission; none overtakes another", {"backfilling": "fcfs"}),
    Setting("easy", "the first waiting job holds a reservation; others start where they do not delay it", _reserve(1)),
    Setting("first_fit", "no job holds a reservation: each starts as soon as it fits", _reserve(0)),
    Setting("depth_10", "the first 10 waiting jobs hold reservations, made anew at every pass", _reserve(10)),
    Setting("depth_50", "the first 50 do", _reserve(50)),
    Setting("conservative", "all waiting jobs hold reservations, made anew at every pass", _reserve(-1)),
    Setting("depth_10_kept", "as depth_10; a reservation is kept and moves only forward", _reserve(10, **KEPT)),
    Setting("depth_50_kept", "as depth_50, reservations kept", _reserve(50, **KEPT)),
    Setting("conservative_kept", "as conservative, reservations kept", _reserve(-1, **KEPT)),
    Setting("easy_lags", "as easy; starts and ends of jobs take some seconds", _reserve(1, **LAGS)),
    Setting("conservative_lags", "as conservative; starts and ends take some seconds", _reserve(-1, **LAGS)),
    Setting("slurm_easy", "as easy, with Slurm's backfill interval, resolution and window", _reserve(1, **SLURM)),
    Setting("slurm_depth_10", "as depth_10, with those", _reserve(10, **SLURM)),
    Setting("slurm", "as conservative, with those: Slurm's sched/backfill by default", _reserve(-1, **SLURM)),
    Setting("slurm_lags", "as slurm; starts and ends of jobs take some seconds", _reserve(-1, **SLURM, **LAGS)),
)
