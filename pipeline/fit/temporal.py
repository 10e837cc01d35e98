"""Temporal classes of memory use: constant, phased, dynamic, sporadic (Peng et al., MEMSYS 2021).

The source tells the four in words (as quoted in HiPC 2024, Section III-D). This is our reading, as rules on a job's
phases, tried in this order:

| class    | in words                                            | rule                                  |
|----------|-----------------------------------------------------|---------------------------------------|
| constant | minimal changes throughout the execution            | relative spread <= `CONSTANT_SPREAD`  |
| sporadic | low use most of the time, spikes for short periods  | high share <= `SPIKE_SHARE`           |
| dynamic  | frequent and substantial changes                    | phases >= `FREQUENT_PHASES`, and mean |
|          |                                                     | phase <= `DYNAMIC_STEPS` reactions    |
| phased   | constant by segments                                | all others                            |

Relative spread is 1 - least / largest memory of the phases; high share is the share of time above `HIGH_LEVEL` of the
largest. Nothing can react to memory faster than it is sampled, nor than it is reconfigured: the reaction time is the
trace's sampling step, or `RECONFIGURATION_S` where that is longer.

What phases do not show is not seen: they stand at the maximum of their samples and begin where a change exceeds Δ
standard deviations of the job's own changes, which with Δ = 2 at most a quarter of all changes can. A job that swings
evenly between two levels at every sample has a single phase, and counts as constant at its upper level.
"""

from __future__ import annotations

import polars as pl

from pipeline import tables
from pipeline.fit.phases import require

CLASSES = ("constant", "phased", "dynamic", "sporadic")

CONSTANT_SPREAD = 0.1
"""Changes of up to a tenth of the peak are minimal: less than the step between two sizes of memory that are bought."""
HIGH_LEVEL = 0.5
"""Memory is high above half of the job's peak, as the width of a peak is commonly measured."""
SPIKE_SHARE = 0.1
"""Low most of the time: nine tenths of it; the spikes together, hence each of them, last no longer than the rest."""
DYNAMIC_STEPS = 25.0
"""Where phases last 25 reaction times, moving memory costs as much as it gains (HiPC 2024, Figure 7, r = 25). A series
whose changes are normally distributed noise has a phase every 22 samples at Δ = 2 and is dynamic."""
FREQUENT_PHASES = 10
"""A short job with few phases changes seldom, however short they are."""
RECONFIGURATION_S = 1.0
"""Duration of a reconfiguration of the memory, tau (HiPC 2024, Section V-B)."""
STEP_SHARE = 0.05
"""The sampling step is estimated as the phase length that this share of a trace's phases reaches at most: the shortest
phases are one sample long, and a few are shorter still where the nodes of a job are sampled at different times."""


def classify(phases: pl.DataFrame) -> pl.DataFrame:
    """Temporal class of each job with the measures that decided, as rows of `tables.TemporalClass`.

    phases: trace_id, job_id, duration_s (s), memory_gb (GB per node), and node where it holds rows of nodes: only those
    of whole jobs (node null) count. Rows in any order, all of a trace at once: its sampling step is estimated from the
    phases of all jobs that have several.

    Sorted by trace and job. Raises ValueError for a missing column or a phase without length.
    """
    require(phases, ["trace_id", "job_id", "duration_s", "memory_gb"], "phases")
    whole = phases.filter(pl.col("node").is_null()) if "node" in phases.columns else phases
    without_length = whole.filter(~(pl.col("duration_s") > 0).fill_null(False))
    if without_length.height:
        row = without_length.row(0, named=True)
        raise ValueError(f"job {row['job_id']!r}: a phase lasts {row['duration_s']} s; a phase has a length")
    # Sums do not depend on the order of the rows given.
    whole = whole.select("trace_id", "job_id", pl.col("duration_s", "memory_gb").cast(pl.Float64))
    whole = whole.sort("trace_id", "job_id", "memory_gb", "duration_s")
    peak = pl.col("memory_gb").max()
    jobs = whole.group_by("trace_id", "job_id", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("phases"),
        pl.col("duration_s").sum(),
        pl.when(peak > 0).then(1 - pl.col("memory_gb").min() / peak).otherwise(0.0).alias("relative_spread"),
        (pl.col("duration_s").filter(pl.col("memory_gb") > HIGH_LEVEL * peak).sum() / pl.col("duration_s").sum())
        .clip(0, 1)
        .alias("high_share"),
    )
    jobs = jobs.join(_sampling_steps(whole), on="trace_id", how="left", maintain_order="left").with_columns(
        mean_phase_s=pl.col("duration_s") / pl.col("phases")
    )
    reaction_s = pl.max_horizontal("step_s", pl.lit(RECONFIGURATION_S))
    frequent = (pl.col("phases") >= FREQUENT_PHASES) & (pl.col("mean_phase_s") <= DYNAMIC_STEPS * reaction_s)
    return tables.conform(
        jobs.with_columns(
            temporal_class=pl.when(pl.col("relative_spread") <= CONSTANT_SPREAD)
            .then(pl.lit("constant"))
            .when(pl.col("high_share") <= SPIKE_SHARE)
            .then(pl.lit("sporadic"))
            .when(frequent)
            .then(pl.lit("dynamic"))
            .otherwise(pl.lit("phased")),
            origin=pl.lit(tables.FITTED),
        ),
        tables.TemporalClass,
    )


def _sampling_steps(whole: pl.DataFrame) -> pl.DataFrame:
    """Estimated sampling step of each trace: trace_id, step_s; traces whose jobs all have one phase have none."""
    several = whole.filter(pl.len().over("trace_id", "job_id") > 1)
    return several.group_by("trace_id", maintain_order=True).agg(
        pl.col("duration_s").quantile(STEP_SHARE, interpolation="lower").alias("step_s")
    )
