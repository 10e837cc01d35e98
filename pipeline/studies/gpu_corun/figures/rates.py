"""Figures of who should share a GPU: rules judged by rates of pairs, and the model beside what was measured."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report.chart import GREY, LOOKS, PANEL_WIDTH, SPACING, STEPS, WIDTH, Figure
from pipeline.warehouse.answer import read

BLUE, RED, AMBER = STEPS[0], STEPS[-1], LOOKS["amber"][0]
ABSENT = "No drop has rates or slowdowns of pairs of five applications or more on one card (docs/corun-choice.md)."
UNMODELLED = "No drop has profiles and measured pairs of the same applications (docs/corun-choice.md)."
SOURCE = "ours: rules judged by pairs that were measured"
MODEL = "ours: the model of Slate's question (IPDPS 2019), asked about measured pairs"

RULES = ("never", "always", "random_partner", "slate_table1", "mean_share", "saturation", "ridge", "greedy_measured")
SEEN = {"no pairs": "circle", "other pairs": "diamond", "other jobs": "triangle-up", "another card": "square"}
"""What a rule has seen when it chooses, and its symbol."""
STANDINGS = {"chance": GREY, "not told from chance": AMBER, "better than chance": BLUE, "worse than chance": RED}

RULES_SQL = """\
SELECT
    trace || coalesce(', ' || gpu, '') || CASE trace_kind WHEN 'generated' THEN ' (generated)' ELSE '' END AS panel,
    dense_rank() OVER (ORDER BY trace_kind DESC, trace, gpu) AS place,
    rule,
    CASE
        WHEN rule IN ('never', 'always', 'random_partner', 'slate_table1', 'greedy_measured') THEN 'no pairs'
        WHEN protocol = 'unseen_pairs' THEN 'other pairs'
        WHEN protocol = 'unseen_jobs' THEN 'other jobs'
        ELSE 'another card'
    END AS seen,
    {columns},
    CASE seen WHEN 'other pairs' THEN -1 WHEN 'another card' THEN 1 ELSE 0 END AS "offset",
    CASE
        WHEN rule = 'random_partner' THEN 'chance'
        WHEN over_random_lo > 0 THEN 'better than chance'
        WHEN over_random_hi < 0 THEN 'worse than chance'
        ELSE 'not told from chance'
    END AS standing,
    sets, apps
FROM best_pair_rule
WHERE speedup IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY trace, gpu, rule, seen ORDER BY protocol DESC) = 1
ORDER BY place, rule, seen"""
GAIN_SQL = RULES_SQL.format(columns="speedup - 1 AS value, speedup_lo - 1 AS lo, speedup_hi - 1 AS hi")
REGRET_SQL = RULES_SQL.format(columns="regret AS value, greatest(regret_lo, 0) AS lo, regret_hi AS hi")

PAIRS_SQL = """\
SELECT
    trace || CASE trace_kind WHEN 'generated' THEN ' (generated)' ELSE '' END AS trace, scheduler,
    app_a || ' + ' || app_b AS pair, measured_gain, modelled_gain, difference, null_gain
FROM modelled_and_measured_pairs
ORDER BY trace_kind DESC, trace, scheduler, pair"""

ERROR_SQL = """\
SELECT
    trace || CASE trace_kind WHEN 'generated' THEN ' (generated)' ELSE '' END AS trace,
    dense_rank() OVER (ORDER BY trace_kind DESC, trace) AS place,
    scheduler, mae, greatest(mae_lo, 0) AS mae_lo, mae_hi, null_mae, mean_difference, same_sign, null_same_sign, pairs,
    apps
FROM error_of_modelled_pairs
ORDER BY place, scheduler"""


def fig_pair_gain(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speedup over taking turns by the pairs that each rule chooses, card by card."""
    frame = read(connection, GAIN_SQL)
    return Figure(
        title="Sharing a GPU by rules: what is gained over taking turns",
        source=SOURCE,
        caption="Mean weighted speedup of sets of jobs less 1, as measured; bars are 95 % intervals over jobs. A rule "
        "is better (worse) than chance where the interval of its gain on random partners lies above (below) 0; "
        "greedy_measured knows what it is judged by; slate_table1 needs profiles.",
        sql=GAIN_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _rules(frame, "gain over taking turns"),
        absent=ABSENT,
    )


