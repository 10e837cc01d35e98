"""Figures of memory_tiers: local memory beside a pool."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, PANEL_HEIGHT, PANEL_WIDTH, STEPS, figure, finding, schedulers_of
from pipeline.report.marks import START_LINES, legend, looks_of, panels, points, spans, tips
from pipeline.runtime.quantities import number, share

ABSENT = "No trace whose jobs have memory was replayed (memory_tiers.sweeps in the configuration)."

FRONT_SQL = """\
SELECT trace, scheduler, usd, loss, loss_lo, loss_hi, response_ratio, local_per_node_gb, pool_per_node_gb, rejected,
    usd_today
FROM memory_tiers_cost
WHERE on_front AND loss < 0.5
ORDER BY trace, scheduler, usd"""

GRID_SQL = """\
SELECT
    trace, scheduler, local_per_node_gb, pool_per_node_gb, loss, response_ratio, rejected, usd,
    trace || chr(10) || scheduler AS panel, greatest(0, least(loss, 0.5)) AS shown
FROM memory_tiers_cost
WHERE scheduler IN ('static_pool', 'dynamic_pool') AND pool_per_node_gb > 0
ORDER BY trace, scheduler DESC, local_per_node_gb, pool_per_node_gb"""

MEMORY = tips(
    ("local_per_node_gb:Q", "local (GB per node)", ".4~g"), ("pool_per_node_gb:Q", "pool (GB per node)", ".4~g")
)
RESPONSE = tips(("response_ratio:Q", "response, local = 1", ".3f"))


def _ends_of_the_front(frame: pl.DataFrame) -> str | None:
    """The cheapest machine that is drawn, and the cheapest that loses nothing, on the first trace; exact requests are
    nobody's.
    """
    first = frame.filter(pl.col("trace") == frame["trace"].min(), pl.col("scheduler") != "static_used").sort("usd")
    kept = first.filter(pl.col("loss") <= 0)
    if kept.is_empty() or first["loss"][0] <= 0:
        return None
    usd, loss = first.select("usd", "loss").row(0)
    enough, response = kept.select("usd", "response_ratio").row(0)
    ends = f"for {number(usd)} USD loses {share(loss, 0)} of utilisation, for {number(enough)} USD none"
    return f"{first['trace'][0]}: memory {ends}; responses then take {response:.2f} times as long"


@figure(
    title=finding("What local memory and a pool cost, by the loss that is accepted", _ends_of_the_front),
    source="ours",
    caption="Each point is a machine that no cheaper one beats for its scheduler. Bars are 95 % intervals of the "
    "loss of utilisation against all memory local. The dashed rule is what the memory of the traced "
    "machine costs at the price of local memory (none where it is not known). Machines that lose more "
    "than half are left out. static_used has exact requests.",
    sql=FRONT_SQL,
    absent=ABSENT,
    columns=2,
    traces=True,
)
def fig_cost_against_loss(frame: pl.DataFrame) -> alt.FacetChart:
    """The front of cost against loss by scheduler, one panel per trace."""
    colour, shape = looks_of(schedulers_of(frame), legend(columns=2))
    cost, loss = "memory of the machine (USD)", "loss of utilisation"
    x = alt.X("usd:Q", title=cost, scale=alt.Scale(zero=False), axis=alt.Axis(format="~s"))
    at = {"x": x, "y": alt.Y("loss:Q", title=loss, axis=alt.Axis(format=".0%")), "color": colour}
    usd, lost = tips(("usd:Q", "USD", ",.4~r"), ("loss:Q", None, ".2%"))
    tooltip = tips("scheduler:N", *MEMORY, usd, lost, *RESPONSE, ("rejected:Q", "rejected jobs"))
    line = alt.Chart().mark_line(interpolate="step-after", strokeWidth=1.5).encode(**at)
    bar = spans("loss_lo", "loss_hi", loss, 1, "loss", x=x, color=colour)
    today = (
        # A scale needs a number where today's cost is not known: one of the panel's, for a rule that is not seen.
        alt.Chart()
        .transform_calculate(cost="isValid(datum.usd_today) ? datum.usd_today : datum.usd")
        .transform_aggregate(today="max(cost)", known="valid(usd_today)")
        .mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY)
        .encode(x=alt.X("today:Q", title=cost), opacity=alt.condition("datum.known > 0", alt.value(1), alt.value(0)))
    )
    layers = alt.layer(today, line, bar, points(45, **at, shape=shape, tooltip=tooltip), data=frame)
    return panels(layers.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT), "trace", x="independent")


@figure(
    title="Loss of utilisation, by local memory and pool",
    source="ours",
    caption="Each cell is a machine of the configured sizes. Its colour is the utilisation lost against all "
    "memory local, with the work of rejected jobs. From 50 % on all cells look alike. static_pool goes "
    "by requests, dynamic_pool by what each phase needs.",
    sql=GRID_SQL,
    absent=ABSENT,
    columns=2,
    traces=True,
)
def fig_local_and_pool(frame: pl.DataFrame) -> alt.FacetChart:
    """Loss on the grid of local memory and pool, one panel per trace and scheduler."""
    # Three digits of a small size would not fit beside the title.
    axis = alt.Axis(labelExpr="format(datum.value, datum.value < 0.1 ? '.2~g' : '.3~g')", labelAngle=0)
    rising = alt.EncodingSortField("local_per_node_gb", op="min")
    scale = alt.Scale(domain=[0, 0.5], range=[STEPS[0], "#f2f2f2", STEPS[-1]], interpolate="lab")
    rejected = ("rejected:Q", "rejected jobs")
    box = (
        alt.Chart(frame)
        .mark_rect(stroke="#ffffff", strokeWidth=1)
        .encode(
            x=alt.X("local_per_node_gb:O", title="local (GB per node)", sort=rising, axis=axis),
            y=alt.Y("pool_per_node_gb:O", title="pool (GB per node)", sort="descending", axis=axis),
            color=alt.Color("shown:Q", title="loss", scale=scale, legend=alt.Legend(format=".0%")),
            tooltip=tips(
                "scheduler:N", *MEMORY, ("loss:Q", None, ".2%"), *RESPONSE, rejected, ("usd:Q", "USD", ",.4~r")
            ),
        )
        .properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    )
    order = frame["panel"].unique(maintain_order=True).to_list()
    own = dict.fromkeys("xy", "independent")
    return panels(box, "panel", order=order, header=START_LINES, axes="", **own)
