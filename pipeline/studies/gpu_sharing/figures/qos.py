"""Figures of gpu_sharing: quality of service (thesis, Chapter 5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import altair as alt
import polars as pl

from pipeline.report import printed
from pipeline.report.chart import AMBER_TEXT, BLUE_TEXT, GREY, INK, PANEL_WIDTH, STEPS, WIDTH, figure
from pipeline.report.marks import START, colours, legend, level, named, panels, points, symbols, tips

AMBER = "#ce8303"
QOS_COLOURS = (STEPS[0], STEPS[3], AMBER)
"""Of AES-D, JPEG-D and SHA1."""
LEVELS = ["100 %", "95 %", "90 %", "85 %", "80 %"]
LEVEL = alt.X("level:O", title="share of the QoS", sort=LEVELS, axis=alt.Axis(labelAngle=0))
SURROGATE = (
    "The thesis prints no curves of its Chapters 4 and 5. These are surrogates, drawn at random among those that "
    "agree with what it prints. Points are means over the members, bars their range"
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
SELECT mix, kind, round, from_cycle / 1000 AS kilocycle, app, slot::VARCHAR AS slot, role, sms, throughput, least_sms
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


@figure(
    title="From 30 SMs to what SHA1 needs for 160 instructions a cycle",
    source="Thesis, Section 5.4, Figure 11",
    caption="Labels are SMs. The thesis goes from 30 to 12 to 9 as the line through the origin says. The curve is the "
    "first surrogate: the thesis' own is a picture.",
    sql=PATH_SQL,
    absent=ABSENT,
)
def fig_qos_path(frame: pl.DataFrame) -> alt.LayerChart:
    """SHA1's curve and the two ways down to the fewest SMs for 160 IPC."""
    colour = named(alt.Color, "line", {"as the line says": STEPS[0], "mid-point": AMBER}, legend=legend())
    shape = named(alt.Shape, "line", {"as the line says": "circle", "mid-point": "square"})
    x = alt.X("sms:Q", title="SMs", scale=alt.Scale(domain=[0, 31], nice=False), axis=alt.Axis(tickCount=6))
    y = alt.Y("ipc:Q", title="instructions a cycle", scale=alt.Scale(zero=True))
    base = alt.Chart()
    curve = base.transform_filter("datum.line == 'curve of SHA1'").mark_line(strokeWidth=2, color=GREY)
    target = base.transform_aggregate(target="max(target)")
    rule = target.mark_rule(strokeDash=[6, 4], color=INK)
    rule = rule.encode(y=alt.Y("target:Q", title="instructions a cycle"))
    name = (
        target.transform_calculate(label="'target: ' + format(datum.target, '.4~g') + ' IPC'")
        .mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=INK)
        .encode(x=alt.XDatum(0), y=alt.Y("target:Q"), text="label:N")
    )
    way = base.transform_filter("datum.line != 'curve of SHA1'")
    tooltip = tips(("line:N", "way"), "round:Q", "sms:Q", ("ipc:Q", None, ".4~g"))
    at = {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tooltip}
    straight = way.transform_filter("datum.line != 'mid-point'")
    halving = way.transform_filter("datum.line == 'mid-point'")
    rings = straight.mark_point(filled=False, size=260, strokeWidth=2, opacity=1).encode(**at)
    dots = halving.mark_point(filled=True, size=60, opacity=1).encode(**at)
    above = halving.mark_text(dy=-15, color=AMBER_TEXT, fontSize=12).encode(x=x, y=y, text="sms:Q")
    below = straight.mark_text(dy=20, color=BLUE_TEXT, fontSize=12).encode(x=x, y=y, text="sms:Q")
    layers = alt.layer(curve.encode(x=x, y=y), rule, name, rings, dots, above, below, data=frame)
    return layers.properties(width=WIDTH, height=300)


@figure(
    title="Round by round to the fewest SMs for 80 % of the QoS",
    source="Thesis, Section 5.4, Figure 12",
    caption="Mid-point rule, from half of the SMs, one surrogate member with contention. In the end the thesis has 12 "
    "SMs for AES-D, 11 for JPEG-D and 12 for each of two JPEG-D. Cycles are ours: the thesis does not print how long "
    "thread blocks run, and 25,000 cycles are assumed.",
    sql=ROUNDS_SQL,
    absent=ABSENT,
    columns=2,
)
def fig_qos_rounds(frame: pl.DataFrame) -> alt.FacetChart:
    """SMs of each application, round by round, one panel per mix."""
    most = frame["kilocycle"].max()
    x = alt.X("kilocycle:Q", title="thousand cycles", scale=alt.Scale(domain=[0, 1.25 * most], nice=False))
    span = alt.Scale(domain=[frame["sms"].min() - 1, frame["sms"].max() + 1], nice=False)
    y = alt.Y("sms:Q", title="SMs", scale=span, axis=alt.Axis(tickCount=5))
    at = {"x": x, "y": y}
    at["color"] = named(alt.Color, "role", {"QoS": STEPS[0], "best effort": AMBER}, legend=legend())
    line = alt.Chart().mark_line(interpolate="step-after", strokeWidth=1.8).encode(**at, detail="slot:N")
    tooltip = tips("mix:N", ("app:N", "application"), "round:Q", "kilocycle:Q", "sms:Q", ("throughput:Q", None, ".4~g"))
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
    layers = alt.layer(line, points(35, **at, tooltip=tooltip), end, data=frame)
    order = frame["mix"].unique(maintain_order=True).to_list()
    drawn = layers.properties(width=PANEL_WIDTH, height=130)
    return panels(drawn, "mix", order=order, header=START)


