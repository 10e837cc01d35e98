"""The model beside what was measured of applications that share a GPU."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import PANEL_WIDTH, STEPS, Series, figure
from pipeline.report.marks import agreement, legend, looks_of, panels, tips

PAIRS_SQL = """\
SELECT
    trace || CASE trace_kind WHEN 'generated' THEN ' (generated)' ELSE '' END AS trace, scheduler,
    app_a || ' + ' || app_b AS pair, measured_gain, modelled_gain, difference, null_gain
FROM modelled_and_measured_pairs
ORDER BY trace_kind DESC, trace, scheduler, pair"""


@figure(
    title="Gain of running side by side: by the model and as measured",
    source="ours: the model of Slate's question (IPDPS 2019), asked about measured pairs",
    caption="One point per pair: weighted speedup over taking turns, less 1. The model knows profiles of single "
    "applications and no pair. On the dashed line both agree.",
    sql=PAIRS_SQL,
    absent="No drop has profiles and measured pairs of the same applications (docs/models/gpu_corun.md).",
    columns=2,
    traces=True,
)
def fig_modelled_pairs(frame: pl.DataFrame) -> alt.FacetChart:
    """Modelled against measured gains of pairs, one panel per scheduler."""
    gains = pl.concat([frame["measured_gain"], frame["modelled_gain"]])
    lowest, highest = min(0.0, gains.min()), gains.max() * 1.02
    traces = frame["trace"].unique(maintain_order=True).to_list()
    colours = [STEPS[i * 4 % len(STEPS)] for i in range(len(traces))]
    symbols = [("circle", "triangle-up", "diamond")[i % 3] for i in range(len(traces))]
    colour, shape = looks_of(Series("trace", None, traces, colours, symbols), legend(columns=1))
    scale, axis = alt.Scale(domain=[lowest, highest], nice=False, zero=False), alt.Axis(format="~%", tickCount=5)
    tooltip = tips(
        "pair:N",
        ("measured_gain:Q", "measured", ".1%"),
        ("modelled_gain:Q", "modelled", ".1%"),
        ("null_gain:Q", "mean of the others", ".1%"),
    )
    point = (
        alt.Chart()
        .mark_point(size=22, opacity=0.7, strokeWidth=1.2)
        .encode(
            x=alt.X("measured_gain:Q", title="measured gain", scale=scale, axis=axis),
            y=alt.Y("modelled_gain:Q", title="modelled gain", scale=scale, axis=axis),
            color=colour,
            shape=shape,
            tooltip=tooltip,
        )
    )
    layers = alt.layer(agreement(lowest, highest, "measured gain", "modelled gain"), point, data=frame)
    return panels(layers.properties(width=PANEL_WIDTH, height=PANEL_WIDTH), "scheduler")
