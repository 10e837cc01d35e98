"""Figures of who should share a GPU: rules judged by rates of pairs, and the model beside what was measured."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt
import polars as pl

from pipeline.report.chart import WIDTH, figure, finding, of_kind
from pipeline.report.marks import legend, level, named, panels, points, tips
from pipeline.runtime.quantities import share
from pipeline.studies.gpu_corun.figures.encodings import AMBER, BLUE, STANDINGS, against_measured, below

ABSENT = "No drop has rates or slowdowns of pairs of five or more applications on a card (docs/guides/corun-choice.md)."
UNMODELLED = "No drop has profiles and measured pairs of the same applications (docs/guides/corun-choice.md)."
SOURCE = "ours: rules judged by pairs that were measured"
MODEL = "ours: the model of Slate's question (IPDPS 2019), asked about measured pairs"

RULES = ("never", "always", "random_partner", "slate_table1", "mean_share", "saturation", "ridge", "greedy_measured")
SEEN = {"no pairs": "circle", "other pairs": "diamond", "other jobs": "triangle-up", "another card": "square"}
"""What a rule has seen when it chooses, and its symbol."""

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


def _rules(frame: pl.DataFrame, title: str) -> alt.FacetChart:
    """Points by rule and by what the fit has seen, with intervals, one panel per card."""
    x = alt.X("rule:N", title=None, sort=RULES, axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '_')"))
    # One entry per line: the two legends stand side by side, also on a small screen.
    colour = named(alt.Color, "standing", STANDINGS, legend=legend(columns=1))
    shape = named(alt.Shape, "seen", SEEN, legend=legend(title="the fit has seen", columns=1))
    axis = alt.Axis(format="~%", tickCount=5)
    at = {"x": x, "xOffset": alt.XOffset("offset:Q", scale=alt.Scale(domain=[-2, 2])), "color": colour}
    bar = alt.Chart().mark_rule(strokeWidth=2).encode(**at, y=alt.Y("lo:Q", title=title, axis=axis), y2="hi:Q")
    tooltip = tips(
        "rule:N", ("seen:N", "the fit has seen"), ("value:Q", title, ".2%"),
        ("lo:Q", "95 % interval from", ".2%"), ("hi:Q", "to", ".2%"), "sets:Q", ("apps:Q", "jobs"),
    )  # fmt: skip
    point = points(60, **at, y=alt.Y("value:Q", title=title, axis=axis), shape=shape, tooltip=tooltip)
    layers = alt.layer(level(0), bar, point, data=frame).properties(width=WIDTH, height=150)
    return below(layers, y="independent")


def _best_rule(rank: pl.Expr, words: str) -> Callable[[pl.DataFrame], str | None]:
    """A title of the card on which a rule that is better than chance has the largest rank, beside random partners.

    The rule that knows what it is judged by is left out. words: text with {card}, {best} and {chance}.
    """

    def said(frame: pl.DataFrame) -> str | None:
        chance = frame.filter(pl.col("rule") == "random_partner").select("panel", chance="value")
        rules = frame.filter(~pl.col("rule").is_in(["random_partner", "greedy_measured"])).join(chance, on="panel")
        better = rules.filter(pl.col("standing") == "better than chance")
        if better.is_empty():
            return None
        best = better.sort(rank, "panel", "rule").row(-1, named=True)
        return words.format(card=best["panel"], best=share(best["value"]), chance=share(best["chance"]))

    return said


fig_pair_gain = figure(
    title=finding(
        "Sharing a GPU by rules: what is gained over taking turns",
        _best_rule(pl.col("value"), "{card}: the best rule gains {best} over taking turns, random partners {chance}"),
    ),
    source=SOURCE,
    caption="Mean weighted speedup of sets of jobs less 1, as measured; bars are 95 % intervals over jobs. A "
    "rule is better (worse) than chance where the interval of its gain on random partners lies above "
    "(below) 0. greedy_measured knows what it is judged by. slate_table1 needs profiles.",
    sql=GAIN_SQL,
    absent=ABSENT,
    traces=True,
    draw=of_kind(_rules, "gain over taking turns"),
)


fig_pair_regret = figure(
    title=finding(
        "Sharing a GPU by rules: what is lost against the best pairing",
        _best_rule(
            -pl.col("value"), "{card}: the best rule loses {best} against the best pairing, random partners {chance}"
        ),
    ),
    source=SOURCE,
    caption="Speedup of the best pairing of a set over that of the rule, less 1, mean over sets. Bars are 95 % "
    "intervals over jobs (cut at 0). Colours as in the figure of gains: where the rule stands against "
    "chance.",
    sql=REGRET_SQL,
    absent=ABSENT,
    traces=True,
    draw=of_kind(_rules, "regret"),
)


@figure(
    title="Gain of running side by side: by the model and as measured",
    source=MODEL,
    caption="One point per pair: weighted speedup over taking turns, less 1. The model knows profiles of single "
    "applications and no pair. On the dashed line both agree.",
    sql=PAIRS_SQL,
    absent=UNMODELLED,
    columns=2,
    traces=True,
)
def fig_modelled_pairs(frame: pl.DataFrame) -> alt.FacetChart:
    """Modelled against measured gains of pairs, one panel per scheduler."""
    gains = pl.concat([frame["measured_gain"], frame["modelled_gain"]])
    lowest, highest = min(0.0, gains.min()), gains.max() * 1.02
    axis = alt.Axis(format="~%", tickCount=5)
    tooltip = tips(
        "pair:N",
        ("measured_gain:Q", "measured", ".1%"),
        ("modelled_gain:Q", "modelled", ".1%"),
        ("null_gain:Q", "mean of the others", ".1%"),
    )
    shown = against_measured(
        frame, "measured_gain", "modelled_gain", "gain", lowest, highest, axis=axis, tooltip=tooltip
    )
    return panels(shown, "scheduler")


def _least_error(frame: pl.DataFrame) -> str | None:
    first = frame.filter(pl.col("place") == frame["place"].min()).sort("mae", "scheduler")
    trace, scheduler, mae, null = first.select("trace", "scheduler", "mae", "null_mae").row(0)
    return (
        f"{trace}: the model misses the gain with {scheduler} by {share(mae)}, the mean of other pairs by {share(null)}"
    )


@figure(
    title=finding("Error of modelled gains beside the mean of the other pairs", _least_error),
    source=MODEL,
    caption="Mean absolute difference of modelled and measured gains; bars are 95 % intervals over applications "
    "(cut at 0). Strokes: the null model, the mean measured gain of the pairs with neither application.",
    sql=ERROR_SQL,
    absent=UNMODELLED,
    traces=True,
)
def fig_modelled_error(frame: pl.DataFrame) -> alt.FacetChart:
    """Mean absolute error of modelled gains beside that of the null model."""
    x, title = alt.X("scheduler:N", title=None, axis=alt.Axis(labelAngle=0)), "error of the gain"
    y = alt.Y("mae:Q", title=title, axis=alt.Axis(format="~%", tickCount=5), scale=alt.Scale(zero=True))
    tooltip = tips(
        "scheduler:N", ("mae:Q", "error", ".1%"), ("null_mae:Q", "of the null model", ".1%"),
        ("mean_difference:Q", "modelled less measured", ".1%"), ("same_sign:Q", "same sign", ".0%"),
        ("null_same_sign:Q", "of the null model", ".0%"), "pairs:Q",
    )  # fmt: skip
    bar = alt.Chart().mark_rule(strokeWidth=3, color=BLUE).encode(x=x, y=alt.Y("mae_lo:Q", title=title), y2="mae_hi:Q")
    point = alt.Chart().mark_point(filled=True, size=70, opacity=1, color=BLUE).encode(x=x, y=y, tooltip=tooltip)
    null = alt.Chart().mark_tick(thickness=3, size=50, color=AMBER)
    null = null.encode(x=x, y=alt.Y("null_mae:Q", title=title), tooltip=tooltip)
    return below(alt.layer(bar, point, null, data=frame).properties(width=WIDTH, height=150), "trace")
