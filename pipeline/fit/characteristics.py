"""What a trace's jobs have in common: every fit that needs all jobs at once, from their phases as wholes."""

from __future__ import annotations

import polars as pl

from pipeline.fit import marginals, recurrent, temporal


def fit(jobs: pl.DataFrame, phases: pl.DataFrame, bin_gb: float | None = None) -> dict[str, pl.DataFrame]:
    """Canonical tables by name: marginals, distributions, temporal_classes, recurrent_profiles, recurrent_runs.

    jobs: trace_id, job_id, nodes, user, name. phases: trace_id, job_id, duration_s (s), memory_gb (GB per node), and
    node where it holds rows of nodes, which do not count. bin_gb: width of the levels of the recurrent jobs' profiles.
    """
    profiles, runs = recurrent.fit(jobs, phases, bin_gb)
    return {
        "marginals": marginals.fit(jobs, phases),
        "distributions": marginals.distributions(jobs, phases),
        "temporal_classes": temporal.classify(phases),
        "recurrent_profiles": profiles,
        "recurrent_runs": runs,
    }
