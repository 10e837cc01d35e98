"""Answers about memory that nodes share: which scheduler at which size, and how much is enough."""

from __future__ import annotations

from itertools import groupby

ENOUGH_SQL = """\
WITH enough AS (
    SELECT
        *, row_number() OVER (
            PARTITION BY workload, loss_bound ORDER BY memory_per_node_gb NULLS LAST, complexity
        ) AS place
    FROM smallest_memory_for_loss JOIN scheduler USING (study, scheduler)
    WHERE scheduler <> 'unlimited'
)
SELECT
    workload, loss_bound, response_bound, memory_per_node_gb, memory_lo_gb, memory_hi_gb, at_most, fails_at_gb,
    scheduler, loss, response_ratio, wait_s, unlimited_wait_s, blocks, gb_saved, usd_saved
FROM enough WHERE place = 1
ORDER BY workload, loss_bound"""

RECOMMENDED_SQL = "SELECT * FROM recommended_hpc_memory ORDER BY workload, memory_per_node_gb"

WORKLOADS_SQL = r"""
WITH whole AS (
SELECT
    family AS workload, load, release, job_nodes, memory_law, law_spread, origin, count(*) AS batches,
    max(jobs) AS jobs_each
FROM workload
GROUP BY ALL
)
SELECT * FROM whole JOIN hpc_memory_basis USING (workload)
ORDER BY list_position(['replayed', 'composed', 'phased', 'dynamic'], kind), workload"""


def answers(workloads: list[dict], recommended: list[dict], enough: list[dict]) -> list[dict]:
    """What to use for each workload that was compared: its facts, `use` (sizes from, to of a scheduler) and `enough`.

    `use` has `also`, what else to know of the scheduler there: who ties with it, what it is traded off against.
    `enough` maps a bound of the loss to the least memory that keeps it (null: no size that was tried does) and the
    scheduler that does so.
    """
    rows = []
    for workload in workloads:
        mine = [row for row in recommended if row["workload"] == workload["workload"]]
        if not mine:
            continue
        use = []
        for (scheduler, also), group in groupby(mine, key=lambda row: (_any_or(row), _also(row))):
            its = list(group)
            sizes = [row["memory_per_node_gb"] for row in its]
            use.append({"scheduler": scheduler, "also": also, "from_gb": sizes[0], "to_gb": sizes[-1], "rows": its})
        kept = {row["loss_bound"]: row for row in enough if row["workload"] == workload["workload"]}
        rows.append(workload | {"title": title(workload), "use": use, "enough": kept})
    return rows


def _ties(row: dict) -> list[str]:
    return row["tied_with"].split(", ") if row["tied_with"] else []


def _any_or(row: dict) -> str | None:
    """The recommended scheduler; None where all that were compared tie with it."""
    ties = _ties(row)
    return None if ties and len(ties) == row["compared"] - 1 else row["scheduler"]


def _also(row: dict) -> str:
    """What to know of a recommendation beside its name; nothing where it is plainly better."""
    ties = _ties(row)
    said = []
    if ties:
        said.append("tie" if _any_or(row) is None else f"tie with {', '.join(ties)}")
    elif row["verdict"] == "trade_off":
        most = "less" if (row["response_margin"] or 0) < 0 else "more"
        said.append(f"trade-off: {most} response time and {most} utilisation than {row['runner_up']}")
    elif row["verdict"] == "undecided":
        said.append(f"no clear difference from {row['runner_up']}")
    if row["evidence"] == "estimates" and row["runner_up"]:
        said.append("no interval")
    return "; ".join(said)


def title(workload: dict) -> str:
    """What a reader calls a workload."""
    kind = workload["kind"]
    if kind == "replayed":
        return f"{workload['trace_id']}"
    if kind == "composed":
        lent = f"of {workload['shapes']}" if workload["shapes"] else "by documented laws"
        return f"{workload['trace_id']} with assumed memory, {lent}"
    law = f", {workload['memory_law']} memory" if kind == "phased" else ""
    law += f" ({workload['law_spread']})" if workload["law_spread"] else ""
    release = " as printed" if workload["release"] == "printed" else ""
    jobs = f"{kind} jobs" if workload["trace_id"] is None else f"jobs drawn from {workload['trace_id']}"
    return f"{jobs}, load {workload['load']:g}{release}, {workload['job_nodes']} nodes{law}"
