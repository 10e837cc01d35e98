"""Figures of gpu_sharing: process variation (thesis, Chapter 4)."""

from __future__ import annotations

import altair as alt
import duckdb

from pipeline.report import printed
from pipeline.report.chart import GREY, INK, PANEL_HEIGHT, PANEL_WIDTH, SPACING, STEPS, TEXT_ON_PALE, WIDTH, Figure
from pipeline.studies.gpu_sharing.figures.qos import DIAMONDS, SURROGATE
from pipeline.warehouse.answer import read

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
QUALIFY dense_rank() OVER (ORDER BY map_seed) <= 4
ORDER BY map, sm"""
SENSITIVITY_SQL = """\
SELECT
    app, bound || '-bound' AS bound, sms || ' SMs, ' || memory_controllers || ' memory controllers' AS machine,
    sms, memory_controllers, speedup, speedup_least, speedup_most, printed, members
FROM fig_gpu_sharing_4
ORDER BY bound, app, sms DESC, memory_controllers DESC"""
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


def fig_variation_map(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Frequencies of the SMs of four dies."""
    frame = read(connection, MAP_SQL)
    chart = None
    if not frame.is_empty():
        side = 46
        at = {
            "x": alt.X("die_column:O", axis=None),
            "y": alt.Y("die_row:O", axis=None),
        }
        box = alt.Chart().mark_rect(stroke="#ffffff").encode(
            **at,
            color=alt.Color(
                "frequency:Q", title="frequency, slowest = 1",
                scale=alt.Scale(range=["#eaf0fb", "#7d9ae8", "#1f3ba8"], domain=[1.0, 1.4]),
                legend=alt.Legend(gradientLength=200, tickCount=5, format=".1f"),
            ),
            tooltip=["sm:Q", alt.Tooltip("frequency:Q", format=".3f")],
        )  # fmt: skip
        number = alt.Chart().mark_text(fontSize=11).encode(
            **at, text=alt.Text("frequency:Q", format=".2f"),
            color=alt.when("datum.frequency > 1.295").then(alt.value("#ffffff")).otherwise(alt.value(TEXT_ON_PALE)),
        )  # fmt: skip
        die = alt.layer(box, number, data=frame).properties(width=6 * side, height=5 * side * 0.8)
        facet = alt.Facet("map:N", title=None, header=alt.Header(labelAnchor="start"))
        chart = die.facet(facet=facet, columns=2, bounds="flush", spacing=50)
    return Figure(
        title="Frequencies of the 30 SMs of four dies",
        source="Thesis, Chapter 3, Figure 3",
        caption="Spatially correlated threshold voltages, an SM being as fast as its slowest point; rescaled so "
        "that the fastest SM "
        "has 1.4 times the frequency of the slowest. Drawn at random: the thesis' own map is a picture.",
        sql=MAP_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
        columns=2,
    )


def fig_variation_sensitivity(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speed-up at 1.4 times the clock in four machines."""
    frame = read(connection, SENSITIVITY_SQL)
    chart = None
    if not frame.is_empty():
        machines = frame["machine"].unique(maintain_order=True).to_list()
        colour = alt.Color(
            "machine:N",
            scale=alt.Scale(domain=machines, range=[STEPS[0], STEPS[2], "#ce8303", STEPS[5]]),
            legend=alt.Legend(title=None, columns=1, symbolOpacity=1),
        )
        shapes = ["circle", "square", "triangle-up", "triangle-down"]
        drawn = printed.beside(
            frame,
            alt.X("app:N", title=None, sort=frame["app"].unique(maintain_order=True).to_list(),
                  axis=alt.Axis(labelAngle=0)),
            "speedup",
            "speed-up at 1.4 times the clock",
            colour,
            shape=alt.Shape("machine:N", scale=alt.Scale(domain=machines, range=shapes)),
            offset=alt.XOffset("machine:N", sort=machines, scale=alt.Scale(domain=machines)),
            tooltip=[alt.Tooltip("app:N"), alt.Tooltip("bound:N"), alt.Tooltip("machine:N")],
            domain=[1.0, 1.42],
        )  # fmt: skip
        rule = alt.Chart().mark_rule(strokeDash=[6, 4], color=GREY).encode(y=alt.YDatum(1.3))
        chart = alt.layer(rule, *drawn.layer, data=frame).properties(width=WIDTH, height=260)
    return Figure(
        title="Sensitivity of the applications to the clock",
        source="Thesis, Section 4.1, Figure 4",
        caption="Compute-bound applications stay above the dashed 1.3 in all four machines; AES-D and Fractals, "
        "which Chapter 4 "
        f"does not have, are classed by the same rule. {SURROGATE}; {DIAMONDS}.",
        sql=SENSITIVITY_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_variation_combinations(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speed-ups of every pair over cooperative multitasking."""
    frame = read(connection, COMBINATIONS_SQL)
    chart = None
    if not frame.is_empty():
        low, high = frame["speedup_least"].min() - 0.02, frame["speedup_most"].max() + 0.02
        axis = alt.Axis(labelAngle=0, labelExpr="split(datum.label, '+')")
        drawn = _by_way(frame, alt.X("beside:N", title=None, axis=axis), domain=[low, high], nice=False)
        panels = frame["panel"].unique(maintain_order=True).to_list()
        facet = alt.Facet("panel:N", title=None, sort=panels, header=alt.Header(labelAnchor="start"))
        chart = (
            drawn.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
            .facet(facet=facet, columns=2, bounds="flush", spacing=SPACING)
            .resolve_scale(x="independent", xOffset="independent")
            .resolve_axis(x="independent", y="independent")
        )
    return Figure(
        title="Pair by pair on a die whose SMs differ: speed-up over cooperative multitasking at one clock",
        source="Thesis, Section 4.2.2, Figures 5 and 6",
        caption="The pairs of Table 3: a compute-bound application beside each memory-bound one, and the five pairs of "
        "one class. CFMS, equal work. The thesis draws bars without numbers. "
        f"{SURROGATE}.",
        sql=COMBINATIONS_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
        columns=2,
    )


def fig_variation_pairs(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speed-ups of pairs over cooperative multitasking."""
    frame = read(connection, PAIRS_SQL)
    chart = None
    if not frame.is_empty():
        order = frame["pairs"].unique(maintain_order=True).to_list()
        axis = alt.Axis(labelAngle=0, labelLimit=120)
        chart = _by_way(frame, alt.X("pairs:N", title="pairs", sort=order, axis=axis)).properties(
            width=WIDTH, height=280
        )
    return Figure(
        title="Two applications on a die whose SMs differ: speed-up over cooperative multitasking at one clock",
        source="Thesis, Section 4.2.2, Figure 7",
        caption="Geometric means: of each compute-bound application beside the five memory-bound ones, of these 20 "
        "pairs, of Table "
        f"3's five pairs of one class, and of all 25. CFMS, equal work. {SURROGATE}; {DIAMONDS}.",
        sql=PAIRS_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_variation_assignment(connection: duckdb.DuckDBPyConnection) -> Figure:
    """CFMS against CSMF for each pair of Table 3, ours beside the printed values."""
    frame = read(connection, ASSIGNMENT_SQL)
    chart = None
    if not frame.is_empty():
        order = frame["pair"].unique(maintain_order=True).to_list()
        whose = {"printed": INK, "ours": STEPS[0]}
        colour = alt.Color(
            "whose:N",
            scale=alt.Scale(domain=list(whose), range=list(whose.values())),
            legend=alt.Legend(title="from CSMF (tick) to CFMS (point)", symbolOpacity=1, symbolType="circle"),
        )
        y = alt.Y("pair:N", sort=order, title=None, axis=alt.Axis(minExtent=100, maxExtent=100))
        offset = alt.YOffset("whose:N", sort=list(whose), scale=alt.Scale(domain=list(whose)))
        title = "speed-up over cooperative multitasking at the global clock"
        scale = alt.Scale(zero=False)
        tip = ["pair:N", "whose:N", alt.Tooltip("csmf:Q", format=".2f"), alt.Tooltip("cfms:Q", format=".2f")]
        span = alt.Chart().mark_rule(strokeWidth=2).encode(
            x=alt.X("csmf:Q", title=title, scale=scale), x2="cfms:Q", y=y, yOffset=offset, color=colour
        )  # fmt: skip
        slow = alt.Chart().mark_tick(thickness=2, size=9).encode(
            x=alt.X("csmf:Q", title=title, scale=scale), y=y, yOffset=offset, color=colour, tooltip=tip
        )  # fmt: skip
        fast = alt.Chart().mark_point(filled=True, size=45, opacity=1).encode(
            x=alt.X("cfms:Q", title=title, scale=scale), y=y, yOffset=offset, color=colour, tooltip=tip
        )  # fmt: skip
        chart = alt.layer(span, slow, fast, data=frame).properties(width=WIDTH - 60, height=25 * len(order))
    return Figure(
        title="Compute-bound applications on fast SMs (CFMS) or on slow ones (CSMF)",
        source="Thesis, Section 4.2.1, Table 3",
        caption="Profile, per-SM clocks, equal work; ours are means over members and maps. The thesis prints no "
        "curves: ours are "
        "surrogates, drawn without looking at this table.",
        sql=ASSIGNMENT_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_variation_three(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speed-ups of three applications: every combination and the mean."""
    frame = read(connection, THREE_SQL)
    chart = None
    if not frame.is_empty():
        x = alt.X("way:N", sort=list(WAYS), title=None, axis=alt.Axis(labelAngle=0, labelLimit=170))
        each = alt.Chart(frame).transform_filter("!datum.is_mean").mark_tick(thickness=1, size=60, opacity=0.55).encode(
            x=x, y=alt.Y("speedup:Q", title="speed-up over cooperative", scale=alt.Scale(zero=False)),
            color=alt.Color(
                "way:N", scale=alt.Scale(domain=list(WAYS), range=[c for c, _ in WAYS.values()]), legend=None
            ),
            tooltip=["mix:N", "way:N", alt.Tooltip("speedup:Q", format=".3~g")],
        )  # fmt: skip
        means = _by_way(frame.filter("is_mean"), x, offset=False)
        chart = alt.layer(each, means).properties(width=WIDTH, height=280)
    return Figure(
        title="Three applications on a die whose SMs differ: speed-up over cooperative multitasking at one clock",
        source="Thesis, Section 4.2.3, Figure 8",
        caption="Ticks are the 70 combinations of both classes among nine applications, the point their geometric "
        "mean. CFMS, "
        f"equal work. {SURROGATE}; {DIAMONDS}.",
        sql=THREE_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def _by_way(frame, x: alt.X, *, offset: bool = True, **scale: object) -> alt.LayerChart:
    """Speed-ups by split and clock; scale: of the vertical axis."""
    names = list(WAYS)
    legend = alt.Legend(title=None, columns=2, symbolOpacity=1, labelLimit=220) if offset else None
    return printed.beside(
        frame,
        x,
        "speedup",
        "speed-up over cooperative",
        alt.Color("way:N", scale=alt.Scale(domain=names, range=[c for c, _ in WAYS.values()]), legend=legend),
        shape=alt.Shape("way:N", scale=alt.Scale(domain=names, range=[s for _, s in WAYS.values()]), legend=legend),
        offset=alt.XOffset("way:N", sort=names, scale=alt.Scale(domain=names)) if offset else None,
        tooltip=[alt.Tooltip("way:N", title="split and clock")],
        **scale,
    )
