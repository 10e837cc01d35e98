"""Figures of which applications should share a GPU: rules judged by pairs that were measured side by side."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import LABEL, WIDTH, Series, figure, finding
from pipeline.report.marks import interval, legend, looks_of, panels, points, spans, tips
from pipeline.runtime.quantities import share
from pipeline.studies.gpu_corun.figures.encodings import STANDINGS, against_measured, below

ABSENT = "No drop has profiles of applications and pairs of them measured side by side (docs/guides/corun-choice.md)."
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


def _least_regret(frame: pl.DataFrame) -> str | None:
    """On the first trace and objective, beside what random partners cost."""
    first = frame.filter(pl.col("place") == frame["place"].min())
    chance = first.filter(pl.col("rule") == "random_partner")["regret"]
    rules = first.filter(pl.col("rule") != "random_partner")["regret"]
    if chance.is_empty() or rules.is_empty():
        return None
    best, random = share(rules.min()), share(chance[0])
    asked = first["panel"][0].replace(": ", ", ")
    return f"{asked}: the best rule costs {best} more than the best matching, random partners {random}"


@figure(
    title=finding("Partners chosen by rules: cost above that of the best matching", _least_regret),
    source=SOURCE,
    caption="Mean over queues of the measured applications, costs as measured. Bars are 95 % intervals over "
    "applications (cut at 0). The fit has seen no application of a queue. A rule is better (worse) than "
    "chance where the interval of its gain on a random partner lies above (below) 0.",
    sql=REGRET_SQL,
    absent=ABSENT,
    traces=True,
)
def fig_regret(frame: pl.DataFrame) -> alt.FacetChart:
    """Regret of the partners that each rule chooses, with intervals over applications."""
    order = ["random_partner", "always_corun", "slate_table1", "constant_delay", "shared_kernels", "shared_resources"]
    x = alt.X("rule:N", title=None, sort=order, axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '_')"))
    y = alt.Y("regret:Q", title="regret", axis=alt.Axis(format="~%", tickCount=5), scale=alt.Scale(zero=True))
    shapes = ["square", "circle", "diamond", "triangle-down"]
    # Two entries per line: four would be wider than a small screen.
    series = Series("standing", None, list(STANDINGS), list(STANDINGS.values()), shapes)
    colour, shape = looks_of(series, legend(columns=2))
    at = {"x": x, "color": colour}
    tooltip = tips("rule:N", *interval("regret", None, ".2%"), "queues:Q", ("apps:Q", "applications"))
    bar = spans("regret_lo", "regret_hi", "regret", 3, **at)
    label = alt.Chart().mark_text(align="left", dx=9, dy=-6, fontSize=12, color=LABEL)
    label = label.encode(x=x, y=y, text=alt.Text("regret:Q", format=".1%"))
    layers = alt.layer(bar, points(70, **at, y=y, shape=shape, tooltip=tooltip), label, data=frame)
    return below(layers.properties(width=WIDTH, height=130), y="independent")


@figure(
    title="Slowdown beside another application: predicted and measured",
    source=SOURCE,
    caption="One point per application and partner; the fit has seen neither of the two. On the dashed line "
    "prediction and measurement agree.",
    sql=PAIRS_SQL,
    absent=ABSENT,
    columns=2,
    traces=True,
)
def fig_pairs(frame: pl.DataFrame) -> alt.FacetChart:
    """Predicted against measured slowdowns, one panel per rule."""
    highest = max(frame["measured"].max(), frame["predicted"].max())
    lowest = min(1.0, frame["measured"].min(), frame["predicted"].min())
    tooltip = tips(("app:N", "application"), "beside:N", ("measured:Q", None, ".3f"), ("predicted:Q", None, ".3f"))
    axis = alt.Axis(tickCount=5)
    shown = against_measured(frame, "measured", "predicted", "slowdown", lowest, highest, axis=axis, tooltip=tooltip)
    return panels(shown, "rule")
