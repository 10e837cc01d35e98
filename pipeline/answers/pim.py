"""The page's answers for PIM machines: which scheduler, and how many ranks to give an application."""

from __future__ import annotations

from itertools import groupby

import duckdb

from pipeline.warehouse.answer import read

RECOMMENDED_SQL = """\
SELECT
    answer.*, coalesce(trace.kind, if(answer.kind = 'virtual_pim', 'proxy', 'synthetic')) AS origin,
    (SELECT any_value(unit) FROM ranks_to_give AS given WHERE given.trace_id = answer.trace) AS unit
FROM recommended_pim_ranks AS answer LEFT JOIN trace ON trace_id = answer.trace
ORDER BY
    evidence IS NOT NULL, list_position(['queue', 'sets', 'virtual_pim'], answer.kind), evidence DESC, answer.trace,
    arrival DESC, load, jobs, answer.ranks, requests, set_name"""

RANKS_SQL = "SELECT * FROM ranks_to_give ORDER BY trace_id, best_ranks, app"

WITHOUT_CURVE_SQL = """\
SELECT trace_id, string_agg(app, ', ' ORDER BY app) AS apps
FROM (SELECT trace_id, app FROM pim_curve GROUP BY ALL HAVING NOT bool_or(chosen))
GROUP BY ALL
ORDER BY trace_id"""

QUESTION = ("trace", "evidence", "origin", "kind", "arrival", "load", "jobs", "ranks", "requests", "replicates")
"""Columns that sets of one row of the page have in common."""
TABLES = {"table_2": "agree with Table 2", "figure_2": "agree with Table 2 and Figure 2"}
REQUESTS = {"machine": "all ranks", "half": "half the ranks", "best": "the best ranks"}


def answers(connection: duckdb.DuckDBPyConnection) -> dict:
    """Rows of the page's answers by name, and the queries behind them.

    pim_answers: a row per question, its sets in `use` (sets, scheduler) and `turnaround`, those with least turnaround
    time; ranks_to_give: a row per trace, its applications by best rank count in `give`; pim_recommended, pim_ranks: all
    rows.
    """
    recommended = read(connection, RECOMMENDED_SQL).to_dicts()
    ranks = read(connection, RANKS_SQL).to_dicts()
    without = {row["trace_id"]: row["apps"] for row in read(connection, WITHOUT_CURVE_SQL).to_dicts()}
    return {
        "pim_answers": [_answer(list(rows)) for _, rows in groupby(recommended, key=_question)],
        "pim_recommended": recommended,
        "ranks_to_give": [
            _given(list(rows), without.get(trace)) for trace, rows in groupby(ranks, key=lambda row: row["trace_id"])
        ],
        "pim_ranks": ranks,
        "pim_queries": {"recommended": RECOMMENDED_SQL, "ranks": RANKS_SQL},
    }


def _question(row: dict) -> tuple:
    return tuple(row[name] for name in QUESTION)


def _answer(rows: list[dict]) -> dict:
    """A question with the schedulers of its sets."""
    first = rows[0]
    return {name: first[name] for name in QUESTION} | {
        "title": title(first),
        "about": about(first),
        "use": _by_set(rows, "scheduler"),
        "turnaround": _by_set(rows, "best_att"),
        "least_throughput": min(row["value"] for row in rows),
        "most_throughput": max(row["value"] for row in rows),
    }


def _by_set(rows: list[dict], column: str) -> list[dict]:
    """Schedulers of the sets in a row that have the same, as {sets, scheduler, rows}; a queue has no set's name."""
    found = []
    # A set of a drop's own applications is none of the row from W1 to W5.
    for (scheduler, _), group in groupby(rows, key=lambda row: (row[column], row["set_name"] == "uniform")):
        its = list(group)
        names = [row["set_name"] for row in its]
        sets = names[0] if len(names) == 1 else f"{names[0]}–{names[-1]}"
        found.append({"sets": sets or "queue", "scheduler": scheduler, "rows": its})
    return found


def title(row: dict) -> str:
    """Where the performance tables of a question come from."""
    if row["evidence"] is None:
        return row["trace"]
    what = "Proxies of VirtualPIM's sets, made of tables" if row["kind"] == "virtual_pim" else "Tables"
    return f"{what} that {TABLES[row['evidence']]} of PIM-CARE"


def about(row: dict) -> str:
    """What is asked of the machine."""
    arrival = {"queued": "all queued at once", "traced": "as they arrived"}.get(row["arrival"])
    parts = [
        f"{row['jobs']} applications" + (f" × {row['replicates']} batches" if row["replicates"] > 1 else ""),
        f"{row['ranks']} {'DPUs' if row.get('unit') == 'dpu' else 'ranks'}",
        arrival or f"Poisson arrivals, load {row['load']:g}",
    ]
    if row["requests"] is not None:
        parts.append(f"users request {REQUESTS[row['requests']]}")
    if row["extrapolated_apps"]:
        parts.append(f"best ranks of {row['extrapolated_apps']} beyond those measured")
    return ", ".join(parts)


def _given(rows: list[dict], without: str | None) -> dict:
    """A trace with its applications by the ranks to give them; those that are not certain bear what is possible."""
    first = rows[0]
    give = []
    for ranks, group in groupby(rows, key=lambda row: row["best_ranks"]):
        give.append({"ranks": ranks, "apps": ", ".join(_named(row) for row in group)})
    slowest = max(rows, key=lambda row: row["over_all_ranks"])
    return {
        "trace_id": first["trace_id"],
        "kind": first["trace_kind"],
        "max_ranks": first["max_ranks"],
        "unit": "DPU" if first["unit"] == "dpu" else "rank",
        "points": sorted({row["points"] for row in rows}),
        "give": give,
        "slowest": slowest if slowest["over_all_ranks"] > 1 else None,
        "saved": sum(row["rank_s_saved"] for row in rows),
        "without": without,
    }


def _named(row: dict) -> str:
    least, most = row["least_best_ranks"], row["most_best_ranks"]
    if least is None or least == most:
        return row["app"]
    more = f", still faster at {row['most_measured']}" if row["still_faster"] else ""
    return f"{row['app']} ({least}–{most}{more})"
