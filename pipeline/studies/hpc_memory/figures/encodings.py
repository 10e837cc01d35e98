"""What the figures of hpc_memory share: tooltips, wording of intervals, panels."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import PANEL_HEIGHT, PANEL_WIDTH, SPACING, WIDTH, Series, against_memory, steps

INTERVAL = "Bands are 95 % intervals over independent batches"
MEMORY = alt.Tooltip("memory_per_node_gb:Q", title="memory per node (GB)", format=".4~g")
SCHEDULER = alt.Tooltip("scheduler:N", title="scheduler")
SIZE = alt.Tooltip("size:N", title="job size")
BATCHES = alt.Tooltip("batches:Q", title="batches")
ALPHA = alt.Tooltip("alpha:N", title="alpha")


def interval(value: str, title: str, form: str) -> list[alt.Tooltip]:
    """Tooltips of a value and of the ends of its interval."""
    return [
        alt.Tooltip(f"{value}:Q", title=title, format=form),
        alt.Tooltip(f"{value}_lo:Q", title="95 % interval from", format=form),
        alt.Tooltip(f"{value}_hi:Q", title="to", format=form),
    ]


def share(value: str) -> alt.Tooltip:
    """Tooltip of a share."""
    return alt.Tooltip(f"{value}:Q", title=value, format=".2%")


def whole(
    frame: pl.DataFrame, name: str, value: str, title: str, tooltip: list[alt.Tooltip], height: int = 300,
    series: Series | None = None, reference: float | None = None,
) -> alt.LayerChart | None:  # fmt: skip
    """A chart against memory of one panel, as wide as the page; None without rows."""
    if frame.is_empty():
        return None
    layers = against_memory(frame, name, value, title, tooltip, series=series, reference=reference, zero=False)
    return layers.properties(width=WIDTH, height=height)


def by_alpha(
    frame: pl.DataFrame, name: str, value: str, title: str, tooltip: list[alt.Tooltip]
) -> alt.LayerChart | None:
    """One line for each alpha against memory, with a rule at 1; None without rows."""
    if frame.is_empty():
        return None
    return whole(frame, name, value, title, tooltip, series=steps(frame, "alpha", "alpha"), reference=1.0)


def panels(
    layers: alt.LayerChart | alt.Chart, by: str, order: str, x: str = "shared", y: str = "independent"
) -> alt.FacetChart:
    """One panel for each value of a column, in the order of another column; x, y: shared or independent scales."""
    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    # A sort by values would write them into an expression, where not every name of a trace can stand.
    facet = alt.Facet(f"{by}:N", sort=alt.EncodingSortField(order, op="min"), title=None, header=header)
    panel = layers.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    # Flush bounds: the panels stand in a grid whatever the size of their axes, so `spacing` has to hold those.
    faceted = panel.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_scale(x=x, y=y).resolve_axis(x="independent", y="independent")
