"""Ranks over time: a few applications, and a whole set."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report import timeline
from pipeline.report.chart import STEPS, WIDTH, figure, ink_on, of_kind, ordered, steps
from pipeline.report.marks import START, named, panels, tips
from pipeline.studies.pim_ranks.figures.encodings import ABSENT

GROUPS = {"group 1": STEPS[0], "group 2": STEPS[-1]}
PANEL_HEIGHT = 110
NAMED_RANKS, NAMED_SHARE = 4, 0.06
"""A box is named where it is as high as so many ranks, and as wide as this share of the time."""

TIMELINE_SQL = """\
SELECT
    scheduler, machine_ranks, job_id, app, format('group {{}}', app_group) AS app_group, ranks, start_s, end_s
FROM {view}
ORDER BY scheduler, start_s, job_id"""
EXAMPLE_SQL = TIMELINE_SQL.format(view="fig_pim_ranks_7")
SET_SQL = TIMELINE_SQL.format(view="fig_pim_ranks_9")


def boxes(jobs: pl.DataFrame) -> pl.DataFrame:
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
    return pl.concat(parts)


def _panels(frame: pl.DataFrame, field: str, looks: dict[str, str], *names: alt.Chart, **scales: str) -> alt.FacetChart:
    """A panel per scheduler, one below the other: boxes in the colours of a column, names on them."""
    x = alt.X("start_s:Q", title="time (s)", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False, tickCount=10))
    scale = alt.Scale(domain=[0, frame["machine_ranks"].max()], nice=False)
    y = alt.Y("first_rank:Q", title="rank", scale=scale, axis=alt.Axis(grid=False, tickCount=4))
    colour = named(alt.Color, field, looks, legend=alt.Legend(title="applications"))
    tooltip = tips(
        ("app:N", "application"), ("job_id:N", "job"), "ranks:Q",
        ("start_s:Q", "start (s)", ",.2f"), ("end_s:Q", "end (s)", ",.2f"),
    )  # fmt: skip
    box = alt.Chart().mark_rect(stroke="#ffffff", strokeWidth=0.6)
    box = box.encode(x=x, x2="end_s:Q", y=y, y2="past_rank:Q", color=colour, tooltip=tooltip)
    drawn = alt.layer(box, *names, data=frame).properties(width=WIDTH, height=PANEL_HEIGHT)
    order = ordered(frame["scheduler"])
    return panels(drawn, "scheduler", order=order, columns=1, header=START, axes="x", **scales)


@figure(
    title="Ranks over time: five applications under five schedulers, and the shortest schedule",
    source="ICS 2025, Section 4.1, Figure 7",
    caption="Boxes are applications over the ranks that they hold; all schedulers have one time scale. The "
    "paper's figure is a sketch without numbers. This is the first set W1 of 5 applications that "
    "together want more than all ranks, with the first admissible table. optimal is ours: no schedule "
    "has a shorter makespan. It knows all and has no overhead.",
    sql=EXAMPLE_SQL,
    rows=boxes,
    absent="No set W1 of 5 jobs was replayed with admissible tables (pim_ranks.sweeps in the configuration).",
)
def fig_example(frame: pl.DataFrame) -> alt.FacetChart:
    """Ranks over time of five applications under the paper's schedulers, and the shortest schedule."""
    apps = steps(frame.sort("app"), "app", "applications")
    looks = dict(zip(apps.names, apps.colours, strict=True))
    inks = {name: ink_on(colour) for name, colour in looks.items()}
    frame = frame.with_columns(ink=pl.col("app").replace_strict(inks, return_dtype=pl.String))
    return _panels(frame, "app", looks, _names(NAMED_SHARE * frame["end_s"].max()))


fig_timelines = figure(
    title="Ranks over time: one set W3 under five schedulers",
    source="ICS 2025, Section 4.2, Figure 9",
    caption="Boxes are applications over the ranks that they hold, all queued at 0: the first batch with the first "
    "admissible table. Each scheduler has a time scale of its own.",
    sql=SET_SQL,
    rows=boxes,
    absent=ABSENT,
    draw=of_kind(_panels, "app_group", GROUPS, x="independent"),
)


def _names(room_s: float) -> alt.Chart:
    """Names of the applications in the boxes that are at least so long, and high enough."""
    return (
        alt.Chart()
        .transform_filter(
            f"datum.past_rank - datum.first_rank >= {NAMED_RANKS} && datum.end_s - datum.start_s >= {room_s:.6g}"
        )
        .transform_calculate(
            middle_s="(datum.start_s + datum.end_s) / 2", middle_rank="(datum.first_rank + datum.past_rank) / 2"
        )
        .mark_text(fontSize=11)
        .encode(
            x=alt.X("middle_s:Q", title="time (s)"),
            y=alt.Y("middle_rank:Q", title="rank"),
            text=alt.Text("app:N"),
            color=alt.Color("ink:N", scale=None),
        )
    )
