"""The page's first table: which scheduler, and how much of the machine is enough, for each trace that was dropped."""

from __future__ import annotations

from pipeline.quantities import number, share

PREFERRED_BOUND = 0.01
"""Loss of utilisation for which the first table says how much memory is enough, where it is among the bounds."""


def by_trace(traces: list[dict], memory: list[dict], ranks: dict, others: list[dict]) -> list[dict]:
    """Every trace that was read with its answers: trace_id, kind, format and `answers` (study, about, use, enough).

    traces: rows of the table `trace`; memory: the answers for HPC machines; ranks: pim_answers and ranks_to_give;
    others: the blocks of gpu_answers. A trace that nothing was replayed from has no answers.
    """
    return [
        {name: trace[name] for name in ("trace_id", "kind", "format")}
        | {"answers": [*_memory(trace, memory), *_ranks(trace, ranks), *_others(trace, others)]}
        for trace in traces
        if trace["status"] == "read"
    ]


def _memory(trace: dict, answers: list[dict]) -> list[dict]:
    found = []
    for row in answers:
        if row["trace_id"] != trace["trace_id"] or row["kind"] not in ("replayed", "composed"):
            continue
        bound = min(row["enough"], key=lambda bound: abs(bound - PREFERRED_BOUND), default=None)
        kept = row["enough"].get(bound)
        if kept is None or kept["memory_per_node_gb"] is None:
            enough = "no size tried is enough"
        else:
            size = f"{number(kept['memory_per_node_gb'])} GB a node with {kept['scheduler']}"
            enough = f"{size}, for a loss of utilisation of up to {share(bound, 0)}"
        about = "its jobs" if row["kind"] == "replayed" else f"its jobs with memory of {row['shapes']}"
        use = [
            {
                "range": f"{number(use['from_gb'])}"
                + ("" if use["to_gb"] == use["from_gb"] else f"–{number(use['to_gb'])}")
                + " GB",
                "scheduler": use["scheduler"],
            }
            for use in row["use"]
        ]
        found.append({"study": "hpc_memory", "about": about, "use": use, "enough": enough})
    return found


def _ranks(trace: dict, ranks: dict) -> list[dict]:
    found = [
        {
            "study": "pim_ranks",
            "about": row["about"],
            "use": [{"range": use["sets"], "scheduler": use["scheduler"]} for use in row["use"]],
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
        for block in blocks
        for row in block["rows"]
        if row["trace"] == trace["trace_id"]
    ]


def _enough(block: dict, row: dict) -> str:
    """The first column beside the scheduler, named where it is no amount of the machine."""
    label = block["columns"][2]
    return row["cells"][0] if label == "Enough" else f"{label[0].lower()}{label[1:]}: {row['cells'][0]}"
