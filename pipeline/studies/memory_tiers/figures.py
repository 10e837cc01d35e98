"""Figures of memory_tiers: local memory beside a pool."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report.chart import GREY, PANEL_HEIGHT, PANEL_WIDTH, SPACING, STEPS, Figure, Series, schedulers_of, steps
from pipeline.warehouse.answer import read

ABSENT = "No trace whose jobs have memory was replayed (memory_tiers.sweeps in the configuration)."

FRONT_SQL = """\
SELECT trace, scheduler, usd, loss, loss_lo, loss_hi, response_ratio, local_per_node_gb, pool_per_node_gb, rejected,
    usd_today
FROM memory_tiers_cost
WHERE on_front AND loss < 0.5
ORDER BY trace, scheduler, usd"""

GRID_SQL = """\
SELECT
    trace, scheduler, local_per_node_gb, pool_per_node_gb, loss, response_ratio, rejected, usd,
    trace || chr(10) || scheduler AS panel, greatest(0, least(loss, 0.5)) AS shown
FROM memory_tiers_cost
WHERE grid = 'coarse' AND scheduler IN ('static_pool', 'dynamic_pool')
ORDER BY trace, scheduler DESC, local_per_node_gb, pool_per_node_gb"""

SLOWDOWN_SQL = """\
SELECT
    trace, scheduler, sensitivity_class, size, stretch, slowdown, local_slowdown,
    slowdown / local_slowdown AS ratio, slower.jobs, slower.rejected, mix.local_per_node_gb, mix.pool_per_node_gb,
    dense_rank() OVER (ORDER BY list_position(['one_node', 'few', 'many'], size)) AS place
FROM memory_mix_for_loss AS mix
JOIN memory_tiers_slowdown AS slower USING (trace, workload, scheduler, local_per_node_gb, pool_per_node_gb)
WHERE sensitivity_scale = 1 AND slower.jobs > 0 AND scheduler IN ('static_pool', 'dynamic_pool')
    AND loss_bound = (SELECT arg_min(loss_bound, abs(loss_bound - 0.01)) FROM memory_mix_for_loss)
ORDER BY trace, scheduler, sensitivity_class, place"""

MEMORY = [
    alt.Tooltip("local_per_node_gb:Q", title="local (GB per node)", format=".4~g"),
    alt.Tooltip("pool_per_node_gb:Q", title="pool (GB per node)", format=".4~g"),
]


def _looks(series: Series) -> tuple[alt.Color, alt.Shape]:
    """Colour and shape of the values of a series, in one legend."""
    legend = alt.Legend(title=series.title, symbolOpacity=1, columns=2)
    return (
        alt.Color(f"{series.column}:N", scale=alt.Scale(domain=series.names, range=series.colours), legend=legend),
        alt.Shape(f"{series.column}:N", scale=alt.Scale(domain=series.names, range=series.symbols), legend=legend),
    )


def fig_cost_against_loss(connection: duckdb.DuckDBPyConnection) -> Figure:
    """The front of cost against loss by scheduler, one panel per trace."""
    frame = read(connection, FRONT_SQL)
    return Figure(
        title="What local memory and a pool cost, by the loss that is accepted",
        source="ours",
        caption="Each point is a machine that no cheaper one beats for its scheduler; bars are 95 % intervals of the "
        "loss of utilisation against all memory local. The dashed rule is what the memory of the traced machine costs "
        "at the price of local memory (none where it is not known). Machines that lose more than half are left out. "
        "static_used has exact requests.",
        sql=FRONT_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _front(frame),
        absent=ABSENT,
        columns=2,
    )


def _front(frame: pl.DataFrame) -> alt.FacetChart:
    colour, shape = _looks(schedulers_of(frame))
    x = alt.X("usd:Q", title="memory of the machine (USD)", scale=alt.Scale(zero=False), axis=alt.Axis(format="~s"))
    y = alt.Y("loss:Q", title="loss of utilisation", axis=alt.Axis(format=".0%"))
    tooltip = [
        alt.Tooltip("scheduler:N"), *MEMORY, alt.Tooltip("usd:Q", title="USD", format=",.4~r"),
        alt.Tooltip("loss:Q", format=".2%"), alt.Tooltip("response_ratio:Q", title="response, local = 1", format=".3f"),
        alt.Tooltip("rejected:Q", title="rejected jobs"),
    ]  # fmt: skip
    base = alt.Chart()
    line = base.mark_line(interpolate="step-after", strokeWidth=1.5).encode(x=x, y=y, color=colour)
    # Without an interval a bar without height: a panel without any row is a warning of Vega.
    bar = (
        base.transform_calculate(
            lo="isValid(datum.loss_lo) ? datum.loss_lo : datum.loss",
            hi="isValid(datum.loss_hi) ? datum.loss_hi : datum.loss",
        )
        .mark_rule(strokeWidth=1)
        .encode(x=x, y=alt.Y("lo:Q", title="loss of utilisation"), y2="hi:Q", color=colour)
    )
    point = base.mark_point(filled=True, size=45, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, tooltip=tooltip
    )
    today = (
        # A scale needs a number where today's cost is not known: one of the panel's, for a rule that is not seen.
        base.transform_calculate(cost="isValid(datum.usd_today) ? datum.usd_today : datum.usd")
        .transform_aggregate(today="max(cost)", known="valid(usd_today)")
        .mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY)
        .encode(
            x=alt.X("today:Q", title="memory of the machine (USD)"),
            opacity=alt.condition("datum.known > 0", alt.value(1), alt.value(0)),
        )
    )
    layers = alt.layer(today, line, bar, point, data=frame).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    faceted = layers.facet(facet=alt.Facet("trace:N", title=None), columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_scale(x="independent").resolve_axis(x="independent", y="independent")


def fig_local_and_pool(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Loss on the grid of local memory and pool, one panel per trace and scheduler."""
    frame = read(connection, GRID_SQL)
    return Figure(
        title="Loss of utilisation, by local memory and pool",
        source="ours",
        caption="Each cell is a machine of the configured sizes: utilisation lost against all memory local, work of "
        "rejected jobs included; from 50 % on all cells look alike. static_pool goes by requests, dynamic_pool by what "
        "each phase needs.",
        sql=GRID_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _grid(frame),
        absent=ABSENT,
        columns=2,
    )


