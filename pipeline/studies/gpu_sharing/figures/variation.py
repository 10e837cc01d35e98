"""Figures of gpu_sharing: process variation (thesis, Chapter 4)."""

from __future__ import annotations

from itertools import cycle

import altair as alt
import polars as pl

from pipeline.report import printed
from pipeline.report.chart import INK, PANEL_HEIGHT, PANEL_WIDTH, STEPS, TEXT_ON_PALE, WIDTH, figure
from pipeline.report.marks import START, colours, legend, level, named, panels, points, symbols, tips
from pipeline.studies.gpu_sharing.figures.qos import DIAMONDS, SURROGATE

WAYS = {
    "Even-Split, global clock": ("#9aa3ab", "square"),
    "Profile, global clock": ("#5f6a73", "circle"),
    "Even-Split, per-SM clocks": ("#ce8303", "square"),
    "Profile, per-SM clocks": (STEPS[0], "circle"),
}
"""Colour and symbol of each way to split and clock the SMs."""
WAY = (
    "CASE scheduler WHEN 'profile' THEN 'Profile' ELSE 'Even-Split' END || "
    "CASE clocking WHEN 'global' THEN ', global clock' ELSE ', per-SM clocks' END AS way"
)
ABSENT = "No scenarios of process variation were replayed (gpu_sharing.variation in the configuration)."

MAP_SQL = """\
SELECT 'die ' || dense_rank() OVER (ORDER BY map_seed) AS map, sm, die_row, die_column, frequency
FROM fig_gpu_sharing_3
WHERE sms = 30
QUALIFY dense_rank() OVER (ORDER BY map_seed) <= 4
ORDER BY map, sm"""
THRESHOLD_SQL = """\
SELECT 'die ' || dense_rank() OVER (ORDER BY map_seed) AS map, sm, die_row, die_column, threshold_v
FROM fig_gpu_sharing_3
WHERE sms = 120
QUALIFY dense_rank() OVER (ORDER BY map_seed) <= 4
ORDER BY map, sm"""
SENSITIVITY_SQL = """\
SELECT
    app || ', ' || bound || '-bound' AS panel, app,
    sms || ' SMs, ' || memory_controllers || ' controllers' AS machine,
    clock, speedup, speedup_least, speedup_most, printed, members
FROM fig_gpu_sharing_4
ORDER BY bound, app, sms DESC, memory_controllers DESC, clock"""
COMBINATIONS_SQL = f"""\
SELECT
    CASE pairs WHEN 'one class' THEN 'pairs of one class' ELSE pairs || ' beside' END AS panel,
    list_position(['AES-E', 'ID', 'RAY', 'SAD', 'one class'], pairs) AS place, beside, {WAY},
    speedup, speedup_least, speedup_most, NULL::DOUBLE AS printed, members
FROM fig_gpu_sharing_5
ORDER BY place, beside, way"""
PAIRS_SQL = f"""\
SELECT
    pairs, list_position(['AES-E', 'ID', 'RAY', 'SAD', 'both classes', 'one class', 'all'], pairs) AS place, {WAY},
    speedup, speedup_least, speedup_most, printed, members
FROM fig_gpu_sharing_7
ORDER BY place, way"""
ASSIGNMENT_SQL = """\
SELECT
    replace(mix, '+', ' / ') AS pair, dense_rank() OVER (ORDER BY cfms_printed DESC, mix) AS place, classes, whose,
    csmf, cfms
FROM (
    SELECT mix, classes, cfms_printed, 'printed' AS whose, csmf_printed AS csmf, cfms_printed AS cfms
    FROM fig_gpu_sharing_table_3
    UNION ALL
    SELECT mix, classes, cfms_printed, 'ours', csmf, cfms FROM fig_gpu_sharing_table_3
)
ORDER BY place"""
THREE_SQL = f"""\
SELECT mix = 'all' AS is_mean, mix, {WAY}, speedup, speedup_least, speedup_most, printed, members
FROM fig_gpu_sharing_8
ORDER BY way, mix"""


@figure(
    title="Frequencies of the 30 SMs of four dies",
    source="Thesis, Chapter 3, Figure 3",
    caption="Spatially correlated threshold voltages. An SM is as fast as its slowest point. Maps are rescaled "
    "so that the fastest SM has 1.4 times the frequency of the slowest. Drawn at random: the thesis' own "
    "map is a picture.",
    sql=MAP_SQL,
    absent=ABSENT,
    columns=2,
)
def fig_variation_map(frame: pl.DataFrame) -> alt.FacetChart:
    """Frequencies of the SMs of four dies."""
    side = 46
    at = {"x": alt.X("die_column:O", axis=None), "y": alt.Y("die_row:O", axis=None)}
    scale = alt.Scale(range=["#eaf0fb", "#7d9ae8", "#1f3ba8"], domain=[1.0, 1.4])
    key = alt.Legend(gradientLength=200, tickCount=5, format=".1f")
    colour = alt.Color("frequency:Q", title="frequency, slowest = 1", scale=scale, legend=key)
    box = alt.Chart().mark_rect(stroke="#ffffff")
    ink = alt.when("datum.frequency > 1.295").then(alt.value("#ffffff")).otherwise(alt.value(TEXT_ON_PALE))
    number = alt.Chart().mark_text(fontSize=11).encode(**at, text=alt.Text("frequency:Q", format=".2f"), color=ink)
    box = box.encode(**at, color=colour, tooltip=tips("sm:Q", ("frequency:Q", None, ".3f")))
    die = alt.layer(box, number, data=frame).properties(width=6 * side, height=5 * side * 0.8)
    return panels(die, "map", header=START, spacing=50, axes="")


