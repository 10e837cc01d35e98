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

from collections.abc import Iterator

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit.levels import Levels
from pipeline.fit.whole_jobs import Batch, WholeJobs

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
SLICE = 1 << 16
"""Jobs that are named at a time."""


def classify(phases: pl.DataFrame) -> pl.DataFrame:
    """Temporal class of each job with the measures that decided, as rows of `tables.TemporalClass`.

    phases: as for `WholeJobs.append`, rows in any order, all of a trace at once: its sampling step is estimated from
    the phases of all jobs that have several.

    Sorted by trace and job. Raises ValueError for a missing column or a phase without length.
    """
    with WholeJobs.of(phases) as whole:
        return pl.concat(classes(whole))


def classes(whole: WholeJobs) -> Iterator[pl.DataFrame]:
    """What `classify` does, piece by piece, of jobs that are not held with their phases: 40 bytes per job are."""
    lengths = [Levels() for _ in whole.traces]
    measures = []
    for batch in whole.batches():
        measures.append(_measures(batch))
        several = (measures[-1]["phases"] > 1).to_numpy()[batch.job - batch.job[0]]
        for trace in np.unique(batch.trace[several]):
            lengths[trace].add(batch.duration_s[several & (batch.trace == trace)])
    yield tables.empty(tables.TemporalClass)
    if not measures:
        return
    measured = pl.concat(measures)
    step_s = pl.Series("step_s", [_sampling_step_s(of_trace) for of_trace in lengths], dtype=pl.Float64)
    names, jobs = pl.Series("trace", whole.traces), whole.jobs
    for piece in _slices(whole.by_name()):
        trace = jobs["trace_number"].gather(piece)
        named = pl.DataFrame([names.gather(trace), jobs["job_id"].gather(piece), step_s.gather(trace)])
        yield _classified(named.hstack(measured[piece]))


def _slices(order: np.ndarray) -> Iterator[np.ndarray]:
    return (order[begin : begin + SLICE] for begin in range(0, order.size, SLICE))


def _measures(batch: Batch) -> pl.DataFrame:
    """phases, duration_s, relative_spread and high_share of each job of a batch."""
    peak = pl.col("memory_gb").max()
    whole = pl.DataFrame({"job": batch.job, "duration_s": batch.duration_s, "memory_gb": batch.memory_gb})
    jobs = whole.group_by("job", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("phases"),
        pl.col("duration_s").sum(),
        pl.when(peak > 0).then(1 - pl.col("memory_gb").min() / peak).otherwise(0.0).alias("relative_spread"),
        (pl.col("duration_s").filter(pl.col("memory_gb") > HIGH_LEVEL * peak).sum() / pl.col("duration_s").sum())
        .clip(0, 1)
        .alias("high_share"),
    )
    return jobs.drop("job")


def _classified(jobs: pl.DataFrame) -> pl.DataFrame:
    jobs = jobs.with_columns(mean_phase_s=pl.col("duration_s") / pl.col("phases"))
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


def _sampling_step_s(lengths: Levels) -> float | None:
    """Estimated sampling step of a trace from the lengths of its jobs' phases; None where all jobs have one phase."""
    if not lengths.count:
        return None
    reached = np.cumsum(lengths.weight[0])
    return float(lengths.at[np.searchsorted(reached, np.floor(STEP_SHARE * (lengths.count - 1)), side="right")])
