"""Stochastic memory profiles: at which levels a job spends its time (HiPC 2024, Section III-B)."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.fit.phases import first_rows, require


def stochastic(phases: pl.DataFrame, bin_gb: float | None = None) -> pl.DataFrame:
    """Discrete law (m_k, p_k) of each series: the share p_k of its time that it spends at memory level m_k.

    phases: series_id (string or integer), phase, start_s, end_s (s), memory_gb (GB); rows in any order.
    bin_gb: width w of the bins ((k-1)w, kw] whose upper edge kw represents all levels inside (0 stays 0); None keeps
    every level as it is.

    Returns series_id (dtype as given), memory_gb (increasing inside a series), probability (sums to 1 in each series),
    sorted by both. Raises ValueError for a missing column, a width that is not positive, or a phase without length.
    """
    require(phases, ["series_id", "phase", "start_s", "end_s", "memory_gb"], "phases")
    if bin_gb is not None and not bin_gb > 0:
        raise ValueError(f"bin_gb is {bin_gb}; the width of a bin must be > 0")
    timed = phases.select(
        "series_id",
        "phase",
        pl.col("memory_gb").cast(pl.Float64),
        (pl.col("end_s") - pl.col("start_s")).cast(pl.Float64).alias("duration_s"),
    )
    without_length = timed.filter(~(pl.col("duration_s") > 0).fill_null(False))
    if without_length.height:
        row = without_length.row(0, named=True)
        raise ValueError(
            f"series {row['series_id']!r}: phase {row['phase']} lasts {row['duration_s']} s; end_s must exceed start_s"
        )
    good = timed["memory_gb"].is_finite() & (timed["memory_gb"] >= 0) & timed["series_id"].is_not_null()
    if not good.fill_null(False).all():
        row = timed.row((~good.fill_null(False)).arg_max(), named=True)
        raise ValueError(
            f"series {row['series_id']!r}: memory_gb is {row['memory_gb']} in phase {row['phase']}; a level is finite "
            "and not negative, and belongs to a series"
        )
    if bin_gb is not None:
        timed = timed.with_columns(pl.Series("memory_gb", upper_edge(timed["memory_gb"].to_numpy(), bin_gb)))
    timed = timed.sort("series_id", "memory_gb", "phase")
    if timed.is_empty():
        return timed.select("series_id", "memory_gb", pl.col("duration_s").alias("probability"))
    level = first_rows(timed, ["series_id", "memory_gb"])[:-1]
    at_level_s = np.add.reduceat(timed["duration_s"].to_numpy(), level)
    law = timed.select("series_id", "memory_gb")[level]
    series = first_rows(law, ["series_id"])
    total_s = np.add.reduceat(at_level_s, series[:-1])
    return law.with_columns(pl.Series("probability", at_level_s / np.repeat(total_s, np.diff(series))))


def upper_edge(memory_gb: np.ndarray, bin_gb: float) -> np.ndarray:
    """Upper edge kw of the bin ((k-1)w, kw] that each value lies in; an edge lies in the bin below it."""
    k = np.ceil(memory_gb / bin_gb)
    # The quotient may round across an edge (1.1 / 0.1 > 11), the products are what is compared.
    k -= (k - 1) * bin_gb >= memory_gb
    k += k * bin_gb < memory_gb
    return np.maximum(k, 0) * bin_gb
