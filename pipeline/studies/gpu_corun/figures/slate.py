"""Figures of gpu_corun: which kernels share a GPU, and how (Slate, IPDPS 2019)."""

from __future__ import annotations

from itertools import cycle

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, INK, LOOKS, SOFT, SPACING, STEPS, WIDTH, figure, finding, ordered
from pipeline.report.marks import START, legend, level, lines, named, panels, points, tips
from pipeline.runtime.quantities import share

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


def _mean_gain(frame: pl.DataFrame) -> str | None:
    mean = frame.filter(pl.col("over") == "over MPS", pl.col("pair") == "mean")
    if mean.is_empty() or mean["gain_lo"][0] is None:
        return None
    gain, lo, hi = (share(mean[name][0], 0) for name in ("gain", "gain_lo", "gain_hi"))
    return f"Slate has {gain} more throughput than MPS on average over the pairs ({lo} to {hi} over models)"


@figure(
    title=finding("What Slate gains in throughput over MPS and over CUDA, pair by pair", _mean_gain),
    source="IPDPS 2019, Section V-E, Figure 7",
    caption="Throughput of the pair over that of the other scheduler, less one. Points: the documented parameters; "
    "bars: 5th to 95th percentile of models drawn in the documented ranges. Diamonds: what the paper prints as "
    "numbers. Strokes: the least makespan of any order or split.",
    sql=GAIN_SQL,
    absent=ABSENT,
)
def fig_gain(frame: pl.DataFrame) -> alt.FacetChart:
    """Gain of Slate over MPS and CUDA on each of the 15 pairs, one panel for each of the two."""
    values = frame.unpivot(
        ["gain", "gain_optimal", "printed"],
        index=["pair", "over", "runs", "place", "gain_lo", "gain_hi", "models"],
        variable_name="what",
        value_name="value",
    ).with_columns(
        pl.col("what").replace_strict({"gain": "Slate", "gain_optimal": "least makespan", "printed": "printed"})
    )
    values = values.filter(pl.col("value").is_not_null())
    title = "gain in throughput"
    # One entry per line: two legends side by side would be wider than a small screen.
    colour = named(alt.Color, "runs", MODES, legend=legend(columns=1, symbolType="square", symbolStrokeWidth=4))
    shape = named(alt.Shape, "what", WHAT, legend=alt.Legend(title=None, columns=1))
    x = alt.X("pair:N", title=None, sort=alt.EncodingSortField("place", op="min"), axis=alt.Axis(labelAngle=-45))
    y = alt.Y("value:Q", title=title, axis=alt.Axis(format="~%", tickCount=6))
    spread = (
        alt.Chart()
        .transform_filter("datum.what == 'Slate' && isValid(datum.gain_lo)")
        .mark_rule(strokeWidth=5, opacity=0.3)
        .encode(x=x, y=alt.Y("gain_lo:Q", title=title), y2="gain_hi:Q", color=colour)
    )
    tooltip = tips(
        "pair:N", "runs:N", "what:N", ("value:Q", "gain", ".1%"), ("gain_lo:Q", "models from", ".1%"),
        ("gain_hi:Q", "to", ".1%"), "models:Q",
    )  # fmt: skip
    point = alt.Chart().mark_point(size=70, strokeWidth=1.8, opacity=1)
    point = point.encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip)
    layers = alt.layer(spread, level(0), point, data=values).properties(width=WIDTH, height=250)
    return panels(layers, "over", order="descending", columns=1, header=START, spacing=SPACING + 20)


@figure(
    title="One application alone: kernel, host and the scheduler's overhead",
    source="IPDPS 2019, Section V-D, Figure 6",
    caption="Documented parameters; the figure of the paper has no numbers. Diamonds: GS's kernel times of Table "
    "III. Slate's overhead of 5.5 % of the application is an input.",
    sql=ALONE_SQL,
    absent=ABSENT,
)
def fig_alone(frame: pl.DataFrame) -> alt.LayerChart:
    """Time of each application alone, in parts."""
    y = alt.Y("bar:N", title=None, sort=None, axis=alt.Axis(grid=False, labelLimit=160))
    x = alt.X("from_s:Q", title="time of the application (s)")
    colour = named(alt.Color, "part", PARTS, legend=alt.Legend(title=None))
    tooltip = tips("kernel:N", "scheduler:N", "part:N", ("time_s:Q", "time (s)", ".2f"))
    bar = alt.Chart().mark_bar(height={"band": 0.8}).encode(x=x, x2="until_s:Q", y=y, color=colour, tooltip=tooltip)
    printed = (
        alt.Chart()
        .transform_filter("isValid(datum.printed_kernel_s)")
        .mark_point(shape="diamond", size=90, filled=True, color="#ffffff", stroke=INK, opacity=1)
        .encode(x="printed_kernel_s:Q", y=y, tooltip=tips(("printed_kernel_s:Q", "printed (s)")))
    )
    return alt.layer(bar, printed, data=frame).properties(width=WIDTH - 60, height=330)


