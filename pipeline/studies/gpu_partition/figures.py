"""Figures of gpu_partition: partitions of a GPU's SMs for real-time kernels (Zahaf et al. 2021)."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import (
    GREY,
    LABEL,
    LOOKS,
    PANEL_WIDTH,
    STEPS,
    WIDTH,
    Series,
    appearance,
    figure,
    finding,
    ordered,
)
from pipeline.report.marks import START, filled, legend, lines, looks_of, named, panels, points, tips

PAPER = "Zahaf et al. 2021, Section 7.2"
LABELS = {"one_gpu": "1G", "bf": "BF", "sms": "SMS", "local_search": "local search"}
"""What the paper calls the schedulers (local search is ours); others have the names of their files."""
DASHES = {"INA": [1, 0], "ACT": [5, 3]}
"""Lines of the heuristics without and with the pre-pass that forbids pairs of tasks."""
KINDS = {
    "compute": STEPS[0],
    "memory": STEPS[-1],
    "compute, in conflict": "#01a562",
    "memory, in conflict": "#ce8303",
}
NAMED_SMS, NAMED_SHARE, LETTER_WIDTH = 4, 0.06, 5.5
"""SMs and utilisation from which there is room for the name of a task in its box, and pixels that a letter takes."""
ABSENT = "No sets of {tasks} tasks were generated on 68 SMs (gpu_partition.sweeps in the configuration)."
SETS = "Half of the tasks are memory intensive"

WHEN = " ".join(f"WHEN '{name}' THEN '{called}'" for name, called in LABELS.items())
NAMED = f"""\
CASE scheduler {WHEN} ELSE scheduler END AS algorithm,
    CASE forbidden WHEN 'act' THEN 'ACT' ELSE 'INA' END AS prepass"""
RATE = """\
SELECT
    utilisation, {named},
    schedulable, schedulable_lo, schedulable_hi, sets
FROM fig_gpu_partition_{number}
WHERE scheduler <> 'optimal' AND utilisation >= 20
ORDER BY algorithm, prepass, utilisation"""
LOAD = """\
SELECT
    utilisation, {named},
    scheduled_workload, scheduled_workload_lo, scheduled_workload_hi, workload_lower, workload_upper, partitions,
    tasks_per_partition, sets
FROM fig_gpu_partition_{number}
ORDER BY algorithm, prepass, utilisation"""
TESTS_SQL = f"""\
SELECT
    tasks || ' tasks' AS panel, tasks, utilisation, {NAMED},
    tests, tests_lo, tests_hi, sets
FROM fig_gpu_partition_9
WHERE tests > 0
ORDER BY tasks, algorithm, prepass, utilisation"""
PARTITIONS_SQL = f"""\
SELECT
    '50 tasks' AS panel, 50 AS tasks, utilisation, {NAMED}, partitions, tasks_per_partition, sets
FROM fig_gpu_partition_6
WHERE scheduler <> 'one_gpu'
UNION ALL
SELECT
    '200 tasks' AS panel, 200 AS tasks, utilisation, {NAMED}, partitions, tasks_per_partition, sets
FROM fig_gpu_partition_8
WHERE scheduler <> 'one_gpu'
ORDER BY tasks, algorithm, prepass, utilisation"""
CHOSEN_SQL = """\
SELECT
    taskset || CASE trace.kind WHEN 'generated' THEN ' (generated)' ELSE '' END AS taskset, scheduler, sms, partition,
    partition_sms, first_sm, last_sm + 1 AS past_sm, task_id,
    placement.kind || CASE WHEN conflict THEN ', in conflict' ELSE '' END AS kind,
    sum(placement.utilisation) OVER stack - placement.utilisation AS base,
    sum(placement.utilisation) OVER stack AS top,
    placement.utilisation, launch.utilisation AS of_partition
