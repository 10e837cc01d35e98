"""Applications of a drop as kernels of the study."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.gpus import ASSUMED, LOOKED_UP, MEASURED, PAPERS, PUBLISHED, STATED, find, known
from pipeline.gpus.intensity import THRESHOLDS
from pipeline.studies.gpu_corun import published
from pipeline.studies.gpu_corun.replay import DEFAULTS

log = logging.getLogger(__name__)

LONGEST, UNTIMED = 8, 16
"""Applications of a trace that pairs are made of, at most: the longest, or where no time is known the first by name."""
SIDE_BY_SIDE = 60
"""Applications of a trace whose measured pairs are replayed, at most: the longest."""


PEAKS = ("peak_gflops", "bandwidth_gbps")
WORST = (STATED, LOOKED_UP, MEASURED, ASSUMED)
"""Origins from the best known to the least."""
UNKNOWN = {"gpu": PAPERS} | {
    column: value for c in PEAKS for column, value in ((c, getattr(known()[PAPERS], c)), (f"{c}_origin", ASSUMED))
}

SHOWN = {"gpu": None} | {column: value for c in PEAKS for column, value in ((c, None), (f"{c}_origin", MEASURED))}
"""A card of which nothing is told, without and with curves."""


def applications(
    kernels: pl.DataFrame, apps: pl.DataFrame, fits: pl.DataFrame, repetitions: float | None = None
) -> pl.DataFrame:
    """Applications of one trace, longest first, then by name.

    kernels, apps, fits: rows of the canonical tables `kernels`, `gpu_apps` and `sm_fits`; repetitions: how often a run
    repeats what was profiled. Returns kernel, gflops, memory_gbps, loop_s, loop_origin, setup_s, saturation. An
    application's rates are means over its kernels weighted by their time (plain means where no time is known); a kernel
    whose application is not known is one itself. Kernels without both rates are left out. Its set-up is the time from
    its start to its first use of the GPU. Its loop is the sum of its kernels' times, times the stated repetitions or,
    where the profile is of a whole run and shows its set-up, once; else it is null: how long a run is is not known,
    and the paper's loop is assumed. Its saturation is that of the kernel that needs
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
            time_s=pl.when(timed).then(pl.col("time_s").sum()),
            saturation=pl.when(share.is_not_null().all()).then(share.max()),
        )
        .join(started, on="name", how="left", maintain_order="left")
        .join(curves, on="name", how="left", maintain_order="left")
        .with_columns(
            pl.coalesce("saturation", "of_curve").alias("saturation"),
            loop_origin=pl.when(pl.col("time_s").is_null() | (pl.col("setup_s").is_null() & (repetitions is None)))
            .then(pl.lit(ASSUMED))
            .otherwise(pl.lit(MEASURED if repetitions is None else STATED)),
        )
        .with_columns(loop_s=pl.when(pl.col("loop_origin") != ASSUMED).then(pl.col("time_s") * (repetitions or 1.0)))
        .sort(pl.col("time_s").fill_null(0.0), "name", descending=[True, False])
        .select(
            pl.col("name").alias("kernel"),
            "gflops",
            "memory_gbps",
            *(pl.col(name).cast(pl.Float64) for name in ("loop_s", "setup_s", "saturation", "time_s")),
            "loop_origin",
        )
    )


PAPERS_CARD = {"gpu": PAPERS, "gpu_origin": PUBLISHED, "peak_gflops": known()[PAPERS].peak_gflops}
"""Columns of a scenario on the paper's card, besides its defaults."""


def machine(
    kernels: pl.DataFrame, fits: pl.DataFrame, gpus: pl.DataFrame, stated: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The card of one trace as columns of a scenario: its name, origin and peak, its bandwidth and the thresholds.

    kernels, fits, gpus: rows of the canonical tables; stated: gpu, peak_gflops, bandwidth_gbps of the configuration,
    None where they are left to the trace. The thresholds are the paper's in proportion to the peaks, the sustainable
    bandwidth is as large a share of the peak as the paper's. A card that only its kernels show (there are curves
    against SMs, and nobody states it): the largest rate that a kernel draws is the bandwidth, and rates are medium and
    high from the same share of the largest on as in Table II. `gpu_origin` is that of the number known least well.
    """
    row = gpus.row(0, named=True) if gpus.height else UNKNOWN if fits.is_empty() else SHOWN
    name, peaks = row["gpu"], {c: (row[c], row[f"{c}_origin"]) for c in PEAKS}
    asked = {c: v for c, v in (stated or {}).items() if v is not None}
    if asked:
        given = find(asked.get("gpu"))
        name = given.name if given else name if len(asked) < len(PEAKS) else None
        for column in PEAKS:
            if column in asked:
                peaks[column] = asked[column], STATED
            elif given:
                peaks[column] = getattr(given, column), LOOKED_UP
    if any(peak is None for peak, _ in peaks.values()) and fits.is_empty():
        # There were curves when the drop was read, and none of them could be fitted.
        peaks = {c: (getattr(known()[PAPERS], c), ASSUMED) for c in PEAKS}
        name = PAPERS
    origins = [origin for _, origin in peaks.values()]
    columns: dict[str, Any] = {"gpu": name, "gpu_origin": max(origins, key=WORST.index)}
    paper = known()[PAPERS]
    scale = {}
    for rate, column in (("gflops", "peak_gflops"), ("memory_gbps", "bandwidth_gbps")):
        peak, _ = peaks[column]
        if peak is None:
            largest = kernels[rate].max() or 0.0
            scale[rate] = largest / published.kernels()[rate].max() if largest > 0 else 1.0
            if rate == "memory_gbps" and largest > 0:
                columns["bandwidth_gbps"] = largest
        else:
            scale[rate] = peak / getattr(paper, column)
            if rate == "memory_gbps":
                columns["bandwidth_gbps"] = DEFAULTS["bandwidth_gbps"] * scale[rate]
        for level in (f"medium_{rate}", f"high_{rate}"):
            columns[level] = getattr(THRESHOLDS, level) * scale[rate]
    return columns | {"peak_gflops": peaks["peak_gflops"][0]}


def most(applications: pl.DataFrame) -> int:
    """How many of a trace's applications its pairs are made of, where the configuration leaves it open."""
    return LONGEST if applications["time_s"].is_not_null().any() else UNTIMED


def gpu_sms(kernels: pl.DataFrame) -> int | None:
    """SMs of the GPU that a trace's kernels ran on, the most where there are several; None where none is known."""
    return kernels["gpu_sms"].max()
