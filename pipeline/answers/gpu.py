"""The page's answers for GPUs and for graphs: which scheduler, from where to where, and what it gains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter

import duckdb

from pipeline.answers import margins
from pipeline.runtime.quantities import NOTHING, number, share
from pipeline.warehouse.answer import read

SHARING_SQL = "SELECT * FROM recommended_gpu_sharing ORDER BY trace <> 'ensemble', trace, kind, applications"

CORUN_SQL = """\
FROM (
SELECT
    trace, kind, arrival, load, gpu, gpu_origin, scheduler, count(*) AS cases, max(applications) AS applications,
    count(caution) AS short, bool_or(loop_origin = 'assumed') AS assumed,
    min(value) AS least_gain, max(value) AS most_gain, min(margin) AS margin,
    arg_min(runner_up, margin) AS runner_up, arg_min(margin_lo, margin) AS margin_lo,
    arg_min(margin_hi, margin) AS margin_hi, arg_min(margin_kind, margin) AS margin_kind, bool_or(tied) AS tied
FROM recommended_gpu_corun
GROUP BY ALL
)
ORDER BY
    trace <> 'published', trace, list_position(['pair', 'drawn', 'queue'], kind), arrival, load, gpu, cases DESC,
    scheduler"""

PAIRS_SQL = """\
SELECT
    best.trace_id, gpu, app, partner, speedup - 1 AS gain, lo - 1 AS lo, hi - 1 AS hi, rule,
    total_speedup - 1 AS total, total_lo - 1 AS total_lo, total_hi - 1 AS total_hi,
    pair.modelled_gain, pair.difference, error.modelled_gain AS mean_modelled, error.measured_gain AS mean_measured,
    error.mae, error.null_mae
FROM best_pair AS best
LEFT JOIN modelled_and_measured_pairs AS pair
    ON (pair.trace_id, pair.app_a, pair.app_b, pair.scheduler)
    = (best.trace_id, least(app, partner), greatest(app, partner), 'mps')
