"""The replay of each dropped log where its jobs waited longest: nodes, queue, and why each job waited."""

from __future__ import annotations

import altair as alt
import duckdb
import numpy as np
import polars as pl

from pipeline.drops.shipped import SHIPPED
from pipeline.report import timeline
from pipeline.report.chart import GREY, LOOKS, WIDTH, Figure
from pipeline.report.marks import named, tips
from pipeline.runtime.quantities import duration, number
from pipeline.studies.hpc_memory import waits
from pipeline.warehouse.answer import read

MOST_LOGS = 8
"""So many logs are shown, those of the reader first; a part of one adds some 40 kB to the page."""
MOST_PARTS = 3
"""So many parts are shown of each log of the reader, and of the first log; of another one is."""
COLOURS = {
    waits.AT_ONCE: "#c3ced9",
    waits.NODES: "#7c9ccf",
    waits.RESERVED: "#a86fc0",
    waits.MEMORY: "#b0472f",
}
"""From pale to strong; no colours of schedulers."""
PICKED = "#f0a800"
GANTT_HEIGHT, QUEUE_HEIGHT = 300, 110

REPLAYS_SQL = """\
WITH enough AS (
    SELECT workload, scheduler, memory_per_node_gb
    FROM smallest_memory_for_loss JOIN scheduler USING (study, scheduler)
    WHERE scheduler <> 'unlimited' AND memory_per_node_gb IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY workload ORDER BY abs(loss_bound - 0.01), memory_per_node_gb, complexity
    ) = 1
),
usual AS (
    FROM scenario SEMI JOIN (FROM hpc_memory_result WHERE is_default) USING (scenario_id)
)
SELECT
    drop, coalesce(basis.trace, '') || CASE WHEN basis.kind = 'composed'
        THEN coalesce(', memory of ' || basis.shapes, ', memory assumed') ELSE '' END AS log,
    usual.scenario_id, free.scenario_id AS unlimited_id, usual.workload_id, usual.scheduler, usual.memory_per_node_gb,
    usual.nodes
FROM enough
JOIN hpc_memory_basis AS basis USING (workload)
JOIN workload ON workload.family = enough.workload
JOIN usual ON (usual.workload_id, usual.scheduler) = (workload.workload_id, enough.scheduler)
    AND abs(usual.memory_per_node_gb / enough.memory_per_node_gb - 1) < 1e-9
JOIN (FROM usual WHERE scheduler = 'unlimited') AS free ON free.workload_id = workload.workload_id
LEFT JOIN (SELECT trace, drop FROM trace) AS dropped ON dropped.trace = basis.trace
WHERE basis.kind IN ('replayed', 'composed')
QUALIFY row_number() OVER (PARTITION BY enough.workload ORDER BY workload.workload_id, usual.scenario_id) = 1
ORDER BY list_position(['replayed', 'composed'], basis.kind), enough.workload"""

OUTCOMES_SQL = """\
SELECT scenario_id, job_id, submit_s, start_s, end_s, job.nodes
FROM outcome_hpc_memory
JOIN scenario USING (scenario_id)
JOIN job_hpc_memory AS job USING (workload_id, job_id)
WHERE scenario_id IN ({ids}) AND start_s IS NOT NULL
ORDER BY scenario_id, submit_s, job_id"""


