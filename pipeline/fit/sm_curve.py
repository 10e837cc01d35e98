"""Run time against streaming multiprocessors: T(m) = a/m + b (Zahaf et al. 2021, Section 3), by least squares."""

from __future__ import annotations

import logging

import polars as pl

log = logging.getLogger(__name__)

COLUMNS = ("app", "sms", "time_s")


def fit(curve: pl.DataFrame) -> pl.DataFrame:
    """Fit T = a/m + b with a, b >= 0 to each application's curve.

    curve: app, sms (m >= 1), time_s (s). Returns app, a (s: work of one SM that all share), b (s), r2 (null where all
    times are alike), sorted by app. Applications measured at one number of SMs have no curve and are left out. Raises
    ValueError for a missing column and for values that are not positive and finite.

    With two parameters the constrained optimum is the free one where that is admissible, else the better of the two
    with one parameter at 0.
    """
    check(curve)
    points = curve.select("app", x=1.0 / pl.col("sms").cast(pl.Float64), t=pl.col("time_s").cast(pl.Float64)).sort(
        "app", "x", "t"
    )
    points = points.with_columns(dx=pl.col("x") - pl.col("x").mean().over("app"))
    sums = points.group_by("app", maintain_order=True).agg(
        different=pl.col("x").n_unique(),
        slope=(pl.col("dx") * pl.col("t")).sum() / (pl.col("dx") ** 2).sum(),
        origin=(pl.col("x") * pl.col("t")).sum() / (pl.col("x") ** 2).sum(),
        x=pl.col("x").mean(),
        t=pl.col("t").mean(),
    )
    lonely = sums.filter(pl.col("different") < 2)["app"].to_list()
    if lonely:
        log.warning("%s: one number of SMs each, which makes no curve; not fitted", ", ".join(map(str, lonely)))
    free_b = pl.col("t") - pl.col("slope") * pl.col("x")
    fitted = sums.filter(pl.col("different") >= 2).select(
        "app",
        # A negative slope leaves a = 0, b = mean; a negative intercept b = 0, a = the line through the origin.
        a=pl.when(pl.col("slope") <= 0).then(0.0).when(free_b < 0).then("origin").otherwise("slope"),
        b=pl.when(pl.col("slope") <= 0).then("t").when(free_b < 0).then(0.0).otherwise(free_b),
    )
    quality = (
        points.join(fitted, on="app", how="inner", maintain_order="left")
        .with_columns(residual=pl.col("t") - pl.col("a") * pl.col("x") - pl.col("b"))
        .group_by("app", maintain_order=True)
        .agg(sse=(pl.col("residual") ** 2).sum(), sst=((pl.col("t") - pl.col("t").mean()) ** 2).sum())
        .select("app", r2=pl.when(pl.col("sst") > 0).then(1 - pl.col("sse") / pl.col("sst")))
    )
    return fitted.join(quality, on="app", how="left", maintain_order="left")


def check(curve: pl.DataFrame) -> None:
    """Raise ValueError where a curve lacks a column or has a value that is not positive and finite."""
    missing = [name for name in COLUMNS if name not in curve.columns]
    if missing:
        raise ValueError(f"curve: no column {', '.join(missing)}; found {', '.join(curve.columns)}")
    for name in COLUMNS[1:]:
        value = pl.col(name).cast(pl.Float64)
        bad = curve.filter(~(value.is_finite() & (value > 0)).fill_null(False))
        if bad.height:
            row = bad.row(0, named=True)
            raise ValueError(f"curve of {row['app']}: {name} is {row[name]}; it must be positive and finite")
