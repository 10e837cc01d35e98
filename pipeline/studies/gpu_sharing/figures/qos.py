"""Figures of gpu_sharing: quality of service (thesis, Chapter 5)."""

from __future__ import annotations

import altair as alt
import duckdb

from pipeline.report import printed
from pipeline.report.chart import AMBER_TEXT, BLUE_TEXT, GREY, INK, PANEL_WIDTH, SPACING, STEPS, WIDTH, Figure
from pipeline.warehouse.answer import read

QOS_COLOURS = {"AES-D": STEPS[0], "JPEG-D": STEPS[3], "SHA1": "#ce8303"}
LEVELS = ["100 %", "95 %", "90 %", "85 %", "80 %"]
SURROGATE = (
    "The thesis prints no curves of its Chapters 4 and 5: these are surrogates, drawn at random among those that agree "
    "with what it prints; points are means over the members, bars their range"
)
DIAMONDS = "open diamonds are printed in the thesis"
ABSENT = "No scenarios of quality of service were replayed (gpu_sharing.qos in the configuration)."

PATH_SQL = """\
SELECT
    CASE line WHEN 'curve' THEN 'curve of SHA1' WHEN 'straight' THEN 'as the line says' ELSE 'mid-point' END AS line,
    round, sms, ipc, target
FROM fig_gpu_sharing_11
ORDER BY line, round, sms"""
ROUNDS_SQL = """\
SELECT mix, kind, round, app, slot::VARCHAR AS slot, role, sms, throughput, least_sms
FROM fig_gpu_sharing_12
WHERE mix IN (
    'AES-D', 'SHA1', 'JPEG-D', 'JPEG-D+JPEG-D', 'JPEG-D+SHA1', 'AES-D+SHA1', 'SHA1+ID', 'JPEG-D+RAY'
)
ORDER BY len(string_split(mix, '+')), kind DESC, mix, round, slot"""
SPARE_SQL = """\
SELECT
    CASE kind WHEN 'one_qos' THEN 'one application, of 15 SMs' ELSE 'two applications, of 30 SMs' END AS panel, kind,
    mix,
    qos_level || ' %' AS level, spare_sms, spare_least AS spare_sms_least, spare_most AS spare_sms_most, printed, met,
    members
FROM fig_gpu_sharing_9
ORDER BY kind, mix, qos_level DESC"""
GAIN_SQL = """\
SELECT
    'beside ' || qos_app AS panel, best_effort_app, qos_level || ' %' AS level, gain, gain_least, gain_most,
    NULL::DOUBLE AS printed, members
FROM fig_gpu_sharing_10
WHERE qos_level IN (100, 90, 80)
ORDER BY panel, best_effort_app, qos_level DESC"""
POWER_SQL = """\
SELECT
    qos_level || ' %' AS level, CASE saving WHEN 'idle' THEN 'left idle' ELSE 'power-gated' END AS saving, saved_w,
    saved_least_w AS saved_w_least, saved_most_w AS saved_w_most, printed_w AS printed, spare_sms, members
FROM fig_gpu_sharing_table_4
ORDER BY qos_level DESC, saving"""
LOSS_SQL = """\
SELECT app, 'on ' || sms || ' SMs' AS machine, loss, loss_least, loss_most, printed, loss_in_ensemble, members
FROM fig_gpu_sharing_table_5
ORDER BY app, sms DESC"""


