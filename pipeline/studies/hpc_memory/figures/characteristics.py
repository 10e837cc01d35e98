"""Figures 1 to 3: memory use, phases and sizes of jobs, on the traces that were dropped."""

from __future__ import annotations

from collections.abc import Callable

import altair as alt
import polars as pl

from pipeline.report.chart import STEPS, figure, finding, of_kind
from pipeline.report.marks import tips
from pipeline.runtime.quantities import memory
from pipeline.studies.hpc_memory.figures.encodings import panels

MOST_PHASES = 300
MOST_NODES = 8

# Functions whose values are all there are steps: each value has two points, before and after its step.
_POINTS = """\
point AS (
    SELECT *, lag(share, 1, 0) OVER (PARTITION BY panel ORDER BY value) AS before FROM marginal_law
)
SELECT panel, place, value, unnest(CASE WHEN exact THEN [before, share] ELSE [share] END) AS share
FROM point
ORDER BY place, value, share"""

MEMORY_USE_SQL = f"""\
WITH marginal_law AS (
    SELECT trace AS panel, dense_rank() OVER (ORDER BY trace) AS place, memory_gb AS value, share, exact
    FROM fig_hpc_memory_1
),
{_POINTS}"""

EXAMPLES_SQL = f"""\
WITH shown AS (
    SELECT *, dense_rank() OVER (PARTITION BY trace, job_id ORDER BY node NULLS FIRST) AS line
    FROM fig_hpc_memory_2
    WHERE phase < {MOST_PHASES}
)
SELECT
    concat_ws(chr(10), trace, temporal_class || ': job ' || job_id, nodes || ' nodes') AS panel,
    dense_rank() OVER (
        ORDER BY trace, list_position(['constant', 'phased', 'dynamic', 'sporadic'], temporal_class)
    ) AS place,
    coalesce(node, 'whole job') AS series, node IS NULL AS whole, time_h, memory_gb
FROM shown, unnest([from_s / 3600, to_s / 3600]) AS ends(time_h)
WHERE line <= {MOST_NODES + 1}
ORDER BY place, whole, series, phase, time_h"""

MACHINE_SQL = """\
WITH held AS (
    SELECT
        trace, memory_gb, share AS of_machine,
        sum(duration_s) OVER (PARTITION BY trace ORDER BY memory_gb)
            / sum(duration_s) OVER (PARTITION BY trace) AS share
    FROM machine_memory
)
SELECT
    trace || coalesce(chr(10) || format('of {:.4g} GB', nodes * node_memory_gb / coalesce(cores_per_node, 1)), '')
        AS panel,
    dense_rank() OVER (ORDER BY trace) AS place, max(memory_gb) AS value, max(of_machine) AS of_machine,
    ceil(200 * share) / 200 AS share
FROM held JOIN trace USING (trace)
GROUP BY trace, nodes, cores_per_node, node_memory_gb, ceil(200 * share)
ORDER BY place, value"""

JOBS_SQL = f"""\
WITH marginal_law AS (
    SELECT
        concat_ws(chr(10), trace, CASE quantity
            WHEN 'nodes' THEN 'nodes per job'
            WHEN 'phase_length_s' THEN 'length of a phase (s)'
            ELSE 'phases per job'
        END) AS panel,
        dense_rank() OVER (ORDER BY trace, quantity) AS place, value, share, exact
    FROM fig_hpc_memory_3
),
{_POINTS}"""


def _most_in(share: float, words: str) -> Callable[[pl.DataFrame], str | None]:
    """A title of what is used at most in this share of the time, on the first trace; words: text with {trace}, {gb}."""

    def said(frame: pl.DataFrame) -> str | None:
        within = frame.filter(pl.col("place") == frame["place"].min(), pl.col("share") >= share)
        if within.is_empty():
            return None
        return words.format(trace=within["panel"][0].partition("\n")[0], gb=memory(within["value"].min()))

    return said


