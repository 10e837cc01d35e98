"""Speed of the applications against ranks."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, PANEL_WIDTH, WIDTH, figure, finding, steps
from pipeline.report.marks import legend, lines, named, panels, tips

SPEED_SQL = """\
SELECT
    source, app, dense_rank() OVER (ORDER BY app_group, app) AS place, ranks, speed, speed_least, speed_most, is_best,
    known, tables
FROM fig_pim_ranks_2
ORDER BY known <> 'drawn', source, place, ranks"""
LONGEST = 40
"""Characters of a trace's name in the legend."""
DRAWN = "measured_shapes"
"""The ensemble of admissible tables."""


def _fastest_on_fewer(frame: pl.DataFrame) -> str | None:
    """How many applications of the dropped traces are fastest on fewer ranks than they were measured on."""
    dropped = frame.filter(pl.col("source") != DRAWN)
    of_app = dropped.group_by("source", "app").agg(
        best=pl.col("ranks").filter(pl.col("is_best")).min(), most=pl.col("ranks").max()
    )
    fewer = of_app.filter(pl.col("best") < pl.col("most"))
    return (
        f"{len(fewer)} of {len(of_app)} applications of your traces are fastest on fewer ranks than the most measured"
        if len(of_app)
        else None
    )


@figure(
    title=finding("Speed of the applications against ranks", _fastest_on_fewer),
    source="ICS 2025, Section 2.2, Figure 2",
    caption="Share of the largest speed of the table; the point is the best number of ranks. Grey: median and "
    "range of the drawn tables, with measured shapes. Coloured: tables of the dropped traces.",
    sql=SPEED_SQL,
    absent="No performance tables are there: drop PIM runs or tables under traces/, or replay sets of pim_ranks.",
    columns=2,
    traces=True,
)
def fig_speed(frame: pl.DataFrame) -> alt.FacetChart:
    """Speed against ranks, one panel per application."""
    traces = steps(frame.filter(pl.col("source") != DRAWN), "source", "tables")
    key = legend(
        columns=1,
        labelLimit=WIDTH,
        symbolType="stroke",
        # Names of traces differ at their end, and a small screen has no room for a long one.
        labelExpr=f"length(datum.label) > {LONGEST} ? '…' + slice(datum.label, -{LONGEST - 1}) : datum.label",
    )
    colours = ({DRAWN: GREY} if DRAWN in frame["source"] else {}) | dict(zip(traces.names, traces.colours, strict=True))
    colour = named(alt.Color, "source", colours, legend=key)
    x = alt.X("ranks:Q", title="ranks", scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=6))
    y = alt.Y("speed:Q", title="speed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="~%", tickCount=3))
    band = alt.Chart().mark_area(opacity=0.15)
    band = band.encode(x=x, y=alt.Y("speed_least:Q", title="speed"), y2="speed_most:Q", color=colour)
    line = lines(x=x, y=y, color=colour)
    best = alt.Chart().transform_filter("datum.is_best").mark_point(filled=True, size=70, opacity=1)
    tooltip = tips(("source:N", "tables"), ("ranks:Q", "best ranks"), ("speed:Q", None, ".1%"), "known:N")
    layers = alt.layer(band, line, best.encode(x=x, y=y, color=colour, tooltip=tooltip), data=frame)
    return panels(layers.properties(width=PANEL_WIDTH, height=100), "app", order="place")
