"""Answers about local memory beside a pool: which mix to buy, under which scheduler, at what price, how sure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter

import duckdb

from pipeline.runtime.quantities import NOTHING, memory, number, share
from pipeline.warehouse.answer import read

RECOMMENDED_SQL = "SELECT * FROM recommended_memory_tiers"

MIX_SQL = """\
SELECT mix.*, basis.jobs, basis.origin
FROM memory_mix_for_loss AS mix JOIN memory_tiers_basis AS basis USING (workload)
ORDER BY mix.trace, workload, loss_bound, place NULLS LAST, usd NULLS LAST, scheduler"""

WITHOUT_SQL = """\
SELECT trace_id AS trace, kind AS origin, count(*) AS jobs
FROM trace JOIN job USING (trace_id)
WHERE status = 'read' AND memory_origin IS NULL AND trace_id NOT IN (SELECT trace_id FROM memory_tiers_basis)
    AND coalesce(unit, 'node') IN ('node', 'core')
    AND NOT EXISTS (
        FROM setting WHERE key = 'studies' AND value <> 'null' AND NOT contains(value, '"memory_tiers"')
    )
GROUP BY ALL
ORDER BY trace"""
"""Traces of jobs whose memory is not known."""

PREFERRED_BOUND = 0.01
"""Loss of utilisation whose mix is named first, where it is among the bounds."""
WITHOUT = "cannot be said: the trace tells neither the memory that its jobs used nor a series of it"


def blocks(connection: duckdb.DuckDBPyConnection) -> list[dict]:
    """The answer as gpu.blocks gives them: one row per trace of jobs, also where there is none to give."""
    mixes = read(connection, MIX_SQL).to_dicts()
    recommended = {(row["trace"], row["setting"]): row for row in read(connection, RECOMMENDED_SQL).to_dicts()}
    rows = []
    for (trace, _), group in groupby(mixes, key=itemgetter("trace", "workload")):
        # Of each bound the first row: the cheapest machine, or one of a scheduler that has none.
        its = [next(of_bound) for _, of_bound in groupby(group, key=itemgetter("loss_bound"))]
        first = min(its, key=lambda mix: abs(mix["loss_bound"] - PREFERRED_BOUND))
        answered = first["place"] is not None
        rows.append(
            {
                "name": trace,
                "trace": trace,
                "origin": first["origin"],
                "meta": f"{number(first['jobs'])} jobs on {number(first['nodes'])} nodes",
                "use": [
                    {"range": mix["setting"], "scheduler": mix["scheduler"], "rows": [mix]}
                    for mix in (recommended[trace, _setting(each)] for each in its)
                ],
                "cells": [
                    said(first) if answered else "no mix that was tried is enough",
                    f"{number(first['usd'])} USD ({within(first)})" if answered else NOTHING,
                    NOTHING if not answered or first["usd_saved"] is None else f"{number(first['usd_saved'])} USD",
                ],
                "assumed": ". ".join(filter(None, (first["assumed"], first["warnings"]))) or None,
            }
        )
    rows += [
        {
            "name": trace["trace"],
            "trace": trace["trace"],
            "origin": trace["origin"],
            "meta": f"{number(trace['jobs'])} jobs",
            "use": [],
            "cells": [WITHOUT, NOTHING, NOTHING],
            "assumed": None,
        }
        for trace in read(connection, WITHOUT_SQL).to_dicts()
    ]
    block = {
        "study": "memory_tiers",
        "title": "Local memory and a pool",
        "about": "The scheduler to use keeps the bounds on utilisation and response time with the cheapest mix of "
        "local memory and pool, among the machines that were tried, at the prices of the configuration.",
        "columns": ["Trace", "Scheduler to use", "Enough", "Price", "Saved"],
        "rows": rows,
        "sql": MIX_SQL,
    }
    return [block] if rows else []


def _setting(mix: Mapping) -> str:
    return f"loss of utilisation up to {mix['loss_bound'] * 100:g} %"


def said(mix: Mapping) -> str:
    """The cheapest mix, its price and how sure it is, in a sentence."""
    today = ""
    if mix["usd_today"] is not None:
        today = f" instead of {number(mix['usd_today'])} USD today"
    tie = f"; open with {mix['tied_with']}" if mix["tied_with"] else ""
    return (
        f"{memory(mix['local_per_node_gb'])} local and {memory(mix['pool_per_node_gb'])} of pool per node with "
        f"{mix['scheduler']}: {number(mix['usd'])} USD ({within(mix)}){today}; at most {share(mix['loss_bound'], 1)} "
        f"utilisation lost, {share(mix['response_bound'], 0)} more response time{tie}"
    )


def within(mix: Mapping) -> str:
    """The interval of the price of a mix."""
    lo, hi = mix["usd_lo"], mix["usd_hi"]
    if lo is None and hi is None:
        return "no interval"
    if hi is None:
        return f"above {number(lo)}: no machine that was tried is surely enough"
    return f"{number(lo)}–{number(hi)}"
