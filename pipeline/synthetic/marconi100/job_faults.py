"""Faults of the real job tables, put into a generated one on purpose and counted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl

from pipeline.synthetic.marconi100.job_table import UNLIMITED, UNSET

JOBS_A_FAULT = 5_000
"""Jobs to one fault of each kind that spoils a row; every kind occurs at least once while there are jobs for it."""
SPOILED = (
    "nodes_null",
    "nodes_empty",
    "nodes_garbage",
    "start_missing",
    "end_missing",
    "end_before_start",
    "repeated",
)
"""Faults of which a job has one at most. `repeated`: an earlier row of the same job, of a run that ended half-way."""
HARMLESS = {
    "run_time_null": 0.05,
    "time_limit_unlimited": 0.02,
    "time_limit_unset": 0.01,
    "shared_empty": 0.03,
    "tres_req_empty": 0.03,
}
"""Shares of rows with faults that other columns make good."""
GARBAGE = ("None assigned", "[680, ", "r206n10,r206n11", "[nan]", "(null)")
_NODES = {"nodes_null": None, "nodes_empty": "[]"}


def put_into(
    rng: np.random.Generator, table: pl.DataFrame, may_spoil: np.ndarray
) -> tuple[pl.DataFrame, pl.Series, Counter[str]]:
    """The table with faults, by end of the jobs; the fault of each row given, or null; and how many of each kind.

    `may_spoil` says which rows may lose what tells where and when they ran, half of them at most do.
    """
    spoilt = _spoilt(rng, table.height, may_spoil)
    harmless = {name: pl.Series(rng.random(table.height) < share) for name, share in HARMLESS.items()}
    harmless["time_limit_unset"] &= ~harmless["time_limit_unlimited"]
    garbage = pl.Series(rng.choice(GARBAGE, table.height))
    fault = pl.col("fault")
    half_way = pl.col("start_time") + (pl.col("end_time") - pl.col("start_time")) / 2
    half_way = half_way.dt.truncate("1s")
    unlimited, unset = harmless["time_limit_unlimited"], harmless["time_limit_unset"]
    whole = table.with_columns(spoilt.alias("fault"), pl.col("end_time").alias("ended"))
    earlier = whole.filter(fault == "repeated").with_columns(
        half_way.alias("end_time"), half_way.alias("ended"), pl.lit("NODE_FAIL").alias("job_state")
    )
    earlier = earlier.with_columns(run_time=(pl.col("end_time") - pl.col("start_time")).dt.total_seconds())
    faulty = whole.with_columns(
        pl.when(fault.is_in(list(_NODES)))
        .then(fault.replace_strict(_NODES, default=None))
        .when(fault == "nodes_garbage")
        .then(garbage)
        .otherwise("nodes")
        .alias("nodes"),
        pl.when((fault == "start_missing").not_().fill_null(True)).then("start_time").alias("start_time"),
        pl.when(fault == "end_before_start")
        .then(pl.col("start_time") - pl.duration(hours=1))
        .when((fault == "end_missing").not_().fill_null(True))
        .then("end_time")
        .alias("end_time"),
        pl.when(~harmless["run_time_null"]).then("run_time").alias("run_time"),
        pl.when(unlimited).then(UNLIMITED).when(unset).then(UNSET).otherwise("time_limit").alias("time_limit"),
        pl.when(unlimited)
        .then(pl.lit("UNLIMITED"))
        .when(unset)
        .then(pl.lit("Partition_Limit"))
        .otherwise("time_limit_str")
        .alias("time_limit_str"),
        pl.when(harmless["shared_empty"]).then(pl.lit("")).otherwise("shared").alias("shared"),
        pl.when(harmless["tres_req_empty"]).then(pl.lit("")).otherwise("tres_req_str").alias("tres_req_str"),
    )
    counts = Counter(spoilt.drop_nulls().to_list())
    counts.update({name: int(rows.sum()) for name, rows in harmless.items() if rows.any()})
    rows = pl.concat([earlier.cast(dict(faulty.schema)), faulty]).sort("ended", maintain_order=True)
    return rows.select(table.columns).cast(dict(table.schema)), spoilt, counts


def _spoilt(rng: np.random.Generator, rows: int, may_spoil: np.ndarray) -> pl.Series:
    each = max(1, rows // JOBS_A_FAULT)
    candidates = rng.permutation(np.flatnonzero(may_spoil))[: may_spoil.sum() // 2]
    chosen = candidates[: each * len(SPOILED)]
    fault = np.full(rows, None, dtype=object)
    # Round robin: where jobs are few, as many kinds as there are jobs.
    fault[chosen] = np.resize(np.array(SPOILED, dtype=object), chosen.size)
    return pl.Series("fault", fault.tolist(), dtype=pl.String)
