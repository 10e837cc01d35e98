"""A task set of a driver assistance system on a GPU, drawn at random with the periods of automotive software."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from pipeline.statistics.streams import stream
from pipeline.synthetic.drop import describe, require_positive

PERIODS_MS = {10: 0.05, 20: 0.25, 33: 0.25, 50: 0.15, 100: 0.2, 200: 0.05, 1000: 0.05}
"""Share of tasks by period. Automotive software has periods of 1 to 1000 ms (Kramer, Ziegenbein, Hamann, "Real world
automotive benchmarks for free", WATERS 2015); 33 ms is a camera of 30 frames a second; the shares are ours."""
STAGES = (
    ("lens_correction", "memory"), ("resize", "memory"), ("lidar_filter", "memory"), ("optical_flow", "memory"),
    ("stereo_depth", "memory"), ("object_detection", "compute"), ("lane_detection", "compute"),
    ("segmentation", "compute"), ("tracking", "compute"), ("localisation", "compute"),
    ("path_planning", "compute"), ("sensor_fusion", "memory"),
)  # fmt: skip
"""Names and kinds of the kernels, in turn; the kinds are guesses, as good as the work that is drawn."""


def task_table(seed: int, tasks: int = 24, load: float = 24.0) -> pl.DataFrame:
    """Tasks (task_id, period, deadline, work, kind), milliseconds, with a sum of work / period of `load` SMs.

    Deadlines are 75 % of the periods, as in Zahaf et al. 2021; utilisations are uniform over the simplex.
    """
    require_positive(load, tasks=tasks)
    rng = stream(seed, "tasks")
    period = rng.choice(np.array(list(PERIODS_MS), float), tasks, p=list(PERIODS_MS.values()))
    share = rng.dirichlet(np.ones(tasks)) * load
    turns = [(name, kind, 1 + i // len(STAGES)) for i, (name, kind) in enumerate(_in_turn(tasks))]
    return pl.DataFrame(
        {
            "task_id": [f"{name}_{number}" for name, _, number in turns],
            "period": period,
            "deadline": 0.75 * period,
            "work": (share * period).round(3).clip(0.001),
            "kind": [kind for _, kind, _ in turns],
        }
    )


def _in_turn(count: int) -> list[tuple[str, str]]:
    return [STAGES[i % len(STAGES)] for i in range(count)]


def write_tasks(folder: Path, seed: int, jobs: int = 24, load: float = 24.0) -> None:
    """Write `task_table` of `jobs` tasks as a drop of the format tasks: tasks.csv and trace.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    task_table(seed, jobs, load).write_csv(folder / "tasks.csv")
    note = (
        f"Generated, not measured: pipeline.synthetic.write_tasks(seed={seed}, jobs={jobs}, load={load:g}). Times are "
        "milliseconds; periods are those of automotive software (WATERS 2015), work and kinds are drawn."
    )
    describe(folder, {"format": "tasks", "kind": "generated", "note": note})
