"""Answers about each dropped trace: which scheduler to use, how much of the machine is enough, and what was assumed.

The page and the verb `answer` show the same rows, taken from the decision views of the database.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import duckdb

from pipeline.answers import fidelity, gpu, memory, pim, tiers, traces, unused
from pipeline.warehouse.answer import read

TRACES_SQL = """\
SELECT trace.*, content, most_ranks
FROM trace LEFT JOIN trace_content USING (trace_id, drop)
ORDER BY trace_id, drop"""


class Answers(NamedTuple):
    """All answers of a database.

    traces: rows of the table `trace` with their content; by_trace: see `traces.by_trace`; memory: answers for machines
    whose nodes share memory; ranks: see `pim.answers`; blocks: see `tiers.blocks` and `gpu.blocks`;
    recommended, enough: the rows behind `memory`.
    """

    traces: list[dict[str, Any]]
    by_trace: list[dict[str, Any]]
    memory: list[dict[str, Any]]
    ranks: dict[str, Any]
    blocks: list[dict[str, Any]]
    recommended: list[dict[str, Any]]
    enough: list[dict[str, Any]]


def found(connection: duckdb.DuckDBPyConnection) -> Answers:
    """All answers of the database of the connection."""
    rows = read(connection, TRACES_SQL).to_dicts()
    queries = (memory.WORKLOADS_SQL, memory.RECOMMENDED_SQL, memory.REFINED_SQL, memory.ENOUGH_SQL)
    workloads, recommended, refined, enough = (read(connection, sql).to_dicts() for sql in queries)
    of_memory = memory.answers(workloads, recommended, refined, enough)
    ranks = pim.answers(connection)
    blocks = [*tiers.blocks(connection), *gpu.blocks(connection, {row["trace_id"]: row["kind"] for row in rows})]
    found = traces.by_trace(rows, of_memory, ranks, blocks, fidelity.sentences(connection))
    left_out = unused.sentences(connection)
    by_trace = [row | {"unused": left_out.get(row["trace_id"])} for row in found]
    return Answers(rows, by_trace, of_memory, ranks, blocks, recommended, enough)
