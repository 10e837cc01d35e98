"""Figures of how much memory is enough, and what it saves."""

from __future__ import annotations

import altair as alt
import polars as pl

from pipeline.report.chart import GREY, PANEL_HEIGHT, PANEL_WIDTH, SOFT, figure, finding, schedulers_of
from pipeline.report.marks import START_LINES, filled, legend, looks_of, panels, tips
from pipeline.runtime.quantities import memory

MEMORY_SQL = r"""
SELECT
    CASE
        WHEN kind IN ('replayed', 'composed') THEN concat_ws(
            chr(10), trace,
            CASE
                WHEN shapes IS NOT NULL THEN 'memory assumed: of ' || shapes
                WHEN kind = 'composed' THEN 'memory assumed: documented laws'
                ELSE 'memory of its own'
            END,
            CASE WHEN share_of_log < 1 THEN printf('%.1f %% of the log', 100 * share_of_log) END
        )
        ELSE trace || ' jobs'
    END AS jobs_from,
    dense_rank() OVER (ORDER BY list_position(['replayed', 'composed', 'phased', 'dynamic'], kind), workload) AS panel,
    scheduler, printf('%g %%', loss_bound * 100) AS accepted, loss_bound,
    enough.memory_per_node_gb, memory_lo_gb, memory_hi_gb, fails_at_gb, node_memory_gb,
    share_saved, gb_saved, usd_saved / 1000 AS saved_kusd, response_ratio, wait_ratio, wait_s, unlimited_wait_s,
    fails_by, at_most, blocks, share_of_log
FROM smallest_memory_for_loss AS enough
JOIN (SELECT DISTINCT family AS workload, kind, shapes FROM workload) USING (workload)
WHERE kind IN ('replayed', 'composed')
    OR workload IN (SELECT workload FROM hpc_memory_paper WHERE setting = 'default')
ORDER BY panel, loss_bound, scheduler""".strip()


TOOLTIP = tips(
    "scheduler:N",
    ("accepted:N", "loss that is accepted"),
    ("memory_per_node_gb:Q", "memory per node (GB)", ".4~g"),
    ("memory_lo_gb:Q", "95 % interval from", ".4~g"),
    ("memory_hi_gb:Q", "to", ".4~g"),
    ("fails_at_gb:Q", "fails at (GB)", ".4~g"),
    ("share_saved:Q", "memory saved", ".0%"),
    ("gb_saved:Q", "saved (GB)", ",.0f"),
    ("saved_kusd:Q", "saved (1000 USD)", ",.1f"),
    ("response_ratio:Q", "response time, unlimited = 1", ".3f"),
    ("wait_ratio:Q", "waiting time, unlimited = 1", ".3f"),
    ("wait_s:Q", "mean wait (s)", ",.0f"),
    ("unlimited_wait_s:Q", "with unlimited memory (s)", ",.0f"),
    ("at_most:N", "smallest size tried"),
    ("blocks:Q", "spans or batches"),
)
"""What is said of a point."""
TITLE = "memory per node (GB)"


def _of_first_trace(frame: pl.DataFrame) -> str | None:
    """What the schedulers need that needs least and most, on the first workload at the loss that is nearest to 1 %."""
    first = frame.filter(pl.col("panel") == frame["panel"].min()).drop_nulls("memory_per_node_gb")
    nearest = first.filter((pl.col("loss_bound") - 0.01).abs() == (pl.col("loss_bound") - 0.01).abs().min())
    sizes = nearest.sort("memory_per_node_gb", "scheduler")
    least, most = sizes["memory_per_node_gb"].min(), sizes["memory_per_node_gb"].max()
    if least == most:
        return None
    trace, loss = sizes["jobs_from"][0].partition("\n")[0], sizes["accepted"][0].replace(" ", "\u00a0")
    return f"{trace} needs {memory(least)} per node for a loss of {loss}, {memory(most)} with {sizes['scheduler'][-1]}"


