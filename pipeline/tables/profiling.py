"""Profiles of applications on a PIM machine: which runs belong to one curve of time against ranks, and where a time
comes from.
"""

from __future__ import annotations

import polars as pl

MEASURED, INTERPOLATED, EXTRAPOLATED = "measured", "interpolated", "extrapolated"
SOURCES = (MEASURED, INTERPOLATED, EXTRAPOLATED)
"""Where a time of a table comes from."""


RANK, DPU = "rank", "dpu"
"""What the counts of a trace are: ranks, or DPUs where `pim_unit: dpu` says so."""
DPUS_PER_RANK = 64
FAULTY_DPUS = 4
"""A rank with more than 64 less so many DPUs is a whole one, of which some DPUs are faulty."""
ALIKE = ["variant", "experiment", "dpus_per_rank", "tasklets", "block_size", "input"]
"""What runs of one curve have in common, besides trace and application; of the DPUs a rank, see `of_whole_ranks`."""

BELOW_ONE_RANK, ONE_MEASUREMENT, LARGER = "below_one_rank", "one_measurement", "larger_than_machine"
"""Why valid runs belong to no curve, beside what is wrong with a run itself."""


def of_whole_ranks(runs: pl.DataFrame) -> pl.DataFrame:
    """Runs with the DPUs that a whole rank of their curve has, in `dpus_per_rank`.

    Real machines have faulty DPUs: 2040 or 2556 instead of 2048 or 2560. So more than 60 DPUs a rank, on average, are
    whole ranks of 64. Other numbers, as 60 or 32, are what somebody chose, and make curves of their own.
    """
    nearly_whole = pl.col("dpus_per_rank").is_between(DPUS_PER_RANK - FAULTY_DPUS, DPUS_PER_RANK, closed="right")
    return runs.with_columns(
        dpus_per_rank=pl.when(nearly_whole).then(float(DPUS_PER_RANK)).otherwise(pl.col("dpus_per_rank"))
    )


def left_out_of_curves(runs: pl.DataFrame, machine: int | None) -> pl.Series:
    """Why each run belongs to no curve that has a table: its own `excluded`, or what only all runs together show.

    runs: rows of pim_runs, of which those without a time are on no curve and have no reason here; machine: stated rank
    count of the machine (null: the most that was measured). A curve has at least two rank counts, but on a machine that
    is said to have one rank.
    """
    numbered = of_whole_ranks(runs).with_row_index("place")
    usable = numbered.filter(pl.col("excluded").is_null() & (pl.col("time_s") > 0))
    fitting = usable if machine is None else usable.filter(pl.col("ranks") <= machine)
    alone = (pl.col("ranks").n_unique() == 1).over("trace", "app", *ALIKE) & pl.lit(machine != 1)
    small = (
        pl.col("unit").ne_missing(DPU)
        & (pl.col("dpus_per_rank") <= DPUS_PER_RANK - FAULTY_DPUS)
        & (pl.col("ranks") == 1)
    )
    fitting_reasons = fitting.select(
        "place",
        reason=pl.when(alone).then(pl.when(small).then(pl.lit(BELOW_ONE_RANK)).otherwise(pl.lit(ONE_MEASUREMENT))),
    )
    too_large = usable.join(fitting, on="place", how="anti").select("place", reason=pl.lit(LARGER))
    reasons = numbered.join(pl.concat([fitting_reasons, too_large]), on="place", how="left", maintain_order="left")
    return reasons.select(pl.coalesce("excluded", "reason").alias("excluded")).to_series()
