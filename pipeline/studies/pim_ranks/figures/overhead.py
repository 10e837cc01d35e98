"""What the schedulers themselves cost."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import WIDTH, figure, schedulers_of
from pipeline.report.marks import legend, looks_of, points, spans, tips

OVERHEAD_SQL = """\
SELECT set_name, scheduler, origin, overhead_share, overhead_least, overhead_most, replays
FROM fig_pim_ranks_10
WHERE overhead_share > 0
ORDER BY set_name, scheduler"""


@figure(
    title="Overhead of the schedulers",
    source="ICS 2025, Section 4.4, Figure 10",
    caption="An input, no result: 6 % of execution time for pim_care, sm_opt_ooo and care_floor, 5.5 % for "
    'sm_opt_fcfs. Those that run one application at a time have none. The paper prints "around 6 %" for '
    "PIM-CARE alone. Of virtual_pim_fine and virtual_pim_coop it is what their units, 7 % each, and "
    "repeated transfers add; bars are the range over replays.",
    sql=OVERHEAD_SQL,
    absent="No sets of pim_ranks were replayed (pim_ranks.sweeps in the configuration).",
)
def fig_overhead(frame: pl.DataFrame) -> alt.LayerChart:
    """Overhead of the schedulers as a share of execution time, by set."""
    series, title = schedulers_of(frame), "share of execution time"
    colour, shape = looks_of(series, legend(columns=2))
    x = alt.X("set_name:O", title="set", axis=alt.Axis(labelAngle=0))
    at = {"x": x, "xOffset": alt.XOffset("scheduler:N", scale=alt.Scale(domain=series.names)), "color": colour}
    tooltip = tips(
        "scheduler:N", ("set_name:N", "set"), ("overhead_share:Q", "mean", ".2%"),
        ("overhead_least:Q", "least", ".2%"), ("overhead_most:Q", "largest", ".2%"), "origin:N", "replays:Q",
    )  # fmt: skip
    y = alt.Y("overhead_share:Q", title=title, axis=alt.Axis(format="~%", tickCount=5))
    spread = spans("overhead_least", "overhead_most", title, 1.5, **at)
    point = points(60, **at, y=y, shape=shape, tooltip=tooltip)
    return alt.layer(spread, point, data=frame).properties(width=WIDTH, height=230)
