"""Compute or memory intensive: where the speed-up of an application stops as SMs are added.

Zahaf et al. (2021), Definition 1: the speed-up of a memory-intensive kernel stops well before all SMs are in use, as
the memory serves no more; theirs saturate near 40 of 68 SMs (Figure 3). The definition names no threshold, so both are
parameters: a gain of `gain` or less is none, and "well before" is `share` of the SMs. Slate (IPDPS 2019, Figure 1)
shows the same of a stream kernel that saturates at 9 of 30 SMs.
"""

from __future__ import annotations

import polars as pl

from pipeline.fit.sm_curve import check

COMPUTE, MEMORY = "compute", "memory"
GAIN = 0.05
SHARE = 0.8


def classify(curve: pl.DataFrame, gain: float = GAIN, share: float = SHARE, sms: int | None = None) -> pl.DataFrame:
    """Kind of each application by its curve of run time against SMs.

    curve: app, sms, time_s (s). gain: speed-up over a point that counts as more (0.05 = 5 %); share: of the GPU's SMs;
    sms: SMs of the GPU (default: the most of each curve). Returns app, kind (compute or memory), saturation_sms: the
    least measured number of SMs from which no larger one is faster by more than `gain`; sorted by app. Applications
    measured at one number of SMs are left out. Raises ValueError for a missing column, values that are not positive,
    a gain below 0 and a share outside (0, 1].
    """
    check(curve)
    if not gain >= 0:
        raise ValueError(f"gain is {gain}; it must be at least 0")
    if not 0 < share <= 1:
        raise ValueError(f"share is {share}; it must lie in (0, 1]")
    points = (
        curve.group_by("app", "sms")
        .agg(pl.col("time_s").min())
        .sort("app", "sms")
        .filter(pl.len().over("app") > 1)
        .with_columns(best_s=pl.col("time_s").reverse().cum_min().reverse().over("app"))
    )
    saturated = pl.col("time_s") <= (1 + gain) * pl.col("best_s")
    # Non-monotone curves: from the saturation on, every point must be saturated, not this one alone.
    unsaturated_later = (~saturated).reverse().cum_max().reverse()
    whole = pl.col("sms").max() if sms is None else pl.lit(sms)
    return (
        points.with_columns(later=unsaturated_later.over("app"))
        .group_by("app", maintain_order=True)
        .agg(saturation_sms=pl.col("sms").filter(~pl.col("later")).first(), whole=whole.first())
        .select(
            "app",
            kind=pl.when(pl.col("saturation_sms") <= share * pl.col("whole"))
            .then(pl.lit(MEMORY))
            .otherwise(pl.lit(COMPUTE)),
            saturation_sms=pl.col("saturation_sms"),
        )
    )
