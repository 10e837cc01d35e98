"""Figures 8 to 10: workloads whose memory changes as fast as it can be reconfigured (HiPC 2024, Section VI-B)."""

from __future__ import annotations

from pipeline.report.chart import figure, finding, of_kind
from pipeline.report.marks import interval
from pipeline.studies.hpc_memory.figures.encodings import (
    BATCHES,
    INTERVAL,
    MEMORY,
    SCHEDULER,
    at_least_memory,
    by_alpha,
    by_size,
    share,
    whole,
)

DYNAMIC_SQL = """\
SELECT scheduler, memory_per_node_gb, batches, normalised, normalised_lo, normalised_hi, utilisation
FROM fig_hpc_memory_8"""

RESPONSE_SQL = """\
SELECT
    scheduler, memory_per_node_gb, size, smallest_nodes, batches, mean_response_s / 60 AS response_min,
    greatest(mean_response_lo_s, 0) / 60 AS response_min_lo, mean_response_hi_s / 60 AS response_min_hi
FROM fig_hpc_memory_9"""

ALPHA_PRIORITY_SQL = """\
SELECT alpha, memory_per_node_gb, batches, relative, relative_lo, relative_hi
FROM fig_hpc_memory_10a"""

ALPHA_SQL = """\
SELECT alpha, memory_per_node_gb, batches, normalised, normalised_lo, normalised_hi, utilisation
FROM fig_hpc_memory_10b"""

ABSENT = "No dynamic workload at load 0.9 was replayed{} (hpc_memory.sweeps in the configuration)."


fig_dynamic = figure(
    title=finding(
        "Dynamic memory: utilisation as a share of that with unlimited memory",
        at_least_memory(
            "normalised", "Dynamic memory, {gb} per node: {best} keeps {high} of the utilisation, {worst} {low}"
        ),
    ),
    source="HiPC 2024, Section VI-B.1, Figure 8",
    caption="Synthetic jobs whose memory changes as fast as the machine can be reconfigured, load 0.9. "
    f"{INTERVAL}; 100 % is a machine with unlimited memory and the same jobs.",
    sql=DYNAMIC_SQL,
    absent=ABSENT.format(""),
    draw=of_kind(
        whole,
        "dynamic",
        "normalised",
        "share of unlimited",
        [SCHEDULER, MEMORY, *interval("normalised", "share of unlimited", ".1%"), share("utilisation"), BATCHES],
    ),
)


fig_dynamic_response_by_size = figure(
    title="Dynamic memory: response time by job size",
    source="HiPC 2024, Section VI-B.1, Figure 9",
    caption="Mean time from release to end under Stochastic, against memory per node; each class of job size has a "
    f"scale of its own. {INTERVAL}; the dashed grey rule is unlimited memory.",
    sql=RESPONSE_SQL,
    absent=ABSENT.format(" with Stochastic"),
    columns=2,
    draw=of_kind(by_size, "dynamic_response", "response_min", "min"),
)


fig_dynamic_alpha_priority = figure(
    title="Dynamic memory: Stochastic against Priority, for slower and faster second memory",
    source="HiPC 2024, Section VI-B.2, Figure 10a",
    caption="Utilisation of Stochastic as a share of that of Priority on the same jobs. Above 100 % Stochastic "
    f"is better. alpha is the speed of a job without fast memory. {INTERVAL}.",
    sql=ALPHA_PRIORITY_SQL,
    absent="Stochastic and Priority were not replayed on the same dynamic workloads at load 0.9 "
    "(hpc_memory.sweeps in the configuration).",
    draw=of_kind(by_alpha, "dynamic_alpha_priority", "relative", "Stochastic / Priority", ".4f"),
)


fig_dynamic_alpha = figure(
    title="Dynamic memory: Stochastic, for slower and faster second memory",
    source="HiPC 2024, Section VI-B.2, Figure 10b",
    caption="Utilisation of Stochastic as a share of that with unlimited memory and the same jobs. alpha is the "
    f"speed of a job without fast memory. {INTERVAL}.",
    sql=ALPHA_SQL,
    absent=ABSENT.format(" with Stochastic"),
    draw=of_kind(by_alpha, "dynamic_alpha", "normalised", "share of unlimited", ".2%", share("utilisation")),
)
