"""The page's first table: which scheduler, and how much of the machine is enough, for each trace that was dropped."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.drops.shipped import SHIPPED
from pipeline.runtime.quantities import duration, number, share

FEWEST_BLOCKS = 5
"""Blocks below which the study gives no interval."""
PREFERRED_BOUND = 0.01
"""Loss of utilisation for which the first table says how much memory is enough, where it is among the bounds."""


def by_trace(
    traces: list[dict], memory: list[dict], ranks: dict, others: list[dict], true: Mapping[str, str]
) -> list[dict]:
    """Every trace that was read: trace_id, kind, format, own and its `answers` (study, about, use, enough).

    own: whether its drop is none of those that ship; own traces come first.
    traces: rows of the table `trace`; memory: the answers for HPC machines; ranks: pim_answers and ranks_to_give;
    others: the blocks of gpu_answers; true: see `fidelity.sentences`. A trace of which nothing was replayed has none.
    """
    found = [
        {name: trace[name] for name in ("trace_id", "kind", "format")}
        | {"own": trace["drop"] not in SHIPPED}
        | {"answers": [*_memory(trace, memory, true), *_ranks(trace, ranks), *_others(trace, others)]}
        for trace in traces
        if trace["status"] == "read"
    ]
    return sorted(found, key=lambda row: not row["own"])


def _memory(trace: dict, answers: list[dict], true: Mapping[str, str]) -> list[dict]:
    found = []
    for row in answers:
        if row["trace_id"] != trace["trace_id"] or row["kind"] not in ("replayed", "composed"):
            continue
        bound = min(row["enough"], key=lambda bound: abs(bound - PREFERRED_BOUND), default=None)
        kept = row["enough"].get(bound)
        about = f"its jobs: {basis(row)}"
        use = [
            {
                "range": f"{number(use['from_gb'])}"
                + ("" if use["to_gb"] == use["from_gb"] else f"–{number(use['to_gb'])}")
                + f" GB per {row['unit'] or 'node'}",
                "scheduler": use["scheduler"],
                "also": use["also"],
                "rows": use["rows"],
            }
            for use in row["use"]
        ]
        doubts = ". ".join(filter(None, (row["assumed"], row["warnings"])))
        found.append(
            {"study": "hpc_memory", "about": about, "use": use, "enough": enough(kept, row["unit"] or "node"),
             "assumed": doubts or None, "true": true.get(trace["trace_id"])}
        )  # fmt: skip
    return found


def basis(row: dict) -> str:
    """What an answer about a log rests on, in a clause: its share, the machine, its load."""
    load = f", offered load {number(row['offered_load'])}" if row["offered_load"] is not None else ""
    unit = row["unit"] or "node"
    share_of_log = row["share_of_log"]
    part = "all of them" if share_of_log == 1 else f"{share(share_of_log)} of them"
    return f"{part} on {number(row['nodes'])} {unit}s{load}"


def size(kept: dict) -> str:
    """The least memory that is enough, with its interval, or the word that less was not tried."""
    if kept["at_most"]:
        return f"≤ {number(kept['memory_per_node_gb'])} GB, the smallest tried"
    lo, hi = (None if end is None else number(end) for end in (kept["memory_lo_gb"], kept["memory_hi_gb"]))
    if lo is None and hi is None:
        within = "no interval" if kept["blocks"] < FEWEST_BLOCKS else "interval beyond the sizes tried"
    else:
        within = f"{lo}–{hi}" if lo and hi else f"above {lo}" if lo else f"up to {hi}"
    return f"{number(kept['memory_per_node_gb'])} GB ({within})"


def enough(kept: dict | None, unit: str = "node") -> str:
    """How much memory is enough and what that costs in waiting, in a sentence."""
    if kept is None or kept["memory_per_node_gb"] is None:
        return "no size that was tried is enough"
    wait = f"mean wait {duration(kept['wait_s'])} instead of {duration(kept['unlimited_wait_s'])}"
    loss, growth = share(kept["loss_bound"], 0), share(kept["response_bound"], 0)
    bounds = f"at most {loss} utilisation lost, {growth} more response time"
    return f"{size(kept)} per {unit} with {kept['scheduler']}: {bounds}; {wait}"


def _ranks(trace: dict, ranks: dict) -> list[dict]:
    found = [
        {
            "study": "pim_ranks",
            "about": row["about"],
            "use": [{"range": use["sets"], **use} for use in row["use"]],
            "enough": None,
        }
        for row in ranks["pim_answers"]
        if row["title"] == trace["trace_id"]
    ]
    for row in ranks["ranks_to_give"]:
        if row["trace_id"] == trace["trace_id"]:
            give = "; ".join(f"{g['ranks']} rank{'' if g['ranks'] == 1 else 's'}: {g['apps']}" for g in row["give"])
            found.append({"study": "pim_ranks", "about": "ranks for each application", "use": [], "enough": give})
    return found


def _others(trace: dict, blocks: list[dict]) -> list[dict]:
    return [
        {"study": block["study"], "about": row["meta"], "use": row["use"], "enough": _enough(block, row)}
        | ({"assumed": row["assumed"]} if row.get("assumed") else {})
        for block in blocks
        for row in block["rows"]
        if row["trace"] == trace["trace_id"]
    ]


def _enough(block: dict, row: dict) -> str:
    """The first column beside the scheduler, named where it is no amount of the machine."""
    label = block["columns"][2]
    return row["cells"][0] if label == "Enough" else f"{label[0].lower()}{label[1:]}: {row['cells'][0]}"
