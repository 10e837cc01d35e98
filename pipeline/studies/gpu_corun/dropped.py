"""Applications of a drop as kernels of the study."""

from __future__ import annotations

import logging

import polars as pl

log = logging.getLogger(__name__)


def applications(kernels: pl.DataFrame, apps: pl.DataFrame) -> pl.DataFrame:
    """Applications of one trace, longest first, then by name: kernel, gflops, memory_gbps, loop_s, setup_s, saturation.

    kernels, apps: rows of the canonical tables `kernels` and `gpu_apps`. An application's rates are means over its
    kernels weighted by their time, its loop the sum of these times (null where none is known, rates then being plain
    means); a kernel whose application is not known is one itself. Kernels without both rates are left out. Its set-up
    is the time from its start to its first use of the GPU. Its saturation is that of the kernel that needs most SMs, as
    a share of the GPU's; null where that is not known of each kernel.
    """
    complete = kernels.filter(pl.col("gflops").is_not_null() & pl.col("memory_gbps").is_not_null())
    if len(complete) < len(kernels):
        log.warning("%d of %d kernels left out: no rates", len(kernels) - len(complete), len(kernels))
    timed = pl.col("time_s").is_not_null().any()
    weight = pl.when(timed).then(pl.col("time_s").fill_null(0.0)).otherwise(1.0)
    share = (pl.col("saturation_sms") / pl.col("gpu_sms")).clip(upper_bound=1.0)
    started = apps.select(name="app", setup_s="start_s")
    return (
        complete.sort("app", "kernel", "time_s")
        .group_by(pl.coalesce("app", "kernel").alias("name"), maintain_order=True)
        .agg(
            *((pl.col(rate) * weight).sum() / weight.sum() for rate in ("gflops", "memory_gbps")),
            loop_s=pl.when(timed).then(pl.col("time_s").sum()),
            saturation=pl.when(share.is_not_null().all()).then(share.max()),
        )
        .join(started, on="name", how="left", maintain_order="left")
        .sort(pl.col("loop_s").fill_null(0.0), "name", descending=[True, False])
        .select(
            pl.col("name").alias("kernel"),
            "gflops",
            "memory_gbps",
            *(pl.col(name).cast(pl.Float64) for name in ("loop_s", "setup_s", "saturation")),
        )
    )


def gpu_sms(kernels: pl.DataFrame) -> int | None:
    """SMs of the GPU that a trace's kernels ran on, the most where there are several; None where none is known."""
    return kernels["gpu_sms"].max()
