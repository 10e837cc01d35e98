"""Edges of a graph in text: two whole numbers per line, perhaps a third; what readers of graphs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numba import njit

from pipeline.drops import Refusal
from pipeline.readers._extent import beginning
from pipeline.readers._items import Counted, LeftOut, Note, Piece, Rejected, Yields
from pipeline.simulation.csr import compressed

MOST_ID = 2**32 - 1
LOOKUP = 2**28
"""Largest id up to which ids are numbered by a table of them all, where edges are not few; above they are sorted."""
IDS_PER_EDGE = 64
MOST_IDLE = 2**24
"""Vertices that a graph may have without an edge, beside some for each edge: they take memory and no bytes."""
REJECTED_AT_ONCE = 1 << 16
MOST_BEFORE_AN_EDGE = 1 << 18
"""Comments and other lines that a file may begin with."""
PIECE = 1 << 20
BYTES_AN_EDGE, BYTES_A_WEIGHT = 30, 24
"""Peak memory of an edge, once for each way that it leads, and what a weight adds (docs/guides/scale-out.md)."""
HUGE = 2**62
"""What numbers of more than 18 digits are read as: neither an id nor a weight."""
FINE, COMMENT, MALFORMED, NEGATIVE, TOO_LARGE, WEIGHT, HEAVY, NO_NEIGHBOURS = range(8)
REASONS = {
    MALFORMED: ("malformed_edge", "an edge is two whole numbers, perhaps with a whole weight behind them"),
    NEGATIVE: ("vertex_negative", "ids of vertices are 0 or more"),
    TOO_LARGE: ("vertex_too_large", f"ids of vertices are at most {MOST_ID}"),
    WEIGHT: ("weight_not_positive", "weights are whole numbers above 0; `weights: false` leaves them out"),
    NO_NEIGHBOURS: ("malformed_neighbours", "a line is the neighbours of a vertex, with the weights of the first line"),
}
LIGHTER = (
    "paths of all vertices must be shorter than 2^63, and a weight has at most 18 digits; divide the weights by one "
    "number, or leave them out with `weights: false`"
)

Scan = Callable[[int, np.ndarray, int], tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]]
"""Of the number of a block's first line, its bytes and number of lines: edges' source, target and weight, the lines
that are none (see `scan`), and whether it has weights."""


def memory_bytes(files: Sequence[Path], of_head: Callable[[Path, bytes], tuple[bool, bool, bool]]) -> int:
    """Peak memory of reading files of edges one by one.

    of_head: by a file's beginning, whether edges lead both ways, have weights, and are words in lines of many.
    """
    needed = 0
    for file in files:
        text, lines = beginning(file)
        columns = len(text.rpartition(b"\n")[0].rpartition(b"\n")[2].replace(b",", b" ").split())
        both_ways, weights, words = of_head(file, text)
        an_edge = BYTES_AN_EDGE + (BYTES_A_WEIGHT if weights and columns > 2 else 0)
        edges = lines if not words else lines * len(text.split()) / max(text.count(b"\n"), 1)
        needed = max(needed, int(edges * an_edge * (2 if both_ways else 1)))
    return needed


@dataclass
class Edges:
    """Edges as they are read: source, target and weight (None: no file has any), in the file's ids."""

    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray | None
    sizes_first: bool = False
    """Whether the first line had the sizes of the rest, and was no edge."""


