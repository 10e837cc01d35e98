"""Figures 4 to 7: phased workloads, and what the machine's parameters change (HiPC 2024, Section VI-A)."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import Series, appearance, figure, finding, of_kind, steps
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

UTILISATION_SQL = """\
SELECT scheduler, memory_per_node_gb, batches, utilisation, utilisation_lo, utilisation_hi, loss
FROM fig_hpc_memory_4"""

RESPONSE_SQL = """\
SELECT
    scheduler, memory_per_node_gb, size, smallest_nodes, batches, mean_response_s / 3600 AS response_h,
    greatest(mean_response_lo_s, 0) / 3600 AS response_h_lo, mean_response_hi_s / 3600 AS response_h_hi
FROM fig_hpc_memory_5"""

ALPHA_OLDEST_SQL = """\
SELECT alpha, memory_per_node_gb, batches, relative, relative_lo, relative_hi
FROM fig_hpc_memory_6a"""

ALPHA_SQL = """\
SELECT alpha, memory_per_node_gb, batches, normalised, normalised_lo, normalised_hi, utilisation
FROM fig_hpc_memory_6b"""

RECONFIGURATION_SQL = """\
SELECT
    coalesce(format('r = {:g}', phase_length_over_tau), scheduler) AS line,
    memory_per_node_gb, batches, normalised, normalised_lo, normalised_hi, utilisation, tau_s
FROM fig_hpc_memory_7
ORDER BY phase_length_over_tau NULLS LAST, memory_per_node_gb"""

ABSENT = "No phased workload at load 0.9 was replayed{} (hpc_memory.sweeps in the configuration)."


fig_utilisation = figure(
    title=finding(
        "Utilisation against memory per node",
        at_least_memory("utilisation", "At {gb} per node {best} keeps {high} utilisation, {worst} {low}"),
    ),
    source="HiPC 2024, Section VI-A.1, Figure 4",
    caption="Useful node-seconds until the last release, as a share of all; synthetic jobs, long phases, load 0.9. "
    f"{INTERVAL}; the dashed grey rule is a machine with unlimited memory.",
    sql=UTILISATION_SQL,
    absent=ABSENT.format(""),
    draw=of_kind(
        whole,
        "utilisation",
        "utilisation",
        "utilisation",
        [SCHEDULER, MEMORY, *interval("utilisation", "utilisation", ".1%"), share("loss"), BATCHES],
        height=340,
    ),
)


fig_response_by_size = figure(
    title="Response time by job size",
    source="HiPC 2024, Section VI-A.1, Figure 5",
    caption="Mean time from release to end under Priority, against memory per node; each class of job size has a "
    f"scale of its own. {INTERVAL}; the dashed grey rule is unlimited memory.",
    sql=RESPONSE_SQL,
    absent=ABSENT.format(" with Priority"),
    columns=2,
    draw=of_kind(by_size, "response", "response_h", "h"),
)


fig_alpha_oldest_first = figure(
    title="Oldest-First against Priority, for slower and faster second memory",
    source="HiPC 2024, Section VI-A.2, Figure 6a",
    caption="Utilisation of Oldest-First as a share of that of Priority on the same jobs. Above 100 % "
    f"Oldest-First is better. alpha is the speed of a job without fast memory. {INTERVAL}.",
    sql=ALPHA_OLDEST_SQL,
    absent="Oldest-First and Priority were not replayed on the same phased workloads at load 0.9 "
    "(hpc_memory.sweeps in the configuration).",
    draw=of_kind(by_alpha, "alpha_oldest", "relative", "Oldest-First / Priority", ".4f"),
)


fig_alpha = figure(
    title="Priority, for slower and faster second memory",
    source="HiPC 2024, Section VI-A.2, Figure 6b",
    caption="Utilisation of Priority as a share of that with unlimited memory and the same jobs. alpha is the "
    f"speed of a job without fast memory. {INTERVAL}.",
    sql=ALPHA_SQL,
    absent=ABSENT.format(" with Priority"),
    draw=of_kind(by_alpha, "alpha", "normalised", "share of unlimited", ".2%", share("utilisation")),
)


@figure(
    title="Priority, for slower and faster reconfigurations",
    source="HiPC 2024, Section VI-A.2, Figure 7",
    caption="Utilisation as a share of that with unlimited memory and the same jobs. r is the mean length of a "
    "phase over the duration of a reconfiguration of the memory. Aggregated, which reconfigures nothing, "
    f"is there for comparison. {INTERVAL}.",
    sql=RECONFIGURATION_SQL,
    absent=ABSENT.format(" with Priority"),
)
def fig_reconfiguration_time(frame: pl.DataFrame) -> alt.LayerChart:
    """Normalised utilisation of Priority for several lengths of a reconfiguration."""
    tooltip = [*interval("normalised", "share of unlimited", ".2%"), MEMORY, share("utilisation"), BATCHES]
    r = steps(frame.filter(frame["line"] != "aggregated"), "line", "Priority with")
    colours, symbols = appearance(["aggregated"])
    series = Series("line", r.title, [*r.names, "aggregated"], [*r.colours, *colours], [*r.symbols, *symbols])
    return whole(
        frame, "reconfiguration", "normalised", "share of unlimited", tooltip, height=340, series=series, reference=1.0
    )
