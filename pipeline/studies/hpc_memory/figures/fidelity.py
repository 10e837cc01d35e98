"""Queue of each dropped log over time: as it was on the machine, and as its closest dialect replays it."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, LOOKS, figure, finding
from pipeline.report.marks import named, tips
from pipeline.studies.hpc_memory.figures.encodings import panels

SQL = """\
SELECT
    trace, CASE setting WHEN 'measured' THEN 'machine' ELSE 'replay' END AS run, setting,
    (time_s - min(time_s) OVER (PARTITION BY trace)) / 86400 AS day, waiting, busy,
    dense_rank() OVER (ORDER BY trace) AS panel
FROM queue_length
ORDER BY trace, run, day"""


def _longest_queues(frame: pl.DataFrame) -> str | None:
    """Of the log whose queue was longest."""
    most = frame.group_by("trace", "run").agg(pl.col("waiting").max()).sort("waiting", "trace", "run")
    trace = most["trace"][-1]
    of = dict(most.filter(pl.col("trace") == trace).select("run", "waiting").iter_rows())
    if not {"machine", "replay"} <= of.keys():
        return None
    return f"{trace}: up to {of['machine']:,} jobs waited, in the replay up to {of['replay']:,}"


@figure(
    title=finding("Queue of the machine, and of its replay", _longest_queues),
    source="no paper: how true a replay is",
    caption="Jobs that wait, in the log and in the replay of its own jobs under the closest dialect of the queue "
    "(docs/guides/fidelity.md).",
    sql=SQL,
    absent="No dropped log has the starts of its jobs: drop one under traces/.",
    columns=2,
    traces=True,
)
def fig_queue_measured_and_replayed(frame: pl.DataFrame) -> alt.FacetChart:
    """Jobs that wait over time, one panel per log: two lines."""
    looks = {"machine": GREY, "replay": LOOKS["blue"][0]}
    line = (
        alt.Chart(frame)
        .mark_line(strokeWidth=1.4, interpolate="step-after")
        .encode(
            x=alt.X("day:Q", title="days since the first submission"),
            y=alt.Y("waiting:Q", title="jobs that wait"),
            color=named(alt.Color, "run", looks, legend=alt.Legend(title=None)),
            tooltip=tips(
                "trace:N", "setting:N", ("day:Q", None, ".2f"), "waiting:Q", ("busy:Q", "nodes in use", ".0%")
            ),
        )
    )
    return panels(line, "trace", "panel", x="independent")