FROM gpu_partition_placement AS placement
JOIN gpu_partition_launch AS launch USING (taskset, sms, scheduler, partition, partition_sms)
LEFT JOIN trace ON trace.trace = placement.trace
WHERE scheduler <> 'one_gpu'
WINDOW stack AS (PARTITION BY taskset, sms, partition ORDER BY placement.utilisation DESC, task_id)
QUALIFY taskset = first(taskset) OVER (ORDER BY placement.trace IS NULL, taskset)
    AND sms = first(sms) OVER (ORDER BY placement.trace IS NULL, taskset, sms DESC)
ORDER BY partition, base"""

SLICES = {
    "whole_gpus": ("whole GPUs", GREY),
    "single_process": ("one process per slice", STEPS[-1]),
    "heuristic": ("heuristic", LOOKS["amber"][0]),
    "optimum": ("optimum", STEPS[0]),
}
"""What each way to choose slices is called, and its colour."""
MOST_DEMANDS = 10
SLICES_SQL = f"""\
SELECT
    trace || CASE trace.kind WHEN 'generated' THEN ' (generated)' ELSE '' END AS panel,
    demand, demand || '|' || printf('%,d', rate_per_s::BIGINT) || '/s' AS asked, rate_per_s,
    row_number() OVER (ORDER BY trace, rate_per_s, demand, list_position({list(SLICES)}, method)) AS place,
    CASE method {" ".join(f"WHEN '{name}' THEN '{called}'" for name, (called, _) in SLICES.items())} END AS method,
    gpus, sevenths, slices, processes
FROM slice_need
JOIN (
    SELECT trace, demand, sum(rate_per_s) AS rate_per_s FROM slice_demand GROUP BY trace, demand
    QUALIFY row_number() OVER (PARTITION BY trace ORDER BY sum(rate_per_s) DESC, demand) <= {MOST_DEMANDS}
) USING (trace, demand)
JOIN trace USING (trace)
WHERE gpus IS NOT NULL
ORDER BY place"""


def _rate(tasks: int, number: int) -> dict:
    """What a figure of schedulable sets is, beside its chart."""
    return {
        "title": f"Schedulable sets of {tasks} tasks on 68 SMs",
        "source": f"{PAPER}, Figure {number}",
        "caption": f"{SETS}. Bands are 95 % intervals (Wilson). 1G is the GPU unpartitioned. ACT (dashed) first "
        "looks for pairs of tasks that do not fit together. Local search is ours.",
        "sql": RATE.format(named=NAMED, number=number),
        "absent": ABSENT.format(tasks=tasks),
    }


def _load(tasks: int, number: int) -> dict:
    """What a figure of scheduled workload is, beside its chart."""
    return {
        "title": f"Scheduled workload of sets of {tasks} tasks",
        "source": f"{PAPER}, Figure {number}",
        "caption": "Sum of execution times on one SM over periods, with the conflicts of the allocation. Points "
        "are means over the sets that have one. Dotted: the same without conflicts, and with all of "
        "them. Bands are 95 % intervals.",
        "sql": LOAD.format(named=NAMED, number=number),
        "absent": ABSENT.format(tasks=tasks),
    }


def _rates(frame: pl.DataFrame, *said: alt.Chart) -> alt.LayerChart:
    """Shares of schedulable sets, over what the paper says of them."""
    shown = _lines(frame, "schedulable", "schedulable task sets", bands=True)
    return alt.layer(*said, *shown, data=frame).properties(width=WIDTH, height=280)


def _loads(frame: pl.DataFrame) -> alt.LayerChart:
    """Scheduled workload between its bounds, which are named at their ends."""
    title = "scheduled workload (SMs)"
    bounds = [
        alt.Chart()
        .mark_line(strokeDash=[2, 3], strokeWidth=1.2, color=LABEL)
        .encode(x=_x(), y=alt.Y(f"mean({name}):Q", title=title))
        for name in ("workload_lower", "workload_upper")
    ]
    last = frame.filter(pl.col("utilisation") == pl.col("utilisation").max()).row(0, named=True)
    at = [last["workload_lower"], last["workload_upper"]]
    words = {"utilisation": [last["utilisation"]] * 2, "at": at, "word": ["no conflicts", "all conflicts"]}
    text = alt.Chart(pl.DataFrame(words)).mark_text(align="right", dy=26, dx=-2, fontSize=11, color=LABEL)
    text = text.encode(x=_x(), y="at:Q", text="word:N")
    shown = _lines(frame, "scheduled_workload", title, bands=True)
    return alt.layer(*bounds, *shown, text, data=frame).properties(width=WIDTH, height=280)


@figure(**_rate(50, 5))
def fig_schedulable_50(frame: pl.DataFrame) -> alt.LayerChart:
    """Share of schedulable sets of 50 tasks against their utilisation."""
    return _rates(frame, *_said_of_1g(frame))


fig_schedulable_200 = figure(
    **_rate(200, 7),
    draw=_rates,
)


fig_workload_50 = figure(
    **_load(50, 6),
    draw=_loads,
)


fig_workload_200 = figure(
    **_load(200, 8),
    draw=_loads,
)


def _with_said(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with what the paper says of their panel."""
    said = pl.DataFrame({"panel": ["50 tasks", "200 tasks"], "said": [2.0, 4.0]})
    return frame.join(said, on="panel", maintain_order="left")


