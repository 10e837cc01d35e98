"""What do common random numbers gain?

Schedulers meet the same draws, so their difference is taken replicate by replicate. The ratio of the variance of that
difference to what it would be with draws of their own, var(a - b) / (var a + var b), is the share of replicates that
suffices; 1 is no gain. Over all pairs of schedulers that ran on the same five replicates or more of a default run, both
with results that vary: against a constant there is nothing to cancel.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import duckdb

from reliability.record import Details, Finding, Report

FEWEST = 5
CONSTANT = 1e-20
"""Variances up to this are roundings."""


@dataclass(frozen=True)
class Measure:
    """Headline measure of a study: view of its results, what tells a question, its replicate, the value."""

    view: str
    question: str
    replicate: str
    value: str
    where: str = "true"


MEASURES = {
    "hpc_memory": Measure(
        "hpc_memory_result",
        "workload, memory_per_node_gb, alpha, tau_s, reconfiguration, backfilling, free_start, largest_by",
        "batch", "utilisation", "memory_per_node_gb IS NOT NULL AND grid = 'coarse'",
    ),
    "pim_ranks": Measure(
        "pim_ranks_result",
        'workload, trace_id, evidence, table_id, requests, arrival, load, jobs, ranks, "window", ooo_window, perf_at',
        "batch", "ln(throughput_per_s)",
    ),
    "gpu_corun": Measure(
        "gpu_corun_result", "workload, model_id, sms, symmetry, task_size, split", "batch",
        "ln(applications / makespan_s)",
    ),
    "gpu_sharing": Measure(
        "gpu_sharing_result",
        "kind, trace_id, applications, sms, interpolation, gamma, decide_by, initial",
        "coalesce('member ' || member, mix)", "ln(system_speedup)", 'NOT "dynamic"',
    ),
    "gpu_partition": Measure(
        "gpu_partition_result", "workload, sms, setting, forbidden", "batch", "schedulable",
    ),
    "pim_graph": Measure(
        "pim_graph_result", "graph, algorithm, stacks, qr, setting, queue, roots", "batch", "ln(cycles)",
    ),
}  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the trial."""
    parser.add_argument("--database", type=Path, default=Path("results/apportion.duckdb"), help="of a finished run")


def run(options: argparse.Namespace) -> Report:
    """Ratios of variances in a database; passed where pairing gains in the median pair of every study that has any."""
    with duckdb.connect(str(options.database), read_only=True) as connection:
        found = {study: ratios(connection, measure) for study, measure in MEASURES.items()}
    rows = [
        [study, measure_text(study), str(pairs), *(f"{value:.3f}" for value in quartiles), f"{gains:.0%}"]
        for study, (pairs, quartiles, gains) in found.items()
        if pairs
    ]
    findings = [
        Finding(f"{study}: median ratio of variances", f"{quartiles[1]:.3f}", f"{pairs} pairs of schedulers")
        for study, (pairs, quartiles, _) in found.items()
        if pairs
    ]
    passed = all(quartiles[1] < 1 for pairs, quartiles, _ in found.values() if pairs)
    columns = ("study", "measure", "pairs", "lower quartile", "median", "upper quartile", "pairs that gain")
    return Report(findings, passed, [Details("Variance of the paired difference over that of independent draws",
                                             columns, rows)])  # fmt: skip


def measure_text(study: str) -> str:
    """The measure of a study, as the page shows it."""
    return f"`{MEASURES[study].value}`"


def ratios(connection: duckdb.DuckDBPyConnection, measure: Measure) -> tuple[int, list[float], float]:
    """Number of pairs of schedulers and questions, quartiles of their ratios, share below 1.

    Pairs of fewer than five replicates are left out.
    """
    ((pairs, quartiles, gains),) = connection.execute(f"""
        WITH ran AS (
            SELECT hash({measure.question}) AS question, {measure.replicate} AS replicate, scheduler,
                avg({measure.value}) AS value
            FROM {measure.view} WHERE {measure.where} AND isfinite({measure.value})
            GROUP BY ALL
        ),
        pair AS (
            SELECT
                var_samp(a.value - b.value) AS paired, var_samp(a.value) + var_samp(b.value) AS independent,
                least(var_samp(a.value), var_samp(b.value)) AS least_variance
            FROM ran AS a JOIN ran AS b USING (question, replicate)
            WHERE a.scheduler < b.scheduler
            GROUP BY question, a.scheduler, b.scheduler
            HAVING count(*) >= {FEWEST}
        )
        SELECT count(*), quantile_cont(paired / independent, [0.25, 0.5, 0.75]), avg((paired < independent)::INT)
        FROM pair WHERE least_variance > {CONSTANT}
    """).fetchall()
    return pairs, quartiles or [], gains or 0.0
