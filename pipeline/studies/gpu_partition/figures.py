"""Figures of gpu_partition: partitions of a GPU's SMs for real-time kernels (Zahaf et al. 2021)."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report.chart import GREY, LABEL, LOOKS, PANEL_WIDTH, SPACING, STEPS, WIDTH, Figure, appearance, ordered
from pipeline.warehouse.answer import read

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


def fig_schedulable_50(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Share of schedulable sets of 50 tasks against their utilisation."""
    return _rates(connection, 50, 5)


def fig_schedulable_200(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Share of schedulable sets of 200 tasks against their utilisation."""
    return _rates(connection, 200, 7)


def fig_workload_50(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Scheduled workload of sets of 50 tasks between its bounds."""
    return _loads(connection, 50, 6)


def fig_workload_200(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Scheduled workload of sets of 200 tasks between its bounds."""
    return _loads(connection, 200, 8)


def fig_partitions(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Tasks a partition against utilisation, beside what the paper says of them."""
    frame = read(connection, PARTITIONS_SQL)
    chart = None
    if not frame.is_empty():
        said = pl.DataFrame({"panel": ["50 tasks", "200 tasks"], "said": [2.0, 4.0]})
        frame = frame.join(said, on="panel", maintain_order="left")
        line = _lines(frame, "tasks_per_partition", "tasks a partition")
        rule = alt.Chart().mark_rule(strokeDash=[2, 3], color=GREY, strokeWidth=1.5).encode(y="mean(said):Q")
        chart = _panels(alt.layer(rule, *line, data=frame).properties(width=PANEL_WIDTH, height=210))
    return Figure(
        title="Tasks a partition on 68 SMs",
        source=f"{PAPER}, text on Figures 6 and 8",
        caption="Means over the sets that have an allocation. Dotted: what the paper says, two tasks of 50 and more "
        "than four of 200. Where partitions fit without merging a task has one of its own.",
        sql=PARTITIONS_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT.format(tasks="50 or 200"),
        columns=2,
    )


def fig_tests(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Tests of schedulability against utilisation."""
    frame = read(connection, TESTS_SQL)
    chart = None
    if not frame.is_empty():
        line = _lines(frame, "tests", "tests of schedulability", type="log")
        chart = _panels(alt.layer(*line, data=frame).properties(width=PANEL_WIDTH, height=230))
    return Figure(
        title="Tests of schedulability that an analysis takes",
        source=f"{PAPER}, Figure 9",
        caption="Means over the sets that have an allocation; the paper shows seconds of its own machine. The pre-pass "
        "of ACT alone tests every pair of tasks. The scale is logarithmic.",
        sql=TESTS_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT.format(tasks="50 or 200"),
        columns=2,
    )


def fig_chosen_partition(connection: duckdb.DuckDBPyConnection) -> Figure:
    """The partitions of one task set side by side on the SMs, and the tasks in each."""
    frame = read(connection, CHOSEN_SQL)
    chart, of_set = None, "a task set"
    if not frame.is_empty():
        first = frame.row(0, named=True)
        of_set = f"{first['taskset']} by {first['scheduler']}"
        chart = _side_by_side(frame, int(first["sms"]))
    return Figure(
        title=f"Partitions of {of_set}",
        source="gpu_partition_placement; no figure of the paper",
        caption="Each column is a partition, as wide as its SMs (the number above); each box in it is a task, as high "
        "as it keeps these SMs busy, conflicts included: beside another of its kind a task takes longer. 1 is what EDF "
        "can use, and deadlines before the ends of periods leave less. Right of the last partition are SMs to spare.",
        sql=CHOSEN_SQL,
        frame=frame,
        chart=chart,
        absent="No task set was scheduled by partitions (gpu_partition.sweeps in the configuration).",
    )


def _rates(connection: duckdb.DuckDBPyConnection, tasks: int, number: int) -> Figure:
    sql = RATE.format(named=NAMED, number=number)
    frame = read(connection, sql)
    chart = None
    if not frame.is_empty():
        lines = _lines(frame, "schedulable", "schedulable task sets", bands=True)
        said = _said_of_1g(frame) if tasks == 50 else []
        chart = alt.layer(*said, *lines, data=frame).properties(width=WIDTH, height=280)
    return Figure(
        title=f"Schedulable sets of {tasks} tasks on 68 SMs",
        source=f"{PAPER}, Figure {number}",
        caption=f"{SETS}. Bands are 95 % intervals (Wilson). 1G is the GPU unpartitioned; ACT (dashed) first looks for "
        "pairs of tasks that do not fit together; local search is ours.",
        sql=sql,
        frame=frame,
        chart=chart,
        absent=ABSENT.format(tasks=tasks),
    )


def _loads(connection: duckdb.DuckDBPyConnection, tasks: int, number: int) -> Figure:
    sql = LOAD.format(named=NAMED, number=number)
    frame = read(connection, sql)
    chart = None
    if not frame.is_empty():
        lines = _lines(frame, "scheduled_workload", "scheduled workload (SMs)", bands=True)
        bounds = [
            alt.Chart()
            .mark_line(strokeDash=[2, 3], strokeWidth=1.2, color=LABEL)
            .encode(x=_x(), y=alt.Y(f"mean({name}):Q", title="scheduled workload (SMs)"))
            for name in ("workload_lower", "workload_upper")
        ]
        last = frame.filter(pl.col("utilisation") == pl.col("utilisation").max()).row(0, named=True)
        words = pl.DataFrame(
            {
                "utilisation": [last["utilisation"]] * 2,
                "at": [last["workload_lower"], last["workload_upper"]],
                "word": ["no conflicts", "all conflicts"],
            }
        )
        text = (
            alt.Chart(words)
            .mark_text(align="right", dy=26, dx=-2, fontSize=11, color=LABEL)
            .encode(x=_x(), y="at:Q", text="word:N")
        )
        chart = alt.layer(*bounds, *lines, text, data=frame).properties(width=WIDTH, height=280)
    return Figure(
        title=f"Workload that is scheduled of sets of {tasks} tasks",
        source=f"{PAPER}, Figure {number}",
        caption="Sum of execution times on one SM over periods, with the conflicts of the allocation: means over the "
        "sets that have one, between the same without and with all conflicts (dotted). Bands are 95 % intervals.",
        sql=sql,
        frame=frame,
        chart=chart,
        absent=ABSENT.format(tasks=tasks),
    )


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
    return alt.X(
        "utilisation:Q", title="utilisation of the task set (SMs)", scale=alt.Scale(zero=False, nice=False, padding=8)
    )


def _lines(frame: pl.DataFrame, value: str, title: str, *, bands: bool = False, **scale: object) -> list[alt.Chart]:
    """Lines of `value` against utilisation, a colour an algorithm, dashed with the pre-pass; bands if wanted.

    frame: utilisation, algorithm, prepass, sets, `value`, and for bands `value`_lo and `value`_hi (null: no interval).
    """
    schedulers = ordered(frame["algorithm"].replace({called: name for name, called in LABELS.items()}))
    names = [LABELS.get(name, name) for name in schedulers]
    colours, symbols = appearance(schedulers)
    legend = alt.Legend(title=None, symbolOpacity=1)
    colour = alt.Color("algorithm:N", scale=alt.Scale(domain=names, range=colours), legend=legend)
    shape = alt.Shape("algorithm:N", scale=alt.Scale(domain=names, range=symbols), legend=legend)
    dash = alt.StrokeDash(
        "prepass:N", scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())), legend=alt.Legend(title=None)
    )
    share = value == "schedulable"
    axis = alt.Axis(format="~%" if share else "~s" if "type" in scale else ".4~g", tickCount=5)
    y = alt.Y(f"{value}:Q", title=title, scale=alt.Scale(**scale), axis=axis)
    tooltip = [
        alt.Tooltip("algorithm:N"), alt.Tooltip("prepass:N", title="forbidden pairs"),
        alt.Tooltip("utilisation:Q", title="utilisation (SMs)"),
        alt.Tooltip(f"{value}:Q", title=title, format=".1%" if share else ".4~g"), alt.Tooltip("sets:Q", title="sets"),
    ]  # fmt: skip
    line = alt.Chart().mark_line(strokeWidth=1.8).encode(x=_x(), y=y, color=colour, strokeDash=dash)
    point = alt.Chart().mark_point(filled=True, size=32, opacity=1).encode(
        x=_x(), y=y, color=colour, shape=shape, tooltip=tooltip, detail="prepass:N"
    )  # fmt: skip
    if not bands:
        return [line, point]
    band = (
        alt.Chart()
        .transform_filter("datum.prepass == 'INA'")
        .transform_calculate(
            lo=f"isValid(datum.{value}_lo) ? datum.{value}_lo : datum.{value}",
            hi=f"isValid(datum.{value}_hi) ? datum.{value}_hi : datum.{value}",
        )
        .mark_area(opacity=0.13)
        .encode(x=_x(), y=alt.Y("lo:Q", title=title), y2="hi:Q", color=colour)
    )
    return [band, line, point]


def _panels(chart: alt.LayerChart) -> alt.FacetChart:
    """A panel a number of tasks, in its order."""
    facet = alt.Facet("panel:N", sort=alt.EncodingSortField("tasks", op="min"), title=None)
    faceted = chart.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_scale(y="independent").resolve_axis(x="independent", y="independent")


def _side_by_side(frame: pl.DataFrame, sms: int) -> alt.LayerChart:
    """Partitions as columns over the SMs, their tasks stacked in them as high as each is utilised."""
    x = alt.X("first_sm:Q", title="SM", scale=alt.Scale(domain=[0, sms], nice=False), axis=alt.Axis(tickCount=8))
    present = [kind for kind in KINDS if kind in set(frame["kind"])]
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=present, range=[KINDS[k] for k in present]),
        # More columns of such long names would be wider than a small screen.
        legend=alt.Legend(title=None, columns=2),
    )
    y = alt.Y("base:Q", title="utilisation", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="~%"))
    tooltip = [
        alt.Tooltip("task_id:N", title="task"), alt.Tooltip("kind:N"),
        alt.Tooltip("utilisation:Q", title="its utilisation", format=".1%"), alt.Tooltip("partition:Q"),
        alt.Tooltip("partition_sms:Q", title="SMs"),
        alt.Tooltip("of_partition:Q", title="utilisation of the partition", format=".1%"),
    ]  # fmt: skip
    box = alt.Chart().mark_rect(stroke="#ffffff", strokeWidth=1).encode(
        x=x, x2="past_sm:Q", y=y, y2="top:Q", color=colour, tooltip=tooltip
    )  # fmt: skip
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


def fig_slices(connection: duckdb.DuckDBPyConnection) -> Figure:
    """GPUs that demands need, whole and in slices, against the rate that they ask for."""
    frame = read(connection, SLICES_SQL)
    return Figure(
        title="GPUs that sets of models need, whole and in slices, by the rate asked for",
        source="ours, after ParvaGPU (SC 2024)",
        caption="Each model keeps its rate and latency (docs/slices.md). Below each set: requests a second of all its "
        f"models. Of more than {MOST_DEMANDS} sets of a trace those that ask for most. Each profile was measured once, "
        "so there are no intervals.",
        sql=SLICES_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _slices(frame),
        absent="No drop has models measured on slices and demands (docs/formats/mig_slices.md).",
    )


def _slices(frame: pl.DataFrame) -> alt.FacetChart:
    names, colours = zip(*SLICES.values(), strict=True)
    x = alt.X(
        "asked:N", title=None, sort=alt.EncodingSortField("place", op="min"),
        scale=alt.Scale(type="band", padding=0.15),
        axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '|')"),
    )  # fmt: skip
    beside = alt.XOffset("method:N", sort=names, scale=alt.Scale(type="band", domain=names))
    legend = alt.Legend(title=None, columns=2)
    bar = (
        alt.Chart()
        .mark_bar()
        .encode(
            x=x, xOffset=beside, y=alt.Y("gpus:Q", title="GPUs", axis=alt.Axis(tickMinStep=1)),
            color=alt.Color("method:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
            tooltip=[
                alt.Tooltip("demand:N", title="set"), alt.Tooltip("method:N"), alt.Tooltip("gpus:Q", title="GPUs"),
                alt.Tooltip("sevenths:Q"), alt.Tooltip("slices:Q"), alt.Tooltip("processes:Q"),
                alt.Tooltip("rate_per_s:Q", title="requests a second", format=",.0f"),
            ],
        )
    )  # fmt: skip
    label = (
        alt.Chart()
        .mark_text(dy=-6, fontSize=11, color=LABEL)
        .encode(x=x, xOffset=beside, y="gpus:Q", text=alt.Text("gpus:Q"))
    )
    layers = alt.layer(bar, label, data=frame).properties(width=WIDTH, height=200)
    facet = alt.Facet("panel:N", title=None, header=alt.Header(labelAnchor="start"))
    return layers.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING).resolve_scale(
        x="independent", xOffset="independent"
    )