@figure(
    title="Threshold voltages of the same four dies",
    source="Thesis, Chapter 3, Figure 3a",
    caption="Means of 120 parts of a die. High voltages are slow. Drawn at random: the thesis' own map is a picture.",
    sql=THRESHOLD_SQL,
    absent=ABSENT,
    columns=2,
)
def fig_variation_threshold(frame: pl.DataFrame) -> alt.FacetChart:
    """Threshold voltages over four dies."""
    at = {"x": alt.X("die_column:O", axis=None), "y": alt.Y("die_row:O", axis=None)}
    scale = alt.Scale(range=["#1f3ba8", "#7d9ae8", "#eaf0fb"], zero=False)
    key = alt.Legend(gradientLength=200, tickCount=3, format=".2f")
    colour = alt.Color("threshold_v:Q", title="threshold voltage (V)", scale=scale, legend=key)
    box = alt.Chart(frame).mark_rect().encode(**at, color=colour, tooltip=tips("sm:Q", ("threshold_v:Q", None, ".3f")))
    return panels(box.properties(width=276, height=184), "map", header=START, spacing=50, axes="")


@figure(
    title="Sensitivity of the applications to the clock",
    source="Thesis, Section 4.1, Figure 4",
    caption="Compute-bound applications end above the dashed 1.3 in all four machines; AES-D and Fractals, which "
    f"Chapter 4 does not have, are classed by the same rule. {SURROGATE}; {DIAMONDS}.",
    sql=SENSITIVITY_SQL,
    absent=ABSENT,
    columns=3,
)
def fig_variation_sensitivity(frame: pl.DataFrame) -> alt.FacetChart:
    """Speed-up by the clock in four machines, a panel for each application."""
    machines = frame["machine"].unique(maintain_order=True).to_list()
    looks = [(STEPS[0], "circle"), (STEPS[2], "square"), ("#ce8303", "triangle-up"), (STEPS[5], "triangle-down")]
    looks = dict(zip(machines, cycle(looks), strict=False))
    heights = alt.Scale(domain=[0.98, 1.44], nice=False)
    at = {
        "x": alt.X(
            "clock:Q",
            title="clock, base = 1",
            scale=alt.Scale(domain=[1.0, 1.42], nice=False),
            axis=alt.Axis(tickCount=4),
        ),
        "y": alt.Y("speedup:Q", title="speed-up", scale=heights),
        "color": named(alt.Color, "machine", colours(looks), legend=legend(columns=2, labelLimit=220)),
    }
    tooltip = tips("app:N", "machine:N", "clock:Q", ("speedup:Q", None, ".3~g"), ("speedup_least:Q", None, ".3~g"),
                   ("speedup_most:Q", None, ".3~g"))  # fmt: skip
    line = alt.Chart().mark_line(strokeWidth=1.5).encode(**at)
    dots = points(25, **at, shape=named(alt.Shape, "machine", symbols(looks)), tooltip=tooltip)
    diamonds = alt.Chart().transform_filter("isValid(datum.printed)").mark_point(shape="diamond", size=70, color=INK)
    diamonds = diamonds.encode(
        x=at["x"], y=alt.Y("printed:Q", scale=heights), tooltip=tips("app:N", "machine:N", "printed:Q")
    )
    layers = alt.layer(level(1.3, heights), line, dots, diamonds, data=frame).properties(width=175, height=120)
    return panels(layers, "panel", order=frame["panel"].unique(maintain_order=True).to_list(), columns=3, header=START)


@figure(
    title="Pair by pair on a die whose SMs differ: speed-up over cooperative multitasking at one clock",
    source="Thesis, Section 4.2.2, Figures 5 and 6",
    caption="The pairs of Table 3: a compute-bound application beside each memory-bound one, and the five pairs of "
    f"one class. CFMS, equal work. The thesis draws bars without numbers. {SURROGATE}.",
    sql=COMBINATIONS_SQL,
    absent=ABSENT,
    columns=2,
)
def fig_variation_combinations(frame: pl.DataFrame) -> alt.FacetChart:
    """Speed-ups of every pair over cooperative multitasking."""
    low, high = frame["speedup_least"].min() - 0.02, frame["speedup_most"].max() + 0.02
    axis = alt.Axis(labelAngle=0, labelExpr="split(datum.label, '+')")
    drawn = _by_way(frame, alt.X("beside:N", title=None, axis=axis), domain=[low, high], nice=False)
    order = frame["panel"].unique(maintain_order=True).to_list()
    panel = drawn.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    return panels(panel, "panel", order=order, header=START, x="independent", xOffset="independent")


@figure(
    title="Two applications on a die whose SMs differ: speed-up over cooperative multitasking at one clock",
    source="Thesis, Section 4.2.2, Figure 7",
    caption="Geometric means: of each compute-bound application beside the five memory-bound ones, of these 20 "
    f"pairs, of Table 3's five pairs of one class, and of all 25. CFMS, equal work. {SURROGATE}; "
    f"{DIAMONDS}.",
    sql=PAIRS_SQL,
    absent=ABSENT,
)
def fig_variation_pairs(frame: pl.DataFrame) -> alt.LayerChart:
    """Speed-ups of pairs over cooperative multitasking."""
    order = frame["pairs"].unique(maintain_order=True).to_list()
    x = alt.X("pairs:N", title="pairs", sort=order, axis=alt.Axis(labelAngle=0, labelLimit=120))
    return _by_way(frame, x).properties(width=WIDTH, height=280)


@figure(
    title="Compute-bound applications on fast SMs (CFMS) or on slow ones (CSMF)",
    source="Thesis, Section 4.2.1, Table 3",
    caption="Profile, per-SM clocks, equal work; ours are means over members and maps. The thesis prints no curves: "
    "ours are surrogates, drawn without looking at this table.",
    sql=ASSIGNMENT_SQL,
    absent=ABSENT,
)
def fig_variation_assignment(frame: pl.DataFrame) -> alt.LayerChart:
    """CFMS against CSMF for each pair of Table 3, ours beside the printed values."""
    order = frame["pair"].unique(maintain_order=True).to_list()
    whose = {"printed": INK, "ours": STEPS[0]}
    key = legend(title="from CSMF (tick) to CFMS (point)", symbolType="circle")
    at = {
        "y": alt.Y("pair:N", sort=order, title=None, axis=alt.Axis(minExtent=100, maxExtent=100)),
        "yOffset": alt.YOffset("whose:N", sort=list(whose), scale=alt.Scale(domain=list(whose))),
        "color": named(alt.Color, "whose", whose, legend=key),
    }
    title = "speed-up over cooperative multitasking at the global clock"
    csmf, cfms = (alt.X(f"{name}:Q", title=title, scale=alt.Scale(zero=False)) for name in ("csmf", "cfms"))
    tooltip = tips("pair:N", "whose:N", ("csmf:Q", None, ".2f"), ("cfms:Q", None, ".2f"))
    span = alt.Chart().mark_rule(strokeWidth=2).encode(**at, x=csmf, x2="cfms:Q")
    slow = alt.Chart().mark_tick(thickness=2, size=9).encode(**at, x=csmf, tooltip=tooltip)
    layers = alt.layer(span, slow, points(45, **at, x=cfms, tooltip=tooltip), data=frame)
    return layers.properties(width=WIDTH - 60, height=25 * len(order))


@figure(
    title="Three applications on a die whose SMs differ: speed-up over cooperative multitasking at one clock",
    source="Thesis, Section 4.2.3, Figure 8",
    caption="Ticks are the 70 combinations of both classes among nine applications, the point their geometric mean. "
    f"CFMS, equal work. {SURROGATE}; {DIAMONDS}.",
    sql=THREE_SQL,
    absent=ABSENT,
)
def fig_variation_three(frame: pl.DataFrame) -> alt.LayerChart:
    """Speed-ups of three applications: every combination and the mean."""
    x = alt.X("way:N", sort=list(WAYS), title=None, axis=alt.Axis(labelAngle=0, labelLimit=170))
    each = alt.Chart(frame).transform_filter("!datum.is_mean").mark_tick(thickness=1, size=60, opacity=0.55)
    each = each.encode(
        x=x,
        y=alt.Y("speedup:Q", title="speed-up over cooperative", scale=alt.Scale(zero=False)),
        color=named(alt.Color, "way", colours(WAYS), legend=None),
        tooltip=tips("mix:N", "way:N", ("speedup:Q", None, ".3~g")),
    )
    means = _by_way(frame.filter("is_mean"), x, offset=False)
    return alt.layer(each, means).properties(width=WIDTH, height=280)


def _by_way(frame: pl.DataFrame, x: alt.X, *, offset: bool = True, **scale: object) -> alt.LayerChart:
    """Speed-ups by split and clock; scale: of the vertical axis."""
    key = legend(columns=2, labelLimit=220) if offset else None
    return printed.beside(
        frame,
        x,
        "speedup",
        "speed-up over cooperative",
        named(alt.Color, "way", colours(WAYS), legend=key),
        shape=named(alt.Shape, "way", symbols(WAYS), legend=key),
        offset=alt.XOffset("way:N", sort=list(WAYS), scale=alt.Scale(domain=list(WAYS))) if offset else None,
        tooltip=tips(("way:N", "split and clock")),
        **scale,
    )
