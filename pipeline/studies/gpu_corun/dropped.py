"""Applications of a drop as kernels of the study."""

from __future__ import annotations

import logging

import polars as pl

from pipeline.fit.intensity import THRESHOLDS
from pipeline.studies.gpu_corun import published

log = logging.getLogger(__name__)

LONGEST, UNTIMED = 8, 16
"""Applications of a trace that pairs are made of, at most: the longest, or where no time is known the first by name."""


def applications(kernels: pl.DataFrame, apps: pl.DataFrame, fits: pl.DataFrame) -> pl.DataFrame:
    """Applications of one trace, longest first, then by name: kernel, gflops, memory_gbps, loop_s, setup_s, saturation.

    kernels, apps, fits: rows of the canonical tables `kernels`, `gpu_apps` and `sm_fits`. An application's rates are
    means over its kernels weighted by their time, its loop the sum of these times (null where none is known, rates then
    being plain means); a kernel whose application is not known is one itself. Kernels without both rates are left out.
    Its set-up is the time from its start to its first use of the GPU. Its saturation is that of the kernel that needs
    most SMs, as a share of the GPU's; null where that is not known of each kernel and the application has no curve.
    """
    complete = kernels.filter(pl.col("gflops").is_not_null() & pl.col("memory_gbps").is_not_null())
    if len(complete) < len(kernels):
        log.warning("%d of %d kernels left out: no rates", len(kernels) - len(complete), len(kernels))
    timed = pl.col("time_s").is_not_null().any()
    weight = pl.when(timed).then(pl.col("time_s").fill_null(0.0)).otherwise(1.0)
    share = (pl.col("saturation_sms") / pl.col("gpu_sms")).clip(upper_bound=1.0)
    curves = fits.select(name="app", of_curve=pl.col("saturation_sms") / pl.col("most_sms"))
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
        .join(curves, on="name", how="left", maintain_order="left")
        .with_columns(pl.coalesce("saturation", "of_curve").alias("saturation"))
        .sort(pl.col("loop_s").fill_null(0.0), "name", descending=[True, False])
        .select(
            pl.col("name").alias("kernel"),
            "gflops",
            "memory_gbps",
            *(pl.col(name).cast(pl.Float64) for name in ("loop_s", "setup_s", "saturation")),
        )
    )


def machine(kernels: pl.DataFrame, fits: pl.DataFrame) -> dict[str, float]:
    """Bandwidth (GB/s) and thresholds (GB/s, GFLOP/s) of the card of one trace, as far as its kernels show them.

    kernels, fits: rows of the canonical tables `kernels` and `sm_fits`. The largest rate that a kernel draws is the
    bandwidth, and rates are medium and high from the same share of the largest on as in Table II. Empty where the trace
    has no curves against SMs, as profiles of single programs need not come near what their GPU can do.
    """
    if fits.is_empty():
        return {}
    found = {}
    for rate in ("gflops", "memory_gbps"):
        largest = kernels[rate].max() or 0.0
        over_printed = largest / published.kernels()[rate].max()
        if largest > 0:
            for level in (f"medium_{rate}", f"high_{rate}"):
                found[level] = getattr(THRESHOLDS, level) * over_printed
        if largest > 0 and rate == "memory_gbps":
            found["bandwidth_gbps"] = largest
    return found


def most(applications: pl.DataFrame) -> int:
    """How many of a trace's applications its pairs are made of, where the configuration leaves it open."""
    return LONGEST if applications["loop_s"].is_not_null().any() else UNTIMED


def gpu_sms(kernels: pl.DataFrame) -> int | None:
    """SMs of the GPU that a trace's kernels ran on, the most where there are several; None where none is known."""
    return kernels["gpu_sms"].max()
