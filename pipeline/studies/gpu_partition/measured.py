"""Task sets of applications whose run time against SMs was measured: costs as fitted, periods drawn."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.studies.gpu_partition.generate import DEADLINE, most_utilisation, uunifast

ATTEMPTS = 10_000
"""Vectors of utilisations that are drawn before a set is given up as too serial for its load."""
ASSUMED = "assumed"
"""Where a conflict factor is from that no pair tells: the paper, by kind."""


def task_set(
    rng: np.random.Generator, costs: pl.DataFrame, n: int, total: float, sms: int, pairs: str = tables.MEASURED
) -> pl.DataFrame:
    """n tasks with a parallel utilisation `total` (sum of work/period, SMs), each one run of an application a period.

    costs: task_costs of one trace, an application a row; pairs: what its pairs are, measured or generated. Every
    application occurs as often as any other, or once more, by lot. Utilisations are drawn by UUniFast with discard,
    where no task may be late alone on all SMs; the period of a task follows from its utilisation and its work, its
    deadline is 0.75 of that. Returns the columns of GpuPartitionTask without taskset_id, sorted by task_id,
    `<application>#<copy>`. Raises ValueError where the applications are too serial to make the utilisation.
    """
    rounds = [rng.permutation(len(costs)) for _ in range(-(-n // len(costs)))]
    drawn = np.concatenate(rounds)[:n]
    chosen = costs[drawn]
    most = most_utilisation(sms, chosen["serial_fraction"].to_numpy())
    period = chosen["work"].to_numpy() / uunifast(rng, n, total, most, ATTEMPTS)
    copy = pl.Series(np.arange(n) // len(costs) + 1)
    factor = pl.col("conflict_factor")
    return chosen.select(
        "app", "work", "kind", "serial_fraction", "conflict_factor", "least_sms",
        task_id=pl.format("{}#{}", "app", copy),
        period=pl.Series(period),
        deadline=pl.Series(DEADLINE * period),
        cost_origin=pl.lit(tables.FITTED),
        conflict_origin=pl.when(factor.is_not_null()).then(pl.lit(pairs)).otherwise(pl.lit(ASSUMED)),
        period_origin=pl.lit(tables.SYNTHETIC),
    ).sort("task_id")  # fmt: skip
