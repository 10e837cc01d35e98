"""Figures of pim_graph: traversal of graphs over stacks of memory that compute (thesis, chapter 7)."""

from __future__ import annotations

from itertools import cycle

import altair as alt
import numpy as np
import polars as pl

from pipeline.report.chart import INK, PANEL_WIDTH, STEPS, WIDTH, figure, finding, of_kind, schedulers_of, steps
from pipeline.report.marks import START, legend, lines, looks_of, named, panels, points, tips
from pipeline.runtime.quantities import share

PANEL = """\
CASE algorithm WHEN 'bfs' THEN '1' WHEN 'sssp' THEN '2' ELSE '3' END AS place,
    format('{}, {}, {} stacks', upper(algorithm), graph, stacks) AS panel"""
PANELS = """\
kind = 'stand_in' AND (
    (graph = 'amazon' AND algorithm = 'bfs' AND stacks = 8) OR (graph = 'road' AND algorithm = 'sssp' AND stacks = 4)
    OR (graph = 'pokec' AND algorithm = 'bc' AND stacks = 8)
)"""
TIME_SQL = f"""\
SELECT
    {PANEL}, scheduler, qr, time AS value, time_lo AS value_lo, time_hi AS value_hi, batches
FROM pim_graph_curve
WHERE {PANELS}
ORDER BY place, scheduler, qr"""
ENERGY_SQL = f"""\
SELECT
    {PANEL}, scheduler, qr, energy_5x AS value, energy_1x, energy_10x, local_accesses, remote_accesses, batches
FROM pim_graph_curve
WHERE {PANELS}
ORDER BY place, scheduler, qr"""
QUEUES_SQL = """\
SELECT
    graph || CASE setting WHEN 'default' THEN ', slots reserved once a task' ELSE ', an atomic an enqueue' END AS panel,
    setting, stacks, qr, slower, slower_lo, slower_hi,
    CASE WHEN stacks = 4 AND qr = 640 THEN CASE graph WHEN 'amazon' THEN 16.7 WHEN 'pokec' THEN 9.7 END END AS thesis,
    batches
FROM fig_pim_graph_25
WHERE setting IN ('default', 'per enqueue')
ORDER BY graph, setting, stacks, qr"""
NEIGHBOURS_SQL = """\
WITH counted AS (FROM fig_pim_graph_24 UNION ALL FROM fig_pim_graph_18)
SELECT
    graph, level, level / max(level) OVER (PARTITION BY graph) AS depth, format('stack {}', neighbour_stack) AS stack,
    coalesce(share, 0) AS share, coalesce(neighbours, 0) AS neighbours
-- A stack without neighbours at a level has no row, but the areas need one at each level.
FROM (SELECT DISTINCT graph, level FROM counted)
CROSS JOIN (SELECT DISTINCT neighbour_stack FROM counted)
LEFT JOIN counted USING (graph, level, neighbour_stack)
ORDER BY graph, level, neighbour_stack"""
ABSENT = (
    "BFS on amazon, SSSP on road or BC on pokec were not replayed with a baseline (pim_graph.sweeps in the "
    "configuration)."
)
STAND_INS = "Graphs are stand-ins, generated in the likeness of the thesis's"
LEAST_GAP = 0.07
"""Between labels, as a share of the height."""
OWN = dict.fromkeys("xy", "independent")
"""Each panel has scales of its own."""


def _at_the_farthest(frame: pl.DataFrame) -> str | None:
    """The fastest policy of the first panel where remote memory is farthest, beside the baseline there."""
    first = frame.filter(pl.col("place") == frame["place"].min())
    far = first.filter(pl.col("qr") == first["qr"].max()).sort("value", "scheduler")
    baseline = far.filter(pl.col("scheduler") == "baseline")["value"]
    if baseline.is_empty():
        return None
    best, value, qr, panel = far.select("scheduler", "value", "qr", "panel").row(0)
    return f"{panel}: at QR {qr} {best} takes {share(value / baseline[0], 0)} of the baseline's time"