def lines_of(weights: bool, letter: str = "", more: bool = False) -> Scan:
    """Reads lines of two ids and perhaps a weight. letter: what they begin with; more: whether columns may follow."""

    def scanned(_: int, text: np.ndarray, lines: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
        source, target, weight = np.empty(lines, np.uint32), np.empty(lines, np.uint32), np.empty(lines, np.int64)
        other = np.empty((lines, 4), np.int64)
        count, others, columns = scan(text, weights, ord(letter or "\0"), more, source, target, weight, other)
        return source[:count], target[:count], weight[:count], other[:others], columns == 3

    return scanned


def neighbours_of(vertices: int, skip: int, stand: bool, weights: bool) -> Scan:
    """Reads lines of the neighbours of vertices 1, 2, … (METIS), each after `skip` numbers.

    stand: whether each neighbour has a weight behind it; weights: whether it is used.
    """
    vertex = 0

    def scanned(_: int, text: np.ndarray, lines: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, bool]:
        nonlocal vertex
        most = len(text) // 2 + 1
        source, target, weight = np.empty(most, np.uint32), np.empty(most, np.uint32), np.ones(most, np.int64)
        other = np.empty((lines, 4), np.int64)
        count, others, vertex = scan_neighbours(text, vertex, vertices, skip, stand, source, target, weight, other)
        return source[:count], target[:count], weight[:count], other[:others], weights

    return scanned


def parse(
    blocks: Iterator[tuple[int, bytes]], file: Path, trace_id: str, scanned: Scan, comment: Callable[[str], None],
    sizes: tuple[int, int] | None = None,
) -> Yields[Edges]:  # fmt: skip
    """Edges of blocks of lines, each with the number of its first line; bad lines are rejected.

    sizes: vertices and edges that the first edge may be, as a block of its own; it is if the rest has them. comment:
    takes the comments. A line before the first edge that begins with a blank and is no edge continues one.
    """
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]] = []
    rows, rejected, comments = 0, 0, 0
    for first, block in blocks:
        text = np.frombuffer(block, np.uint8)
        lines = block.count(b"\n") + (0 if block.endswith(b"\n") else 1)
        source, target, weight, other, weighted = scanned(first, text, lines)
        count = len(source)
        rejected += len(other)
        if not rows + count and rejected > MOST_BEFORE_AN_EDGE:
            raise Refusal(
                "no_edges", f"none of the first {first + lines - 1} lines is an edge; this is no list of edges"
            )
        bad: list[tuple[int, str, str]] = []
        begun = _first_edge(other, lines) if len(other) and not parts else 0
        for kind, line, begin, end in _rows(other):
            said = block[begin:end].decode(errors="replace")
            if kind == COMMENT or (kind == MALFORMED and said[:1] in " \t" and not parts and line < begun):
                comment(said)
                comments += 1
            elif kind == HEAVY:
                raise Refusal("weight_too_large", f"{said[:80]!r}: {LIGHTER}", row=first + line)
            else:
                reason, right = REASONS[kind]
                bad.append((first + line, reason, f"{said[:80]!r}: {right}"))
            if len(bad) == REJECTED_AT_ONCE:
                yield from _reject(bad, file, trace_id)
        if bad:
            yield from _reject(bad, file, trace_id)
        rows += count
        if count:
            parts.append((source.copy(), target.copy(), weight.copy() if weighted else None))
    sizes_first = bool(sizes and parts[1:]) and rows - 1 + rejected - comments == sizes[1]
    if sizes_first and all(max(part[0].max(), part[1].max()) <= sizes[0] for part in parts[1:]):
        parts, rows = parts[1:], rows - 1
    else:
        sizes_first = False
    yield Counted(file, rows)
    if not parts:
        raise Refusal(
            "graph_empty",
            f"none of the {rejected - comments} lines is an edge" if rejected > comments else "the file holds no edge",
        )
    sources, targets, weights_of = zip(*parts, strict=True)
    return Edges(np.concatenate(sources), np.concatenate(targets), _weights(sources, weights_of), sizes_first)


