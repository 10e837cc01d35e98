"""Speed of the applications against ranks."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report.chart import PANEL_WIDTH, WIDTH, Figure, steps
from pipeline.studies.pim_ranks.figures.encodings import GREY, panels
from pipeline.warehouse.answer import read

SPEED_SQL = """\
SELECT
    source, app, dense_rank() OVER (ORDER BY app_group, app) AS place, ranks, speed, speed_least, speed_most, is_best,
    known, tables
FROM fig_pim_ranks_2
ORDER BY known <> 'drawn', source, place, ranks"""
LONGEST = 40
"""Characters of a trace's name in the legend."""
DRAWN = {"admissible": [1, 0], "admissible_figure_2": [4, 3]}
"""Ensembles of admissible tables, with the dashes of their lines."""


def fig_speed(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speed against ranks, one panel per application."""
    frame = read(connection, SPEED_SQL)
    chart = None
    if not frame.is_empty():
        traces = frame.filter(~pl.col("source").is_in(DRAWN))
        looks = steps(traces, "source", "tables")
        drawn = [name for name in DRAWN if name in frame["source"]]
        names = drawn + looks.names
        legend = alt.Legend(
            title=None,
            symbolOpacity=1,
            columns=1,
            labelLimit=WIDTH,
            symbolType="stroke",
            # Names of traces differ at their end, and a small screen has no room for a long one.
            labelExpr=f"length(datum.label) > {LONGEST} ? '…' + slice(datum.label, -{LONGEST - 1}) : datum.label",
        )
        colour = alt.Color(
            "source:N", scale=alt.Scale(domain=names, range=[GREY] * len(drawn) + looks.colours), legend=legend
        )
        dash = alt.StrokeDash(
            "source:N",
            scale=alt.Scale(domain=names, range=[DRAWN[name] for name in drawn] + [[1, 0]] * len(looks.names)),
            legend=legend,
        )
        x = alt.X("ranks:Q", title="ranks", scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=6))
        y = alt.Y("speed:Q", title="speed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="~%", tickCount=3))
        band = alt.Chart().mark_area(opacity=0.15).encode(
            x=x, y=alt.Y("speed_least:Q", title="speed"), y2="speed_most:Q", color=colour
        )  # fmt: skip
        line = alt.Chart().mark_line(strokeWidth=1.8).encode(x=x, y=y, color=colour, strokeDash=dash)
        best = (
            alt.Chart()
            .transform_filter("datum.is_best")
            .mark_point(filled=True, size=70, opacity=1)
            .encode(
                x=x, y=y, color=colour,
                tooltip=[
                    alt.Tooltip("source:N", title="tables"), alt.Tooltip("ranks:Q", title="best ranks"),
                    alt.Tooltip("speed:Q", format=".1%"), alt.Tooltip("known:N"),
                ],
            )
        )  # fmt: skip
        layers = alt.layer(band, line, best, data=frame).properties(width=PANEL_WIDTH, height=100)
        chart = panels(layers, alt.Facet("app:N", sort=alt.EncodingSortField("place", op="min"), title=None))
    return Figure(
        title="Speed of the applications against ranks",
        source="ICS 2025, Section 2.2, Figure 2",
        caption="Share of the largest speed of the table; the point is the best number of ranks. Grey: median and "
        "range of the admissible tables, which agree in that point and in little else (dashed: those that agree with "
        "the text on Figure 2, too); coloured: tables of the dropped traces.",
        sql=SPEED_SQL,
        frame=frame,
        chart=chart,
        absent="No performance tables are there: drop PIM runs or tables under traces/, or replay sets of pim_ranks.",
        columns=2,
    )