@figure(
    title=finding("Memory that is enough, by the loss that is accepted", _of_first_trace),
    source="the question of HiPC 2024, Section VII, at the losses of the configuration",
    caption="Least memory per node whose loss of utilisation against unlimited memory stays within the bound, "
    "and whose mean response time stays within its own. Bars are 95 % intervals. They have no lower or "
    "upper part where no size that was tried bounds it. The dashed rule is the memory of a node today, "
    "from which savings are counted. It is absent where memory or machine are assumed. The figures at "
    "the foot are the largest saving of a scheduler, in thousands of USD for the whole machine. A "
    "scheduler without a point needs more than was tried.",
    sql=MEMORY_SQL,
    absent="No replay has a loss against unlimited memory (hpc_memory.sweeps in the configuration).",
    columns=2,
    traces=True,
)
def fig_memory_for_loss(frame: pl.DataFrame) -> alt.FacetChart | None:
    """Least memory per node by accepted loss and scheduler, one panel per workload, with what it saves."""
    if frame.drop_nulls("memory_per_node_gb").is_empty():
        return None
    series = schedulers_of(frame)
    colour, shape = looks_of(series, legend())
    accepted = frame.sort("loss_bound")["accepted"].unique(maintain_order=True).to_list()
    x = alt.X("accepted:N", title="loss that is accepted", sort=accepted, axis=alt.Axis(labelAngle=0))
    at = {"x": x, "xOffset": alt.XOffset("scheduler:N", scale=alt.Scale(domain=series.names)), "color": colour}
    y = alt.Y(
        "memory_per_node_gb:Q",
        title=TITLE,
        scale=alt.Scale(zero=False, nice=False, padding=18),
        # The savings stand at the foot, where a line would strike them through.
        axis=alt.Axis(format=".4~g", grid=False, domain=True),
    )
    chart = alt.Chart().transform_filter("isValid(datum.memory_per_node_gb)")
    ends = filled("memory_per_node_gb", "memory_lo_gb", "memory_hi_gb")
    interval = chart.transform_calculate(**ends).mark_rule(strokeWidth=1.8)
    interval = interval.encode(**at, y=alt.Y("lo:Q", title=TITLE), y2="hi:Q")
    point = chart.mark_point(filled=True, size=60, opacity=1).encode(**at, y=y, shape=shape, tooltip=TOOLTIP)
    layers = alt.layer(_today(), interval, point, _saving(x), data=frame)
    panel = layers.properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
    return panels(panel, "jobs_from", order="panel", header=START_LINES, y="independent")


def _today() -> alt.Chart:
    """A rule at the memory of a node today."""
    return (
        alt.Chart()
        # A scale needs a number where today's memory is not known: one of the panel's, for a rule that is not seen.
        .transform_calculate(
            today="isValid(datum.node_memory_gb) ? datum.node_memory_gb : isValid(datum.memory_per_node_gb) ? "
            "datum.memory_per_node_gb : datum.fails_at_gb"
        )
        .transform_aggregate(today_gb="max(today)", known="valid(node_memory_gb)")
        .mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=GREY)
        .encode(
            y=alt.Y("today_gb:Q", title=TITLE),
            opacity=alt.condition("datum.known > 0", alt.value(1), alt.value(0)),
        )
    )


def _saving(x: alt.X) -> alt.Chart:
    """The largest saving of a scheduler, at the foot."""
    return (
        alt.Chart()
        .transform_filter("isValid(datum.saved_kusd)")
        .transform_aggregate(most="max(saved_kusd)", groupby=["accepted"])
        .transform_calculate(said="format(datum.most, ',.3~r') + ' kUSD'")
        .mark_text(baseline="bottom", fontSize=11, color=SOFT)
        .encode(x=x, y=alt.value(PANEL_HEIGHT - 2), text="said:N")
    )