LEFT JOIN error_of_modelled_pairs AS error ON (error.trace_id, error.scheduler) = (best.trace_id, 'mps')
ORDER BY best.trace_id, gpu, speedup DESC, app"""

SLICES_SQL = "SELECT * FROM fewest_slices ORDER BY trace_id, demand"

PARTITION_SQL = """\
SELECT * FROM recommended_gpu_partition
ORDER BY trace = 'generated', trace, sms DESC, tasks, utilisation"""

GRAPH_SQL = """\
SELECT * FROM recommended_pim_graph WHERE energy_ratio = 5
ORDER BY kind = 'stand_in', trace, list_position(['bfs', 'sssp', 'bc'], algorithm), stacks, qr"""

ALGORITHMS = {"bfs": "breadth-first search", "sssp": "shortest paths", "bc": "betweenness centrality"}
MOST_PAIRS = 6
"""Pairs that are named."""
NO_MARGIN = dict.fromkeys(margins.COLUMNS)
CASES = {"pair": ("pair", "pairs"), "drawn": ("drawn queue", "drawn queues"), "queue": ("queue", "queues")}


def blocks(connection: duckdb.DuckDBPyConnection, kinds: Mapping[str, str]) -> list[dict]:
    """The answers of each of these studies that has any: study, title, about, columns, rows and the query behind them.

    kinds: measured or generated, of each trace. A row has a name, the trace that it is of (None: none was dropped) and
    its kind as `origin`, what stands below its name, `use` (a list of
    range, scheduler and the rows of its view; scheduler None where none will do) and the text of each further column.
    """
    found = [of(connection) for of in (_partition, _slices, _sharing, _corun, _pairs, _graphs)]
    for block in found:
        block["rows"] = [row | {"origin": kinds.get(row["trace"])} for row in block["rows"]]
    return [block for block in found if block["rows"]]


def _enough_sms(rows: list[dict]) -> str:
    """SMs that are enough for every set up to a load, and how many sets fit at the next load."""
    held = [row for row in rows if row["sets_held"]]
    every = [row for row in held if row["sets_held"] == row["replicates"]]
    said = []
    if every:
        load = f" up to load {number(every[-1]['utilisation'])}" if len(rows) > 1 else ""
        what = "every set" if every[0]["replicates"] > 1 else "the set"
        said.append(f"{number(max(row['sms_enough'] for row in every))} SMs hold {what}{load}")
    some = next((row for row in held if row["sets_held"] < row["replicates"]), None)
    if some:
        load = f" at load {number(some['utilisation'])}" if len(rows) > 1 else ""
        said.append(f"{number(some['sets_held'])} of {number(some['replicates'])} sets fit{load}")
    return "; ".join(said) or NOTHING


def _partition(connection) -> dict:
    rows = []
    for (trace, tasks, sms), its in _grouped(connection, PARTITION_SQL, "trace", "tasks", "sms"):
        trace = None if trace == "generated" else trace
        last = [row for row in its if row["scheduler"] is not None][-1:]
        sets = max(row["replicates"] for row in its)
        of_each = f"{sets} sets at each load" if sets > 1 else "one set"
        rows.append(
            {
                "name": trace or f"{tasks} tasks, generated",
                "trace": trace,
                "meta": f"{tasks} tasks on {sms} SMs; {of_each}",
                "use": _ranges(its, "utilisation", "load "),
                "cells": [_enough_sms(its), share(last[0]["value"], 0) if last else NOTHING],
            }
        )
    return {
        "study": "gpu_partition",
        "title": "Partitions of a GPU for real-time tasks",
        "about": "The scheduler to use holds the largest share of task sets; of a tie, where the paired interval "
        "includes 0, it is the simpler one. Enough are the most SMs that it needs for one of the sets.",
        "columns": ["Task sets", "Scheduler to use, by load (SMs)", "Enough", "Sets held at the largest such load"],
        "rows": rows,
        "sql": PARTITION_SQL,
    }


def _sharing(connection) -> dict:
    rows = [
        {
            "name": "drawn curves" if row["trace"] == "ensemble" else row["trace"],
            "trace": None if row["trace"] == "ensemble" else row["trace"],
            "meta": f"{row['mixes']:,} mixes of {row['applications']} applications"
            f"{' that it states' if row['kind'] == 'stated' else ''} on {row['sms']} SMs",
            "use": [{"range": "", "scheduler": row["scheduler"], "rows": [row]}],
            "cells": [
                f"{number(row['value'])} times",
                f"{number(row['least_speedup'])} times",
                f"{row['fastest']}: {number(row['fastest_speedup'])}, least {number(row['fastest_least_speedup'])}",
            ],
        }
        for row in read(connection, SHARING_SQL).to_dicts()
    ]
    return {
        "study": "gpu_sharing",
        "title": "SMs of a GPU shared by applications",
        "about": "The policy to use has the largest system speed-up over taking turns among those that slow no "
        "application down on average. The fastest one, whatever it does to an application, stands beside it.",
        "columns": ["Applications", "Policy to use", "System speed-up", "Of the one that gains least", "Fastest"],
        "rows": rows,
        "sql": SHARING_SQL,
    }


def _corun(connection) -> dict:
    rows = []
    keys = ("trace", "kind", "arrival", "load", "gpu", "gpu_origin")
    for (kernels, kind, arrival, load, gpu, origin), its in _grouped(connection, CORUN_SQL, *keys):
        trace = None if kernels == "published" else kernels
        cases, short = (sum(row[column] for row in its) for column in ("cases", "short"))
        one, many = CASES.get(kind, (kind, kind))
        about = (one if cases == 1 else many) + ("" if kind == "pair" else f" of {its[0]['applications']} applications")
        gains = [row["least_gain"] for row in its] + [row["most_gain"] for row in its]
        rows.append(
            {
                "name": trace or "Slate's kernels",
                "trace": trace,
                "meta": f"{cases} {about}"
                + ("" if load is None else f", {arrival} arrivals at load {load:g}")
                + (_card(gpu, origin) if trace else "")
                + ("; loops of 30 s are assumed" if any(row["assumed"] for row in its) else "")
                + (f"; the loops of {short} are shorter than the set-up, so this says little" if short else ""),
                "use": [
                    {"range": f"{row['cases']} of {cases}", "scheduler": row["scheduler"], "rows": [row]} for row in its
                ],
                "cells": [f"{share(min(gains))} to {share(max(gains))}"],
            }
        )
    return {
        "study": "gpu_corun",
        "title": "Kernels side by side on a GPU",
        "about": "The scheduler to use has the most throughput of each pair or kind of queue; ties go to the simpler "
        "one.",
        "columns": ["Kernels", "Scheduler to use", "Throughput gained over CUDA"],
        "rows": rows,
        "sql": CORUN_SQL,
    }


def _pairs(connection) -> dict:
    rows = []
    for (trace, gpu), its in _grouped(connection, PAIRS_SQL, "trace_id", "gpu"):
        pairs = [row for row in its if row["partner"] is not None]
        alone = len(its) - len(pairs)
        use = [
            {
                "range": f"{row['app']} + {row['partner']}",
                "scheduler": "side by side",
                "also": _by_the_model(row),
                "rows": [
                    {"runner_up": "taking turns", "margin": row["gain"], "margin_lo": row["lo"], "margin_hi": row["hi"],
                     "margin_kind": "relative", "tied": False}
                ],
            }
            for row in [row for row in pairs if row["app"] < row["partner"]][:MOST_PAIRS]
        ]  # fmt: skip
        more = len(pairs) // 2 - len(use)
        if more:
            use.append({"range": f"{more} more pairs", "scheduler": "side by side", "rows": [NO_MARGIN]})
        if alone:
            use.append({"range": f"{alone} applications", "scheduler": "alone", "rows": [NO_MARGIN]})
        total, lo, hi = (its[0][name] for name in ("total", "total_lo", "total_hi"))
        rows.append(
            {
                "name": trace,
                "trace": trace,
                "meta": f"{len(its)} applications{f' on {gpu}' if gpu else ''}: who shares the GPU with whom"
                + ("; what was not tried side by side is left alone" if its[0]["rule"] is None else ""),
                "use": use,
                "cells": [
                    f"{share(total)} ({'no interval' if lo is None else f'{share(lo)} to {share(hi)}'})",
                    _model_of(its[0]),
                ],
            }
        )
    return {
        "study": "gpu_corun",
        "title": "Who shares a GPU with whom",
        "about": "The pairing with the most weighted speedup over taking turns, by the pairs that were measured, and "
        "by the rule that beats chance where one was not tried. best_pairs('trace') has all of them. What the model of "
        "profiles says under MPS stands beside it where it was asked.",
        "columns": [
            "Applications",
            "To run side by side",
            "Gained by all over taking turns",
            "All measured pairs by the model",
        ],
        "rows": rows,
        "sql": PAIRS_SQL,
    }


def _by_the_model(row: Mapping) -> str | None:
    """Measured and modelled gain of a pair and their difference; None where the model was not asked."""
    if row["modelled_gain"] is None:
        return None
    more = "more" if row["difference"] > 0 else "less"
    return (
        f"measured {share(row['gain'])}, by the model {share(row['modelled_gain'])}: "
        f"{_points(abs(row['difference']))} {more}"
    )


def _model_of(row: Mapping) -> str:
    """Mean gain of all measured pairs by the model and as measured, and its error beside that of the null model."""
    if row["mean_modelled"] is None:
        return NOTHING
    null = "" if row["null_mae"] is None else f", {_points(row['null_mae'])} by the mean of other pairs"
    return (
        f"{share(row['mean_modelled'])}, measured {share(row['mean_measured'])}; mean error {_points(row['mae'])}{null}"
    )


def _points(difference: float) -> str:
    return f"{difference * 100:.1f} points"


def _slices(connection) -> dict:
    rows = []
    for trace, its in _grouped(connection, SLICES_SQL, "trace_id"):
        needs = [
            f"{row['demand']}: no slice serves {row['unmet']} in time"
            if row["gpus"] is None
            else f"{row['demand']}: {row['gpus']}"
            + ("" if row["gpus_whole"] is None else f" instead of {row['gpus_whole']}")
            for row in its
        ]
        methods = " or ".join(sorted({row["method"] for row in its if row["method"]}))
        rows.append(
            {
                "name": trace,
                "trace": trace,
                "meta": f"{len(its)} sets of models: GPUs in slices instead of whole ones",
                "use": [{"range": "", "scheduler": methods, "rows": [NO_MARGIN]}] if methods else [],
                "cells": [f"GPUs for {', '.join(needs)}"],
            }
        )
    return {
        "study": "gpu_partition",
        "title": "Slices of GPUs that serve a set of models",
        "about": "The fewest GPUs whose slices keep the rate and the latency of each model, against whole ones for "
        "each. Which slices: best_slices('trace').",
        "columns": ["Models", "Found by", "Enough"],
        "rows": rows,
        "sql": SLICES_SQL,
    }


def _card(gpu: str | None, origin: str) -> str:
    """The card that classes are of, behind a comma, and what is not sure of it."""
    if origin == "measured":
        return ", by the largest rates of its kernels"
    return f", on {gpu or 'the stated card'}" + (" (assumed)" if origin == "assumed" else "")


def _graphs(connection) -> dict:
    rows = []
    for (graph, kind, algorithm, stacks), its in _grouped(
        connection, GRAPH_SQL, "trace", "kind", "algorithm", "stacks"
    ):
        saved = sorted({row["least_energy"] for row in its})
        rows.append(
            {
                "name": graph if kind == "dropped" else f"stand-in of {graph}",
                "trace": graph if kind == "dropped" else None,
                "meta": f"{ALGORITHMS.get(algorithm, algorithm)} on {stacks} stacks",
                "use": _ranges(its, "qr", "QR "),
                "cells": [f"{its[-1]['value']:.2f} times the baseline's", ", ".join(saved)],
            }
        )
    return {
        "study": "pim_graph",
        "title": "Graphs over stacks of memory that compute",
        "about": "The policy to use takes the least time; ties go to the simpler one. QR is the time of an access to "
        "remote memory in cycles, a local one takes 64. Energy: a remote access at five times a local one.",
        "columns": ["Graph", "Policy to use, by QR", "Its time at the largest QR", "Least energy"],
        "rows": rows,
        "sql": GRAPH_SQL,
    }


def _grouped(connection, sql: str, *columns: str) -> Iterable[tuple[tuple, list[dict]]]:
    """Rows of a query that agree in the columns and follow each other."""
    found = groupby(read(connection, sql).to_dicts(), key=itemgetter(*columns))
    return ((values, list(rows)) for values, rows in found)


def _ranges(rows: list[dict], column: str, before: str) -> list[dict]:
    """Schedulers of rows that follow each other, each with the range of `column` in which it is recommended."""
    found = []
    for scheduler, group in groupby(rows, key=lambda row: row["scheduler"]):
        its = list(group)
        first, last = its[0][column], its[-1][column]
        to = "" if last == first else f"–{number(last)}"
        found.append({"range": f"{before}{number(first)}{to}", "scheduler": scheduler, "rows": its})
    return found
