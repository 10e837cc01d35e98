"""A small replay instant by instant: jobs over nodes, and the machine's memory over time."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.report import timeline
from pipeline.report.chart import GREY, SOFT, WIDTH, Figure, ordered
from pipeline.report.marks import named, tips
from pipeline.warehouse.answer import read

SPEED_COLOURS = ["#6b0f3a", "#c2553d", "#e8b06a", "#a5c6de"]
"""From standing to full speed, by rising lightness."""
MEMORY_COLOURS, DASHES = ["#9a6b3f", "#3f9494", "#5f7d95"], [[2, 2], [6, 3], [1, 0]]
"""Needed, allotted, usable: no colours of schedulers."""

REPLAYS_SQL = """\
SELECT scenario_id, workload_id, scheduler, nodes, memory_gb, memory_per_node_gb
FROM scenario
WHERE study = 'hpc_memory' AND timeline
ORDER BY scenario_id"""

OUTCOMES_SQL = """\
SELECT scenario_id, job_id, job.nodes, submit_s, start_s, end_s
FROM outcome_hpc_memory
JOIN scenario USING (scenario_id)
JOIN job_hpc_memory AS job USING (workload_id, job_id)
WHERE timeline AND start_s IS NOT NULL
ORDER BY scenario_id, start_s, job_id"""

TIMELINE_SQL = """\
SELECT
    scenario_id, job_id, time_s, need_gb, speed, target_gb, usable_gb
FROM timeline_hpc_memory
ORDER BY scenario_id, job_id, time_s"""


def fig_replay(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Gantt chart of a replay, with its memory over time."""
    replays = read(connection, REPLAYS_SQL)
    outcomes = pl.from_arrow(connection.sql(OUTCOMES_SQL).to_arrow_table()).partition_by("scenario_id", as_dict=True)
    instants = pl.from_arrow(connection.sql(TIMELINE_SQL).to_arrow_table()).partition_by("scenario_id", as_dict=True)
    shown = [row for row in replays.iter_rows(named=True) if (row["scenario_id"],) in outcomes]
    unique = len({row["scheduler"] for row in shown}) == len(shown)
    outlines, stretches, memory = [], [], []
    for row in shown:
        key = (row["scenario_id"],)
        label = pl.lit(row["scheduler"] if unique else row["scenario_id"]).alias("replay")
        framed, parts = timeline.boxes(instants[key], outcomes[key].drop("scenario_id"), row["nodes"])
        over_time = timeline.memory(instants[key], outcomes[key]["end_s"].max())
        outlines.append(framed.select(label, pl.all()))
        stretches.append(parts.select(label, pl.all()))
        memory.append(over_time.select(label, pl.all(), machine_gb=pl.lit(row["memory_gb"], pl.Float64)))
    chart = None
    if shown:
        by_scheduler = ordered(replays["scheduler"])
        options = by_scheduler if unique else [row["scenario_id"] for row in shown]
        first = next(o for o in ("priority", *options) if o in options)
        chart = _gantt(_hours(outlines), _hours(stretches), _hours(memory), options, first, shown[0]["nodes"])
    sized = sorted({row["memory_per_node_gb"] for row in shown if row["memory_per_node_gb"] is not None})
    machine = f", {' or '.join(f'{gb:g}' for gb in sized)} GB per node" if sized else ""
    return Figure(
        title="One replay, instant by instant",
        source="the model of HiPC 2024, Sections III and IV",
        caption=f"A small workload{machine}. Boxes are jobs over the nodes they hold, coloured by their speed (pale: "
        "full speed); below, the memory that they need, are allotted and can use. Drag over the memory to zoom.",
        sql=f"{OUTCOMES_SQL};\n{TIMELINE_SQL}",
        frame=_hours(outlines) if shown else pl.DataFrame(),
        chart=chart,
        absent="No replay was kept instant by instant (hpc_memory.timeline in the configuration).",
    )


