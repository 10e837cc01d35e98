"""What charts are made of: tooltips, channels with named looks, points, lines, intervals, rules and panels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt

from pipeline.report.chart import GREY, SPACING, Series

LINES = "split(datum.label, '\\n')"
"""Label of a panel whose name has several lines."""


def tips(*entries: str | tuple[str | None, ...] | alt.Tooltip) -> list[alt.Tooltip]:
    """Tooltips. An entry is a field with its type ("loss:Q"), or a tuple of it, a title (None: the field) and a format.

    Tooltips among the entries are taken as they are.
    """
    tooltips = []
    for entry in entries:
        if not isinstance(entry, alt.Tooltip):
            field, *labels = (entry,) if isinstance(entry, str) else entry
            options = dict(zip(("title", "format"), labels, strict=False))
            entry = alt.Tooltip(field, **{name: value for name, value in options.items() if value is not None})
        tooltips.append(entry)
    return tooltips


def interval(value: str, title: str | None, form: str) -> list[alt.Tooltip]:
    """Tooltips of a value and of the ends of its 95 % interval, `value`_lo and `value`_hi."""
    ends = ((f"{value}_lo:Q", "95 % interval from", form), (f"{value}_hi:Q", "to", form))
    return tips((f"{value}:Q", title, form), *ends)


def legend(**options: Any) -> alt.Legend:
    """A legend with opaque symbols, by default without a title."""
    return alt.Legend(**{"title": None, "symbolOpacity": 1} | options)


def named(channel: type, field: str, looks: Mapping[Any, Any], **options: Any) -> Any:
    """A channel (alt.Color, alt.Shape, …) of a column of names: each name has the look that `looks` gives it."""
    scale = alt.Scale(domain=list(looks), range=list(looks.values()))
    return channel(f"{field}:N", scale=scale, **options)


def colours(looks: Mapping[Any, tuple[str, str]]) -> dict[Any, str]:
    """Colour of each name, whose looks are a colour and a symbol."""
    return {name: colour for name, (colour, _) in looks.items()}


def symbols(looks: Mapping[Any, tuple[str, str]]) -> dict[Any, str]:
    """Symbol of each name, whose looks are a colour and a symbol."""
    return {name: symbol for name, (_, symbol) in looks.items()}


def looks_of(series: Series, key: alt.Legend | None) -> tuple[alt.Color, alt.Shape]:
    """Colour and shape of the values of a series, with one legend for both."""
    return (
        named(alt.Color, series.column, dict(zip(series.names, series.colours, strict=True)), legend=key),
        named(alt.Shape, series.column, dict(zip(series.names, series.symbols, strict=True)), legend=key),
    )


def points(size: float, **at: Any) -> alt.Chart:
    """Filled symbols of this size (px²)."""
    return alt.Chart().mark_point(filled=True, size=size, opacity=1).encode(**at)


def lines(**at: Any) -> alt.Chart:
    """Lines of the usual width."""
    return alt.Chart().mark_line(strokeWidth=1.8).encode(**at)


def spans(low: str, high: str, title: str, width: float, value: str | None = None, **at: Any) -> alt.Chart:
    """Upright bars from column `low` to column `high`, on the axis with this title.

    value: column that takes the place of an end that is null. A bar without height is then drawn, because a panel
    without any row is a warning of Vega.
    """
    chart = alt.Chart()
    if value is not None:
        chart, low, high = chart.transform_calculate(**filled(value, low, high)), "lo", "hi"
    return chart.mark_rule(strokeWidth=width).encode(y=alt.Y(f"{low}:Q", title=title), y2=f"{high}:Q", **at)


def filled(value: str, low: str | None = None, high: str | None = None) -> dict[str, str]:
    """Expressions for the ends `lo` and `hi` of an interval: columns low and high, or the value where they are null."""
    ends = {"lo": low or f"{value}_lo", "hi": high or f"{value}_hi"}
    return {name: f"isValid(datum.{end}) ? datum.{end} : datum.{value}" for name, end in ends.items()}


def level(at: float, scale: alt.Scale | None = None, **look: Any) -> alt.Chart:
    """A dashed grey rule across the plot at a height; look: of its stroke."""
    datum = alt.YDatum(at) if scale is None else alt.YDatum(at, scale=scale)
    return alt.Chart().mark_rule(strokeDash=[6, 4], color=GREY, **look).encode(y=datum)


def agreement(lowest: float, highest: float, x: str, y: str) -> alt.Chart:
    """A dashed line on which both axes have the same value; x, y: titles of the axes."""
    ends = alt.InlineData(values=[{"at": lowest}, {"at": highest}])
    line = alt.Chart(ends).mark_line(strokeDash=[6, 4], strokeWidth=1.5, color=GREY, clip=True)
    return line.encode(x=alt.X("at:Q", title=x), y=alt.Y("at:Q", title=y))


def panels(
    chart: alt.Chart | alt.LayerChart,
    by: str,
    *,
    order: str | list[str] | None = None,
    columns: int = 2,
    header: alt.Header | None = None,
    spacing: int = SPACING,
    axes: str = "xy",
    bounds: str | None = "flush",
    **scales: str,
) -> alt.FacetChart:
    """One panel for each value of a column, in a grid.

    order: a column whose smallest value orders the panels, their names in order, or "descending". header: how panels
    are labelled, by default above the middle. axes: channels of which each panel has an axis of its own. bounds: flush
    panels stand in a grid whatever the size of their axes, so `spacing` has to hold those. scales: shared or
    independent, by channel.
    """
    by_column = isinstance(order, str) and order != "descending"
    sort = alt.EncodingSortField(order, op="min") if by_column else order
    options = {name: value for name, value in (("sort", sort), ("header", header)) if value is not None}
    facet = alt.Facet(f"{by}:N", title=None, **options)
    faceted = chart.facet(facet=facet, columns=columns, spacing=spacing, **({"bounds": bounds} if bounds else {}))
    if axes:
        faceted = faceted.resolve_axis(**dict.fromkeys(axes, "independent"))
    return faceted.resolve_scale(**scales) if scales else faceted


START = alt.Header(labelAnchor="start")
"""Labels of panels above their left edge."""
START_LINES = alt.Header(labelExpr=LINES, labelAnchor="start")
"""Labels of several lines above the left edge."""