def _grid(frame: pl.DataFrame) -> alt.FacetChart:
    def axis(name: str, title: str) -> dict:
        sizes = alt.EncodingSortField(name, op="min")
        # Three digits of a small size would not fit beside the title.
        axis = alt.Axis(labelExpr="format(datum.value, datum.value < 0.1 ? '.2~g' : '.3~g')", labelAngle=0)
        return {"shorthand": f"{name}:O", "title": title, "sort": sizes, "axis": axis}

    box = (
        alt.Chart(frame)
        .mark_rect(stroke="#ffffff", strokeWidth=1)
        .encode(
            x=alt.X(**axis("local_per_node_gb", "local (GB per node)")),
            y=alt.Y(**axis("pool_per_node_gb", "pool (GB per node)") | {"sort": "descending"}),
            color=alt.Color(
                "shown:Q",
                title="loss",
                scale=alt.Scale(domain=[0, 0.5], range=[STEPS[0], "#f2f2f2", STEPS[-1]], interpolate="lab"),
                legend=alt.Legend(format=".0%"),
            ),
            tooltip=[
                alt.Tooltip("scheduler:N"), *MEMORY, alt.Tooltip("loss:Q", format=".2%"),
                alt.Tooltip("response_ratio:Q", title="response, local = 1", format=".3f"),
                alt.Tooltip("rejected:Q", title="rejected jobs"), alt.Tooltip("usd:Q", title="USD", format=",.4~r"),
            ],
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    )  # fmt: skip
    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    order = frame["panel"].unique(maintain_order=True).to_list()
    facet = alt.Facet("panel:N", sort=order, title=None, header=header)
    faceted = box.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_scale(x="independent", y="independent")


def fig_who_pays(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Slowdown by class of sensitivity and size on the cheapest machines."""
    frame = read(connection, SLOWDOWN_SQL)
    return Figure(
        title="Who pays for a pool, by sensitivity and size",
        source="ours",
        caption="Mean bounded slowdown on the cheapest machine that is enough at a loss of 1 % (or the bound next to "
        "it), over that of the same jobs with all memory local; 1 = they do not notice, less = they wait less, because "
        "the order of starts is another. Sensitivities are assumed.",
        sql=SLOWDOWN_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _slowdown(frame),
        absent="No machine that was tried is enough, so nobody pays.",
        columns=2,
    )


def _slowdown(frame: pl.DataFrame) -> alt.FacetChart:
    frame = frame.with_columns(
        panel=pl.col("trace") + "\n" + pl.col("scheduler"),
        size=pl.col("size").replace_strict({"one_node": "one node", "few": "few nodes", "many": "many nodes"}),
    )
    order = frame.group_by("sensitivity_class").agg(pl.col("stretch").mean()).sort("stretch", "sensitivity_class")
    colour, shape = _looks(steps(order, "sensitivity_class", "sensitivity"))
    point = (
        alt.Chart(frame)
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=alt.X("size:N", title=None, sort=["one node", "few nodes", "many nodes"], axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("sensitivity_class:N", sort=order["sensitivity_class"].to_list()),
            y=alt.Y("ratio:Q", title="slowdown, all local = 1", scale=alt.Scale(zero=False)),
            color=colour,
            shape=shape,
            tooltip=[
                alt.Tooltip("sensitivity_class:N", title="sensitivity"), alt.Tooltip("size:N"), alt.Tooltip("jobs:Q"),
                alt.Tooltip("ratio:Q", title="slowdown, local = 1", format=".3f"),
                alt.Tooltip("stretch:Q", title="run time, local = 1", format=".3f"),
                alt.Tooltip("slowdown:Q", format=".3f"), *MEMORY,
            ],
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    )  # fmt: skip
    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    facet = alt.Facet("panel:N", title=None, header=header)
    return point.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING).resolve_scale(y="independent")
