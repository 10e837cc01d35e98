"""Figures of pim_ranks: sharing the ranks of a PIM machine (PIM-CARE, ICS 2025)."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report import timeline
from pipeline.report.chart import (
    BASELINE,
    PANEL_WIDTH,
    SCHEDULERS,
    SPACING,
    STEPS,
    WIDTH,
    Figure,
    ordered,
    read,
    schedulers_of,
)

GREY = SCHEDULERS[BASELINE][0]
LONGEST_NAME = 12
"""Characters of a scheduler's name that its entry in a legend has room for."""
GROUPS = {"group 1": STEPS[0], "group 2": STEPS[-1]}
TABLES = (
    "Tables are drawn at random among those that agree with the paper's Table 2, which is all that it prints of them"
)
INTERVALS = "Thick bars are 95 % intervals over batches, thin ones the range of the tables' means"
ABSENT = "No sets of 24 jobs were replayed with admissible tables (pim_ranks.sweeps in the configuration)."

SPEEDUP = """\
SELECT
    set_name, scheduler, {measure} AS ratio, {measure}_lo AS ratio_lo, {measure}_hi AS ratio_hi,
    {measure}_least AS ratio_least, {measure}_most AS ratio_most, tables, batches
FROM {view}
WHERE evidence = 'table_2' AND scheduler <> 'se_full' AND scheduler <> 'optimal'
ORDER BY set_name, scheduler"""
THROUGHPUT_SQL = SPEEDUP.format(measure="throughput", view="fig_pim_ranks_8a")
TURNAROUND_SQL = SPEEDUP.format(measure="att", view="fig_pim_ranks_8b")

JOBS_SQL = """\
SELECT
    measure, jobs, scheduler, ratio, ratio_lo, ratio_hi, ratio_least, ratio_most, tables, batches
FROM (
    SELECT
        evidence, 'throughput' AS measure, jobs, scheduler, throughput AS ratio, throughput_lo AS ratio_lo,
        throughput_hi AS ratio_hi, throughput_least AS ratio_least, throughput_most AS ratio_most, tables, batches
    FROM fig_pim_ranks_8c
    UNION ALL
    SELECT
        evidence, 'turnaround time', jobs, scheduler, att, att_lo, att_hi, att_least, att_most, tables, batches
    FROM fig_pim_ranks_8c
)
WHERE evidence = 'table_2' AND scheduler <> 'se_full' AND scheduler <> 'optimal'
ORDER BY measure, jobs, scheduler"""

SPEED_SQL = """\
SELECT
    source, app, dense_rank() OVER (ORDER BY app_group, app) AS place, ranks, speed, speed_least, speed_most, is_best,
    known, tables
FROM fig_pim_ranks_2
ORDER BY source <> 'admissible', source, place, ranks"""

TIMELINE_SQL = """\
SELECT
    scheduler, machine_ranks, job_id, app, format('group {}', app_group) AS app_group, ranks, start_s, end_s
FROM fig_pim_ranks_9
ORDER BY scheduler, start_s, job_id"""

VIRTUAL_SQL = """\
SELECT
    'requests: ' || CASE requests
        WHEN 'machine' THEN 'all ranks'
        WHEN 'half' THEN 'half the ranks'
        ELSE 'best ranks'
    END AS panel,
    list_position(['machine', 'half', 'best'], requests) AS place, set_name, scheduler,
    throughput AS ratio, throughput_lo AS ratio_lo, throughput_hi AS ratio_hi, att, att_lo, att_hi, tables, batches,
    origin
FROM fig_pim_ranks_11
WHERE evidence = 'table_2' AND scheduler IN ('virtual_pim_fine', 'virtual_pim_coop', 'pim_care', 'care_floor', 'sm_opt_ooo')
ORDER BY place, set_name, scheduler"""