def _lines(frame: pl.DataFrame, title: str) -> alt.FacetChart:
    """`value` against QR, a panel an algorithm, each line named at its end.

    frame: place, panel, scheduler, qr, value, perhaps value_lo and value_hi (null for one source), batches.
    """
    frame = frame.join(_labels(frame), on=["panel", "scheduler", "qr"], how="left", maintain_order="left")
    colour, shape = looks_of(schedulers_of(frame), None)
    span = alt.Scale(domain=[int(frame["qr"].min()) - 16, int(frame["qr"].max()) + 230], nice=False)
    x = alt.X("qr:Q", title="QR, access to remote memory (cycles)", axis=_qr_axis(frame), scale=span)
    scale = alt.Scale(type="log", nice=False, padding=8)
    y = alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(format=".3~g", tickCount=6))
    at = {"x": x, "y": y, "color": colour}
    tooltip = tips("scheduler:N", ("qr:Q", "QR"), ("value:Q", title, ".4~g"), ("batches:Q", "sources"))
    label = (
        alt.Chart()
        .transform_filter("isValid(datum.label)")
        .mark_text(align="left", dx=9, fontSize=11)
        .encode(x=x, y=alt.Y("label:Q", title=title, scale=scale), text="scheduler:N")
    )
    layers = [lines(**at), points(50, **at, shape=shape, tooltip=tooltip), label]
    if "value_lo" in frame.columns:
        bar = alt.Chart().transform_filter("isValid(datum.value_lo)").mark_rule(strokeWidth=2, opacity=0.4)
        low = alt.Y("value_lo:Q", title=title, scale=scale)
        layers.insert(0, bar.encode(x=x, y=low, y2="value_hi:Q", color=colour))
    drawn = alt.layer(*layers, data=frame).properties(width=WIDTH - 20, height=260)
    return panels(drawn, "panel", order="place", columns=1, header=START, **OWN)


fig_time = figure(
    title=finding("Time of each policy as remote memory gets farther away", _at_the_farthest),
    source="thesis, Section 7.5, Figures 26a, c, e and 27a, c",
    caption=f"Over the baseline's time at QR 64 (local memory takes 64 cycles), geometric means over sources. "
    f"{STAND_INS}. The scale is logarithmic. The thesis prints curves without numbers.",
    sql=TIME_SQL,
    absent=ABSENT,
    draw=of_kind(_lines, "time, baseline at QR 64 = 1"),
)


fig_energy = figure(
    title="Energy of the memory accesses, a remote one at five times a local one",
    source="thesis, Section 7.5, Figures 26b, d, f and 27b, d",
    caption="Over the baseline's energy at QR 64 where a remote access takes no more than a local one. Energy at "
    f"1x and 10x is in the table. {STAND_INS}. The scale is logarithmic. The thesis prints bars without "
    "numbers.",
    sql=ENERGY_SQL,
    absent=ABSENT,
    draw=of_kind(_lines, "energy at 5x"),
)