def _distributions(frame: pl.DataFrame, value: str, share: str, **scale: object) -> alt.FacetChart:
    """Empirical distribution functions, one panel each.

    frame: panel, place (its position), value, share (at most that value), in the order in which the points are joined.
    """
    axis = alt.Axis(format="~s", tickCount=6, grid=not scale)
    line = (
        alt.Chart(frame.with_row_index("point"))
        .mark_line(strokeWidth=1.8, color=STEPS[0])
        .encode(
            x=alt.X("value:Q", title=value, scale=alt.Scale(nice=False, **scale), axis=axis),
            y=alt.Y("share:Q", title=share, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="~%")),
            order="point:Q",
            tooltip=tips(("value:Q", value, ",.4~g"), ("share:Q", share, ".1%")),
        )
    )
    return panels(line, "panel", "place", x="independent", y="shared")


fig_memory_use = figure(
    title=finding(
        "Memory that nodes use, by trace",
        _most_in(0.9, "{trace}: in 90 % of their time nodes use at most {gb}".replace(" %", "\u00a0%")),
    ),
    source="HiPC 2024, Section I, Figure 1",
    caption="Share of the time of nodes in use in which a node's job needs at most so much memory per node.",
    sql=MEMORY_USE_SQL,
    absent="No dropped trace has memory series: drop one under traces/.",
    columns=2,
    traces=True,
    draw=of_kind(_distributions, "memory per node (GB)", "share of node time"),
)


fig_machine_memory = figure(
    title=finding(
        "Memory in use on the whole machine, by the share of the time",
        _most_in(0.5, "{trace}: in half of the time all jobs together use at most {gb}"),
    ),
    source="the question of HiPC 2024, Section I: how much memory is in use for how long",
    caption="Share of the time in which all running jobs together use at most so much. Starts are those of the "
    "log. Memory is fitted, given, or stated for the whole job. A panel names the machine's memory where "
    "the drop states that of a node.",
    sql=MACHINE_SQL,
    absent="No dropped trace has starts of jobs and their memory.",
    columns=2,
    traces=True,
    draw=of_kind(_distributions, "memory in use (GB)", "share of time"),
)


@figure(
    title="Memory over time of one job of each temporal class",
    source="HiPC 2024, Section III-D, Figures 2a to 2c",
    caption="Phases as fitted or given. Blue: of the job as a whole (the maximum of its nodes). Red: of its "
    f"nodes where they are known (up to {MOST_NODES}). Of each class of a trace the job with the most "
    f"node-seconds, its first {MOST_PHASES} phases.",
    sql=EXAMPLES_SQL,
    absent="No dropped trace has memory series: drop one under traces/.",
    columns=2,
    traces=True,
)
def fig_examples(frame: pl.DataFrame) -> alt.FacetChart:
    """Memory over time of one job of each temporal class."""
    whole = alt.when("datum.whole")
    line = (
        alt.Chart(frame.with_row_index("point"))
        .mark_line()
        .encode(
            x=alt.X("time_h:Q", title="time since the start (h)", axis=alt.Axis(format=".4~g", tickCount=6)),
            y=alt.Y("memory_gb:Q", title="memory per node (GB)", axis=alt.Axis(format=".4~g")),
            detail=["whole:N", "series:N"],
            order="point:Q",
            color=whole.then(alt.value(STEPS[0])).otherwise(alt.value(STEPS[-1])),
            strokeWidth=whole.then(alt.value(2)).otherwise(alt.value(1)),
            tooltip=tips(("series:N", "node"), ("time_h:Q", "time (h)", ".2f"), ("memory_gb:Q", "memory (GB)", ".1f")),
        )
    )
    return panels(line, "panel", "place", x="independent")


fig_jobs = figure(
    title="Nodes per job, phases per job and their lengths, by trace",
    source="HiPC 2024, Section V-A, Figures 3a to 3c",
    caption="Share of the jobs (of the phases, for their length) that have at most so much.",
    sql=JOBS_SQL,
    absent="No dropped trace has jobs or memory series: drop one under traces/.",
    columns=2,
    traces=True,
    draw=of_kind(_distributions, "nodes, seconds or phases", "share", type="log"),
)
