"""Jobs that share nodes: whether they do, by lists of nodes or by processors, and the machine they are counted on.

Where jobs share nodes, cores are counted in place of nodes, and memory is per core. A job on one core may use all of
its node's memory, so a node's memory is no limit of its cores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.drops import DropSettings
from pipeline.readers import _partitions, _placements
from pipeline.readers._items import Note, Trace, Warn, Yields
from pipeline.readers._machine import NODE_LISTS, NODE_TOLERANCE
from pipeline.readers._placements import NodeLists
from pipeline.tables import CORE, NODE

SHARING = 0.05
"""Share of the jobs that another job was on a node with, or that took half a node or less, beyond which cores count."""
MOST_NAMES, MOST_PLACES = 1 << 23, 1 << 26
"""Names in all different lists of nodes, and nodes of all jobs together, up to which they are looked at."""


class Named(NamedTuple):
    """Nodes that the jobs of a log name: their lists, how many nodes there are, and whether every job names its own."""

    lists: NodeLists
    nodes: int
    all_jobs: bool


def of_texts(lists: pl.Series, names_of: Callable[[str], list[str] | None]) -> Named:
    """Nodes by the text of each job's list, which `names_of` takes apart (None: it cannot be read).

    None are named where that would be too many to hold.
    """
    numbers: dict[str, int] = {}
    of_text: dict[str, np.ndarray] = {}
    read = 0
    for text in lists.drop_nulls().unique(maintain_order=True):
        names = names_of(text)
        read += len(names or ())
        if read > MOST_NAMES:
            return _none(lists.len())
        of_text[text] = np.unique([numbers.setdefault(name, len(numbers)) for name in names or ()]).astype(np.int32)
    count = lists.replace_strict(
        {text: len(nodes) for text, nodes in of_text.items()}, default=0, return_dtype=pl.Int64
    )
    if not of_text or count.sum() > MOST_PLACES:
        return _none(lists.len())
    places = [of_text[text] for text in lists.drop_nulls()]
    first = np.append(0, np.cumsum(count.to_numpy()))
    return Named(NodeLists(first, np.concatenate(places)), len(numbers), bool((count > 0).all()))


def of_numbers(lists: pl.Series) -> Named:
    """Nodes by the numbers (a list per job, none twice) that the reader gave names, made dense; null: not known."""
    count = lists.list.len().fill_null(0).cast(pl.Int64)
    if not count.sum() or count.sum() > MOST_PLACES:
        return _none(lists.len())
    # An empty list would be exploded to a null. Hosts of superseded records alone have no job left.
    names, node = np.unique(lists.filter(count > 0).explode().to_numpy(), return_inverse=True)
    first = np.append(0, np.cumsum(count.to_numpy()))
    return Named(NodeLists(first, node.astype(np.int32)), len(names), bool((count > 0).all()))


def on_machine(
    trace_id: str,
    jobs: pl.DataFrame,
    named: Named,
    settings: DropSettings,
    *,
    allocated: bool = True,
    only_cpus: bool = False,
) -> Yields[tuple[pl.DataFrame, bool]]:
    """Declare the machine; jobs that share nodes are counted in cores, their memory per core. Whether they are, too.

    jobs: `nodes`, `cpus` (null: all of its nodes), `requested_memory_gb` and `used_memory_gb` per node, `partition`,
    start and end in microseconds. allocated: whether `cpus` are those that a job got; only_cpus: whether the log has no
    nodes. Raises Refusal where partitions that trace.yaml names share nodes.
    """
    _partitions.require_own_nodes(jobs, named.lists, settings.partitions)
    of_node = cores_of_node(settings)
    # A job that failed at its start may say what no node has.
    ran = jobs.filter(pl.col("nodes") > 0, pl.col("end_s") > pl.col("start_s"))
    on_node = ran.select((pl.col("cpus") / pl.col("nodes")).drop_nulls()).to_series()
    shared, why = _sharing(jobs, named, on_node if allocated else on_node.clear(), of_node)
    only_cpus = only_cpus and of_node is None
    counts_cores = settings.share == "cores" or (settings.share is None and (shared or only_cpus))
    if of_node is None and not only_cpus and on_node.len():
        of_node = int(np.ceil(on_node.max()))
    cores = of_node or 1
    size = named.nodes if named.all_jobs else None
    if not counts_cores:
        yield Trace(trace_id, nodes=size, nodes_origin=NODE_LISTS, unit=NODE)
        if why:
            yield Warn(trace_id, f"{why}; nodes are counted, so each of these jobs takes its nodes whole.")
        return jobs, False
    yield Trace(trace_id, nodes=size and size * cores, nodes_origin=NODE_LISTS, unit=CORE, cores=of_node)
    if on_node.len() and not only_cpus and on_node.max() > cores:
        yield Warn(trace_id, f"A job got {on_node.max():g} processors on a node, where {cores} are stated.")
    if settings.share is None:
        reason = why or "The log counts processors only"
        yield Note(trace_id, f"{reason}: cores are counted in place of nodes, and memory is per core.")
    own = pl.coalesce("cpus", pl.col("nodes") * cores)
    # What no node holds stays as it is, so that it is rejected by what it is on a node.
    most_gb = NODE_TOLERANCE * (settings.node_memory_gb or float("inf"))
    memory = (
        pl.when(pl.col(name) > most_gb).then(name).otherwise(pl.col(name) * (pl.col("nodes") / own)).alias(name)
        for name in ("requested_memory_gb", "used_memory_gb")
    )
    return jobs.with_columns(*memory, nodes=own), True


def cores_of_node(settings: DropSettings) -> int | None:
    """Cores of a node, where trace.yaml states them."""
    return settings.cpus_per_node if "cpus_per_node" in settings.model_fields_set else None


def _none(rows: int) -> Named:
    return Named(NodeLists(np.zeros(rows + 1, np.int64), np.empty(0, np.int32)), 0, False)


def _sharing(jobs: pl.DataFrame, named: Named, on_node: pl.Series, of_node: int | None) -> tuple[bool, str]:
    """Whether jobs share nodes, and in words why: by their lists of nodes, or where there are none by the processors
    they got on a node (`on_node`), against all a node has (`of_node`, or the most that any got).
    """
    placed = np.flatnonzero(np.diff(named.lists.first))
    if placed.size:
        times = (jobs[name].fill_null(0).to_numpy() // 1000 for name in ("start_s", "end_s"))
        sharing_jobs = int(_placements.shared(placed, *times, named.lists, named.nodes)[0].sum())
        share, what = sharing_jobs / placed.size, "were on a node with another job"
    elif on_node.len():
        sharing_jobs = int((on_node <= (of_node or on_node.max()) / 2).sum())
        share, what = sharing_jobs / on_node.len(), "got half of a node's processors or fewer"
    else:
        return False, ""
    return share >= SHARING, f"{sharing_jobs} jobs ({share:.1%}) {what}" if sharing_jobs else ""
