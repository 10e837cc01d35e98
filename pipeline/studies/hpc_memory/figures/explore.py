"""The capacity curve of one workload at a time, for questions of one's own: a size, a loss, a price."""

from __future__ import annotations

import altair as alt
import duckdb
import polars as pl

from pipeline.drops.shipped import SHIPPED
from pipeline.report.chart import GREY, WIDTH, Figure, against_memory
from pipeline.report.marks import interval, tips
from pipeline.studies.hpc_memory.figures.encodings import MEMORY, SCHEDULER
from pipeline.warehouse.answer import read

PREFERRED_BOUND = 0.01
"""The figure shows the loss of the configuration first that is nearest to this one."""
HEIGHT = 200
MOST_RESPONSE = 2.0

GRID_SQL = r"""
SELECT
    workload,
    CASE
        WHEN kind NOT IN ('replayed', 'composed') THEN kind || ' jobs of the paper'
        WHEN kind = 'composed' THEN trace || coalesce(', memory of ' || shapes, ', memory assumed')
        ELSE trace
    END AS jobs_from,
    kind, drop, assumed, nodes, per, node_memory_gb, assumed_mean_gb, complexity,
    steady.scheduler, memory_per_node_gb, steady.loss, loss_lo, loss_hi, response_ratio, response_ratio_lo,
    response_ratio_hi, steady.wait_s, whole.wait_s AS unlimited_wait_s, steady.blocks,
    (SELECT max(value::DOUBLE) FROM setting WHERE key = 'hpc_memory.response_bound') AS response_bound,
    (SELECT max(value::DOUBLE) FROM setting WHERE key = 'prices.memory_usd_per_gb') AS usd_per_gb
FROM steady_hpc_memory AS steady
JOIN hpc_memory_basis USING (workload)
JOIN scheduler ON scheduler.study = 'hpc_memory' AND scheduler.scheduler = steady.scheduler
LEFT JOIN (SELECT trace, drop FROM trace) USING (trace)
LEFT JOIN (SELECT workload, wait_s FROM steady_hpc_memory WHERE scheduler = 'unlimited') AS whole USING (workload)
WHERE memory_per_node_gb IS NOT NULL AND steady.loss IS NOT NULL AND response_ratio IS NOT NULL
    AND (
        kind IN ('replayed', 'composed')
        OR workload IN (SELECT workload FROM hpc_memory_paper WHERE setting = 'default')
    )
ORDER BY
    list_position(['replayed', 'composed', 'phased', 'dynamic'], kind), workload, complexity, steady.scheduler,
    memory_per_node_gb""".strip()

ENOUGH_SQL = """
SELECT
    workload, loss_bound, scheduler, memory_per_node_gb,
    said_size(memory_per_node_gb, memory_per_node_gb, assumed_mean_gb)
        || CASE WHEN assumed_mean_gb IS NULL THEN ' per ' || per ELSE '' END AS size,
    CASE WHEN assumed_mean_gb IS NULL THEN said_size(node_memory_gb, node_memory_gb) END AS today
FROM enough_memory JOIN hpc_memory_basis USING (workload)
ORDER BY workload, loss_bound""".strip()


