"""Figures of which applications should share a GPU: rules judged by pairs that were measured side by side."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report.chart import GREY, LABEL, LOOKS, PANEL_WIDTH, SPACING, STEPS, WIDTH, Figure
from pipeline.warehouse.answer import read

BLUE, RED, AMBER = STEPS[0], STEPS[-1], LOOKS["amber"][0]
ABSENT = "No drop has profiles of applications and pairs of them measured side by side (docs/corun-choice.md)."
SOURCE = "ours: Slate's question (IPDPS 2019, Section III), asked of measured pairs"

REGRET_SQL = """\
SELECT
    trace || CASE trace_kind WHEN 'generated' THEN ' (generated)' ELSE '' END
    || CASE objective WHEN 'total_time' THEN ': time of the queue' ELSE ': mean slowdown' END AS panel,
    dense_rank() OVER (ORDER BY trace_kind DESC, trace, objective DESC) AS place,
    rule, regret, greatest(regret_lo, 0) AS regret_lo, regret_hi,
    CASE
        WHEN rule = 'random_partner' THEN 'chance'
        WHEN gain_lo > 0 THEN 'better than chance'
        WHEN gain_hi < 0 THEN 'worse than chance'
        ELSE 'not told from chance'
    END AS standing,
    queues, apps
FROM best_corun_rule
ORDER BY place, regret, rule"""

PAIRS_SQL = """\
SELECT
    trace || CASE trace.kind WHEN 'generated' THEN ' (generated)' ELSE '' END AS trace, rule, app, beside, measured,
    predicted
FROM (
    SELECT trace, rule, app_a AS app, app_b AS beside, measured_a AS measured, predicted_a AS predicted
    FROM corun_prediction
    UNION ALL
    SELECT trace, rule, app_b, app_a, measured_b, predicted_b FROM corun_prediction
)
JOIN trace USING (trace)
WHERE rule IN ('slate_table1', 'constant_delay', 'shared_kernels', 'shared_resources')
ORDER BY trace, rule, app, beside"""


def fig_regret(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Regret of the partners that each rule chooses, with intervals over applications."""
    frame = read(connection, REGRET_SQL)
    return Figure(
        title="Partners chosen by rules: cost above that of the best matching",
        source=SOURCE,
        caption="Mean over queues of the measured applications, costs as measured; bars are 95 % intervals over "
        "applications (cut at 0); no application of a queue was seen by the fit. A rule is better (worse) than chance "
        "where the interval of its gain on a random partner lies above (below) 0.",
        sql=REGRET_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _regret(frame),
        absent=ABSENT,
    )


def _regret(frame: pl.DataFrame) -> alt.FacetChart:
    order = ["random_partner", "always_corun", "slate_table1", "constant_delay", "shared_kernels", "shared_resources"]
    x = alt.X("rule:N", title=None, sort=order, axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '_')"))
    y = alt.Y("regret:Q", title="regret", axis=alt.Axis(format="~%", tickCount=5), scale=alt.Scale(zero=True))
    standings = ["chance", "not told from chance", "better than chance", "worse than chance"]
    scale = alt.Scale(domain=standings, range=[GREY, AMBER, BLUE, RED])
    # Two entries per line: four would be wider than a small screen.
    legend = alt.Legend(title=None, symbolOpacity=1, columns=2)
    colour = alt.Color("standing:N", scale=scale, legend=legend)
    shapes = alt.Scale(domain=standings, range=["square", "circle", "diamond", "triangle-down"])
    bar = alt.Chart().mark_rule(strokeWidth=3).encode(
        x=x, y=alt.Y("regret_lo:Q", title="regret"), y2="regret_hi:Q", color=colour
    )  # fmt: skip
    point = (
        alt.Chart()
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=x, y=y, color=colour, shape=alt.Shape("standing:N", scale=shapes, legend=legend),
            tooltip=[
                alt.Tooltip("rule:N"), alt.Tooltip("regret:Q", format=".2%"),
                alt.Tooltip("regret_lo:Q", title="95 % interval from", format=".2%"),
                alt.Tooltip("regret_hi:Q", title="to", format=".2%"),
                alt.Tooltip("queues:Q"), alt.Tooltip("apps:Q", title="applications"),
            ],
        )
    )  # fmt: skip
    label = (
        alt.Chart()
        .mark_text(align="left", dx=9, dy=-6, fontSize=12, color=LABEL)
        .encode(x=x, y=y, text=alt.Text("regret:Q", format=".1%"))
    )
    layers = alt.layer(bar, point, label, data=frame).properties(width=WIDTH, height=130)
    facet = alt.Facet("panel:N", sort=alt.EncodingSortField("place", op="min"), title=None,
                      header=alt.Header(labelAnchor="start"))  # fmt: skip
    return (
        layers.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING)
        .resolve_scale(y="independent")
        .resolve_axis(x="independent", y="independent")
    )


def fig_pairs(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Predicted against measured slowdowns, one panel per rule."""
    frame = read(connection, PAIRS_SQL)
    return Figure(
        title="Slowdown beside another application: predicted and measured",
        source=SOURCE,
        caption="One point per application and partner; the fit has seen neither of the two. On the dashed line "
        "prediction and measurement agree.",
        sql=PAIRS_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _pairs(frame),
        absent=ABSENT,
        columns=2,
    )


def _pairs(frame: pl.DataFrame) -> alt.FacetChart:
    highest = max(frame["measured"].max(), frame["predicted"].max())
    lowest = min(1.0, frame["measured"].min(), frame["predicted"].min())
    scale = alt.Scale(domain=[lowest, highest], nice=False, zero=False)
    traces = frame["trace"].unique(maintain_order=True).to_list()
    looks = [STEPS[i * 4 % len(STEPS)] for i in range(len(traces))]
    legend = alt.Legend(title=None, symbolOpacity=1, columns=1)
    colour = alt.Color("trace:N", scale=alt.Scale(domain=traces, range=looks), legend=legend)
    shapes = alt.Scale(domain=traces, range=[("circle", "triangle-up", "diamond")[i % 3] for i in range(len(traces))])
    point = (
        alt.Chart()
        .mark_point(size=22, opacity=0.7, strokeWidth=1.2)
        .encode(
            x=alt.X("measured:Q", title="measured slowdown", scale=scale, axis=alt.Axis(tickCount=5)),
            y=alt.Y("predicted:Q", title="predicted slowdown", scale=scale, axis=alt.Axis(tickCount=5)),
            color=colour,
            shape=alt.Shape("trace:N", scale=shapes, legend=legend),
            tooltip=[
                alt.Tooltip("app:N", title="application"), alt.Tooltip("beside:N"),
                alt.Tooltip("measured:Q", format=".3f"), alt.Tooltip("predicted:Q", format=".3f"),
            ],
        )
    )  # fmt: skip
    ends = alt.InlineData(values=[{"at": lowest}, {"at": highest}])
    agreement = (
        alt.Chart(ends)
        .mark_line(strokeDash=[6, 4], strokeWidth=1.5, color=GREY, clip=True)
        .encode(x=alt.X("at:Q", title="measured slowdown"), y=alt.Y("at:Q", title="predicted slowdown"))
    )
    layers = alt.layer(agreement, point, data=frame).properties(width=PANEL_WIDTH, height=PANEL_WIDTH)
    faceted = layers.facet(facet=alt.Facet("rule:N", title=None), columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_axis(x="independent", y="independent")