@figure(
    title="Task size and kernel time under Slate",
    source="IPDPS 2019, Section V-D, Figure 5",
    caption="Alone on all SMs. Diamonds: what the text prints; two numbers per kernel fix its parameters, so the "
    "curves go through them and say nothing new at 1 and 10.",
    sql=TASK_SQL,
    absent=ABSENT,
)
def fig_task_size(frame: pl.DataFrame) -> alt.LayerChart:
    """Kernel time alone under Slate against the task size."""
    colour = _by_kernel(frame)
    x = alt.X(
        "task_size:Q",
        title="task size (blocks)",
        scale=alt.Scale(type="log", base=2, nice=False, padding=12),
        axis=alt.Axis(values=frame["task_size"].unique().sort().to_list(), format="d"),
    )
    y = alt.Y("time_over_cuda:Q", title="kernel time, CUDA = 1", scale=alt.Scale(zero=False, padding=12))
    tooltip = tips(
        "kernel:N",
        ("task_size:Q", "task size"),
        ("time_over_cuda:Q", "time over CUDA", ".3f"),
        ("printed:Q", "as the text prints it", ".3f"),
    )
    at = {"x": x, "color": colour}
    printed = alt.Chart().transform_filter("isValid(datum.printed)")
    printed = printed.mark_point(shape="diamond", size=130, strokeWidth=1.5)
    printed = printed.encode(**at, y="printed:Q", tooltip=tooltip)
    layers = [lines(**at, y=y), level(1), points(40, **at, y=y, tooltip=tooltip), printed]
    return alt.layer(*layers, data=frame).properties(width=WIDTH, height=220)


@figure(
    title="Bandwidth of a stream against SMs",
    source="IPDPS 2019, Section II, Figure 1",
    caption="Grey: what the model takes of a memory-bound kernel, linear up to the printed 9 of 30 SMs. Coloured: "
    "curves named stream of the dropped traces; points: 95 % of the largest speed.",
    sql=SATURATION_SQL,
    absent=ABSENT,
)
def fig_saturation(frame: pl.DataFrame) -> alt.LayerChart:
    """Speed of a stream against SMs."""
    curves = frame["curve"].unique(maintain_order=True).to_list()
    looks = {c: GREY if c.startswith("model:") else STEPS[(k - 1) * 3 % len(STEPS)] for k, c in enumerate(curves)}
    x = alt.X("sms:Q", title="streaming multiprocessors", scale=alt.Scale(nice=False, padding=8))
    axis = alt.Axis(format="~%", tickCount=5)
    y = alt.Y("speed:Q", title="share of the largest speed", scale=alt.Scale(domain=[0, 1.05]), axis=axis)
    at = {"x": x, "y": y, "color": named(alt.Color, "curve", looks, legend=alt.Legend(title=None))}
    at["tooltip"] = tips("curve:N", ("sms:Q", "SMs"), ("speed:Q", None, ".1%"))
    saturates = alt.Chart().transform_filter("datum.saturates").mark_point(filled=True, size=80, opacity=1)
    printed = alt.Chart().transform_filter("datum.saturates && datum.source == 'model'")
    label = printed.mark_text(align="left", dx=8, dy=16, fontSize=12, color=SOFT)
    label = label.encode(x=x, y=y, text=alt.value("the paper's peak: 9 of 30"))
    return alt.layer(lines(**at), saturates.encode(**at), label, data=frame).properties(width=WIDTH, height=200)


def _boxes(intervals: pl.DataFrame) -> pl.DataFrame:
    """SMs [first_sm, past_sm) of each interval: position 0 from the lowest, the other from the highest SM on.

    Where both have all SMs in turns, each is drawn with half of them.
    """
    turns_s = intervals.filter(scheduler="cuda").group_by("start_s").len().filter(pl.col("len") > 1)["start_s"]
    in_turns = (pl.col("scheduler") == "cuda") & pl.col("start_s").is_in(turns_s.implode())
    height = pl.when(in_turns).then(pl.col("machine_sms") / 2).otherwise(pl.col("sms"))
    low = pl.when(pl.col("position") == 0).then(0.0).otherwise(pl.col("machine_sms") - height)
    return intervals.with_columns(first_sm=low.cast(pl.Float64), past_sm=(low + height).cast(pl.Float64))


@figure(
    title=f"SMs over time: the pair {SHOWN_PAIR} under four schedulers",
    source="IPDPS 2019, Sections III-C and V-E",
    caption="Documented parameters, kernels only: set-up on the host before, overhead after. Under cuda both have "
    "all SMs in turns, drawn as halves.",
    sql=TIMELINE_SQL,
    rows=_boxes,
    absent=ABSENT,
)
def fig_timelines(frame: pl.DataFrame) -> alt.FacetChart:
    """SMs over time of one pair under each scheduler."""
    x = alt.X("start_s:Q", title="time (s)", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    scale = alt.Scale(domain=[0, frame["machine_sms"].max()], nice=False)
    y = alt.Y("first_sm:Q", title="SM", scale=scale, axis=alt.Axis(grid=False, tickCount=3))
    tooltip = tips(
        "kernel:N", ("sms:Q", "SMs"), ("speed:Q", "speed, alone under CUDA = 1", ".2f"),
        ("start_s:Q", "from (s)", ".1f"), ("end_s:Q", "until (s)", ".1f"),
    )  # fmt: skip
    box = alt.Chart(frame).mark_rect(stroke="#ffffff", strokeWidth=1)
    colour = _by_kernel(frame.sort("position"))
    box = box.encode(x=x, x2="end_s:Q", y=y, y2="past_sm:Q", color=colour, tooltip=tooltip)
    order = ordered(frame["scheduler"])
    drawn = box.properties(width=WIDTH, height=90)
    return panels(drawn, "scheduler", order=order, columns=1, header=START, axes="x")


def _by_kernel(frame: pl.DataFrame) -> alt.Color:
    """A colour for each of two kernels, in the order of the rows."""
    kernels = frame["kernel"].unique(maintain_order=True)
    return named(
        alt.Color, "kernel", dict(zip(kernels, cycle(FIRST_AND_SECOND), strict=False)), legend=alt.Legend(title=None)
    )