@figure(
    title="Tasks a partition on 68 SMs",
    source=f"{PAPER}, text on Figures 6 and 8",
    caption="Means over the sets that have an allocation. Dotted: what the paper says, two tasks of 50 and more "
    "than four of 200. Where partitions fit without merging a task has one of its own.",
    sql=PARTITIONS_SQL,
    rows=_with_said,
    absent=ABSENT.format(tasks="50 or 200"),
    columns=2,
)
def fig_partitions(frame: pl.DataFrame) -> alt.FacetChart:
    """Tasks a partition against utilisation, beside what the paper says of them."""
    rule = alt.Chart().mark_rule(strokeDash=[2, 3], color=GREY, strokeWidth=1.5).encode(y="mean(said):Q")
    layers = alt.layer(rule, *_lines(frame, "tasks_per_partition", "tasks a partition"), data=frame)
    return panels(layers.properties(width=PANEL_WIDTH, height=210), "panel", order="tasks", y="independent")


@figure(
    title="Tests of schedulability that an analysis takes",
    source=f"{PAPER}, Figure 9",
    caption="Means over the sets that have an allocation; the paper shows seconds of its own machine. The pre-pass "
    "of ACT alone tests every pair of tasks. The scale is logarithmic.",
    sql=TESTS_SQL,
    absent=ABSENT.format(tasks="50 or 200"),
    columns=2,
)
def fig_tests(frame: pl.DataFrame) -> alt.FacetChart:
    """Tests of schedulability against utilisation."""
    layers = alt.layer(*_lines(frame, "tests", "tests of schedulability", type="log"), data=frame)
    return panels(layers.properties(width=PANEL_WIDTH, height=230), "panel", order="tasks", y="independent")


def _chosen_title(frame: pl.DataFrame) -> str:
    if frame.is_empty():
        return "Partitions of a task set"
    return f"Partitions of {frame['taskset'][0]} by {frame['scheduler'][0]}"


