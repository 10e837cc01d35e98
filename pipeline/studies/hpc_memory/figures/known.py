"""Loss by what a scheduler knows of a job's memory before it runs."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import against_memory, figure, steps
from pipeline.report.marks import interval, tips
from pipeline.studies.hpc_memory.figures.encodings import BATCHES, INTERVAL, MEMORY, SCHEDULER, panels

KNOWN_SQL = """\
SELECT
    concat_ws(
        chr(10),
        CASE
            WHEN kind = 'dynamic' THEN 'drawn jobs, dynamic memory'
            WHEN kind = 'phased' THEN 'drawn jobs' || coalesce(' of ' || trace, '')
            ELSE trace
        END,
        scheduler
    ) AS jobs_from,
    dense_rank() OVER (ORDER BY kind NOT IN ('replayed', 'composed'), workload, scheduler) AS panel,
    CASE
        WHEN knowledge = 'own' THEN 'its own run'
        WHEN knowledge = 'given' THEN 'as its drop says'
        WHEN knowledge = 'history' THEN 'earlier runs'
        WHEN knowledge = 'trace' THEN 'one law for all'
        WHEN knowledge = 'bins' THEN 'bins to 8, 16, 32 … GB'
        WHEN knowledge LIKE 'bins:%' THEN 'bins of ' || knowledge[6:] || ' GB'
        ELSE knowledge
    END AS known,
    scheduler, memory_per_node_gb, batches, loss, loss_lo, loss_hi, response_ratio, aggregated_loss
FROM hpc_memory_knowledge
ORDER BY list_position(['own', 'given', 'history', 'trace'], knowledge) NULLS LAST, knowledge, panel,
    memory_per_node_gb"""

KNOWN, AGGREGATED, RESPONSE = tips(
    ("known:N", "known of a job"),
    ("aggregated_loss:Q", "loss of Aggregated", ".2%"),
    ("response_ratio:Q", "response time, unlimited = 1", ".3f"),
)


@figure(
    title="Loss by what the scheduler knows of a job's memory",
    source="the premise of HiPC 2024 (Abstract, Sections III-D and IV-B)",
    caption="Utilisation lost against unlimited memory with the same jobs, by what Stochastic knows of a job "
    "before it runs: the run itself, which no operator knows; earlier runs of its user; one law for all "
    "jobs; or the run itself in bins of memory, each at its upper edge. A scheduler that asks for no "
    f"profile loses the same in all cases. {INTERVAL}.",
    sql=KNOWN_SQL,
    absent="No workload was replayed with more than one kind of knowledge (hpc_memory.sweeps in the configuration).",
    columns=2,
)
def fig_known(frame: pl.DataFrame) -> alt.FacetChart:
    """Loss against memory by knowledge, one panel per workload and scheduler."""
    tooltip = [SCHEDULER, KNOWN, MEMORY, *interval("loss", "loss", ".2%"), RESPONSE, AGGREGATED, BATCHES]
    curves = against_memory(
        frame, "known", "loss", "loss of utilisation", tooltip, series=steps(frame, "known", "known of a job")
    )
    # Each trace has a machine of its own size.
    return panels(curves, "jobs_from", "panel", x="independent")
