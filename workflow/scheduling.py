"""How often Snakemake looks for jobs to start: whenever one has ended, and not ever more often besides.

Snakemake limits how many jobs it starts in a span of time, to 100 per second by default. So that none waits
for the limit in vain it looks again after that span, whenever it has looked; each job that ends begins another such
chain of looks that never ends: after 300 jobs, some 200 looks a second took the main process a third of a core.
"""

from __future__ import annotations

from snakemake.scheduling.job_scheduler import JobScheduler

JOBS, SPAN_S = 100, 1
"""Snakemake's limit where none is given: jobs, s."""


def without_usual_limit(scheduler: JobScheduler) -> None:
    """Take the limit from the scheduler of a run where it is the usual one; a limit that somebody wants stays."""
    limit = scheduler.job_rate_limiter
    if limit is not None and (limit.max_jobs, limit.timespan) == (JOBS, SPAN_S):
        scheduler.job_rate_limiter = None