@figure(
    title=_chosen_title,
    source="gpu_partition_placement; no figure of the paper",
    caption="Each column is a partition, as wide as its SMs (the number above). Each box is a task, as high as "
    "it keeps these SMs busy. Conflicts are included: beside another of its kind a task takes longer. "
    "EDF can use up to 1, less where deadlines are before the ends of periods. Right of the last "
    "partition are SMs to spare.",
    sql=CHOSEN_SQL,
    absent="No task set was scheduled by partitions (gpu_partition.sweeps in the configuration).",
    traces=True,
)
def fig_chosen_partition(frame: pl.DataFrame) -> alt.LayerChart:
    """The partitions of one task set side by side on the SMs, the tasks stacked in each as high as it is utilised."""
    sms = int(frame["sms"][0])
    x = alt.X("first_sm:Q", title="SM", scale=alt.Scale(domain=[0, sms], nice=False), axis=alt.Axis(tickCount=8))
    kinds = {kind: colour for kind, colour in KINDS.items() if kind in set(frame["kind"])}
    # More columns of such long names would be wider than a small screen.
    colour = named(alt.Color, "kind", kinds, legend=alt.Legend(title=None, columns=2))
    y = alt.Y("base:Q", title="utilisation", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="~%"))
    tooltip = tips(
        ("task_id:N", "task"), "kind:N", ("utilisation:Q", "its utilisation", ".1%"), "partition:Q",
        ("partition_sms:Q", "SMs"), ("of_partition:Q", "utilisation of the partition", ".1%"),
    )  # fmt: skip
    box = alt.Chart().mark_rect(stroke="#ffffff", strokeWidth=1)
    box = box.encode(x=x, x2="past_sm:Q", y=y, y2="top:Q", color=colour, tooltip=tooltip)
    middle = "(datum.first_sm + datum.past_sm) / 2"
    name = (
        alt.Chart()
        .transform_filter(f"datum.partition_sms >= {NAMED_SMS} && datum.utilisation >= {NAMED_SHARE}")
        .transform_calculate(
            middle=middle,
            height="(datum.base + datum.top) / 2",
            room=f"floor(datum.partition_sms * {WIDTH / sms / LETTER_WIDTH:.4f})",
        )
        .transform_calculate(
            name="length(datum.task_id) <= datum.room ? datum.task_id : slice(datum.task_id, 0, datum.room - 1) + '…'"
        )
        .mark_text(fontSize=9, color="#ffffff")
        .encode(x=alt.X("middle:Q", title="SM"), y=alt.Y("height:Q"), text="name:N")
    )
    size = (
        alt.Chart()
        .transform_filter("datum.partition_sms > 1 && datum.top >= datum.of_partition - 1e-9")
        .transform_calculate(middle=middle)
        .mark_text(dy=-6, fontSize=10, color=LABEL)
        .encode(x=alt.X("middle:Q", title="SM"), y=alt.Y("of_partition:Q"), text="partition_sms:Q")
    )
    return alt.layer(box, name, size, data=frame).properties(width=WIDTH, height=240)


def _said_of_1g(frame: pl.DataFrame) -> list[alt.Chart]:
    """Where the paper has 1G begin to fall, with words beside it."""
    said = pl.DataFrame({"utilisation": [35.0], "at": [0.5], "word": ["paper: 1G falls from 35"]})
    rule = alt.Chart(said).mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=LABEL).encode(x=_x())
    # Words stand on the side that has more room.
    middle = (frame["utilisation"].min() + frame["utilisation"].max()) / 2
    align, dx = ("right", -6) if said["utilisation"][0] > middle else ("left", 6)
    text = alt.Chart(said).mark_text(align=align, dx=dx, fontSize=11, color=LABEL)
    return [rule, text.encode(x=_x(), y=alt.Y("at:Q", title="schedulable task sets"), text="word:N")]


def _x() -> alt.X:
    scale = alt.Scale(zero=False, nice=False, padding=8)
    return alt.X("utilisation:Q", title="utilisation of the task set (SMs)", scale=scale)


