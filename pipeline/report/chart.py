"""What all figures share: one colour and one symbol per scheduler, sizes, and what a figure consists of."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, wraps

import altair as alt
import duckdb
import polars as pl
import vl_convert

from pipeline.runtime import sources
from pipeline.runtime.study import declared
from pipeline.warehouse.answer import read

VEGA_LITE = "v6.4"
"""Version of Vega-Lite that charts are written for and drawn with."""

LOOKS = {
    "amber": ("#ce8303", "square"),
    "blue": ("#3796ed", "circle"),
    "purple": ("#a8319c", "diamond"),
    "green": ("#01a562", "triangle-up"),
    "red": ("#ae421d", "triangle-down"),
    "violet": ("#883ffc", "cross"),
    "grey": ("#7c8288", "stroke"),
}
"""Colours and symbols of schedulers, the same in every figure: a study's declaration says which each one has.

The colours stand out from a white and from a black ground (contrast 3 or more) and are far apart also without red or
green receptors (CIE76 difference above 25).
"""
GREY = LOOKS["grey"][0]
INK, LABEL, SOFT = "#23282d", "#3c4248", "#5a636b"
"""Text and marks that are no colour of anything: strong, usual, weak."""
BLUE_TEXT, RED_TEXT, AMBER_TEXT = "#3150d8", "#a3432c", "#8a5600"
DARK = {
    INK: "#e6e9eb",
    LABEL: "#b9c1c7",
    SOFT: "#a3acb3",
    BLUE_TEXT: "#93a7ff",
    RED_TEXT: "#f0a58c",
    AMBER_TEXT: "#f1c773",
}
"""What the page draws in their places on a dark ground; on both grounds text has a contrast of 4.5 or more. Text on a
box is white or TEXT_ON_PALE, which stay."""
TEXT_ON_PALE = "#000000"
OTHERS = (
    ("#8a6d3b", "arrow"),
    ("#5f7d95", "wedge"),
    ("#9a6b6b", "triangle-left"),
    ("#5d8a52", "triangle-right"),
    ("#4f8f8a", "triangle"),
    ("#c2558f", "circle"),
    ("#1f8fb0", "square"),
    ("#7d7f1f", "diamond"),
)
"""For schedulers that no declaration lists, once the looks that their study leaves are used up."""

STEPS = ("#3d5cea", "#6b7ff0", "#a183d6", "#b06a98", "#ba5b5e", "#a84a35")
"""Colours of the values of a parameter, from the smallest: blue to red, in order for every sight."""
STEP_SYMBOLS = ("circle", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")

MOST_TICKS = 10
LEGEND_ENTRY_WIDTH = 105
WIDTH = 640
HEIGHT = 300
PANEL_WIDTH = 290
PANEL_HEIGHT = 190
SPACING = 105
"""Between panels: room for the axes and the heading of the next one (px)."""


@dataclass(frozen=True)
class Figure:
    """A figure: what it shows, where the paper has it, the query and the rows behind it, and the chart.

    chart is None where the database holds nothing for it; `absent` then says what would fill it. columns: panels side
    by side where there is room; 1 for figures that are not divided into panels. traces: it is of the traces that were
    dropped, not a paper's or of generated workloads.
    """

    title: str
    source: str
    caption: str
    sql: str
    frame: pl.DataFrame
    chart: alt.TopLevelMixin | None
    absent: str
    columns: int = 1
    panel: str | None = None
    traces: bool = False

    @cached_property
    def specification(self) -> dict:
        """Vega-Lite specification of the chart, without its looks (those depend on where it is shown).

        It is not compared with the schema of Vega-Lite, which takes longer than making it; the tests do.
        """
        # Figures are aggregated by then; the limit is there for raw tables.
        with alt.data_transformers.enable(max_rows=None):
            spec = self.chart.properties(description=f"{self.title}. {self.caption}").to_dict(validate=False)
        spec.pop("config", None)
        return spec


Draw = Callable[[pl.DataFrame], alt.TopLevelMixin | None]
"""What makes a chart of rows."""


def figure(
    *,
    title: str | Callable[[pl.DataFrame], str],
    source: str,
    caption: str,
    sql: str,
    absent: str,
    columns: int = 1,
    panel: str | None = None,
    traces: bool = False,
    rows: Callable[[pl.DataFrame], pl.DataFrame] | None = None,
    draw: Draw | None = None,
) -> Callable:
    """A figure: a function of a connection to the database, which returns the Figure.

    draw: a function of the query's rows which returns their chart. It gets at least one row and returns None where the
    rows hold nothing to draw. Without it this is a decorator of that function. The name of the figure begins with
    `fig_` (pipeline.report.figures). title: a text, or a function of the rows. rows: makes the rows that are drawn from
    those of the query. The other arguments are those of Figure.
    """

    def decorated(draw: Draw) -> Callable[[duckdb.DuckDBPyConnection], Figure]:
        @wraps(draw)
        def build(connection: duckdb.DuckDBPyConnection) -> Figure:
            frame = read(connection, sql)
            if rows is not None and not frame.is_empty():
                frame = rows(frame)
            chart = None if frame.is_empty() else draw(frame)
            called = title(frame) if callable(title) else title
            return Figure(called, source, caption, sql, frame, chart, absent, columns, panel, traces)

        return build

    return decorated(draw) if draw else decorated


def of_kind(kind: Callable[..., alt.TopLevelMixin], *given: object, **named: object) -> Draw:
    """A chart of a kind, a function of rows and of these arguments, as figures take it."""
    return lambda frame: kind(frame, *given, **named)


def finding(usual: str, said: Callable[[pl.DataFrame], str | None]) -> Callable[[pl.DataFrame], str]:
    """A title that says what the rows show: `said` of them, or the usual one where there are none, or it gives None."""
    return lambda frame: (None if frame.is_empty() else said(frame)) or usual


def ink_on(colour: str) -> str:
    """White or black, whichever stands out more from a box of this colour."""
    linear = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in linear]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    # Contrasts with both are the same at the square root of 1.05 * 0.05 less 0.05.
    return "#ffffff" if luminance < 0.179 else TEXT_ON_PALE


def look(figure: Figure) -> str:
    """Hash of a figure as it is drawn: its specification, and the version of the library that draws it."""
    drawn = {"figure": figure.specification, "config": config(WIDTH), "with": [VEGA_LITE, vl_convert.__version__]}
    return hashlib.sha256(json.dumps(drawn, sort_keys=True).encode()).hexdigest()


def ordered(names: pl.Series) -> list[str]:
    """The schedulers among `names` in the order of the legend: the listed ones, then others by name."""
    present = set(names)
    listed = _listed()
    return [n for n in listed if n in present] + sorted(present - set(listed))


@cache
def _listed() -> dict[str, str]:
    """The look of each scheduler that a study's declaration lists, in the order of studies and declarations."""
    return {name: look for study in declared().values() for name, look in study.looks.items()}


def appearance(names: list[str]) -> tuple[list[str], list[str]]:
    """Colours and symbols of the schedulers."""
    known = _looks()
    # The last ones are of no study's folder, which only a program has.
    looks = [known.get(name) or OTHERS[zlib.crc32(name.encode()) % len(OTHERS)] for name in names]
    return [colour for colour, _ in looks], [symbol for _, symbol in looks]


@cache
def _looks() -> dict[str, tuple[str, str]]:
    """Colour and symbol of each scheduler: what is declared; for the others, by name, what their studies leave."""
    looks = {name: LOOKS[look] for name, look in _listed().items()}
    of_study = [set(sources.schedulers(study)) for study in sources.studies()]
    for name in sorted(set().union(*of_study) - set(looks)):
        taken = {looks.get(other) for names in of_study if name in names for other in names}
        looks[name] = next((look for look in (*LOOKS.values(), *OTHERS) if look not in taken), OTHERS[0])
    return looks


@dataclass(frozen=True)
class Series:
    """What the lines of a figure represent: a column, its values in the order of the legend, and their looks."""

    column: str
    title: str | None
    names: list
    colours: list[str]
    symbols: list[str]


def schedulers_of(frame: pl.DataFrame) -> Series:
    """One line per scheduler."""
    names = ordered(frame["scheduler"])
    return Series("scheduler", None, names, *appearance(names))


def steps(frame: pl.DataFrame, column: str, title: str) -> Series:
    """One line a value of a parameter, in the order in which the rows have them; `title` heads the legend."""
    names = frame[column].unique(maintain_order=True).to_list()
    # The ends of the scale are the farthest apart: few values are spread over all of it.
    places = [round(i * (len(STEPS) - 1) / max(1, len(names) - 1)) for i in range(len(names))]
    return Series(column, title, names, [STEPS[i] for i in places], [STEP_SYMBOLS[i] for i in places])


LEAST_GB = 0.1
MB_OR_GB = (
    f"datum.value < {LEAST_GB} ? format(datum.value * 1000, '.4~g') + ' MB' : format(datum.value, '.4~g') + ' GB'"
)
"""Labels of an axis of sizes of which some are smaller: as answers say them."""


