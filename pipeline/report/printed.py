"""Ours beside the paper's: points with the range over an ensemble, and what is printed as open diamonds."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import INK
from pipeline.report.marks import tips

PRINTED = "printed in the thesis"


def beside(
    frame: pl.DataFrame,
    x: alt.X,
    value: str,
    title: str,
    colour: alt.Color | alt.Value,
    *,
    offset: alt.XOffset | None = None,
    shape: alt.Shape | alt.Value | None = None,
    join: bool = False,
    tooltip: list[alt.Tooltip] | None = None,
    number_format: str = ".3~g",
    **scale: object,
) -> alt.LayerChart:
    """Points of `value` with a bar from `value`_least to `value`_most, and an open diamond at `printed` where it is.

    frame: `value`, `value`_least, `value`_most, printed (null where nothing is), and the columns of x, colour and
    offset. join: lines between the points of one colour. scale: of the vertical axis.
    """
    placed = {"x": x, "color": colour} | ({} if offset is None else {"xOffset": offset})
    at = {"x": x} | ({} if offset is None else {"xOffset": offset})
    shape = alt.value("circle") if shape is None else shape
    y_scale = alt.Scale(**{"zero": False, "nice": True} | scale)
    y = alt.Y(f"{value}:Q", title=title, scale=y_scale, axis=alt.Axis(format=number_format, tickCount=6))
    tooltip = tips(
        *(tooltip or []),
        (f"{value}:Q", title, number_format),
        (f"{value}_least:Q", "least member", number_format),
        (f"{value}_most:Q", "largest member", number_format),
        ("printed:Q", PRINTED, number_format),
    )
    ranges = (
        alt.Chart()
        .mark_rule(strokeWidth=1.5)
        .encode(**placed, y=alt.Y(f"{value}_least:Q", title=title, scale=y_scale), y2=f"{value}_most:Q")
    )
    points = alt.Chart().mark_point(filled=True, size=55, opacity=1).encode(**placed, y=y, shape=shape, tooltip=tooltip)
    layers = [ranges, points]
    if join:
        layers.insert(0, alt.Chart().mark_line(strokeWidth=1.5).encode(**placed, y=y))
    if frame["printed"].null_count() < len(frame):
        diamond = (
            alt.Chart()
            .transform_filter("isValid(datum.printed)")
            .mark_point(shape="diamond", size=110, strokeWidth=1.8, filled=False, color=INK, opacity=1)
            .encode(**at, y=alt.Y("printed:Q", title=title, scale=y_scale), tooltip=tooltip)
        )
        layers.append(diamond)
    return alt.layer(*layers, data=frame)
