"""Answers about memory that nodes share: which scheduler at which size, and how much is enough."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from pipeline.answers.sizes import Sizes
from pipeline.runtime.quantities import share

ENOUGH_SQL = """\
WITH enough AS MATERIALIZED (
    SELECT *, count(*) OVER (PARTITION BY workload, loss_bound) AS tried
    FROM smallest_memory_for_loss JOIN scheduler USING (study, scheduler)
    WHERE scheduler <> 'unlimited'
),
chosen AS MATERIALIZED (
    SELECT enough.*
    FROM enough
    LEFT JOIN (SELECT workload, memory_per_node_gb, scheduler AS best FROM recommended_at_every_size) AS there
        USING (workload, memory_per_node_gb)
    QUALIFY row_number() OVER (
        PARTITION BY workload, loss_bound
        ORDER BY memory_per_node_gb NULLS LAST, coalesce(scheduler = best, false) DESC, complexity
    ) = 1
),
compared AS (
    SELECT
        chosen.workload, chosen.loss_bound, other.scheduler, pair.relation,
        other.memory_per_node_gb = chosen.memory_per_node_gb AS alike,
        other.memory_lo_gb < chosen.memory_per_node_gb AS may_be_alike
    FROM chosen
    JOIN enough AS other
        ON other.workload = chosen.workload AND other.loss_bound = chosen.loss_bound
        AND other.scheduler <> chosen.scheduler
    LEFT JOIN paired_hpc_memory AS pair
        ON pair.workload = chosen.workload AND pair.memory_per_node_gb = chosen.memory_per_node_gb
        AND pair.scheduler = chosen.scheduler AND pair.other = other.scheduler
),
others AS (
    SELECT
        workload, loss_bound,
        string_agg(scheduler, ', ' ORDER BY scheduler) FILTER (alike AND relation = 'tie') AS tied_with,
        string_agg(scheduler, ', ' ORDER BY scheduler) FILTER (
            coalesce(relation, 'open') = 'open' AND (alike OR may_be_alike)
            OR NOT coalesce(alike, false) AND may_be_alike AND relation IN ('tie', 'trade_off')
        ) AS open_with
    FROM compared GROUP BY ALL
)
SELECT
    workload, loss_bound, response_bound, memory_per_node_gb, memory_lo_gb, memory_hi_gb, at_most, fails_at_gb,
    scheduler, tied_with, open_with, tried, loss, response_ratio, wait_s, unlimited_wait_s, blocks, gb_saved, usd_saved
FROM chosen LEFT JOIN others USING (workload, loss_bound)
ORDER BY workload, loss_bound"""
"""Per workload and bound the least size that is enough, with the scheduler that is recommended there, or the simplest.

tied_with: schedulers that need as little and tie with it there; open_with: those that may need as little.
"""

RECOMMENDED_SQL = "SELECT * FROM recommended_hpc_memory ORDER BY workload, memory_per_node_gb"

REFINED_SQL = "SELECT * FROM recommended_at_every_size WHERE grid = 'refined' ORDER BY workload, memory_per_node_gb"

PREFERRED_BOUND = 0.01
"""Loss of utilisation for which an answer says how much memory is enough, where it is among the bounds."""

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


def answers(workloads: list[dict], recommended: list[dict], refined: list[dict], enough: list[dict]) -> list[dict]:
    """What to use for each workload that was compared: its facts, `use` (sizes from, to of a scheduler) and `enough`.

    `use` has `also`, what else to know of the scheduler there: who ties with it, what it is traded off against. It also
    tells of the size that is enough (of `kept`) where that is one of the second round, `refined`.
    `enough` maps a bound of the loss to the least memory that keeps it (null: no size that was tried does) and the
    scheduler that does so; `kept` is that of PREFERRED_BOUND. `sizes` says how sizes are said.
    """
    rows = []
    for workload in workloads:
        name = workload["workload"]
        mine = [row for row in recommended if row["workload"] == name]
        if not mine:
            continue
        kept = {row["loss_bound"]: row for row in enough if row["workload"] == name}
        preferred = kept.get(min(kept, key=lambda bound: abs(bound - PREFERRED_BOUND), default=None))
        mine += [row for row in refined if preferred and _is_of(row, preferred)]
        mine.sort(key=itemgetter("memory_per_node_gb"))
        use = []
        for (scheduler, also), group in groupby(mine, key=lambda row: (_any_or(row), _also(row))):
            its = list(group)
            sizes = [row["memory_per_node_gb"] for row in its]
            use.append({"scheduler": scheduler, "also": also, "from_gb": sizes[0], "to_gb": sizes[-1], "rows": its})
        sizes = Sizes(workload["unit"] or "node", workload["assumed_mean_gb"])
        said = {"title": title(workload), "use": use, "enough": kept, "kept": preferred, "sizes": sizes}
        rows.append(workload | said)
    return rows


def _is_of(row: dict, kept: dict) -> bool:
    """Whether a recommendation is one at the size that is enough."""
    return all(row[name] == kept[name] for name in ("workload", "memory_per_node_gb"))


def columns(rows: list[dict], bounds: Sequence[float]) -> list[list[float]]:
    """Bounds of the loss in columns: those that follow each other share one where each of the answers is the same."""
    found: list[list[float]] = []
    for bound in bounds:
        if found and all(_alike(row, found[-1][-1], bound) for row in rows):
            found[-1].append(bound)
        else:
            found.append([bound])
    return found


def cells(row: dict, found: list[list[float]]) -> list[list[list[float]]]:
    """Columns in cells of an answer: those that follow each other share one where it is the same in them."""
    shared: list[list[list[float]]] = []
    for column in found:
        if shared and _alike(row, shared[-1][-1][-1], column[0]):
            shared[-1].append(column)
        else:
            shared.append([column])
    return shared


def _alike(row: dict, one: float, other: float) -> bool:
    """Whether as much memory is enough for two bounds, as sure, with the same scheduler."""
    names = ("memory_per_node_gb", "memory_lo_gb", "memory_hi_gb", "scheduler")
    kept, also = (row["enough"].get(bound) or {} for bound in (one, other))
    return all(kept.get(name) == also.get(name) for name in names)


def losses(bounds: Sequence[float]) -> str:
    """Bounds of the loss in words, `0.5 %` or `0.5 % to 5 %`."""
    first, last = (share(bound, 1 if bound < 0.01 else 0) for bound in (bounds[0], bounds[-1]))
    return first if first == last else f"{first} to {last}"


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
    elif row["verdict"] == "open":
        said.append(_open(row))
    if row["evidence"] == "estimates" and row["runner_up"]:
        said.append("no interval")
    return "; ".join(said)


def _open(row: dict) -> str:
    """What is known of a scheduler that is not surely better than its runner-up, nor surely a tie."""
    ahead = []
    for column, of, matters in (("response_margin", "response time", "5 %"), ("margin", "utilisation", "1 point")):
        lo, hi = row[f"{column}_lo"], row[f"{column}_hi"]
        if lo is not None and (lo > 0 or hi < 0):
            more = "more" if lo > 0 else "less"
            ahead.append(f"{more} {of} than {row['runner_up']}, whether by {matters} is open")
    return "; ".join(ahead) or f"open with {row['runner_up']}"


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
