"""Figures of gpu_corun: which kernels share a GPU, and how (Slate, IPDPS 2019)."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report.chart import GREY, INK, LOOKS, SOFT, SPACING, STEPS, WIDTH, Figure, ordered
from pipeline.warehouse.answer import read

MODES = {"side by side": LOOKS["green"][0], "one after the other": LOOKS["blue"][0], "mean": GREY}
"""Colours of the pairs by how Slate runs them."""
WHAT = {"Slate": "circle", "least makespan": "stroke", "printed": "diamond"}
"""Symbols of what a point is."""
PARTS = {"kernel": STEPS[0], "host": STEPS[2], "overhead": STEPS[-1]}
FIRST_AND_SECOND = (STEPS[0], STEPS[-1])
SHOWN_PAIR = "GS-RG"
ABSENT = "No pairs of the published kernels were replayed (gpu_corun.sweeps in the configuration)."

GAIN_SQL = """\
SELECT
    pair, 'over ' || upper("over") AS "over",
    CASE WHEN corun THEN 'side by side' WHEN corun IS NULL THEN 'mean' ELSE 'one after the other' END AS runs,
    row_number() OVER (PARTITION BY "over" ORDER BY pair = 'mean', corun DESC, pair) AS place,
    gain, gain_median, gain_lo, gain_hi, gain_optimal, printed, models
FROM fig_gpu_corun_7
WHERE gain IS NOT NULL
ORDER BY "over" DESC, place"""

ALONE_SQL = """\
SELECT
    kernel, scheduler, kernel || '  ' || scheduler AS bar, substr(part, 3) AS part, time_s, from_s, until_s,
    printed_kernel_s
FROM fig_gpu_corun_6
ORDER BY kernel, scheduler, from_s, part"""

TASK_SQL = """\
SELECT kernel, task_size, time_over_cuda, printed
FROM fig_gpu_corun_5
WHERE kernel IN (SELECT kernel FROM fig_gpu_corun_5 WHERE printed IS NOT NULL)
ORDER BY kernel, task_size"""

SATURATION_SQL = """\
SELECT source, source || ': ' || app AS curve, app, sms, speed, saturates
FROM fig_gpu_corun_1
WHERE source = 'model' OR contains(lower(app), 'stream')
ORDER BY source <> 'model', curve, sms"""

TIMELINE_SQL = f"""\
SELECT pair, scheduler, "position", kernel, start_s, end_s, sms, machine_sms, speed
FROM fig_gpu_corun_timeline
WHERE pair = '{SHOWN_PAIR}'
ORDER BY scheduler, "position", start_s"""


def fig_gain(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Gain of Slate over MPS and CUDA on each of the 15 pairs."""
    frame = read(connection, GAIN_SQL)
    return Figure(
        title="What Slate gains in throughput over MPS and over CUDA, pair by pair",
        source="IPDPS 2019, Section V-E, Figure 7",
        caption="Throughput of the pair over that of the other scheduler, less one. Points: the documented parameters; "
        "bars: 5th to 95th percentile of models drawn in the documented ranges. Diamonds: what the paper prints as "
        "numbers. Strokes: the least makespan of any order or split.",
        sql=GAIN_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _gains(frame),
        absent=ABSENT,
    )