def _weights(sources: Sequence[np.ndarray], weights: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """Weights of all blocks, 1 in those that have none; None where no block has any."""
    if all(part is None for part in weights):
        return None
    return np.concatenate(
        [np.ones(len(s), np.int64) if w is None else w for s, w in zip(sources, weights, strict=True)]
    )


def _rows(other: np.ndarray) -> Iterator[list[int]]:
    """Rows of an array as Python numbers, of which only some are there at a time."""
    for start in range(0, len(other), REJECTED_AT_ONCE):
        yield from other[start : start + REJECTED_AT_ONCE].tolist()


def _reject(bad: list[tuple[int, str, str]], file: Path, trace_id: str) -> Yields[None]:
    """Hand bad lines over, and forget them."""
    frame = pl.DataFrame(bad, schema=["row", "reason", "detail"], orient="row")
    yield Rejected(frame, file, "edges", trace_id)
    bad.clear()


def _first_edge(other: np.ndarray, lines: int) -> int:
    """Number of the first line that is none of `other`."""
    missing = np.setdiff1d(np.arange(lines), other[:, 1], assume_unique=True)
    return int(missing[0]) if len(missing) else lines


@njit(cache=True)
def scan(text, weights, letter, more, source, target, weight, other):
    """Read the lines of a block. Returns edges, lines that are none, and the largest number of columns.

    text: uint8[bytes]; letter: what edges begin with, 0: nothing; more: whether columns may follow the weight.
    Written: source, target: uint32, weight: int64, and other: int64[lines, 4], kind, line (from 0), first and past byte
    of the lines that are no edges (blank ones are passed over).
    """
    count, others, columns = 0, 0, 0
    line, at = 0, 0
    while at < len(text):
        begin = at
        while at < len(text) and text[at] != 10:
            at += 1
        end = at
        at += 1
        if end > begin and text[end - 1] == 13:
            end -= 1
        kind, a, b, c, line_columns = _edge(text, begin, end, weights, letter, more)
        if kind == FINE and line_columns:
            source[count], target[count], weight[count] = a, b, c
            count += 1
            columns = max(columns, line_columns)
        elif kind != FINE:
            other[others, 0], other[others, 1], other[others, 2], other[others, 3] = kind, line, begin, end
            others += 1
        line += 1
    return count, others, columns


@njit(cache=True)
def _edge(text, begin, end, weights, letter, more):
    """Kind of a line, source, target, weight (1 without), and number of columns (0: a blank line)."""
    values = np.ones(3, np.int64)
    negative = np.zeros(3, np.bool_)
    columns = 0
    at = begin
    if letter and begin < end:
        if text[begin] == 99:
            return COMMENT, 0, 0, 1, 0
        if text[begin] != letter or begin + 1 == end or text[begin + 1] > 32:
            return MALFORMED, 0, 0, 1, 0
        at += 1
    while True:
        while at < end and (text[at] == 32 or text[at] == 9 or text[at] == 44):
            at += 1
        if at == end:
            break
        if columns == 0 and (text[at] == 35 or text[at] == 37):
            return COMMENT, 0, 0, 1, 0
        if columns == 2 and not weights:
            break
        if columns == 3:
            if more:
                break
            return MALFORMED, 0, 0, 1, 0
        if text[at] == 45:
            negative[columns] = True
            at += 1
        digits, value = 0, 0
        while at < end and 48 <= text[at] <= 57:
            if digits < 18:
                value = 10 * value + (text[at] - 48)
            digits += 1
            at += 1
        if digits == 0 or (at < end and text[at] != 32 and text[at] != 9 and text[at] != 44):
            return WEIGHT if columns == 2 else MALFORMED, 0, 0, 1, 0
        values[columns] = value if digits <= 18 else HUGE
        columns += 1
    if columns == 0:
        return FINE, 0, 0, 1, 0
    if columns == 1:
        return MALFORMED, 0, 0, 1, 0
    for k in range(2):
        if negative[k] and values[k]:
            return NEGATIVE, 0, 0, 1, 0
        if values[k] > MOST_ID:
            return TOO_LARGE, 0, 0, 1, 0
    if negative[2] or values[2] < 1:
        return WEIGHT, 0, 0, 1, 0
    if values[2] == HUGE:
        return HEAVY, 0, 0, 1, 0
    return FINE, values[0], values[1], values[2], columns


@njit(cache=True)
def scan_neighbours(text, vertex, vertices, skip, stand, source, target, weight, other):
    """Read lines of the vertices after `vertex`. Returns edges, lines that are none, and the last vertex; see `scan`.

    source, target, weight have room for half the bytes and one more; a line with a fault has no edge.
    """
    count, others, line, at = 0, 0, 0, 0
    while at < len(text):
        begin = at
        while at < len(text) and text[at] != 10:
            at += 1
        end = at
        at += 1
        kind, words, of_line, position = FINE, 0, 0, begin
        if begin < end and text[begin] == 37:
            kind = COMMENT
        else:
            vertex += 1
        while kind == FINE:
            while position < end and (text[position] == 32 or text[position] == 9 or text[position] == 13):
                position += 1
            if position == end:
                break
            digits, value = 0, 0
            while position < end and 48 <= text[position] <= 57:
                if digits < 18:
                    value = 10 * value + (text[position] - 48)
                digits += 1
                position += 1
            if digits == 0 or vertex > vertices or (position < end and text[position] > 32):
                kind = NO_NEIGHBOURS
            elif words >= skip and stand and (words - skip) % 2:
                kind = HEAVY if digits > 18 else FINE if value else WEIGHT
                weight[count + of_line - 1] = value
            elif words >= skip:
                if value < 1 or value > vertices or digits > 18:
                    kind = NO_NEIGHBOURS
                source[count + of_line], target[count + of_line] = vertex, value
                of_line += 1
            words += 1
        if kind == FINE and words and (words < skip or (stand and (words - skip) % 2)):
            kind = NO_NEIGHBOURS
        if kind == FINE:
            count += of_line
        else:
            other[others, 0], other[others, 1], other[others, 2], other[others, 3] = kind, line, begin, end
            others += 1
        line += 1
    return count, others, vertex


@njit(cache=True)
def components(first, target):
    """Number of weakly connected components of compressed rows (see csr): first[n + 1], target."""
    n = len(first) - 1
    parent = np.arange(n).astype(target.dtype)
    count = n
    for v in range(n):
        root = v
        while parent[root] != root:
            parent[root] = parent[parent[root]]
            root = parent[root]
        for e in range(first[v], first[v + 1]):
            w = target[e]
            if parent[w] == root:
                continue
            while parent[w] != w:
                parent[w] = parent[parent[w]]
                w = parent[w]
            if w != root:
                count -= 1
                if w < root:
                    parent[root] = w
                    root = w
                else:
                    parent[w] = root
    return count


def within(edges: Edges, size: int) -> Edges:
    """Edges between 1 and `size`, which the head of a file states, numbered from 0; raises Refusal for others."""
    if size > MOST_IDLE + IDS_PER_EDGE * len(edges.source):
        raise Refusal(
            "graph_too_large", f"the header states {size} rows for {len(edges.source)} entries; state those used"
        )
    for side in (edges.source, edges.target):
        if side.min() < 1 or side.max() > size:
            raise Refusal("vertex_too_large", f"a row or column lies outside 1 to {size}, which the header states")
    return Edges(edges.source - 1, edges.target - 1, edges.weight)


def numbered(edges: Edges) -> tuple[np.ndarray, Edges]:
    """Ids that occur, ascending, and the edges with each id replaced by its place among them."""
    most = int(max(edges.source.max(), edges.target.max()))
    if most < min(LOOKUP, max(1 << 20, IDS_PER_EDGE * len(edges.source))):
        there = np.zeros(most + 1, np.bool_)
        there[edges.source] = True
        there[edges.target] = True
        ids = np.flatnonzero(there)
        # Ids are below 2^32, so their places are, too; half the memory of the default type.
        place = (np.cumsum(there, dtype=np.int64) - 1).astype(np.uint32)
        return ids, Edges(place[edges.source], place[edges.target], edges.weight, edges.sizes_first)
    ids = np.unique(np.concatenate([edges.source, edges.target]))
    source, target = (np.searchsorted(ids, side).astype(np.uint32) for side in (edges.source, edges.target))
    return ids.astype(np.int64), Edges(source, target, edges.weight, edges.sizes_first)


def hand_over(trace_id: str, edges: Edges, vertices: int, ids: np.ndarray | None, directed: bool) -> Yields[dict]:
    """A graph's edges, sorted, without self loops and parallel edges. Returns its row of `graphs`.

    edges: numbered from 0; ids: int64[vertices], original ids; None: 1 more than the numbers.
    """
    source, target = edges.source, edges.target
    if edges.weight is not None and vertices * int(edges.weight.max()) >= 2**63:
        raise Refusal("weight_too_large", f"{vertices} vertices times {edges.weight.max()}, a weight: {LIGHTER}")
    weight = np.ones(len(source), np.uint8) if edges.weight is None else edges.weight
    if not directed:
        source, target, weight = np.concatenate([source, target]), np.concatenate([target, source]), np.tile(weight, 2)
    first, target, weight, loops, parallel = compressed(vertices, source, target, weight)
    # Counts are of rows of the file: where edges lead both ways, each has been there twice.
    ways = 1 if directed else 2
    loops, parallel = loops // ways, parallel // ways
    for start in range(0, len(target), PIECE):
        stop = min(start + PIECE, len(target))
        source = np.searchsorted(first, np.arange(start, stop), side="right") - 1
        frame = pl.DataFrame({"source": source, "target": target[start:stop], "weight": weight[start:stop]})
        yield Piece("edges", trace_id, frame, stop // ways - start // ways)
    original = np.arange(1, vertices + 1) if ids is None else ids
    for start in range(0, vertices, PIECE):
        these = np.arange(start, min(start + PIECE, vertices))
        yield Piece("vertex_ids", trace_id, pl.DataFrame({"vertex": these, "original_id": original[these]}))
    yield LeftOut(trace_id, "edges", "self_loop", loops, "edges from a vertex to itself")
    yield LeftOut(
        trace_id, "edges", "parallel_edge", parallel,
        "edges beside another of no more weight between the same vertices, in "
        + ("the same direction" if directed else "either direction"),
    )  # fmt: skip
    leads = "directed" if directed else "undirected, each edge counted both ways"
    parts = components(first, target)
    yield Note(
        trace_id,
        f"{vertices} vertices, {len(target)} edges ({leads}; {'un' if edges.weight is None else ''}weighted), {parts} "
        f"{'weakly ' if directed else ''}connected component{'s' * (parts != 1)}.",
    )
    return {
        "trace": trace_id, "vertices": vertices, "edges": len(target), "directed": directed,
        "weighted": edges.weight is not None, "self_loops": int(loops), "parallel_edges": int(parallel),
        "least_id": int(original[0]), "most_id": int(original[-1]),
    }  # fmt: skip
