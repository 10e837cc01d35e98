"""What the figures of gpu_corun share: colours, panels one below the other, predictions against measurements."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, LOOKS, PANEL_WIDTH, STEPS, Series
from pipeline.report.marks import START, agreement, legend, looks_of, panels

BLUE, RED, AMBER = STEPS[0], STEPS[-1], LOOKS["amber"][0]
STANDINGS = {"chance": GREY, "not told from chance": AMBER, "better than chance": BLUE, "worse than chance": RED}
"""Colours of how a rule compares with chance."""


def below(layers: alt.LayerChart, by: str = "panel", **scales: str) -> alt.FacetChart:
    """Panels one below the other, in the order of `place`."""
    return panels(layers, by, order="place", columns=1, header=START, **scales)


def against_measured(
    frame: pl.DataFrame, x: str, y: str, what: str, lowest: float, highest: float, *, axis: alt.Axis,
    tooltip: list[alt.Tooltip],
) -> alt.LayerChart:  # fmt: skip
    """Points of a quantity as measured (column x) and as predicted (column y), and the line where both are equal.

    frame: x, y and trace, which has a colour and a symbol. what: name of the quantity. lowest, highest: ends of both
    axes.
    """
    traces = frame["trace"].unique(maintain_order=True).to_list()
    colours = [STEPS[i * 4 % len(STEPS)] for i in range(len(traces))]
    symbols = [("circle", "triangle-up", "diamond")[i % 3] for i in range(len(traces))]
    colour, shape = looks_of(Series("trace", None, traces, colours, symbols), legend(columns=1))
    scale = alt.Scale(domain=[lowest, highest], nice=False, zero=False)
    titles = [f"{column.removesuffix('_gain')} {what}" for column in (x, y)]
    point = (
        alt.Chart()
        .mark_point(size=22, opacity=0.7, strokeWidth=1.2)
        .encode(
            x=alt.X(f"{x}:Q", title=titles[0], scale=scale, axis=axis),
            y=alt.Y(f"{y}:Q", title=titles[1], scale=scale, axis=axis),
            color=colour,
            shape=shape,
            tooltip=tooltip,
        )
    )
    layers = alt.layer(agreement(lowest, highest, *titles), point, data=frame)
    return layers.properties(width=PANEL_WIDTH, height=PANEL_WIDTH)