def fig_qos_path(connection: duckdb.DuckDBPyConnection) -> Figure:
    """SHA1's curve and the two ways down to the fewest SMs for 160 IPC."""
    frame = read(connection, PATH_SQL)
    chart = None
    if not frame.is_empty():
        ways = {"as the line says": (STEPS[0], "circle"), "mid-point": ("#ce8303", "square")}
        colour = alt.Color(
            "line:N",
            scale=alt.Scale(domain=list(ways), range=[c for c, _ in ways.values()]),
            legend=alt.Legend(title=None, symbolOpacity=1),
        )
        shape = alt.Shape("line:N", scale=alt.Scale(domain=list(ways), range=[s for _, s in ways.values()]))
        x = alt.X("sms:Q", title="SMs", scale=alt.Scale(domain=[0, 31], nice=False), axis=alt.Axis(tickCount=6))
        y = alt.Y("ipc:Q", title="instructions a cycle", scale=alt.Scale(zero=True))
        base = alt.Chart()
        curve = (
            base.transform_filter("datum.line == 'curve of SHA1'").mark_line(strokeWidth=2, color=GREY).encode(x=x, y=y)
        )
        rule = (
            base.transform_aggregate(target="max(target)")
            .mark_rule(strokeDash=[6, 4], color=INK)
            .encode(y=alt.Y("target:Q", title="instructions a cycle"))
        )
        name = (
            base.transform_aggregate(target="max(target)")
            .transform_calculate(label="'target: ' + format(datum.target, '.4~g') + ' IPC'")
            .mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=INK)
            .encode(x=alt.XDatum(0), y=alt.Y("target:Q"), text="label:N")
        )
        way = base.transform_filter("datum.line != 'curve of SHA1'")
        tip = [alt.Tooltip("line:N", title="way"), "round:Q", "sms:Q", alt.Tooltip("ipc:Q", format=".4~g")]
        at = {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tip}
        straight = way.transform_filter("datum.line != 'mid-point'")
        halving = way.transform_filter("datum.line == 'mid-point'")
        rings = straight.mark_point(filled=False, size=260, strokeWidth=2, opacity=1).encode(**at)
        points = halving.mark_point(filled=True, size=60, opacity=1).encode(**at)
        above = halving.mark_text(dy=-15, color=AMBER_TEXT, fontSize=12).encode(x=x, y=y, text="sms:Q")
        below = straight.mark_text(dy=20, color=BLUE_TEXT, fontSize=12).encode(x=x, y=y, text="sms:Q")
        chart = alt.layer(curve, rule, name, rings, points, above, below, data=frame).properties(
            width=WIDTH, height=300
        )
    return Figure(
        title="From 30 SMs to what SHA1 needs for 160 instructions a cycle",
        source="Thesis, Section 5.4, Figure 11",
        caption="Labels are SMs. The thesis goes from 30 to 12 to 9 as the line through the origin says. The curve "
        "is the "
        "first surrogate: the thesis' own is a picture.",
        sql=PATH_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_qos_rounds(connection: duckdb.DuckDBPyConnection) -> Figure:
    """SMs of each application, round by round, one panel per mix."""
    frame = read(connection, ROUNDS_SQL)
    chart = None
    if not frame.is_empty():
        names = {"QoS": (STEPS[0], [1, 0]), "best effort": ("#ce8303", [6, 3])}
        colour = alt.Color(
            "role:N",
            scale=alt.Scale(domain=list(names), range=[c for c, _ in names.values()]),
            legend=alt.Legend(title=None, symbolOpacity=1),
        )
        x = alt.X("round:O", title="round", scale=alt.Scale(padding=1), axis=alt.Axis(labelAngle=0, grid=False))
        span = [frame["sms"].min() - 1, frame["sms"].max() + 1]
        y = alt.Y("sms:Q", title="SMs", scale=alt.Scale(domain=span, nice=False), axis=alt.Axis(tickCount=5))
        line = (
            alt.Chart()
            .mark_line(interpolate="step-after", strokeWidth=1.8)
            .encode(x=x, y=y, color=colour, detail="slot:N")
        )
        tip = ["mix:N", alt.Tooltip("app:N", title="application"), "round:Q", "sms:Q",
               alt.Tooltip("throughput:Q", format=".4~g")]  # fmt: skip
        point = alt.Chart().mark_point(filled=True, size=35, opacity=1).encode(
            x=x, y=y, color=colour, tooltip=tip
        )  # fmt: skip
        end = (
            alt.Chart()
            .transform_joinaggregate(last="max(round)", groupby=["mix"])
            .transform_filter("datum.round == datum.last")
            .transform_joinaggregate(both="count()", groupby=["mix", "sms"])
            .transform_filter("datum.slot == '0' || datum.both == 1")
            .transform_calculate(label="datum.sms + (datum.both > 1 ? ' each' : ' ' + datum.app)")
            .mark_text(align="left", dx=7, color=INK, fontSize=12)
            .encode(x=x, y=y, text="label:N")
        )
        layers = alt.layer(line, point, end, data=frame).properties(width=PANEL_WIDTH, height=130)
        order = frame["mix"].unique(maintain_order=True).to_list()
        facet = alt.Facet("mix:N", sort=order, title=None, header=alt.Header(labelAnchor="start"))
        chart = layers.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING).resolve_scale(x="independent")
        chart = chart.resolve_axis(x="independent", y="independent")
    return Figure(
        title="Round by round to the fewest SMs for 80 % of the QoS",
        source="Thesis, Section 5.4, Figure 12",
        caption="Mid-point rule, from half of the SMs, one surrogate member with contention. In the end the thesis "
        "has 12 SMs "
        "for AES-D, 11 for JPEG-D and 12 for each of two JPEG-D. Rounds, not cycles: the thesis does not print how "
        "long "
        "thread blocks run.",
        sql=ROUNDS_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
        columns=2,
    )