def against_memory(
    frame: pl.DataFrame,
    name: str,
    value: str,
    title: str,
    tooltip: list[alt.Tooltip],
    series: Series | None = None,
    reference: float | None = None,
    **scale: object,
) -> alt.LayerChart:
    """Lines of `value` against memory per node, a band for its interval, and a dashed rule for the baseline.

    frame: memory_per_node_gb (null for the baseline), `value`, `value`_lo and `value`_hi (null for a single batch), and
    the column of the series, by default scheduler. name: prefix that keeps the names inside the figure unique.
    reference: where a dashed rule is drawn without a row for it. A click in the legend picks a line out.
    """
    series = series or schedulers_of(frame)
    sizes = frame["memory_per_node_gb"].drop_nulls().unique().sort().to_list()
    legend = alt.Legend(title=series.title, symbolOpacity=1, symbolStrokeWidth=2)
    lines = f"{series.column}:N"
    colour = alt.Color(lines, scale=alt.Scale(domain=series.names, range=series.colours), legend=legend)
    shape = alt.Shape(lines, scale=alt.Scale(domain=series.names, range=series.symbols), legend=legend)
    picked = alt.selection_point(name=f"{name}_picked", fields=[series.column], bind="legend")
    x = _sizes(sizes)
    y = alt.Y(f"{value}:Q", title=title, scale=alt.Scale(**scale), axis=alt.Axis(format=_format(value)))
    sized = alt.Chart().transform_filter(f"isValid(datum.memory_per_node_gb) && isValid(datum.{value})")
    dimmed = alt.when(picked).then(alt.value(1)).otherwise(alt.value(0.12))
    band = (
        # A single batch has no interval: a band without height, because a panel without any row is a warning of Vega.
        sized.transform_calculate(
            lo=f"isValid(datum.{value}_lo) ? datum.{value}_lo : datum.{value}",
            hi=f"isValid(datum.{value}_hi) ? datum.{value}_hi : datum.{value}",
        )
        .mark_area(clip=True)
        .encode(
            x=x, y=alt.Y("lo:Q", title=title), y2="hi:Q", color=colour,
            opacity=alt.when(picked).then(alt.value(0.15)).otherwise(alt.value(0.02)),
        )
    )  # fmt: skip
    line = sized.mark_line(strokeWidth=1.8, clip=True).encode(x=x, y=y, color=colour, opacity=dimmed)
    rule = (
        alt.Chart()
        .transform_filter(f"!isValid(datum.memory_per_node_gb) && isValid(datum.{value})")
        .mark_rule(strokeDash=[6, 4], strokeWidth=2)
        .encode(y=y, color=colour, opacity=dimmed, tooltip=tooltip)
    )
    point = (
        sized.mark_point(filled=True, size=70, clip=True)
        .encode(x=x, y=y, color=colour, shape=shape, opacity=dimmed, tooltip=tooltip)
        .properties(name=f"{name}_points")
        .add_params(picked)
    )
    layers = [band, line, point] if frame["memory_per_node_gb"].null_count() == 0 else [band, rule, line, point]
    if reference is not None:
        level = alt.Chart(alt.InlineData(values=[{}])).mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY)
        layers = [*layers, level.encode(y=alt.YDatum(reference))]
    return alt.layer(*layers, data=frame)


def _sizes(sizes: list[float]) -> alt.X:
    """Axis of memory per node, with a tick for each size where they are few."""
    small = any(size < LEAST_GB for size in sizes)
    return alt.X(
        "memory_per_node_gb:Q",
        title="memory per node" if small else "memory per node (GB)",
        scale=alt.Scale(zero=False, nice=False, padding=8),
        axis=alt.Axis(
            **({"labelExpr": MB_OR_GB} if small else {"format": ".4~g"}),
            **({"values": sizes} if len(sizes) <= MOST_TICKS else {"tickCount": 6}),
            labelOverlap="greedy",
        ),
    )


def _format(value: str) -> str:
    """Axis labels: times as they are, shares in per cent."""
    return ".4~g" if value.endswith(("_h", "_min")) else "~%"


def config(width: int) -> dict:
    """Vega-Lite configuration of all figures in their file form, for a figure of this width (px)."""
    return {
        "font": "sans-serif",
        "background": "#ffffff",
        "view": {"stroke": None},
        # A fixed extent makes the width of a plot predictable, so that it can be fitted to any page.
        "axisY": {"minExtent": 46, "maxExtent": 46},
        "axis": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "domain": False,
                 "gridColor": "#e3e6e8", "tickColor": "#b4bac0", "labelColor": LABEL, "titleColor": LABEL},
        "legend": {"orient": "top", "direction": "horizontal", "columns": max(1, width // LEGEND_ENTRY_WIDTH),
                   "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelColor": INK,
                   "titleColor": LABEL, "labelLimit": 160},
        "title": {"fontSize": 12, "fontWeight": "bold", "color": INK},
        "text": {"color": INK},
        "header": {"labelFontSize": 12, "labelFontWeight": "bold", "labelLimit": PANEL_WIDTH, "labelColor": INK,
                   "title": None},
    }  # fmt: skip