@figure(
    title="BFS with migration: what software atomics cost over queues in hardware",
    source="thesis, Section 7.5.1, Figure 25",
    caption=f"Bars are 95 % intervals over sources. {STAND_INS}. Crosses: what the thesis prints for 4 stacks "
    "at QR 640, 16.7 % on Amazon and 9.7 % on Pokec.",
    sql=QUEUES_SQL,
    absent="Migration was not replayed with both kinds of queues (pim_graph.sweeps in the configuration).",
    columns=2,
)
def fig_queues(frame: pl.DataFrame) -> alt.FacetChart:
    """How much slower software atomics are than queues in hardware."""
    title = "software slower by (%)"
    colour, _ = looks_of(steps(frame.sort("stacks"), "stacks", "stacks"), legend(title="stacks"))
    x = alt.X("qr:Q", title="QR (cycles)", scale=alt.Scale(domain=[40, 660], nice=False), axis=_qr_axis(frame))
    at = {"x": x, "y": alt.Y("slower:Q", title=title, axis=alt.Axis(format=".3~g", tickCount=5)), "color": colour}
    tooltip = tips(*((name, None, ".4~g") for name in ("stacks:Q", "qr:Q", "slower:Q", "batches:Q")))
    bar = alt.Chart().transform_filter("isValid(datum.slower_lo)").mark_rule(strokeWidth=2, opacity=0.5)
    bar = bar.encode(x=x, y=alt.Y("slower_lo:Q", title=title), y2="slower_hi:Q", color=colour)
    thesis = (
        alt.Chart()
        .transform_filter("isValid(datum.thesis)")
        .mark_point(shape="cross", size=90, filled=True, color=INK, opacity=1)
        .encode(x=x, y=alt.Y("thesis:Q"), tooltip=tips(("thesis:Q", "thesis (%)")))
    )
    layers = alt.layer(bar, lines(**at), points(45, **at, tooltip=tooltip), thesis, data=frame)
    return panels(layers.properties(width=PANEL_WIDTH, height=190), "panel", header=START, **OWN)


@figure(
    title="Where the neighbours of the vertices of stack 1 lie, level by level",
    source="thesis, Sections 7.1 and 7.4.3, Figures 18 and 24",
    caption="Share of the neighbours on each of four stacks; those on stack 1 (grey, the thesis's PIM2) are local. "
    f"{STAND_INS}.",
    sql=NEIGHBOURS_SQL,
    absent="No stand-in is among the workloads (pim_graph.sweeps in the configuration).",
    columns=2,
)
def fig_neighbours(frame: pl.DataFrame) -> alt.FacetChart:
    """On which stacks the neighbours of the vertices of one stack lie."""
    colours = (STEPS[0], "#9aa1a8", STEPS[3], STEPS[5])
    looks = dict(zip(frame["stack"].unique().sort(), cycle(colours), strict=False))
    bars = (
        alt.Chart(frame)
        .mark_area(interpolate="step", line=False)
        .encode(
            x=alt.X("depth:Q", title="level, of the deepest", axis=alt.Axis(format="~%", tickCount=5)),
            y=alt.Y("share:Q", title="share of neighbours", stack=True, axis=alt.Axis(format="~%", tickCount=4)),
            color=named(alt.Color, "stack", looks, legend=alt.Legend(title="neighbours on")),
            tooltip=tips("level:Q", "stack:N", ("share:Q", None, ".1%")),
        )
        .properties(width=PANEL_WIDTH, height=130)
    )
    return panels(bars, "graph", header=START, **OWN)


def _labels(frame: pl.DataFrame) -> pl.DataFrame:
    """Heights of the lines' names: at their ends, moved apart where they would overlap."""
    parts = []
    for (_,), panel in frame.group_by("panel", maintain_order=True):
        ends = panel.filter(pl.col("qr") == pl.col("qr").max().over("scheduler")).sort("value", "scheduler")
        shown = [name for name in ("value", "value_lo", "value_hi") if name in panel.columns]
        values = np.log(np.concatenate([panel[name].drop_nulls().to_numpy() for name in shown]))
        least, most = values.min(), max(values.max(), values.min() + 0.1)
        at = np.log(ends["value"].to_numpy())
        # Names that move beyond the lines make the axis longer, and what a name needs with it.
        for _ in range(400):
            gap = LEAST_GAP * (max(most, at.max()) - min(least, at.min()))
            overlap = np.maximum(gap - np.diff(at), 0.0) / 2
            at[:-1] -= overlap
            at[1:] += overlap
        parts.append(ends.select("panel", "scheduler", "qr").with_columns(label=pl.Series(np.exp(at))))
    return pl.concat(parts)


def _qr_axis(frame: pl.DataFrame) -> alt.Axis:
    return alt.Axis(values=frame["qr"].unique().sort().to_list(), labelOverlap="greedy")