def fig_alone(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Time of each application alone, in parts."""
    frame = read(connection, ALONE_SQL)
    chart = None
    if not frame.is_empty():
        colour = alt.Color(
            "part:N", scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())), legend=alt.Legend(title=None)
        )
        y = alt.Y("bar:N", title=None, sort=None, axis=alt.Axis(grid=False, labelLimit=160))
        bar = alt.Chart().mark_bar(height={"band": 0.8}).encode(
            x=alt.X("from_s:Q", title="time of the application (s)"), x2="until_s:Q", y=y, color=colour,
            tooltip=[
                alt.Tooltip("kernel:N"), alt.Tooltip("scheduler:N"), alt.Tooltip("part:N"),
                alt.Tooltip("time_s:Q", title="time (s)", format=".2f"),
            ],
        )  # fmt: skip
        printed = (
            alt.Chart()
            .transform_filter("isValid(datum.printed_kernel_s)")
            .mark_point(shape="diamond", size=90, filled=True, color="#ffffff", stroke=INK, opacity=1)
            .encode(x="printed_kernel_s:Q", y=y, tooltip=[alt.Tooltip("printed_kernel_s:Q", title="printed (s)")])
        )
        chart = alt.layer(bar, printed, data=frame).properties(width=WIDTH - 60, height=330)
    return Figure(
        title="One application alone: kernel, host and the scheduler's overhead",
        source="IPDPS 2019, Section V-D, Figure 6",
        caption="Documented parameters; the figure of the paper has no numbers. Diamonds: GS's kernel times of Table "
        "III. Slate's overhead of 5.5 % of the application is an input.",
        sql=ALONE_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_task_size(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Kernel time alone under Slate against the task size."""
    frame = read(connection, TASK_SQL)
    chart = None
    if not frame.is_empty():
        kernels = frame["kernel"].unique(maintain_order=True).to_list()
        colour = alt.Color(
            "kernel:N", scale=alt.Scale(domain=kernels, range=list(FIRST_AND_SECOND)), legend=alt.Legend(title=None)
        )
        x = alt.X(
            "task_size:Q",
            title="task size (blocks)",
            scale=alt.Scale(type="log", base=2, nice=False, padding=12),
            axis=alt.Axis(values=frame["task_size"].unique().sort().to_list(), format="d"),
        )
        y = alt.Y("time_over_cuda:Q", title="kernel time, CUDA = 1", scale=alt.Scale(zero=False, padding=12))
        tooltip = [
            alt.Tooltip("kernel:N"), alt.Tooltip("task_size:Q", title="task size"),
            alt.Tooltip("time_over_cuda:Q", title="time over CUDA", format=".3f"),
            alt.Tooltip("printed:Q", title="as the text prints it", format=".3f"),
        ]  # fmt: skip
        line = alt.Chart().mark_line(strokeWidth=1.8).encode(x=x, y=y, color=colour)
        point = alt.Chart().mark_point(filled=True, size=40, opacity=1).encode(x=x, y=y, color=colour, tooltip=tooltip)
        printed = (
            alt.Chart()
            .transform_filter("isValid(datum.printed)")
            .mark_point(shape="diamond", size=130, strokeWidth=1.5)
            .encode(x=x, y="printed:Q", color=colour, tooltip=tooltip)
        )
        rule = alt.Chart().mark_rule(strokeDash=[6, 4], color=GREY).encode(y=alt.YDatum(1))
        chart = alt.layer(line, rule, point, printed, data=frame).properties(width=WIDTH, height=220)
    return Figure(
        title="Task size and kernel time under Slate",
        source="IPDPS 2019, Section V-D, Figure 5",
        caption="Alone on all SMs. Diamonds: what the text prints; two numbers per kernel fix its parameters, so the "
        "curves go through them and say nothing new at 1 and 10.",
        sql=TASK_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_saturation(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speed of a stream against SMs."""
    frame = read(connection, SATURATION_SQL)
    curves = frame["curve"].unique(maintain_order=True).to_list()
    colours = [GREY if c.startswith("model:") else STEPS[(k - 1) * 3 % len(STEPS)] for k, c in enumerate(curves)]
    colour = alt.Color("curve:N", scale=alt.Scale(domain=curves, range=colours), legend=alt.Legend(title=None))
    x = alt.X("sms:Q", title="streaming multiprocessors", scale=alt.Scale(nice=False, padding=8))
    y = alt.Y(
        "speed:Q",
        title="share of the largest speed",
        scale=alt.Scale(domain=[0, 1.05]),
        axis=alt.Axis(format="~%", tickCount=5),
    )
    tooltip = [
        alt.Tooltip("curve:N"), alt.Tooltip("sms:Q", title="SMs"), alt.Tooltip("speed:Q", format=".1%")
    ]  # fmt: skip
    line = alt.Chart().mark_line(strokeWidth=1.8).encode(x=x, y=y, color=colour, tooltip=tooltip)
    saturates = alt.Chart().transform_filter("datum.saturates").mark_point(filled=True, size=80, opacity=1)
    printed = alt.Chart().transform_filter("datum.saturates && datum.source == 'model'")
    label = printed.mark_text(align="left", dx=8, dy=16, fontSize=12, color=SOFT).encode(
        x=x, y=y, text=alt.value("the paper's peak: 9 of 30")
    )
    layers = [line, saturates.encode(x=x, y=y, color=colour, tooltip=tooltip), label]
    return Figure(
        title="Bandwidth of a stream against SMs",
        source="IPDPS 2019, Section II, Figure 1",
        caption="Grey: what the model takes of a memory-bound kernel, linear up to the printed 9 of 30 SMs. Coloured: "
        "curves named stream of the dropped traces; points: 95 % of the largest speed.",
        sql=SATURATION_SQL,
        frame=frame,
        chart=alt.layer(*layers, data=frame).properties(width=WIDTH, height=200),
        absent=ABSENT,
    )


def fig_timelines(connection: duckdb.DuckDBPyConnection) -> Figure:
    """SMs over time of one pair under each scheduler."""
    intervals = read(connection, TIMELINE_SQL)
    frame = intervals if intervals.is_empty() else _boxes(intervals)
    chart = None
    if not frame.is_empty():
        kernels = frame.sort("position")["kernel"].unique(maintain_order=True).to_list()
        x = alt.X("start_s:Q", title="time (s)", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
        y = alt.Y(
            "first_sm:Q",
            title="SM",
            scale=alt.Scale(domain=[0, frame["machine_sms"].max()], nice=False),
            axis=alt.Axis(grid=False, tickCount=3),
        )
        box = (
            alt.Chart(frame)
            .mark_rect(stroke="#ffffff", strokeWidth=1)
            .encode(
                x=x, x2="end_s:Q", y=y, y2="past_sm:Q",
                color=alt.Color(
                    "kernel:N", scale=alt.Scale(domain=kernels, range=list(FIRST_AND_SECOND)),
                    legend=alt.Legend(title=None),
                ),
                tooltip=[
                    alt.Tooltip("kernel:N"), alt.Tooltip("sms:Q", title="SMs"),
                    alt.Tooltip("speed:Q", title="speed, alone under CUDA = 1", format=".2f"),
                    alt.Tooltip("start_s:Q", title="from (s)", format=".1f"),
                    alt.Tooltip("end_s:Q", title="until (s)", format=".1f"),
                ],
            )
            .properties(width=WIDTH, height=90)
        )  # fmt: skip
        facet = alt.Facet(
            "scheduler:N", sort=ordered(frame["scheduler"]), title=None, header=alt.Header(labelAnchor="start")
        )
        chart = box.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING).resolve_axis(x="independent")
    return Figure(
        title=f"SMs over time: the pair {SHOWN_PAIR} under four schedulers",
        source="IPDPS 2019, Sections III-C and V-E",
        caption="Documented parameters, kernels only: set-up on the host before, overhead after. Under cuda both have "
        "all SMs in turns, drawn as halves.",
        sql=TIMELINE_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def _gains(frame: pl.DataFrame) -> alt.FacetChart:
    """Points and ranges of the gains by pair, one panel for each scheduler that Slate is compared with."""
    points = frame.unpivot(
        ["gain", "gain_optimal", "printed"],
        index=["pair", "over", "runs", "place", "gain_lo", "gain_hi", "models"],
        variable_name="what",
        value_name="value",
    ).with_columns(
        pl.col("what").replace_strict({"gain": "Slate", "gain_optimal": "least makespan", "printed": "printed"})
    )
    points = points.filter(pl.col("value").is_not_null())
    # One entry per line: two legends side by side would be wider than a small screen.
    colour = alt.Color(
        "runs:N",
        scale=alt.Scale(domain=list(MODES), range=list(MODES.values())),
        legend=alt.Legend(title=None, columns=1, symbolType="square", symbolOpacity=1, symbolStrokeWidth=4),
    )
    shape = alt.Shape(
        "what:N",
        scale=alt.Scale(domain=list(WHAT), range=list(WHAT.values())),
        legend=alt.Legend(title=None, columns=1),
    )
    x = alt.X("pair:N", title=None, sort=alt.EncodingSortField("place", op="min"), axis=alt.Axis(labelAngle=-45))
    y = alt.Y("value:Q", title="gain in throughput", axis=alt.Axis(format="~%", tickCount=6))
    rule = alt.Chart().mark_rule(strokeDash=[6, 4], color=GREY).encode(y=alt.YDatum(0))
    spread = (
        alt.Chart()
        .transform_filter("datum.what == 'Slate' && isValid(datum.gain_lo)")
        .mark_rule(strokeWidth=5, opacity=0.3)
        .encode(x=x, y=alt.Y("gain_lo:Q", title="gain in throughput"), y2="gain_hi:Q", color=colour)
    )
    point = (
        alt.Chart()
        .mark_point(size=70, strokeWidth=1.8, opacity=1)
        .encode(
            x=x, y=y, color=colour, shape=shape,
            tooltip=[
                alt.Tooltip("pair:N"), alt.Tooltip("runs:N"), alt.Tooltip("what:N"),
                alt.Tooltip("value:Q", title="gain", format=".1%"),
                alt.Tooltip("gain_lo:Q", title="models from", format=".1%"),
                alt.Tooltip("gain_hi:Q", title="to", format=".1%"), alt.Tooltip("models:Q"),
            ],
        )
    )  # fmt: skip
    layers = alt.layer(spread, rule, point, data=points).properties(width=WIDTH, height=250)
    facet = alt.Facet("over:N", sort="descending", title=None, header=alt.Header(labelAnchor="start"))
    return layers.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING + 20).resolve_axis(
        x="independent", y="independent"
    )


def _boxes(intervals: pl.DataFrame) -> pl.DataFrame:
    """SMs [first_sm, past_sm) of each interval: position 0 from the lowest, the other from the highest SM on.

    Where both have all SMs in turns, each is drawn with half of them.
    """
    turns_s = intervals.filter(scheduler="cuda").group_by("start_s").len().filter(pl.col("len") > 1)["start_s"]
    in_turns = (pl.col("scheduler") == "cuda") & pl.col("start_s").is_in(turns_s.implode())
    height = pl.when(in_turns).then(pl.col("machine_sms") / 2).otherwise(pl.col("sms"))
    low = pl.when(pl.col("position") == 0).then(0.0).otherwise(pl.col("machine_sms") - height)
    return intervals.with_columns(first_sm=low.cast(pl.Float64), past_sm=(low + height).cast(pl.Float64))