def fig_pair_regret(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Regret of the pairs that each rule chooses against the best pairing, card by card."""
    frame = read(connection, REGRET_SQL)
    return Figure(
        title="Sharing a GPU by rules: what is lost against the best pairing",
        source=SOURCE,
        caption="Speedup of the best pairing of a set over that of the rule, less 1, mean over sets; bars are 95 % "
        "intervals over jobs (cut at 0). Colours as in the figure of gains: where the rule stands against chance.",
        sql=REGRET_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _rules(frame, "regret"),
        absent=ABSENT,
    )


def _rules(frame: pl.DataFrame, title: str) -> alt.FacetChart:
    x = alt.X("rule:N", title=None, sort=RULES, axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '_')"))
    beside = alt.XOffset("offset:Q", scale=alt.Scale(domain=[-2, 2]))
    # One entry per line: the two legends stand side by side, also on a small screen.
    legend = alt.Legend(title=None, symbolOpacity=1, columns=1)
    colour = alt.Color(
        "standing:N", scale=alt.Scale(domain=list(STANDINGS), range=list(STANDINGS.values())), legend=legend
    )
    shape = alt.Shape(
        "seen:N",
        scale=alt.Scale(domain=list(SEEN), range=list(SEEN.values())),
        legend=alt.Legend(title="the fit has seen", symbolOpacity=1, columns=1),
    )
    axis = alt.Axis(format="~%", tickCount=5)
    zero = alt.Chart().mark_rule(strokeDash=[6, 4], color=GREY).encode(y=alt.YDatum(0))
    bar = (
        alt.Chart()
        .mark_rule(strokeWidth=2)
        .encode(x=x, xOffset=beside, y=alt.Y("lo:Q", title=title, axis=axis), y2="hi:Q", color=colour)
    )
    point = (
        alt.Chart()
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=x, xOffset=beside, y=alt.Y("value:Q", title=title, axis=axis), color=colour, shape=shape,
            tooltip=[
                alt.Tooltip("rule:N"), alt.Tooltip("seen:N", title="the fit has seen"),
                alt.Tooltip("value:Q", title=title, format=".2%"),
                alt.Tooltip("lo:Q", title="95 % interval from", format=".2%"),
                alt.Tooltip("hi:Q", title="to", format=".2%"),
                alt.Tooltip("sets:Q"), alt.Tooltip("apps:Q", title="jobs"),
            ],
        )
    )  # fmt: skip
    layers = alt.layer(zero, bar, point, data=frame).properties(width=WIDTH, height=150)
    facet = alt.Facet("panel:N", sort=alt.EncodingSortField("place", op="min"), title=None,
                      header=alt.Header(labelAnchor="start"))  # fmt: skip
    return (
        layers.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING)
        .resolve_scale(y="independent")
        .resolve_axis(x="independent", y="independent")
    )


def fig_modelled_pairs(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Modelled against measured gains of pairs, one panel per scheduler."""
    frame = read(connection, PAIRS_SQL)
    return Figure(
        title="Gain of running side by side: by the model and as measured",
        source=MODEL,
        caption="One point per pair: weighted speedup over taking turns, less 1. The model knows profiles of single "
        "applications and no pair. On the dashed line both agree.",
        sql=PAIRS_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _modelled(frame),
        absent=UNMODELLED,
        columns=2,
    )


def _modelled(frame: pl.DataFrame) -> alt.FacetChart:
    gains = pl.concat([frame["measured_gain"], frame["modelled_gain"]])
    lowest, highest = min(0.0, gains.min()), gains.max() * 1.02
    scale = alt.Scale(domain=[lowest, highest], nice=False, zero=False)
    axis = alt.Axis(format="~%", tickCount=5)
    traces = frame["trace"].unique(maintain_order=True).to_list()
    looks = [STEPS[i * 4 % len(STEPS)] for i in range(len(traces))]
    shapes = [("circle", "triangle-up", "diamond")[i % 3] for i in range(len(traces))]
    legend = alt.Legend(title=None, symbolOpacity=1, columns=1)
    x = alt.X("measured_gain:Q", title="measured gain", scale=scale, axis=axis)
    y = alt.Y("modelled_gain:Q", title="modelled gain", scale=scale, axis=axis)
    point = (
        alt.Chart()
        .mark_point(size=22, opacity=0.7, strokeWidth=1.2)
        .encode(
            x=x, y=y, color=alt.Color("trace:N", scale=alt.Scale(domain=traces, range=looks), legend=legend),
            shape=alt.Shape("trace:N", scale=alt.Scale(domain=traces, range=shapes), legend=legend),
            tooltip=[
                alt.Tooltip("pair:N"), alt.Tooltip("measured_gain:Q", title="measured", format=".1%"),
                alt.Tooltip("modelled_gain:Q", title="modelled", format=".1%"),
                alt.Tooltip("null_gain:Q", title="mean of the others", format=".1%"),
            ],
        )
    )  # fmt: skip
    ends = alt.InlineData(values=[{"at": lowest}, {"at": highest}])
    agreement = (
        alt.Chart(ends)
        .mark_line(strokeDash=[6, 4], strokeWidth=1.5, color=GREY, clip=True)
        .encode(x=alt.X("at:Q", title="measured gain"), y=alt.Y("at:Q", title="modelled gain"))
    )
    layers = alt.layer(agreement, point, data=frame).properties(width=PANEL_WIDTH, height=PANEL_WIDTH)
    faceted = layers.facet(facet=alt.Facet("scheduler:N", title=None), columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_axis(x="independent", y="independent")


def fig_modelled_error(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Mean absolute error of modelled gains beside that of the null model."""
    frame = read(connection, ERROR_SQL)
    return Figure(
        title="Error of modelled gains beside the mean of the other pairs",
        source=MODEL,
        caption="Mean absolute difference of modelled and measured gains; bars are 95 % intervals over applications "
        "(cut at 0). Strokes: the null model, the mean measured gain of the pairs with neither application.",
        sql=ERROR_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _errors(frame),
        absent=UNMODELLED,
    )


def _errors(frame: pl.DataFrame) -> alt.FacetChart:
    x = alt.X("scheduler:N", title=None, axis=alt.Axis(labelAngle=0))
    title = "error of the gain"
    axis = alt.Axis(format="~%", tickCount=5)
    y = alt.Y("mae:Q", title=title, axis=axis, scale=alt.Scale(zero=True))
    tooltip = [
        alt.Tooltip("scheduler:N"), alt.Tooltip("mae:Q", title="error", format=".1%"),
        alt.Tooltip("null_mae:Q", title="of the null model", format=".1%"),
        alt.Tooltip("mean_difference:Q", title="modelled less measured", format=".1%"),
        alt.Tooltip("same_sign:Q", title="same sign", format=".0%"),
        alt.Tooltip("null_same_sign:Q", title="of the null model", format=".0%"), alt.Tooltip("pairs:Q"),
    ]  # fmt: skip
    bar = alt.Chart().mark_rule(strokeWidth=3, color=BLUE).encode(x=x, y=alt.Y("mae_lo:Q", title=title), y2="mae_hi:Q")
    point = alt.Chart().mark_point(filled=True, size=70, opacity=1, color=BLUE).encode(x=x, y=y, tooltip=tooltip)
    null = (
        alt.Chart()
        .mark_tick(thickness=3, size=50, color=AMBER)
        .encode(x=x, y=alt.Y("null_mae:Q", title=title), tooltip=tooltip)
    )
    layers = alt.layer(bar, point, null, data=frame).properties(width=WIDTH, height=150)
    facet = alt.Facet("trace:N", sort=alt.EncodingSortField("place", op="min"), title=None,
                      header=alt.Header(labelAnchor="start"))  # fmt: skip
    return layers.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING).resolve_axis(
        x="independent", y="independent"
    )