def _hours(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Frames of several replays as one, times in hours, values without digits that no figure shows."""
    frame = pl.concat(frames).with_columns(
        (pl.col(name) / 3600).alias(f"{name.removesuffix('_s')}_h") for name in frames[0].columns if name.endswith("_s")
    )
    return frame.select(pl.exclude(r"^.*_s$")).with_columns(pl.col(pl.Float64).round_sig_figs(6))


def _gantt(
    outlines: pl.DataFrame, stretches: pl.DataFrame, memory: pl.DataFrame, options: list[str], first: str, nodes: int
) -> alt.VConcatChart:
    """Jobs over nodes above memory over time, for one replay at a time, chosen from a list."""
    last_h = memory["to_h"].max()
    choice = alt.binding_select(options=options, name="Scheduler ")
    replay = alt.param(name="replay_shown", bind=choice, value=first)
    window = alt.selection_interval(
        name="replay_window",
        encodings=["x"],
        value={"x": [0, last_h]},
        # It covers all at first: a drag inside it begins a new one.
        translate=False,
        mark=alt.BrushConfig(fill=GREY, fillOpacity=0.1, stroke=GREY, strokeOpacity=0.5),
    )
    shown = f"datum.replay === {replay.name}"
    x = {"title": None, "axis": alt.Axis(format=".4~g", grid=False)}
    zoomed = alt.Scale(domain={"param": window.name, "encoding": "x"}, nice=False)
    y = alt.Y("first_node:Q", title="node", scale=alt.Scale(domain=[0, nodes], nice=False), axis=alt.Axis(grid=False))
    speed = alt.Color(
        "speed:Q",
        title="speed of the job",
        scale=alt.Scale(domain=[0, 1], range=SPEED_COLOURS, interpolate="rgb"),
        legend=alt.Legend(format="~%", gradientLength=180),
    )
    box = alt.Chart(stretches).transform_filter(shown).mark_rect(clip=True)
    filled = box.encode(x=alt.X("from_h:Q", scale=zoomed, **x), x2="to_h:Q", y=y, y2="past_node:Q", color=speed)
    job = (
        alt.Chart(outlines)
        .transform_filter(shown)
        .mark_rect(clip=True, stroke="#8a8f94", strokeWidth=0.8, fill="transparent")
        .encode(
            x=alt.X("start_h:Q", scale=zoomed, **x), x2="end_h:Q", y=y, y2="past_node:Q",
            tooltip=tips(
                ("job_id:N", "job"), "nodes:Q", ("submit_h:Q", "released (h)", ".2f"),
                ("start_h:Q", "started (h)", ".2f"), ("end_h:Q", "ended (h)", ".2f"),
                ("mean_speed:Q", "mean speed", ".0%"),
            ),
        )
    )  # fmt: skip
    heading = alt.TitleParams(text=alt.ExprRef(replay.name), anchor="start", frame="group")
    jobs = alt.layer(filled, job).properties(width=WIDTH, height=300, name="replay_jobs", title=heading)
    memories = _memory_over_time(memory, shown, window)
    return (
        alt.vconcat(jobs, memories, spacing=14)
        .add_params(replay)
        .resolve_scale(color="independent", strokeDash="independent", x="independent", y="independent")
    )


def _memory_over_time(memory: pl.DataFrame, shown: str, window: alt.Parameter) -> alt.LayerChart:
    """Memory that is needed, allotted and usable over time, below the machine's; dragging over it zooms."""
    most_gb = memory.select(pl.max_horizontal("need_gb", "target_gb", "usable_gb", "machine_gb").max()).item()
    height = alt.Scale(domain=[0, most_gb / 1000])
    names = {"need_gb": "needed", "target_gb": "allotted", "usable_gb": "usable"}
    along = alt.X("from_h:Q", title="time (h)", scale=alt.Scale(domain=[0, memory["to_h"].max()], nice=False),
                  axis=alt.Axis(format=".4~g", grid=False))  # fmt: skip
    over_time = alt.Chart(memory).transform_filter(shown)
    lines = (
        over_time.transform_fold(list(names), as_=["what", "gb"])
        .transform_calculate(memory=f"{names}[datum.what]", tb="datum.gb / 1000")
        .mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(
            x=along,
            y=alt.Y("tb:Q", title="memory (TB)", scale=height, axis=alt.Axis(format=".4~g", tickCount=5)),
            color=named(alt.Color, "memory", dict(zip(names.values(), MEMORY_COLOURS, strict=True)), title="memory"),
            strokeDash=named(alt.StrokeDash, "memory", dict(zip(names.values(), DASHES, strict=True)), title="memory"),
            tooltip=tips("memory:N", ("from_h:Q", "from (h)", ".2f"), ("tb:Q", "memory (TB)", ".2f")),
        )
        .properties(name="replay_memory")
        .add_params(window)
    )
    limit = (
        over_time.transform_filter("isValid(datum.machine_gb)")
        .transform_aggregate(machine_gb="max(machine_gb)")
        .transform_calculate(tb="datum.machine_gb / 1000", label="'machine ' + format(datum.tb, '.2f') + ' TB'")
    )
    rule = limit.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY).encode(y=alt.Y("tb:Q", scale=height))
    label = limit.mark_text(align="right", baseline="bottom", dy=-3, color=SOFT, fontSize=11).encode(
        x=alt.value("width"), y=alt.Y("tb:Q", scale=height), text="label:N"
    )
    return alt.layer(lines, rule, label).properties(width=WIDTH, height=150)