def fig_explore(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Loss against memory per node of one workload, with the size and the loss that the reader asks for."""
    frame = _own_first(read(connection, GRID_SQL))
    enough = _enough(connection, frame)
    return Figure(
        title=_title(frame, enough),
        source="the question of HiPC 2024, Section VII",
        caption="Utilisation lost against unlimited memory, by scheduler; bands are 95 % intervals. The upright rule "
        "is the memory per node that is asked for, the level one the loss that is accepted. Only the marked sizes "
        "were replayed: for a size between two of them the results are those of the smaller one.",
        sql=GRID_SQL,
        frame=frame,
        chart=None if frame.is_empty() else _curves(frame, enough),
        absent="No replay has a loss against unlimited memory (hpc_memory.sweeps in the configuration).",
        traces=True,
        panel="explore",
    )


def fig_response_by_memory(connection: duckdb.DuckDBPyConnection) -> Figure:
    """Response time against memory per node of the workload that `fig_explore` shows first."""
    frame = _own_first(read(connection, GRID_SQL))
    enough = _enough(connection, frame)
    first = frame.filter(pl.col("workload") == frame["workload"][0]) if len(frame) else frame
    return Figure(
        title=_response_title(first, enough),
        source="the question of HiPC 2024, Section VII",
        caption="Mean response time over that with unlimited memory, by scheduler; values above 2 are cut off; "
        "bands are 95 % intervals. The dashed rule is the growth that is accepted.",
        sql=GRID_SQL,
        frame=first,
        chart=None if first.is_empty() else _response_curves(first),
        absent="No replay has a loss against unlimited memory (hpc_memory.sweeps in the configuration).",
        traces=True,
    )


def _response_title(frame: pl.DataFrame, enough: dict) -> str:
    if frame.is_empty() or enough["memory_per_node_gb"] is None:
        return "Memory per node, and how much longer users wait"
    row = frame.row(0, named=True)
    today = f", not {enough['today']}" if enough["today"] else ""
    return (
        f"{row['jobs_from'].partition('/')[0]} needs {enough['size']}{today}: "
        f"responses then take at most {row['response_bound']:.0%} longer".replace("%", "\u00a0%")
    )


def _response_curves(frame: pl.DataFrame) -> alt.LayerChart:
    tooltip = [SCHEDULER, MEMORY, *interval("response_ratio", "response time, unlimited = 100 %", ".1%")]
    high = pl.col("response_ratio_hi").clip(upper_bound=MOST_RESPONSE)
    shown = frame.filter(pl.col("response_ratio") <= MOST_RESPONSE).with_columns(high)
    title, bound = "response time, unlimited = 100 %", 1 + frame["response_bound"][0]
    curves = against_memory(
        shown, "response", "response_ratio", title, tooltip, reference=bound, zero=False, domainMax=MOST_RESPONSE
    )
    return curves.properties(width=WIDTH, height=HEIGHT)


def _enough(connection: duckdb.DuckDBPyConnection, frame: pl.DataFrame) -> dict:
    """The least memory of the first workload, at the loss of the configuration that is nearest to the preferred one."""
    if frame.is_empty():
        return {}
    bounds = read(connection, ENOUGH_SQL).filter(pl.col("workload") == frame["workload"][0])
    if bounds.is_empty():  # its memory is a default
        return {"memory_per_node_gb": None, "loss_bound": PREFERRED_BOUND}
    nearest = (pl.col("loss_bound") - PREFERRED_BOUND).abs()
    return bounds.sort(nearest, maintain_order=True).row(0, named=True)


def _own_first(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the reader's traces, then those of examples of measured machines, then the others."""
    if frame.is_empty():
        return frame
    return (
        frame.with_columns(
            group=pl.when(pl.col("drop").is_null())
            .then(pl.lit("Workloads of the paper"))
            .when(pl.col("drop").is_in(SHIPPED))
            .then(pl.lit("Examples"))
            .otherwise(pl.lit("Your traces"))
        )
        # Of the examples, first a large machine with memory of its own.
        .sort(
            pl.col("group").replace_strict({"Your traces": 0, "Examples": 1}, default=2),
            pl.when(pl.col("group") == "Examples").then(pl.col("assumed").is_not_null()),
            pl.when(pl.col("group") == "Examples").then(-pl.col("nodes")),
            maintain_order=True,
        )
        .drop("drop")
    )


def _title(frame: pl.DataFrame, enough: dict) -> str:
    if frame.is_empty():
        return "Memory per node, and what it costs"
    for_loss = f"for a loss of {enough['loss_bound'] * 100:g} % on {frame['jobs_from'][0]}"
    if enough["memory_per_node_gb"] is None:
        return f"No size that was tried is enough {for_loss}"
    return f"With {enough['scheduler']}, {enough['size']} is enough {for_loss}"


def _curves(frame: pl.DataFrame, enough: dict) -> alt.LayerChart:
    """The curves of the workload shown, and rules at the size and the loss that are asked for."""
    workload = frame["workload"][0]
    sizes = frame.filter(pl.col("workload") == workload)["memory_per_node_gb"]
    at_gb = sizes.max() if enough["memory_per_node_gb"] is None else enough["memory_per_node_gb"]
    shown = alt.param(name="explore_workload", value=workload)
    asked_gb = alt.param(name="explore_gb", value=at_gb)
    accepted = alt.param(name="explore_loss", value=enough["loss_bound"])
    more = tips(("response_ratio:Q", "response time, unlimited = 1", ".3f"), ("wait_s:Q", "mean wait (s)", ",.0f"))
    tooltip = [SCHEDULER, MEMORY, *interval("loss", "loss", ".2%"), *more]
    curves = against_memory(frame, "explore", "loss", "loss of utilisation", tooltip)
    rule = {"strokeWidth": 1.5, "color": GREY}
    one = alt.Chart(alt.InlineData(values=[{}]))
    size = one.transform_calculate(gb=asked_gb.name).mark_rule(**rule).encode(x="gb:Q")
    loss = one.transform_calculate(loss=accepted.name).mark_rule(strokeDash=[2, 3], **rule).encode(y="loss:Q")
    own = curves.transform_filter(f"datum.workload === {shown.name}")
    return alt.layer(own, size, loss).add_params(shown, asked_gb, accepted).properties(width=WIDTH, height=HEIGHT)
