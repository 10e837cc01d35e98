"""Partitions of a machine that `partitions:` of trace.yaml names: each is a machine, and a trace, of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import polars as pl

from pipeline.drops import Refusal
from pipeline.readers._items import Item, LeftOut, Note, Ordered, Piece, Refused, Rows, Trace, Warn, Whole
from pipeline.readers._placements import NodeLists
from pipeline.runtime.wording import did_you_mean, listing

MOST_SHOWN = 8


def split(items: Iterator[Item], drop: str, named: Collection[str]) -> Iterator[Item]:
    """The items, with the jobs of partition p of trace t as trace `t/p`; jobs of other partitions are left out.

    drop: its name, that of the trace of rows without one. A partition that no job ran in is refused alone. Raises
    Refusal where no job says its partition.
    """
    lacking = Refusal(
        "partition_missing",
        "trace.yaml names partitions, and the jobs do not say theirs (sacct: field Partition; tables: column "
        "partition); add them, or take `partitions` out",
    )
    said: dict[str, list[Trace | Note | Warn]] = {}
    parts: dict[str, list[str]] = {}
    other: Counter[str] = Counter()
    left_out: list[LeftOut] = []
    with closing(items):
        for item in items:
            if isinstance(item, (Trace, Note, Warn)):
                said.setdefault(item.trace, []).append(item)
                yield from (_of_part(item, part) for part in parts.setdefault(item.trace, []))
            elif not isinstance(item, (Rows, Ordered, Piece, Whole)) or item.table != "jobs":
                yield item
            else:
                if not isinstance(item, Rows):
                    raise lacking
                for trace, jobs in _by_trace(item.frame, drop):
                    of_named = jobs.filter(pl.col("partition").is_in(list(named)))
                    others = jobs.filter(~pl.col("partition").is_in(list(named)).fill_null(False))
                    other.update(others["partition"].drop_nulls())
                    what = "jobs of partitions that trace.yaml does not name"
                    left_out.append(LeftOut(trace, "jobs", "other_partition", others.height, what, item.file))
                    for part in of_named["partition"].unique(maintain_order=True):
                        if part not in parts[trace]:
                            parts[trace].append(part)
                            yield from (_of_part(sentence, part) for sentence in said[trace])
                    if of_named.height:
                        of_part = pl.concat_str("trace", "partition", separator="/").alias("trace")
                        yield replace(item, frame=of_named.with_columns(of_part))
    for trace, sentences in said.items():
        if not parts[trace]:
            yield from sentences
    ran = {part for begun in parts.values() for part in begun}
    if left_out and not ran and not other:
        raise lacking
    yield from left_out
    if ran or other:
        yield from (_unknown(part, {*ran, *other}) for part in named if part not in ran)


def _of_part(item: Trace | Note | Warn, part: str) -> Trace | Note | Warn:
    trace = f"{item.trace}/{part}"
    return replace(item, trace=trace, partition=part) if isinstance(item, Trace) else replace(item, trace=trace)


def _by_trace(jobs: pl.DataFrame, drop: str) -> Iterator[tuple[str, pl.DataFrame]]:
    """Jobs of each trace; where they say no trace it is the drop, and no partition: null."""
    told = {"trace": pl.lit(drop), "partition": pl.lit(None, dtype=pl.String)}
    lacking = [value.alias(name) for name, value in told.items() if name not in jobs.columns]
    for (trace,), of_trace in jobs.with_columns(lacking).group_by("trace", maintain_order=True):
        yield trace, of_trace


def _unknown(part: str, known: Collection[str]) -> Refused:
    where = listing(sorted(known), MOST_SHOWN)
    return Refused(
        Refusal("partition_unknown", f"no job ran in partition {part!r}, but in {where}{did_you_mean(part, known)}")
    )


def sentence(partitions: pl.Series) -> str | None:
    """What a log without `partitions:` could state; None where its jobs are of one partition, or of none known."""
    counts = partitions.drop_nulls().value_counts().sort("count", partitions.name, descending=[True, False])
    if counts.height < 2:
        return None
    shown = ", ".join(f"{name} {count}" for name, count in counts.head(MOST_SHOWN).iter_rows())
    more = f" and {counts.height - MOST_SHOWN} more" if counts.height > MOST_SHOWN else ""
    return f"Jobs by partition or queue: {shown}{more}; those with nodes of their own can be machines of their own."


def require_own_nodes(jobs: pl.DataFrame, lists: NodeLists, named: Collection[str]) -> None:
    """Raises Refusal where jobs of two of the named partitions ran on one node.

    jobs: `partition`; lists: the nodes of each.
    """
    if not named or "partition" not in jobs.columns:
        return
    codes = jobs["partition"].replace_strict(
        {name: n for n, name in enumerate(named)}, default=-1, return_dtype=pl.Int32
    )
    of_place = np.repeat(codes.fill_null(-1).to_numpy(), np.diff(lists.first))
    pairs = np.unique(np.column_stack([lists.node[of_place >= 0], of_place[of_place >= 0]]), axis=0)
    nodes, count = np.unique(pairs[:, 0], return_counts=True)
    shared = nodes[count > 1]
    if shared.size:
        both = np.unique(pairs[np.isin(pairs[:, 0], shared), 1])
        raise Refusal(
            "partitions_share_nodes",
            f"partitions {listing([list(named)[code] for code in both])} share nodes: jobs of more than one ran on "
            f"{shared.size} of the nodes; name partitions that have nodes of their own, or take `partitions` out",
        )
