"""What the figures of pim_ranks share: ratios on a logarithmic scale, panels, wording."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, SPACING, schedulers_of

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
    legend = alt.Legend(title=None, symbolOpacity=1, **({"columns": 2} if long else {}))
    colour = alt.Color("scheduler:N", scale=alt.Scale(domain=series.names, range=series.colours), legend=legend)
    shape = alt.Shape("scheduler:N", scale=alt.Scale(domain=series.names, range=series.symbols), legend=legend)
    x = alt.X(f"{column}:O", title=title, axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("scheduler:N", scale=alt.Scale(domain=series.names))
    scale = alt.Scale(type="log", nice=False, padding=8)
    y = alt.Y("ratio:Q", title=value, scale=scale, axis=alt.Axis(format=".3~g", tickCount=5))
    ranged = "ratio_least" in frame.columns
    tooltip = [
        alt.Tooltip("scheduler:N"),
        alt.Tooltip(f"{column}:N", title=title),
        alt.Tooltip("ratio:Q", title=value, format=".3~g"),
        alt.Tooltip("ratio_lo:Q", title="95 % interval from", format=".3~g"),
        alt.Tooltip("ratio_hi:Q", title="to", format=".3~g"),
        *([alt.Tooltip("ratio_least:Q", title="least table", format=".3~g")] if ranged else []),
        *([alt.Tooltip("ratio_most:Q", title="largest table", format=".3~g")] if ranged else []),
        alt.Tooltip("tables:Q"),
        alt.Tooltip("batches:Q"),
    ]
    rule = alt.Chart().mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY).encode(y=alt.YDatum(1, scale=scale))
    over_tables = (
        alt.Chart()
        .mark_rule(strokeWidth=1)
        .encode(x=x, xOffset=offset, y=alt.Y("ratio_least:Q", title=value), y2="ratio_most:Q", color=colour)
    )
    # A single batch has no interval: a bar without height.
    over_batches = (
        alt.Chart()
        .transform_calculate(
            lo="isValid(datum.ratio_lo) ? datum.ratio_lo : datum.ratio",
            hi="isValid(datum.ratio_hi) ? datum.ratio_hi : datum.ratio",
        )
        .mark_rule(strokeWidth=3)
        .encode(x=x, xOffset=offset, y=alt.Y("lo:Q", title=value), y2="hi:Q", color=colour)
    )
    point = (
        alt.Chart()
        .mark_point(filled=True, size=55, opacity=1)
        .encode(x=x, xOffset=offset, y=y, color=colour, shape=shape, tooltip=tooltip)
    )
    layers = [rule, *([over_tables] if ranged else []), over_batches, point]
    return alt.layer(*layers, data=frame).properties(width=width, height=height)


def panels(chart: alt.LayerChart, facet: alt.Facet) -> alt.FacetChart:
    """Panels two by two, in a grid whatever the size of their axes."""
    faceted = chart.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_axis(x="independent", y="independent")
