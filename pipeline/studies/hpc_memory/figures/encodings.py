"""What the figures of hpc_memory share: tooltips, wording of intervals, charts against memory, panels."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt
import polars as pl

from pipeline.report import marks
from pipeline.report.chart import PANEL_HEIGHT, PANEL_WIDTH, WIDTH, Series, against_memory, steps
from pipeline.runtime.quantities import memory
from pipeline.runtime.quantities import share as percent

INTERVAL = "Bands are 95 % intervals over independent batches"
MEMORY, SCHEDULER, SIZE, BATCHES, ALPHA = marks.tips(
    ("memory_per_node_gb:Q", "memory per node (GB)", ".4~g"),
    ("scheduler:N", "scheduler"),
    ("size:N", "job size"),
    ("batches:Q", "batches"),
    ("alpha:N", "alpha"),
)


def share(value: str) -> alt.Tooltip:
    """Tooltip of a share."""
    return alt.Tooltip(f"{value}:Q", title=value, format=".2%")


def at_least_memory(value: str, words: str, digits: int = 0) -> Callable[[pl.DataFrame], str | None]:
    """A title of the schedulers with the largest and the smallest value at the least memory; of one it says nothing.

    words: text with {gb}, {best}, {high}, {worst} and {low}.
    """

    def said(frame: pl.DataFrame) -> str | None:
        sized = frame.drop_nulls(["memory_per_node_gb", value])
        rows = sized.filter(pl.col("memory_per_node_gb") == sized["memory_per_node_gb"].min()).sort(value, "scheduler")
        if len(rows) < 2:
            return None
        (worst, low, gb), (best, high, _) = (
            rows.select("scheduler", value, "memory_per_node_gb").row(at) for at in (0, -1)
        )
        ends = {"high": percent(high, digits), "low": percent(low, digits)}
        return words.format(gb=memory(gb), best=best, worst=worst, **ends)

    return said


def whole(
    frame: pl.DataFrame,
    name: str,
    value: str,
    title: str,
    tooltip: list[alt.Tooltip],
    *,
    height: int = 300,
    series: Series | None = None,
    reference: float | None = None,
) -> alt.LayerChart:
    """A chart against memory of one panel, as wide as the page."""
    layers = against_memory(frame, name, value, title, tooltip, series=series, reference=reference, zero=False)
    return layers.properties(width=WIDTH, height=height)


def by_alpha(frame: pl.DataFrame, name: str, value: str, title: str, form: str, *more: alt.Tooltip) -> alt.LayerChart:
    """One line for each alpha against memory, with a rule at 1; form: format of `value`, more: further tooltips."""
    tooltip = [ALPHA, MEMORY, *marks.interval(value, title, form), *more, BATCHES]
    return whole(frame, name, value, title, tooltip, series=steps(frame, "alpha", "alpha"), reference=1.0)


def by_size(frame: pl.DataFrame, name: str, value: str, unit: str) -> alt.FacetChart:
    """Response time against memory, one panel for each class of job size."""
    tooltip = [SCHEDULER, SIZE, MEMORY, *marks.interval(value, f"mean response time ({unit})", ",.1f"), BATCHES]
    curves = against_memory(frame, name, value, f"response time ({unit})", tooltip, zero=True)
    return panels(curves, "size", "smallest_nodes")


def panels(
    layers: alt.LayerChart | alt.Chart, by: str, order: str, x: str = "shared", y: str = "independent"
) -> alt.FacetChart:
    """One panel for each value of a column, in the order of another column; x, y: shared or independent scales."""
    # A sort by values would write them into an expression, where not every name of a trace can stand.
    panel = layers.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    return marks.panels(panel, by, order=order, header=marks.START_LINES, x=x, y=y)