def fig_waiting(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Gantt chart and queue of a window of each dropped log's replay, with the reason of each wait."""
    replays = read(connection, REPLAYS_SQL)
    own = ~pl.col("drop").is_in(SHIPPED)
    replays = replays.sort(own.not_(), maintain_order=True).head(MOST_LOGS)
    ids = [*replays["scenario_id"], *replays["unlimited_id"]]
    sql = OUTCOMES_SQL.format(ids=", ".join("'" + name.replace("'", "''") + "'" for name in ids) or "NULL")
    runs = pl.from_arrow(connection.sql(sql).to_arrow_table()).partition_by("scenario_id", as_dict=True)
    boxes, queues = [], []
    for place, row in enumerate(replays.iter_rows(named=True)):
        jobs, unlimited = (runs[(row[name],)].drop("scenario_id") for name in ("scenario_id", "unlimited_id"))
        many = place == 0 or row["drop"] not in SHIPPED
        for from_s, to_s in waits.windows(jobs, MOST_PARTS if many else 1):
            hours = ((at_s - jobs["submit_s"].min()) / 3600 for at_s in (from_s, to_s))
            part = "hours {:,.1f} to {:,.1f}".format(*hours)
            boxes.append(_boxes(row | {"part": part}, jobs, unlimited, from_s, to_s))
            for name, run in (("this replay", jobs), ("unlimited memory", unlimited)):
                labels = {"log": row["log"], "part": part, "run": name}
                waiting = waits.queue(run, from_s, to_s)
                queues.append(waiting.select(*(pl.lit(text).alias(label) for label, text in labels.items()), pl.all()))
    shown = pl.concat(boxes) if boxes else pl.DataFrame()
    return Figure(
        title=_title(shown),
        source="no paper: the replay of each dropped log",
        caption="Parts of each log in which its jobs waited longest, with the scheduler and the least memory that "
        "is enough for a loss of 1 %. Boxes are jobs over the nodes they hold, coloured by what they waited for; below "
        "are the jobs that wait. Memory blocks no start here: it makes jobs slower, which then hold their nodes for "
        "longer. Memory is named as the cause if a job would have waited less than half as long with unlimited "
        "memory. Which nodes each job holds is drawn to fit: the replay counts nodes only. Choose a job in the list or "
        "the chart.",
        sql=f"{REPLAYS_SQL};\n{sql}",
        frame=shown,
        chart=_chart(shown, pl.concat(queues), replays) if boxes else None,
        absent="No dropped log was replayed with memory: drop one under traces/.",
        traces=True,
        panel="waits",
    )


def _boxes(row: dict, jobs: pl.DataFrame, unlimited: pl.DataFrame, from_s: float, to_s: float) -> pl.DataFrame:
    """The jobs that run in a window: places, times from the log's first submission (h), reason and sentence."""
    first_s = jobs["submit_s"].min()
    running = jobs.filter(pl.col("start_s") <= to_s, pl.col("end_s") > from_s).sort("start_s", "job_id")
    explained = waits.explained(jobs, unlimited, row["nodes"], running["job_id"]).sort("start_s", "job_id")
    places = timeline.pack(*(running[name].to_numpy() for name in ("start_s", "end_s", "nodes")), row["nodes"])
    why = [waits.sentence(job, first_s) for job in explained.iter_rows(named=True)]
    ranges = pl.DataFrame(
        {"place": np.repeat(np.arange(len(places)), [len(place) for place in places])},
    ).with_columns(
        first_node=pl.Series([first for place in places for first, _ in place], dtype=pl.Int64),
        past_node=pl.Series([past for place in places for _, past in place], dtype=pl.Int64),
    )
    hours = [
        ((pl.col(f"{name}_s").clip(lower, upper) - first_s) / 3600).alias(f"{name}_h")
        for name, lower, upper in (("submit", None, None), ("start", from_s, None), ("end", None, to_s))
    ]
    return (
        explained.with_columns(why=pl.Series(why))
        .with_row_index("place")
        .with_columns(pl.col("place").cast(pl.Int64))
        .join(ranges, on="place", maintain_order="left")
        .select(
            pl.lit(row["log"]).alias("log"),
            pl.lit(row["part"]).alias("part"),
            pl.col("job_id").cast(pl.String),
            "nodes",
            *hours,
            "wait_s",
            "reason",
            "why",
            "first_node",
            "past_node",
            from_h=pl.lit((from_s - first_s) / 3600),
            to_h=pl.lit((to_s - first_s) / 3600),
            first_s=pl.lit(first_s),
            by=pl.lit(
                f"Replayed with {row['scheduler']} and {number(row['memory_per_node_gb'])} GB per node on "
                f"{row['nodes']:,} nodes."
            ),
        )
        .with_columns(pl.col(pl.Float64).round_sig_figs(7))
    )


def _longest(shown: pl.DataFrame) -> dict:
    """The job that waited longest of the part of a log that is shown first."""
    first = shown.filter(pl.col("log") == shown["log"][0], pl.col("part") == shown["part"][0])
    return first.sort("wait_s", "job_id", descending=[True, False]).row(0, named=True)


def _title(shown: pl.DataFrame) -> str:
    if shown.is_empty():
        return "Why jobs waited in the replay of each log"
    longest = _longest(shown)
    log = longest["log"]
    if longest["reason"] == waits.AT_ONCE:
        return f"No job of {log} waited"
    return f"Job {longest['job_id']} of {log} waited {duration(longest['wait_s'])} for {longest['reason']}"


def _chart(shown: pl.DataFrame, queues: pl.DataFrame, replays: pl.DataFrame) -> alt.VConcatChart:
    """Jobs over nodes above the queue over time, for one part of a log at a time, with one job picked out."""
    log = replays["log"][0]
    origin = shown.select("log", "first_s").unique()
    queues = queues.join(origin, on="log", maintain_order="left").select(
        "log", "part", "run", "waiting", hour=((pl.col("time_s") - pl.col("first_s")) / 3600).round_sig_figs(7)
    )
    chosen = alt.param(name="waits_log", value=log)
    part = alt.param(name="waits_part", value=shown["part"][0])
    job = alt.param(name="waits_job", value=_longest(shown)["job_id"])
    of_part = f"datum.log === {chosen.name} && datum.part === {part.name}"
    hour = alt.Axis(format=".4~g", grid=False)
    along = alt.Scale(zero=False, nice=False)
    colour = named(alt.Color, "reason", COLOURS, title="waited for", legend=alt.Legend(columns=2))
    y = alt.Y("first_node:Q", title="node", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    tooltip = tips(("job_id:N", "job"), "nodes:Q", ("reason:N", "waited for"), "why:N")
    base = alt.Chart(shown.drop("first_s")).transform_filter(of_part)
    box = base.mark_rect(stroke="#14171a", strokeWidth=0.4, cursor="pointer").encode(
        x=alt.X("start_h:Q", title=None, scale=along, axis=hour), x2="end_h:Q", y=y, y2="past_node:Q", color=colour,
        tooltip=tooltip,
    )  # fmt: skip
    picked = base.transform_filter(f"datum.job_id === {job.name}")
    outline = picked.mark_rect(fill=None, stroke=PICKED, strokeWidth=3).encode(
        x=alt.X("start_h:Q", scale=along), x2="end_h:Q", y=y, y2="past_node:Q"
    )
    waited = (
        picked.transform_calculate(came="max(datum.submit_h, datum.from_h)")
        .mark_rule(strokeWidth=3, strokeDash=[4, 3], color=PICKED)
        .encode(x=alt.X("came:Q", scale=along), x2="start_h:Q", y=y)
    )
    jobs = alt.layer(box, outline, waited).properties(width=WIDTH, height=GANTT_HEIGHT, name="waits_jobs")
    runs = {"this replay": LOOKS["blue"][0], "unlimited memory": GREY}
    dashes = dict(zip(runs, ([1, 0], [5, 3]), strict=True))
    line = (
        alt.Chart(queues)
        .transform_filter(of_part)
        .mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(
            x=alt.X("hour:Q", title="time since the log’s first submission (h)", scale=along, axis=hour),
            y=alt.Y("waiting:Q", title="jobs that wait", axis=alt.Axis(tickCount=4)),
            color=named(alt.Color, "run", runs, title="queue of"),
            strokeDash=named(alt.StrokeDash, "run", dashes, title="queue of"),
            tooltip=tips("run:N", ("hour:Q", None, ".2f"), "waiting:Q"),
        )
        .properties(width=WIDTH, height=QUEUE_HEIGHT)
    )
    return (
        alt.vconcat(jobs, line, spacing=10)
        .add_params(chosen, part, job)
        .resolve_scale(color="independent", strokeDash="independent", x="independent", y="independent")
    )
