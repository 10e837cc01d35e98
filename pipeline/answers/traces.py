"""The page's first table: which scheduler, and how much of the machine is enough, for each trace that was dropped."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.answers.sizes import Sizes
from pipeline.drops.shipped import SHIPPED
from pipeline.runtime.quantities import durations, number, share

DEFAULT = "default"
"""Origin of used memory that is no measurement, `trace.memory_origin`."""
SHORT_WAIT_S = 1.0
LEAST_GROWTH, MOST_GROWTH = 0.005, 10.0
"""Growth of the wait below which it is none, and from which on a percentage says nothing."""


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
        use = [
            {"range": _range(use, row["sizes"]), "scheduler": use["scheduler"], "also": use["also"],
             "rows": use["rows"]}
            for use in row["use"]
        ]  # fmt: skip
        doubts = ". ".join(filter(None, (row["assumed"], row["warnings"])))
        found.append(
            {"study": "hpc_memory", "about": f"its jobs: {basis(row)}", "use": use,
             "enough": _declined(row) or enough(row["kept"], row["sizes"]),
             "assumed": doubts or None, "true": true.get(trace["trace_id"])}
        )  # fmt: skip
    return found


def _range(use: dict, sizes: Sizes) -> str:
    """Sizes of a scheduler, with what they are counted by where they are amounts."""
    said = sizes.range(use["from_gb"], use["to_gb"])
    return said if sizes.mean_gb else f"{said} {sizes.each}"


def basis(row: dict) -> str:
    """What an answer about a log rests on, in a clause: its share, the machine, its load."""
    load = f", offered load {number(row['offered_load'])}" if row["offered_load"] is not None else ""
    unit = row["unit"] or "node"
    share_of_log = row["share_of_log"]
    part = "all of them" if share_of_log == 1 else f"{share(share_of_log)} of them"
    return f"{part} on {number(row['nodes'])} {unit}s{load}"


def enough(kept: dict | None, sizes: Sizes) -> str:
    """How much memory is enough, with whom and how sure, and what that costs in waiting."""
    if kept is None or kept["memory_per_node_gb"] is None:
        return "no size that was tried is enough"
    loss, growth = share(kept["loss_bound"], 0), share(kept["response_bound"], 0)
    bounds = f"at most {loss} utilisation lost, {growth} more response time"
    said = [f"{sizes.enough(kept)} {_with(kept)}: {bounds}", waits(kept["wait_s"], kept["unlimited_wait_s"])]
    if sizes.mean_gb:
        said.append("say mean_memory_gb in trace.yaml to have it in GB")
    return "; ".join(said)


def _with(kept: dict) -> str:
    """The scheduler with which a size is enough, who ties with it and with whom it is open."""
    ties = kept["tied_with"].split(", ") if kept["tied_with"] else []
    if ties and len(ties) == kept["tried"] - 1:
        return "with any scheduler, all tie"
    others = [f"tie with {kept['tied_with']}"] if ties else []
    if kept["open_with"]:
        others.append(f"open with {kept['open_with']}")
    return f"with {kept['scheduler']}" + (f" ({'; '.join(others)})" if others else "")


def _declined(row: dict) -> str | None:
    """Why no amount can be said to be enough, and what to state; None where it can."""
    if row["memory_origin"] != DEFAULT:
        return None
    return (
        "cannot be said: used memory is a default of the site, no measurement. Say in trace.yaml which column has the "
        "memory that jobs used (columns: used_memory_gb)"
    )


def waits(wait_s: float, unlimited_wait_s: float) -> str:
    """How much longer users wait than with unlimited memory, both waits in one unit."""
    if max(wait_s, unlimited_wait_s) < SHORT_WAIT_S:
        return "users wait less than a second"
    ours, others = durations(wait_s, unlimited_wait_s)
    both = f"{ours} instead of {others}"
    growth = wait_s / unlimited_wait_s - 1 if unlimited_wait_s else MOST_GROWTH
    if growth >= MOST_GROWTH:
        return f"users wait {both}"
    if abs(growth) < LEAST_GROWTH:
        return f"users wait as long as with unlimited memory ({others})"
    return f"users wait {share(abs(growth), 0)} {'longer' if growth > 0 else 'less'} ({both})"


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