def _lines(frame: pl.DataFrame, value: str, title: str, *, bands: bool = False, **scale: object) -> list[alt.Chart]:
    """Lines of `value` against utilisation, a colour an algorithm, dashed with the pre-pass; bands if wanted.

    frame: utilisation, algorithm, prepass, sets, `value`, and for bands `value`_lo and `value`_hi (null: no interval).
    """
    schedulers = ordered(frame["algorithm"].replace({called: name for name, called in LABELS.items()}))
    called = [LABELS.get(name, name) for name in schedulers]
    colour, shape = looks_of(Series("algorithm", None, called, *appearance(schedulers)), legend())
    dash = named(alt.StrokeDash, "prepass", DASHES, legend=alt.Legend(title=None))
    share = value == "schedulable"
    axis = alt.Axis(format="~%" if share else "~s" if "type" in scale else ".4~g", tickCount=5)
    at = {"x": _x(), "y": alt.Y(f"{value}:Q", title=title, scale=alt.Scale(**scale), axis=axis), "color": colour}
    tooltip = tips(
        "algorithm:N", ("prepass:N", "forbidden pairs"), ("utilisation:Q", "utilisation (SMs)"),
        (f"{value}:Q", title, ".1%" if share else ".4~g"), ("sets:Q", "sets"),
    )  # fmt: skip
    shown = [lines(**at, strokeDash=dash), points(32, **at, shape=shape, tooltip=tooltip, detail="prepass:N")]
    if not bands:
        return shown
    band = (
        alt.Chart()
        .transform_filter("datum.prepass == 'INA'")
        .transform_calculate(**filled(value))
        .mark_area(opacity=0.13)
        .encode(x=_x(), y=alt.Y("lo:Q", title=title), y2="hi:Q", color=colour)
    )
    return [band, *shown]


def _most_saved(frame: pl.DataFrame) -> str | None:
    """The set of models that slices save most GPUs of."""
    whole, optimum = (
        frame.filter(pl.col("method") == SLICES[name][0]).select("panel", "demand", "gpus")
        for name in ("whole_gpus", "optimum")
    )
    both = whole.join(optimum, on=["panel", "demand"], suffix="_sliced")
    if both.is_empty():
        return None
    saved = both.sort(pl.col("gpus") - pl.col("gpus_sliced"), "panel", "demand").row(-1, named=True)
    return f"{saved['panel']}: set {saved['demand']} needs {saved['gpus_sliced']} GPUs in slices, {saved['gpus']} whole"


@figure(
    title=finding("GPUs that sets of models need, whole and in slices, by the rate asked for", _most_saved),
    source="ours, after ParvaGPU (SC 2024)",
    caption="Each model keeps its rate and latency (docs/models/gpu_partition-slices.md). Below each set: requests a "
    f"second of all its models. Of more than {MOST_DEMANDS} sets of a trace those that ask for most. Each profile was "
    "measured once, so there are no intervals.",
    sql=SLICES_SQL,
    absent="No drop has models measured on slices and demands (docs/formats/mig_slices.md).",
    traces=True,
)
def fig_slices(frame: pl.DataFrame) -> alt.FacetChart:
    """GPUs that demands need, whole and in slices, against the rate that they ask for."""
    looks = dict(SLICES.values())
    x = alt.X(
        "asked:N",
        title=None,
        sort=alt.EncodingSortField("place", op="min"),
        scale=alt.Scale(type="band", padding=0.15),
        axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '|')"),
    )
    beside = alt.XOffset("method:N", sort=list(looks), scale=alt.Scale(type="band", domain=list(looks)))
    bar = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=x, xOffset=beside, y=alt.Y("gpus:Q", title="GPUs", axis=alt.Axis(tickMinStep=1)),
            color=named(alt.Color, "method", looks, legend=alt.Legend(title=None, columns=2)),
            tooltip=tips(
                ("demand:N", "set"), "method:N", ("gpus:Q", "GPUs"), "sevenths:Q", "slices:Q", "processes:Q",
                ("rate_per_s:Q", "requests a second", ",.0f"),
            ),
        )
    )  # fmt: skip
    label = alt.Chart().mark_text(dy=-6, fontSize=11, color=LABEL)
    label = label.encode(x=x, xOffset=beside, y="gpus:Q", text=alt.Text("gpus:Q"))
    layers = alt.layer(bar, label, data=frame).properties(width=WIDTH, height=200)
    own = dict.fromkeys(("x", "xOffset"), "independent")
    return panels(layers, "panel", columns=1, header=START, axes="", **own)
