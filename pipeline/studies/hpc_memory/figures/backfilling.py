"""What backfilling that knows of memory is worth over EASY."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import against_memory, figure
from pipeline.report.marks import interval
from pipeline.studies.hpc_memory.figures.encodings import BATCHES, INTERVAL, MEMORY, SCHEDULER, panels

BACKFILLING_SQL = """\
SELECT
    CASE WHEN kind = 'phased' THEN 'drawn jobs' WHEN kind = 'dynamic' THEN 'drawn jobs, dynamic memory' ELSE trace END
        || chr(10) || measure AS panel,
    dense_rank() OVER (ORDER BY workload, measure DESC) AS place,
    scheduler, memory_per_node_gb, batches, ratio - 1 AS change, ratio_lo - 1 AS change_lo, ratio_hi - 1 AS change_hi
FROM (
    SELECT
        workload, kind, trace, backfilling, scheduler, memory_per_node_gb, batches, 'utilisation' AS measure,
        utilisation AS ratio, utilisation_lo AS ratio_lo, utilisation_hi AS ratio_hi
    FROM hpc_memory_backfilling
    UNION ALL
    SELECT
        workload, kind, trace, backfilling, scheduler, memory_per_node_gb, batches, 'mean response time', response,
        response_lo, response_hi
    FROM hpc_memory_backfilling
)
WHERE backfilling = 'memory_aware_easy' AND memory_per_node_gb IS NOT NULL AND kind IN ('phased', 'dynamic')
ORDER BY place, scheduler, memory_per_node_gb"""


@figure(
    title="Backfilling that knows what memory does to a job, over EASY",
    source="the co-design that HiPC 2024, Section VII, leaves to future work; rule memory_aware_easy, ours",
    caption="Change of utilisation and of mean response time against EASY with the same jobs, memory and scheduler of "
    "the memory (geometric means). Above 0 is better for utilisation, below 0 for response time. "
    f"{INTERVAL}.",
    sql=BACKFILLING_SQL,
    absent="No drawn workload was replayed with memory_aware_easy and with easy (hpc_memory.sweeps).",
    columns=2,
)
def fig_backfilling(frame: pl.DataFrame) -> alt.FacetChart:
    """Changes against EASY by memory, a panel for each workload and measure."""
    title = "against EASY"
    tooltip = [SCHEDULER, MEMORY, *interval("change", title, ".1%"), BATCHES]
    curves = against_memory(frame, "backfilling", "change", title, tooltip, reference=0.0, zero=False)
    return panels(curves, "panel", "place")
