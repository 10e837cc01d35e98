"""Rows of the page's tables: queries on the database, and the little that SQL is not for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import duckdb
import polars as pl

from pipeline.claims.markdown import VERDICTS
from pipeline.report import cards, gpu_answers, pim_answers, studies, trace_answers
from pipeline.report.chart import read

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
    family AS workload, load, release, job_nodes, memory_law, origin, count(*) AS batches, max(jobs) AS jobs_each
FROM workload
GROUP BY ALL
)
SELECT * FROM whole JOIN hpc_memory_basis USING (workload)
ORDER BY list_position(['replayed', 'composed', 'phased', 'dynamic'], kind), workload"""

CLAIMS_SQL = "SELECT * FROM claim"
PARTS_SQL = "SELECT * FROM claim_part"
ASSUMPTIONS_SQL = "SELECT * FROM assumption ORDER BY study, name"
MOST_SETTINGS, POOLED_SETTINGS = 14, 2
"""Settings of a claim up to this number are listed; of more, the first, which are taken from the others."""

TRACES_SQL = """\
SELECT trace.*, content, most_ranks
FROM trace LEFT JOIN trace_content USING (trace_id, drop)
ORDER BY trace_id, drop"""

REJECTED_SQL = """\
SELECT
    drop, trace_id, table_name, file, reason, count(*) AS rows, min(row) AS first_row,
    arg_min(detail, coalesce(row, 0)) AS detail
FROM rejected_row
GROUP BY ALL
ORDER BY drop, trace_id, table_name, file, reason"""

PROVENANCE_SQL = "SELECT drop, file, bytes, sha256, rows FROM provenance ORDER BY drop, file"

FILES_SQL = """\
SELECT drop, count(*) AS files, sum(bytes)::BIGINT AS bytes, sum(rows)::BIGINT AS rows
FROM provenance GROUP BY ALL ORDER BY drop"""
MOST_FILES = 40
"""Files up to this number are listed as they are; more are summed up by drop, and listed on demand."""

SCHEDULERS_SQL = """\
SELECT
    study, scheduler, complexity, description, count(scenario_id) AS scenarios,
    string_agg(DISTINCT code_version, ', ' ORDER BY code_version) AS code_versions
FROM scheduler LEFT JOIN scenario USING (study, scheduler)
GROUP BY ALL
ORDER BY study, complexity"""


def contents(connection: duckdb.DuckDBPyConnection, figures: Iterable[str] = ()) -> dict:
    """Everything that the page's tables show, by name: lists of rows, each a mapping of column to value.

    figures: names of the figures, which the sections of the studies hold.
    """
    parts = _rows(connection, PARTS_SQL)
    claims = _rows(connection, CLAIMS_SQL)
    on_cards = cards.measured(connection)
    assumed = _rows(connection, ASSUMPTIONS_SQL)
    for claim in claims:
        claim["assumptions"] = [row for row in assumed if claim["id"] in row["claims"]]
        claim["measured"] = [row for row in on_cards if row["id"] == claim["id"]]
        claim["parts"] = [part for part in parts if part["id"] == claim["id"]]
    recommended = _rows(connection, RECOMMENDED_SQL)
    enough = _rows(connection, ENOUGH_SQL)
    memory = answers(_rows(connection, WORKLOADS_SQL), recommended, enough)
    traces = _rows(connection, TRACES_SQL)
    ranks = pim_answers.answers(connection)
    blocks = gpu_answers.blocks(connection, {trace["trace_id"]: trace["kind"] for trace in traces})
    return {
        "by_trace": trace_answers.by_trace(traces, memory, ranks, blocks),
        "answers": memory,
        "cards": cards.cards(connection),
        "card_queries": {"kernels": cards.KERNELS_SQL, "claims": cards.MEASURED_SQL},
        "blocks": blocks,
        "studies": studies.sections(connection, figures),
        "bounds": sorted({row["loss_bound"] for row in enough}),
        "response_bound": max((row["response_bound"] for row in enough), default=None),
        "recommended": recommended,
        "claims": claims,
        "assumptions": assumed,
        "most_settings": MOST_SETTINGS,
        "pooled_settings": POOLED_SETTINGS,
        "verdicts": _verdicts(claims),
        "traces": traces,
        "rejected": _rows(connection, REJECTED_SQL),
        "provenance": _rows(connection, PROVENANCE_SQL),
        "files_by_drop": _rows(connection, FILES_SQL),
        "most_files": MOST_FILES,
        "schedulers": _rows(connection, SCHEDULERS_SQL),
        "scenarios": _rows(connection, "SELECT count(*) AS n FROM scenario")[0]["n"],
        "queries": {"recommended": RECOMMENDED_SQL, "enough": ENOUGH_SQL},
        **ranks,
    }


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
            sizes = [row["memory_per_node_gb"] for row in group]
            use.append({"scheduler": scheduler, "also": also, "from_gb": sizes[0], "to_gb": sizes[-1]})
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
        said.append(f"not told apart from {row['runner_up']}")
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
    release = " as printed" if workload["release"] == "printed" else ""
    jobs = f"{kind} jobs" if workload["trace_id"] is None else f"jobs drawn from {workload['trace_id']}"
    return f"{jobs}, load {workload['load']:g}{release}, {workload['job_nodes']} nodes{law}"


def _verdicts(claims: list[dict]) -> dict:
    """Counts of the claims: `names` of the verdicts in their order, `rows` of a study and its counts, `whole`."""
    found = {claim["verdict"] for claim in claims}
    names = [verdict for verdict in VERDICTS if verdict in found]

    def counts(its: list[dict]) -> list[int]:
        return [sum(claim["verdict"] == verdict for claim in its) for verdict in names]

    by_study = {claim["study"]: [c for c in claims if c["study"] == claim["study"]] for claim in claims}
    rows = [{"study": study, "counts": counts(its), "claims": len(its)} for study, its in by_study.items()]
    return {"names": names, "rows": rows, "counts": counts(claims), "claims": len(claims)}


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict]:
    return read(connection, sql).to_dicts()


def rows_of(frame: pl.DataFrame, most: int) -> list[dict] | None:
    """Rows of a frame that is small enough to be read, else None."""
    return frame.to_dicts() if len(frame) <= most else None