@figure(
    title="SMs that QoS applications do not need",
    source="Thesis, Section 5.2, Figure 9",
    caption=f"Fewest SMs of all allocations. {SURROGATE}; {DIAMONDS}, and the members are kept because they agree with "
    "those of SHA1 and AES-D alone. 11 spare SMs of JPEG-D and SHA1 contradict the sizes of Figures 11 and 12.",
    sql=SPARE_SQL,
    absent=ABSENT,
)
def fig_qos_spare(frame: pl.DataFrame) -> alt.VConcatChart:
    """SMs that QoS applications leave, by level."""
    kinds = {"one_qos": (QOS_COLOURS, 3), "two_qos": (STEPS, 2)}
    drawn = [_spare(frame.filter(kind=kind), *kinds[kind]) for kind in kinds if kind in frame["kind"]]
    return alt.vconcat(*drawn, spacing=30).resolve_scale(color="independent", xOffset="independent")


def _spare(frame: pl.DataFrame, steps: Sequence[str], columns: int) -> alt.LayerChart:
    """SMs that mixes of one kind leave; columns: most entries of the legend side by side."""
    mixes = frame["mix"].unique().sort().to_list()
    key = legend(columns=min(len(mixes), columns))
    drawn = printed.beside(
        frame,
        LEVEL,
        "spare_sms",
        "SMs not needed",
        named(alt.Color, "mix", dict(zip(mixes, cycle(steps), strict=False)), legend=key),
        offset=alt.XOffset("mix:N", scale=alt.Scale(domain=mixes)),
        tooltip=tips("mix:N", "level:O", ("met:Q", "members met")),
    )
    title = alt.TitleParams(frame["panel"][0], anchor="start")
    return drawn.properties(width=WIDTH, height=180, title=title)


@figure(
    title="Throughput of a best-effort application on the SMs that a QoS application leaves",
    source="Thesis, Section 5.2, Figure 10",
    caption="Over cooperative multitasking, half of the time on all SMs. The thesis prints at least 1.2 for Fractals, "
    f"ID and RAY beside SHA1 at 100 %. {SURROGATE}.",
    sql=GAIN_SQL,
    absent=ABSENT,
)
def fig_qos_gain(frame: pl.DataFrame) -> alt.FacetChart:
    """Throughput of best-effort applications over cooperative multitasking."""
    looks = {"100 %": (STEPS[0], "circle"), "90 %": (STEPS[2], "square"), "80 %": (STEPS[5], "triangle-up")}
    levels = list(looks)
    drawn = printed.beside(
        frame,
        alt.X("best_effort_app:N", title="best-effort application", axis=alt.Axis(labelAngle=0)),
        "gain",
        "throughput, cooperative = 1",
        named(alt.Color, "level", colours(looks), sort=levels, legend=legend(title="share of the QoS")),
        shape=named(alt.Shape, "level", symbols(looks), sort=levels),
        offset=alt.XOffset("level:O", sort=levels, scale=alt.Scale(domain=levels)),
        tooltip=tips("panel:N", "best_effort_app:N", "level:O"),
    )
    layers = alt.layer(level(1), *drawn.layer, data=frame).properties(width=WIDTH, height=170)
    return panels(layers, "panel", columns=1, header=START, axes="x")


@figure(
    title="Power saved by the SMs that two QoS applications leave",
    source="Thesis, Section 5.2, Table 4",
    caption="Mean over the six pairs of AES-D, JPEG-D and SHA1. Watts an SM are an input. The 80 % row is over "
    "the 8.3 spare SMs that the sizes of Figures 11 and 12 imply; side by side fewer are spare. "
    f"{SURROGATE}; {DIAMONDS}.",
    sql=POWER_SQL,
    absent=ABSENT,
)
def fig_qos_power(frame: pl.DataFrame) -> alt.LayerChart:
    """Power that spare SMs save, ours beside Table 4."""
    looks = {"left idle": (AMBER, "square"), "power-gated": (STEPS[0], "circle")}
    drawn = printed.beside(
        frame,
        LEVEL,
        "saved_w",
        "power saved (W)",
        named(alt.Color, "saving", colours(looks), legend=legend()),
        shape=named(alt.Shape, "saving", symbols(looks)),
        offset=alt.XOffset("saving:N", scale=alt.Scale(domain=list(looks))),
        tooltip=tips("saving:N", "level:O", ("spare_sms:Q", None, ".3~g")),
        zero=True,
    )
    return drawn.properties(width=WIDTH, height=260)


@figure(
    title="What a co-runner costs QoS applications",
    source="Thesis, Section 5.3, Table 5",
    caption="Against the same SMs alone, the other application on the rest. An input: sensitivities are drawn between "
    f"what the two columns of Table 5 give. {SURROGATE}; {DIAMONDS}.",
    sql=LOSS_SQL,
    absent=ABSENT,
)
def fig_qos_loss(frame: pl.DataFrame) -> alt.LayerChart:
    """Largest loss of throughput beside another application, ours beside Table 5."""
    looks = {"on 15 SMs": (STEPS[0], "circle"), "on 10 SMs": (STEPS[5], "triangle-up")}
    drawn = printed.beside(
        frame,
        alt.X("app:N", title="QoS application", axis=alt.Axis(labelAngle=0)),
        "loss",
        "largest loss of throughput",
        named(alt.Color, "machine", colours(looks), legend=legend()),
        shape=named(alt.Shape, "machine", symbols(looks)),
        offset=alt.XOffset("machine:N", sort=list(looks), scale=alt.Scale(domain=list(looks))),
        tooltip=tips("app:N", "machine:N"),
        number_format="~%",
        domain=[0.0, 0.25],
    )
    return drawn.properties(width=WIDTH, height=220)