def fig_qos_spare(connection: duckdb.DuckDBPyConnection) -> Figure:
    """SMs that QoS applications leave, by level."""
    frame = read(connection, SPARE_SQL)
    chart = None
    if not frame.is_empty():
        panels = []
        for kind, colours in (
            ("one_qos", [QOS_COLOURS[a] for a in ("AES-D", "JPEG-D", "SHA1")]),
            ("two_qos", list(STEPS)),
        ):
            mine = frame.filter(kind=kind)
            if mine.is_empty():
                continue
            mixes = mine["mix"].unique().sort().to_list()
            colour = alt.Color(
                "mix:N",
                scale=alt.Scale(domain=mixes, range=colours[: len(mixes)]),
                legend=alt.Legend(title=None, symbolOpacity=1, columns=min(len(mixes), 3 if kind == "one_qos" else 2)),
            )
            drawn = printed.beside(
                mine,
                alt.X("level:O", title="share of the QoS", sort=LEVELS, axis=alt.Axis(labelAngle=0)),
                "spare_sms",
                "SMs not needed",
                colour,
                offset=alt.XOffset("mix:N", scale=alt.Scale(domain=mixes)),
                tooltip=[alt.Tooltip("mix:N"), alt.Tooltip("level:O"), alt.Tooltip("met:Q", title="members met")],
            )
            title = alt.TitleParams(mine["panel"][0], anchor="start")
            panels.append(drawn.properties(width=WIDTH, height=180, title=title))
        chart = alt.vconcat(*panels, spacing=30).resolve_scale(color="independent", xOffset="independent")
    return Figure(
        title="SMs that QoS applications do not need",
        source="Thesis, Section 5.2, Figure 9",
        caption=f"Fewest SMs of all allocations. {SURROGATE}; {DIAMONDS}, and the members are kept because they "
        "agree with "
        "those of SHA1 and AES-D alone. 11 spare SMs of JPEG-D and SHA1 contradict the sizes of Figures 11 and 12.",
        sql=SPARE_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_qos_gain(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Throughput of best-effort applications over cooperative multitasking."""
    frame = read(connection, GAIN_SQL)
    chart = None
    if not frame.is_empty():
        levels = ["100 %", "90 %", "80 %"]
        colour = alt.Color(
            "level:N",
            sort=levels,
            scale=alt.Scale(domain=levels, range=[STEPS[0], STEPS[2], STEPS[5]]),
            legend=alt.Legend(title="share of the QoS", symbolOpacity=1),
        )
        shape = alt.Shape(
            "level:N", sort=levels, scale=alt.Scale(domain=levels, range=["circle", "square", "triangle-up"])
        )
        drawn = printed.beside(
            frame,
            alt.X("best_effort_app:N", title="best-effort application", axis=alt.Axis(labelAngle=0)),
            "gain",
            "throughput, cooperative = 1",
            colour,
            shape=shape,
            offset=alt.XOffset("level:O", sort=levels, scale=alt.Scale(domain=levels)),
            tooltip=[alt.Tooltip("panel:N"), alt.Tooltip("best_effort_app:N"), alt.Tooltip("level:O")],
        )
        rule = alt.Chart().mark_rule(strokeDash=[6, 4], color=GREY).encode(y=alt.YDatum(1))
        layers = alt.layer(rule, *drawn.layer, data=frame).properties(width=WIDTH, height=170)
        facet = alt.Facet("panel:N", title=None, header=alt.Header(labelAnchor="start"))
        chart = layers.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING).resolve_axis(x="independent")
    return Figure(
        title="Throughput of a best-effort application on the SMs that a QoS application leaves",
        source="Thesis, Section 5.2, Figure 10",
        caption="Over cooperative multitasking, half of the time on all SMs. The thesis prints at least 1.2 for "
        "Fractals, ID and "
        f"RAY beside SHA1 at 100 %. {SURROGATE}.",
        sql=GAIN_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_qos_power(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Power that spare SMs save, ours beside Table 4."""
    frame = read(connection, POWER_SQL)
    chart = None
    if not frame.is_empty():
        names = ["left idle", "power-gated"]
        colour = alt.Color(
            "saving:N",
            scale=alt.Scale(domain=names, range=["#ce8303", STEPS[0]]),
            legend=alt.Legend(title=None, symbolOpacity=1),
        )
        drawn = printed.beside(
            frame,
            alt.X("level:O", title="share of the QoS", sort=LEVELS, axis=alt.Axis(labelAngle=0)),
            "saved_w",
            "power saved (W)",
            colour,
            shape=alt.Shape("saving:N", scale=alt.Scale(domain=names, range=["square", "circle"])),
            offset=alt.XOffset("saving:N", scale=alt.Scale(domain=names)),
            tooltip=[alt.Tooltip("saving:N"), alt.Tooltip("level:O"), alt.Tooltip("spare_sms:Q", format=".3~g")],
            zero=True,
        )
        chart = drawn.properties(width=WIDTH, height=260)
    return Figure(
        title="Power saved by the SMs that two QoS applications leave",
        source="Thesis, Section 5.2, Table 4",
        caption="Mean over the six pairs of AES-D, JPEG-D and SHA1. Watts an SM are an input, the 80 % row over "
        "the 8.3 spare SMs that the sizes of Figures 11 and 12 imply; side by side fewer are spare. "
        f"{SURROGATE}; {DIAMONDS}.",
        sql=POWER_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_qos_loss(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Largest loss of throughput beside another application, ours beside Table 5."""
    frame = read(connection, LOSS_SQL)
    chart = None
    if not frame.is_empty():
        machines = ["on 15 SMs", "on 10 SMs"]
        colour = alt.Color(
            "machine:N",
            scale=alt.Scale(domain=machines, range=[STEPS[0], STEPS[5]]),
            legend=alt.Legend(title=None, symbolOpacity=1),
        )
        drawn = printed.beside(
            frame,
            alt.X("app:N", title="QoS application", axis=alt.Axis(labelAngle=0)),
            "loss",
            "largest loss of throughput",
            colour,
            shape=alt.Shape("machine:N", scale=alt.Scale(domain=machines, range=["circle", "triangle-up"])),
            offset=alt.XOffset("machine:N", sort=machines, scale=alt.Scale(domain=machines)),
            tooltip=[alt.Tooltip("app:N"), alt.Tooltip("machine:N")],
            number_format="~%",
            domain=[0.0, 0.25],
        )
        chart = drawn.properties(width=WIDTH, height=220)
    return Figure(
        title="What a co-runner costs QoS applications",
        source="Thesis, Section 5.3, Table 5",
        caption="Against the same SMs alone, the other application on the rest. An input: sensitivities are drawn "
        "between what the "
        f"two columns of Table 5 give. {SURROGATE}; {DIAMONDS}.",
        sql=LOSS_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )
