"""How often Snakemake looks for jobs to start: whenever one has ended, and not ever more often besides.

Snakemake limits how many jobs it starts in a span of time, to 100 a second where nothing is said. So that none waits
for the limit in vain it looks again after that span, whenever it has looked; each job that ends begins another such
chain of looks that never ends. After 500 jobs the main process is busy with looking 500 times a second.
"""

from __future__ import annotations

from snakemake.settings.types import SchedulingSettings

JOBS, SPAN_S = 100, 1
"""Snakemake's limit where none is given: jobs, s."""


def without_usual_limit(settings: SchedulingSettings | None) -> None:
    """Take the limit out of the settings of a run where it is the usual one; a limit that somebody wants stays."""
    limit = None if settings is None else settings.max_jobs_per_timespan
    if limit is not None and (limit.max_jobs, limit.timespan) == (JOBS, SPAN_S):
        settings.max_jobs_per_timespan = None