def fig_throughput(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Throughput over that of se_full, by set and scheduler."""
    frame = read(connection, THROUGHPUT_SQL)
    return Figure(
        title="Throughput of 24 applications on 30 ranks, over that of SE-Full",
        source="ICS 2025, Section 4.2, Figure 8a",
        caption=f"Geometric means; se_full, one application at a time on all ranks, is the dashed rule. {TABLES}. "
        f"{INTERVALS}. The scale is logarithmic.",
        sql=THROUGHPUT_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _ratios(frame, "set_name", "set", "throughput, SE-Full = 1", WIDTH, 300),
        absent=ABSENT,
    )


def fig_turnaround(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Average turnaround time of se_full over that of the scheduler, by set."""
    frame = read(connection, TURNAROUND_SQL)
    return Figure(
        title="Average turnaround time of 24 applications on 30 ranks: times shorter than with SE-Full",
        source="ICS 2025, Section 4.2, Figure 8b",
        caption=f"Geometric means of the turnaround time of se_full over that of the scheduler. {TABLES}. {INTERVALS}. "
        "The scale is logarithmic.",
        sql=TURNAROUND_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _ratios(frame, "set_name", "set", "times shorter", WIDTH, 300),
        absent=ABSENT,
    )


def fig_jobs(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Throughput and turnaround time over se_full by the number of jobs."""
    frame = read(connection, JOBS_SQL)
    chart = None
    if not frame.is_empty():
        drawn = _ratios(frame, "jobs", "applications in the set", "over SE-Full", PANEL_WIDTH, 230)
        chart = _panels(drawn, alt.Facet("measure:N", title=None))
    return Figure(
        title="More applications: gains over SE-Full with 12, 24 and 36 of them",
        source="ICS 2025, Section 4.3, Figure 8c",
        caption=f"Geometric means over W1 to W5 of throughput over that of se_full, and of the turnaround time of "
        f"se_full over that of the scheduler. {INTERVALS}. The scale is logarithmic.",
        sql=JOBS_SQL,
        frame=frame,
        chart=chart,
        absent="No sets of 12, 24 or 36 jobs were replayed with admissible tables (pim_ranks.sweeps in the "
        "configuration).",
        columns=2,
    )


def fig_speed(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Speed against ranks, one panel an application."""
    frame = read(connection, SPEED_SQL)
    chart = None
    if not frame.is_empty():
        names = frame["source"].unique(maintain_order=True).to_list()
        traces = [name for name in names if name != "admissible"]
        colours = [GREY if n == "admissible" else STEPS[traces.index(n) * 3 % len(STEPS)] for n in names]
        colour = alt.Color(
            "source:N", scale=alt.Scale(domain=names, range=colours), legend=alt.Legend(title=None, symbolOpacity=1)
        )
        x = alt.X("ranks:Q", title="ranks", axis=alt.Axis(tickCount=6))
        y = alt.Y("speed:Q", title="speed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="~%", tickCount=3))
        band = alt.Chart().mark_area(opacity=0.15).encode(
            x=x, y=alt.Y("speed_least:Q", title="speed"), y2="speed_most:Q", color=colour
        )  # fmt: skip
        line = alt.Chart().mark_line(strokeWidth=1.8).encode(x=x, y=y, color=colour)
        best = (
            alt.Chart()
            .transform_filter("datum.is_best")
            .mark_point(filled=True, size=70, opacity=1)
            .encode(
                x=x, y=y, color=colour,
                tooltip=[
                    alt.Tooltip("source:N", title="tables"), alt.Tooltip("ranks:Q", title="best ranks"),
                    alt.Tooltip("speed:Q", format=".1%"), alt.Tooltip("known:N"),
                ],
            )
        )  # fmt: skip
        layers = alt.layer(band, line, best, data=frame).properties(width=PANEL_WIDTH, height=100)
        chart = _panels(layers, alt.Facet("app:N", sort=alt.EncodingSortField("place", op="min"), title=None))
    return Figure(
        title="Speed of the applications against ranks",
        source="ICS 2025, Section 2.2, Figure 2",
        caption="Share of the largest speed of the table; the point is the best number of ranks. Grey: median and "
        "range of the admissible tables, which agree in that point and in little else; coloured: tables of the dropped "
        "traces.",
        sql=SPEED_SQL,
        frame=frame,
        chart=chart,
        absent="No performance tables are there: drop PIM runs or tables under traces/, or replay sets of pim_ranks.",
        columns=2,
    )


def fig_timelines(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Ranks over time of the paper's five schedulers on one set W3."""
    jobs = read(connection, TIMELINE_SQL)
    frame = jobs if jobs.is_empty() else _boxes(jobs)
    chart = None
    if not frame.is_empty():
        box = (
            alt.Chart(frame)
            .mark_rect(stroke="#ffffff", strokeWidth=0.6)
            .encode(
                x=alt.X("start_s:Q", title="time (s)", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False)),
                x2="end_s:Q",
                y=alt.Y(
                    "first_rank:Q",
                    title="rank",
                    scale=alt.Scale(domain=[0, jobs["machine_ranks"].max()], nice=False),
                    axis=alt.Axis(grid=False, tickCount=4),
                ),
                y2="past_rank:Q",
                color=alt.Color(
                    "app_group:N",
                    scale=alt.Scale(domain=list(GROUPS), range=list(GROUPS.values())),
                    legend=alt.Legend(title="applications"),
                ),
                tooltip=[
                    alt.Tooltip("app:N", title="application"), alt.Tooltip("job_id:N", title="job"),
                    alt.Tooltip("ranks:Q"), alt.Tooltip("start_s:Q", title="start (s)", format=",.2f"),
                    alt.Tooltip("end_s:Q", title="end (s)", format=",.2f"),
                ],
            )
            .properties(width=WIDTH, height=110)
        )  # fmt: skip
        facet = alt.Facet(
            "scheduler:N", sort=ordered(frame["scheduler"]), title=None, header=alt.Header(labelAnchor="start")
        )
        chart = (
            box.facet(facet=facet, columns=1, bounds="flush", spacing=SPACING)
            .resolve_scale(x="independent")
            .resolve_axis(x="independent")
        )
    return Figure(
        title="Ranks over time: one set W3 under five schedulers",
        source="ICS 2025, Section 4.2, Figure 9",
        caption="Boxes are applications over the ranks that they hold, all queued at 0: the first batch with the first "
        "admissible table. Each scheduler has a time scale of its own.",
        sql=TIMELINE_SQL,
        frame=frame,
        chart=chart,
        absent=ABSENT,
    )


def fig_virtual_pim(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Throughput over that of VirtualPIM's Coarse on proxies of its sets, by what users request."""
    frame = read(connection, VIRTUAL_SQL)
    chart = None
    if not frame.is_empty():
        drawn = _ratios(frame, "set_name", "proxy of the set", "throughput, Coarse = 1", PANEL_WIDTH, 230)
        header = alt.Header(labelAnchor="start")
        chart = _panels(
            drawn, alt.Facet("panel:N", sort=alt.EncodingSortField("place", op="min"), title=None, header=header)
        )
    return Figure(
        title="PIM-CARE and VirtualPIM on 14 ranks, proxies of VirtualPIM's sets",
        source="ICS 2025, Section 4.5, Figure 11",
        caption="Throughput over that of virtual_pim_coarse (dashed). VirtualPIM's sets are not published: these are "
        "proxies, VW5 the host-heavy one, and how many ranks users request decides. Bars are 95 % intervals over "
        "batches. The scale is logarithmic.",
        sql=VIRTUAL_SQL,
        frame=frame,
        chart=chart,
        absent="No proxies of VirtualPIM's sets were replayed on 14 ranks (pim_ranks.sweeps in the configuration).",
        columns=2,
    )


def _ratios(frame: pl.DataFrame, column: str, title: str, value: str, width: int, height: int) -> alt.LayerChart:
    """Points of `ratio` by `column` and scheduler on a logarithmic scale, with intervals and a dashed rule at 1.

    frame: column, scheduler, ratio, ratio_lo and ratio_hi (null for one batch), perhaps ratio_least and ratio_most
    (range of the tables), tables, batches.
    """
    series = schedulers_of(frame)
    # Three columns of names as long as VirtualPIM's would be wider than a small screen.
    long = max(map(len, series.names)) > LONGEST_NAME
    legend = alt.Legend(title=None, symbolOpacity=1, **({"columns": 2} if long else {}))
    colour = alt.Color("scheduler:N", scale=alt.Scale(domain=series.names, range=series.colours), legend=legend)
    shape = alt.Shape("scheduler:N", scale=alt.Scale(domain=series.names, range=series.symbols), legend=legend)
    x = alt.X(f"{column}:O", title=title, axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("scheduler:N", scale=alt.Scale(domain=series.names))
    scale = alt.Scale(type="log", nice=False, padding=8)
    y = alt.Y("ratio:Q", title=value, scale=scale, axis=alt.Axis(format=".3~g", tickCount=5))
    ranged = "ratio_least" in frame.columns
    tooltip = [
        alt.Tooltip("scheduler:N"),
        alt.Tooltip(f"{column}:N", title=title),
        alt.Tooltip("ratio:Q", title=value, format=".3~g"),
        alt.Tooltip("ratio_lo:Q", title="95 % interval from", format=".3~g"),
        alt.Tooltip("ratio_hi:Q", title="to", format=".3~g"),
        *([alt.Tooltip("ratio_least:Q", title="least table", format=".3~g")] if ranged else []),
        *([alt.Tooltip("ratio_most:Q", title="largest table", format=".3~g")] if ranged else []),
        alt.Tooltip("tables:Q"),
        alt.Tooltip("batches:Q"),
    ]
    rule = alt.Chart().mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY).encode(y=alt.YDatum(1, scale=scale))
    over_tables = (
        alt.Chart()
        .mark_rule(strokeWidth=1)
        .encode(x=x, xOffset=offset, y=alt.Y("ratio_least:Q", title=value), y2="ratio_most:Q", color=colour)
    )
    # A single batch has no interval: a bar without height.
    over_batches = (
        alt.Chart()
        .transform_calculate(
            lo="isValid(datum.ratio_lo) ? datum.ratio_lo : datum.ratio",
            hi="isValid(datum.ratio_hi) ? datum.ratio_hi : datum.ratio",
        )
        .mark_rule(strokeWidth=3)
        .encode(x=x, xOffset=offset, y=alt.Y("lo:Q", title=value), y2="hi:Q", color=colour)
    )
    point = (
        alt.Chart()
        .mark_point(filled=True, size=55, opacity=1)
        .encode(x=x, xOffset=offset, y=y, color=colour, shape=shape, tooltip=tooltip)
    )
    layers = [rule, *([over_tables] if ranged else []), over_batches, point]
    return alt.layer(*layers, data=frame).properties(width=width, height=height)


def _panels(chart: alt.LayerChart, facet: alt.Facet) -> alt.FacetChart:
    """Panels two by two, in a grid whatever the size of their axes."""
    faceted = chart.facet(facet=facet, columns=2, bounds="flush", spacing=SPACING)
    return faceted.resolve_axis(x="independent", y="independent")


def _boxes(jobs: pl.DataFrame) -> pl.DataFrame:
    """Boxes (first_rank, past_rank) that each job of each scheduler holds; in pieces where no free ranks adjoin."""
    parts = []
    for (_,), frame in jobs.group_by("scheduler", maintain_order=True):
        jobs_by_start = frame.sort("start_s", "job_id")
        places = timeline.pack(
            *(jobs_by_start[name].to_numpy() for name in ("start_s", "end_s", "ranks")),
            int(jobs_by_start["machine_ranks"][0]),
        )
        parts.append(
            jobs_by_start.with_columns(
                first_rank=pl.Series([[first for first, _ in taken] for taken in places], dtype=pl.List(pl.Int64)),
                past_rank=pl.Series([[past for _, past in taken] for taken in places], dtype=pl.List(pl.Int64)),
            ).explode("first_rank", "past_rank")
        )
    return pl.concat(parts).drop("machine_ranks")
