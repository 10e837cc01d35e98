"""Figures of how much memory is enough, and what it saves."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report.chart import GREY, PANEL_HEIGHT, PANEL_WIDTH, SOFT, SPACING, Figure, appearance, ordered
from pipeline.warehouse.answer import read

MEMORY_SQL = r"""
SELECT
    CASE
        WHEN kind IN ('replayed', 'composed') THEN concat_ws(
            chr(10), trace,
            CASE
                WHEN shapes IS NOT NULL THEN 'memory assumed: of ' || shapes
                WHEN kind = 'composed' THEN 'memory assumed: documented laws'
                ELSE 'memory of its own'
            END,
            CASE WHEN share_of_log < 1 THEN printf('%.1f %% of the log', 100 * share_of_log) END
        )
        ELSE trace || ' jobs'
    END AS jobs_from,
    dense_rank() OVER (ORDER BY list_position(['replayed', 'composed', 'phased', 'dynamic'], kind), workload) AS panel,
    scheduler, printf('%g %%', loss_bound * 100) AS accepted, loss_bound,
    enough.memory_per_node_gb, memory_lo_gb, memory_hi_gb, fails_at_gb, node_memory_gb,
    share_saved, gb_saved, usd_saved / 1000 AS saved_kusd, response_ratio, wait_ratio, wait_s, unlimited_wait_s,
    fails_by, at_most, blocks, share_of_log
FROM smallest_memory_for_loss AS enough
JOIN (SELECT DISTINCT family AS workload, kind, shapes FROM workload) USING (workload)
WHERE kind IN ('replayed', 'composed')
    OR workload IN (SELECT workload FROM hpc_memory_paper WHERE setting = 'default')
ORDER BY panel, loss_bound, scheduler""".strip()


TOOLTIP = [
    alt.Tooltip("scheduler:N"),
    alt.Tooltip("accepted:N", title="loss that is accepted"),
    alt.Tooltip("memory_per_node_gb:Q", title="memory per node (GB)", format=".4~g"),
    alt.Tooltip("memory_lo_gb:Q", title="95 % interval from", format=".4~g"),
    alt.Tooltip("memory_hi_gb:Q", title="to", format=".4~g"),
    alt.Tooltip("fails_at_gb:Q", title="fails at (GB)", format=".4~g"),
    alt.Tooltip("share_saved:Q", title="memory saved", format=".0%"),
    alt.Tooltip("gb_saved:Q", title="saved (GB)", format=",.0f"),
    alt.Tooltip("saved_kusd:Q", title="saved (1000 USD)", format=",.1f"),
    alt.Tooltip("response_ratio:Q", title="response time, unlimited = 1", format=".3f"),
    alt.Tooltip("wait_ratio:Q", title="waiting time, unlimited = 1", format=".3f"),
    alt.Tooltip("wait_s:Q", title="mean wait (s)", format=",.0f"),
    alt.Tooltip("unlimited_wait_s:Q", title="with unlimited memory (s)", format=",.0f"),
    alt.Tooltip("at_most:N", title="smallest size tried"),
    alt.Tooltip("blocks:Q", title="spans or batches"),
]
"""What is said of a point."""


def fig_memory_for_loss(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Least memory per node by accepted loss and scheduler, one panel per workload, with what it saves."""
    frame = read(connection, MEMORY_SQL)
    known = frame.drop_nulls("memory_per_node_gb")
    return Figure(
        title="Memory that is enough, by the loss that is accepted",
        source="the question of HiPC 2024, Section VII, at the losses of the configuration",
        caption="Least memory per node whose loss of utilisation against unlimited memory stays within the bound while "
        "the mean response time stays within its own; bars are 95 % intervals, without a lower or upper part where no "
        "size tried bounds it. The dashed rule is the memory of a node today, from which savings are counted (none "
        "where memory or machine are assumed); the figures at the foot are the largest saving of a scheduler, in "
        "thousands of USD for the whole machine. A scheduler without a point needs more than was tried.",
        sql=MEMORY_SQL,
        frame=frame,
        chart=None if known.is_empty() else _panels(frame),
        absent="No replay has a loss against unlimited memory (hpc_memory.sweeps in the configuration).",
        columns=2,
    )


def _panels(frame: pl.DataFrame) -> alt.FacetChart:
    """Points with intervals, side by side within each accepted loss, and the best saving of each at the foot."""
    names = ordered(frame["scheduler"])
    colours, symbols = appearance(names)
    legend = alt.Legend(title=None, symbolOpacity=1)
    colour = alt.Color("scheduler:N", scale=alt.Scale(domain=names, range=colours), legend=legend)
    shape = alt.Shape("scheduler:N", scale=alt.Scale(domain=names, range=symbols), legend=legend)
    accepted = frame.sort("loss_bound")["accepted"].unique(maintain_order=True).to_list()
    x = alt.X("accepted:N", title="loss that is accepted", sort=accepted, axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("scheduler:N", scale=alt.Scale(domain=names))
    y = alt.Y(
        "memory_per_node_gb:Q",
        title="memory per node (GB)",
        scale=alt.Scale(zero=False, nice=False, padding=18),
        # The savings stand at the foot, where a line would strike them through.
        axis=alt.Axis(format=".4~g", grid=False, domain=True),
    )
    found = alt.Chart().transform_filter("isValid(datum.memory_per_node_gb)")
    interval = (
        found.transform_calculate(
            lo="isValid(datum.memory_lo_gb) ? datum.memory_lo_gb : datum.memory_per_node_gb",
            hi="isValid(datum.memory_hi_gb) ? datum.memory_hi_gb : datum.memory_per_node_gb",
        )
        .mark_rule(strokeWidth=1.8)
        .encode(x=x, xOffset=offset, y=alt.Y("lo:Q", title="memory per node (GB)"), y2="hi:Q", color=colour)
    )
    point = found.mark_point(filled=True, size=60, opacity=1).encode(
        x=x, xOffset=offset, y=y, color=colour, shape=shape, tooltip=TOOLTIP
    )
    today = (
        alt.Chart()
        # A scale needs a number where today's memory is not known: one of the panel's, for a rule that is not seen.
        .transform_calculate(
            today="isValid(datum.node_memory_gb) ? datum.node_memory_gb : isValid(datum.memory_per_node_gb) ? "
            "datum.memory_per_node_gb : datum.fails_at_gb"
        )
        .transform_aggregate(today_gb="max(today)", known="valid(node_memory_gb)")
        .mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY)
        .encode(
            y=alt.Y("today_gb:Q", title="memory per node (GB)"),
            opacity=alt.condition("datum.known > 0", alt.value(1), alt.value(0)),
        )
    )
    saving = (
        alt.Chart()
        .transform_filter("isValid(datum.saved_kusd)")
        .transform_aggregate(most="max(saved_kusd)", groupby=["accepted"])
        .transform_calculate(said="format(datum.most, ',.3~r') + ' kUSD'")
        .mark_text(baseline="bottom", fontSize=11, color=SOFT)
        .encode(x=x, y=alt.value(PANEL_HEIGHT - 2), text="said:N")
    )
    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    facet = alt.Facet("jobs_from:N", sort=alt.EncodingSortField("panel", op="min"), title=None, header=header)
    layers = alt.layer(today, interval, point, saving, data=frame).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    faceted = layers.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_scale(y="independent").resolve_axis(x="independent", y="independent")
