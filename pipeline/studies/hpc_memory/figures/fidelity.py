"""Queue of each dropped log over time: as it was on the machine, and as its closest dialect replays it."""

from __future__ import annotations

import altair as alt
import duckdb

from pipeline.report.chart import GREY, LOOKS, Figure
from pipeline.studies.hpc_memory.figures.encodings import panels
from pipeline.warehouse.answer import read

SQL = """\
SELECT
    trace, CASE setting WHEN 'measured' THEN 'machine' ELSE 'replay' END AS run, setting,
    (time_s - min(time_s) OVER (PARTITION BY trace)) / 86400 AS day, waiting, busy,
    dense_rank() OVER (ORDER BY trace) AS panel
FROM queue_length
ORDER BY trace, run, day"""


def fig_queue_measured_and_replayed(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Jobs that wait over time, one panel per log: two lines."""
    frame = read(connection, SQL)
    colours = alt.Scale(domain=["machine", "replay"], range=[GREY, LOOKS["blue"][0]])
    line = (
        alt.Chart(frame)
        .mark_line(strokeWidth=1.4, interpolate="step-after")
        .encode(
            x=alt.X("day:Q", title="days since the first submission"),
            y=alt.Y("waiting:Q", title="jobs that wait"),
            color=alt.Color("run:N", scale=colours, legend=alt.Legend(title=None)),
            tooltip=[
                "trace:N",
                "setting:N",
                alt.Tooltip("day:Q", format=".2f"),
                "waiting:Q",
                alt.Tooltip("busy:Q", format=".0%", title="nodes in use"),
            ],
        )
    )
    return Figure(
        title="Queue of the machine, and of its replay",
        source="no paper: how true a replay is",
        caption="Jobs that wait, in the log and in the replay of its own jobs under the closest dialect of the queue "
        "(docs/fidelity.md).",
        sql=SQL,
        frame=frame,
        chart=None if frame.is_empty() else panels(line, "trace", "panel", x="independent"),
        absent="No dropped log has the starts of its jobs: drop one under traces/.",
        columns=2,
    )
