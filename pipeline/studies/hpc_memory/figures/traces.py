"""Loss against memory on the traces that were dropped: the paper's Figure 4 on other jobs."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import against_memory, figure, finding
from pipeline.report.marks import interval
from pipeline.studies.hpc_memory.figures.encodings import (
    BATCHES,
    INTERVAL,
    MEMORY,
    SCHEDULER,
    at_least_memory,
    panels,
    share,
)

TRACES_SQL = """\
SELECT
    concat_ws(
        chr(10), trace,
        CASE
            WHEN kind IN ('phased', 'dynamic') THEN 'drawn from its laws' || chr(10) || split_part(workload, '/', -1)
            WHEN shapes IS NOT NULL THEN 'memory assumed: of ' || shapes
            WHEN kind = 'composed' THEN 'memory assumed: documented laws'
            ELSE 'memory of its own'
        END,
        'windows of ' || nullif(regexp_extract(workload, '/by([0-9]+)$', 1), '') || ' jobs'
    ) AS jobs_from,
    dense_rank() OVER (ORDER BY workload) AS panel,
    kind, scheduler, memory_per_node_gb, batches, loss, loss_lo, loss_hi, utilisation
FROM hpc_memory_summary
WHERE trace IS NOT NULL AND memory_per_node_gb IS NOT NULL AND loss IS NOT NULL
    AND is_default
ORDER BY workload, memory_per_node_gb, scheduler"""


def _first_panel(frame: pl.DataFrame) -> str | None:
    first = frame.filter(pl.col("panel") == frame["panel"].min())
    trace = first["jobs_from"][0].partition("\n")[0]
    words = "{gb} per node: {worst} loses {low} of utilisation, {best} {high}"
    said = at_least_memory("loss", words, 1)(first)
    return said and f"{trace}, {said}"


@figure(
    title=finding("Loss of utilisation against memory per node, by trace", _first_panel),
    source="the evaluation of HiPC 2024, Section VI-A.1, on other jobs",
    caption="Utilisation lost against unlimited memory with the same jobs. The jobs are those of a trace with "
    "the memory that was recorded for them, or with memory that is assumed (composed), or jobs drawn "
    f"from its laws. {INTERVAL}.",
    sql=TRACES_SQL,
    absent="No dropped trace has jobs that could be replayed with memory: drop one under traces/.",
    columns=2,
    traces=True,
)
def fig_traces(frame: pl.DataFrame) -> alt.FacetChart:
    """Loss against memory per node, one panel per workload made from dropped traces."""
    tooltip = [SCHEDULER, MEMORY, *interval("loss", "loss", ".2%"), share("utilisation"), BATCHES]
    curves = against_memory(frame, "traces", "loss", "loss of utilisation", tooltip)
    # Each trace has a machine of its own size.
    return panels(curves, "jobs_from", "panel", x="independent")
