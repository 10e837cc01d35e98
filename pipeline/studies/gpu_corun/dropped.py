"""Applications of a drop as kernels of the study."""

from __future__ import annotations

import logging

import polars as pl

log = logging.getLogger(__name__)


def applications(kernels: pl.DataFrame) -> pl.DataFrame:
    """Applications of one trace (kernel, gflops, memory_gbps, loop_s), longest first, then by name.

    kernels: rows of the canonical table. An application's rates are means over its kernels weighted by their time, its
    loop the sum of these times (null where none is known, rates then being plain means); a kernel whose application is
    not known is one itself. Kernels without both rates are left out.
    """
    complete = kernels.filter(pl.col("gflops").is_not_null() & pl.col("memory_gbps").is_not_null())
    if len(complete) < len(kernels):
        log.warning("%d of %d kernels left out: no rates", len(kernels) - len(complete), len(kernels))
    timed = pl.col("time_s").is_not_null().any()
    weight = pl.when(timed).then(pl.col("time_s").fill_null(0.0)).otherwise(1.0)
    return (
        complete.sort("app", "kernel", "time_s")
        .group_by(pl.coalesce("app", "kernel").alias("name"), maintain_order=True)
        .agg(
            *((pl.col(rate) * weight).sum() / weight.sum() for rate in ("gflops", "memory_gbps")),
            loop_s=pl.when(timed).then(pl.col("time_s").sum()),
        )
        .sort(pl.col("loop_s").fill_null(0.0), "name", descending=[True, False])
        .select(pl.col("name").alias("kernel"), "gflops", "memory_gbps", pl.col("loop_s").cast(pl.Float64))
    )
