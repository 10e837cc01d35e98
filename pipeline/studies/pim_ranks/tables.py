"""Workloads and results of pim_ranks."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, number, text
from pipeline.tables.keys import Reference


class PimRanksWorkload(dy.Schema):
    """Workloads of pim_ranks: where their jobs come from."""

    workload_id = text("workload")
    family = text("workload without its batch: workloads of one family differ in the batch only")
    kind = text("sets (W1 to W5 of the paper, or uniform), virtual_pim (proxies of VW1 to VW5) or queue (of a trace)")
    set_name = text(
        "set, as W3 or VW5 (mixes of the paper), or uniform (drawn uniformly with replacement among all applications "
        "of the trace); null for others",
        nullable=True,
    )
    trace = text("trace that the queue or the performance tables come from; null for others", nullable=True)
    batch = count("batch: independent repetition", min=0)
    arrival = text("queued (all at once), poisson or traced")
    load = number("offered load of Poisson arrivals", "1", nullable=True)
    jobs = count("jobs", min=0)
    host_share = number("host work of a proxy, as a share of its least time", "1", nullable=True)
    host_shares = text("that of the proxies of VW1 to VW4 and of VW5, where not as assumed by default", nullable=True)
    origin = text("synthetic (tables drawn to agree with Table 2), proxy, measured or generated (as the trace is)")


class PimRanksJob(dy.Schema):
    """Queues of the workloads of pim_ranks."""

    workload_id = text("workload")
    job_id = text("job, unique in its workload")
    app = text("application")
    arrival_s = number("arrival", "s")


class PimRanksTable(dy.Schema):
    """Performance tables that the workloads of pim_ranks are replayed with."""

    table_id = text("set of tables, as in scenario")
    app = text("application")
    ranks = count("ranks", min=1)
    time_s = number("run time on so many ranks", "s", min_exclusive=0)


class PimRanksOutcome(dy.Schema):
    """Ranks, start and end of each job in each scenario of pim_ranks."""

    scenario_id = text("scenario")
    job_id = text("job")
    ranks = count("ranks granted, or requested of VirtualPIM; null = rejected", nullable=True)
    start_s = number("first rank held; null = rejected", "s", nullable=True)
    end_s = number("end, of host work too; null = rejected", "s", nullable=True)
    freed_s = number("last rank given back; null = rejected", "s", nullable=True)
    rejected = text(
        "why the job was not run: larger_than_machine, or no_optimum_proven (optimal: the search proves no best "
        "schedule of its set, so that the set has none here); null = it was",
        nullable=True,
    )


RESULTS = {
    "workload_pim_ranks": PimRanksWorkload,
    "queue_pim_ranks": PimRanksJob,
    "perf_table_pim_ranks": PimRanksTable,
    "outcome_pim_ranks": PimRanksOutcome,
}
FILES = {
    "outcome_pim_ranks": ("replay", "outcomes"),
    "queue_pim_ranks": ("scenarios", "queue"),
    "perf_table_pim_ranks": ("scenarios", "perf_tables"),
    "workload_pim_ranks": ("scenarios", "workloads"),
}
"""For each of its tables in the database the stage whose folders hold the rows, and the files' stem."""
KEYS = {
    "workload_pim_ranks": ("workload_id",),
    "queue_pim_ranks": ("workload_id", "job_id"),
    "perf_table_pim_ranks": ("table_id", "app", "ranks"),
    "outcome_pim_ranks": ("scenario_id", "job_id"),
}
"""Columns that identify a row of each table."""
REFERENCES = (Reference("scenario", "perf_table_pim_ranks", ("table_id",), study="pim_ranks"),)
