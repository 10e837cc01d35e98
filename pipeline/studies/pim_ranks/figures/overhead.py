"""What the schedulers themselves cost."""

from __future__ import annotations

import altair as alt
import duckdb

from pipeline.report.chart import WIDTH, Figure, schedulers_of
from pipeline.warehouse.answer import read

OVERHEAD_SQL = """\
SELECT set_name, scheduler, origin, overhead_share, overhead_least, overhead_most, replays
FROM fig_pim_ranks_10
WHERE overhead_share > 0
ORDER BY set_name, scheduler"""


def fig_overhead(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Overhead of the schedulers as a share of execution time, by set."""
    frame = read(connection, OVERHEAD_SQL)
    chart = None
    if not frame.is_empty():
        series = schedulers_of(frame)
        legend = alt.Legend(title=None, symbolOpacity=1, columns=2)
        x = alt.X("set_name:O", title="set", axis=alt.Axis(labelAngle=0))
        offset = alt.XOffset("scheduler:N", scale=alt.Scale(domain=series.names))
        colour = alt.Color("scheduler:N", scale=alt.Scale(domain=series.names, range=series.colours), legend=legend)
        shape = alt.Shape("scheduler:N", scale=alt.Scale(domain=series.names, range=series.symbols), legend=legend)
        title = "share of execution time"
        axis = alt.Axis(format="~%", tickCount=5)
        point = (
            alt.Chart()
            .mark_point(filled=True, size=60, opacity=1)
            .encode(
                x=x, xOffset=offset, y=alt.Y("overhead_share:Q", title=title, axis=axis), color=colour, shape=shape,
                tooltip=[
                    alt.Tooltip("scheduler:N"), alt.Tooltip("set_name:N", title="set"),
                    alt.Tooltip("overhead_share:Q", title="mean", format=".2%"),
                    alt.Tooltip("overhead_least:Q", title="least", format=".2%"),
                    alt.Tooltip("overhead_most:Q", title="largest", format=".2%"),
                    alt.Tooltip("origin:N"), alt.Tooltip("replays:Q"),
                ],
            )
        )  # fmt: skip
        spread = (
            alt.Chart()
            .mark_rule(strokeWidth=1.5)
            .encode(
                x=x, xOffset=offset, y=alt.Y("overhead_least:Q", title=title), y2="overhead_most:Q", color=colour
            )
        )  # fmt: skip
        chart = alt.layer(spread, point, data=frame).properties(width=WIDTH, height=230)
    return Figure(
        title="Overhead of the schedulers",
        source="ICS 2025, Section 4.4, Figure 10",
        caption="An input, no result: 6 % of execution time for pim_care, sm_opt_ooo and care_floor, "
        '5.5 % for sm_opt_fcfs, none for those that run one application at a time; the paper prints "around 6 %" for '
        "PIM-CARE alone. Of virtual_pim_fine and virtual_pim_coop it is what their units, 7 % each, and repeated "
        "transfers add; bars are the range over replays.",
        sql=OVERHEAD_SQL,
        frame=frame,
        chart=chart,
        absent="No sets of pim_ranks were replayed (pim_ranks.sweeps in the configuration).",
    )
