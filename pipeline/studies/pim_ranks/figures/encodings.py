"""What the figures of pim_ranks share: ratios on a logarithmic scale, panels, wording."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import schedulers_of
from pipeline.report.marks import interval, legend, level, looks_of, points, spans, tips

LONGEST_NAME = 12
"""Characters of a scheduler's name that its entry in a legend has room for."""
ABSENT = "No sets of 24 jobs were replayed with admissible tables (pim_ranks.sweeps in the configuration)."


def ratios(frame: pl.DataFrame, column: str, title: str, value: str, width: int, height: int) -> alt.LayerChart:
    """Points of `ratio` by `column` and scheduler on a logarithmic scale, with intervals and a dashed rule at 1.

    frame: column, scheduler, ratio, ratio_lo and ratio_hi (null for one batch), perhaps ratio_least and ratio_most
    (range of the tables), tables, batches.
    """
    series = schedulers_of(frame)
    # Three columns of names as long as VirtualPIM's would be wider than a small screen.
    long = max(map(len, series.names)) > LONGEST_NAME
    colour, shape = looks_of(series, legend(columns=2) if long else legend())
    x = alt.X(f"{column}:O", title=title, axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("scheduler:N", scale=alt.Scale(domain=series.names))
    at = {"x": x, "xOffset": offset, "color": colour}
    scale = alt.Scale(type="log", nice=False, padding=8)
    y = alt.Y("ratio:Q", title=value, scale=scale, axis=alt.Axis(format=".3~g", tickCount=5))
    least_and_most = (("ratio_least:Q", "least table", ".3~g"), ("ratio_most:Q", "largest table", ".3~g"))
    ranged = "ratio_least" in frame.columns
    tooltip = tips(
        "scheduler:N",
        (f"{column}:N", title),
        *interval("ratio", value, ".3~g"),
        *(least_and_most if ranged else ()),
        "tables:Q",
        "batches:Q",
    )
    over_tables = [spans("ratio_least", "ratio_most", value, 1, **at)] if ranged else []
    over_batches = spans("ratio_lo", "ratio_hi", value, 3, "ratio", **at)
    point = points(55, **at, y=y, shape=shape, tooltip=tooltip)
    layers = [level(1, scale, strokeWidth=1.5), *over_tables, over_batches, point]
    return alt.layer(*layers, data=frame).properties(width=width, height=height)
