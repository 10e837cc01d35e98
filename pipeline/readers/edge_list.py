"""Edge lists of graphs: `*.edges`, `*.el`, `*.edgelist` or `*.txt`, plain or gzip, two vertex ids a line.

Source: the Stanford Network Analysis Project (SNAP), whose lists begin with comments; other lists of the kind.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings
from pipeline.readers._files import first_lines, line_blocks, stem
from pipeline.readers._items import Note, Observed, Reading, Trace, Whole, Yields

FORMAT = "edge_list"
GIVES = ("graphs",)

_SUFFIXES = tuple(s + zipped for s in (".edges", ".el", ".edgelist") for zipped in ("", ".gz"))
_TEXT = (".txt", ".txt.gz")
_NOTES = re.compile(r"(readme|license|licence|notes?|copying)\b", re.IGNORECASE)
_UNDIRECTED = re.compile(r"\bundirected\b", re.IGNORECASE)
_EDGE = re.compile(r"\s*+\d++[\s,;]++\d++(?:[\s,;]++\S*+)?\s*+")
_NAMES = re.compile(r"\W*(source|src|from\w*|u|node\w*|vertex\w*|id\w*)\b.*", re.IGNORECASE)
MOST_LOOKED = 20
"""Lines by which a text file is told to be one of edges."""
_HEADER = 1 << 16
"""Bytes in which a file has said in comments, if it ever does, that its edges have no direction."""
_COUNTS = re.compile(r"Nodes:\s*(\d+)\s+Edges:\s*(\d+)", re.IGNORECASE)


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The edge lists among the files. Text files are taken for such where nothing else but notes is in the drop."""
    lists = [file for file in files if stem(file, _SUFFIXES)]
    texts = [file for file in files if stem(file, _TEXT) and not _NOTES.match(file.name)]
    texts = texts if settings.format == FORMAT else [file for file in texts if _holds_edges(file)]
    others = [file for file in files if file not in lists and file not in texts and not _NOTES.match(file.name)]
    return sorted([*lists, *(texts if not others or settings.format == FORMAT else [])])


def _holds_edges(file: Path) -> bool:
    """Whether most of the first lines are two whole numbers, under no header but one of vertices; so of no lines."""
    lines = [line for line in first_lines(file) if line.strip() and line.lstrip()[0] not in "#%"][:MOST_LOOKED]
    if lines and re.match(r"\W*[^\W\d]", lines[0]) and not _NAMES.fullmatch(lines[0]):
        return False
    return 2 * sum(bool(_EDGE.fullmatch(line)) for line in lines) >= len(lines) - 1 or len(lines) < 2


def guesses(files: list[Path]) -> bool:
    """Whether nothing but the end of its name, `.txt`, says that a file is one of edges; other readers go first."""
    return not any(stem(file, _SUFFIXES) for file in files)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The graph of each file: trace `<drop>`, or `<drop>/<stem>` where there are several."""
    graphs = []
    for file in files:
        name = stem(file, (*_SUFFIXES, *_TEXT))
        trace_id = drop.name if len(files) == 1 else f"{drop.name}/{name}"
        yield Trace(trace_id)
        with Reading(file) as reading:
            graphs.append((yield from _read(drop, file, trace_id)))
        yield reading
    if graphs:
        yield Whole("graphs", pl.DataFrame(graphs))


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the graphs, one after the other."""
    from pipeline.readers import _edges

    stated = drop.settings.directed

    def both_ways(text: bytes) -> bool:
        return not stated if stated is not None else bool(_UNDIRECTED.search(text[:_HEADER].decode(errors="replace")))

    return _edges.memory_bytes(files, drop.settings, both_ways)


def _read(drop: Drop, file: Path, trace_id: str) -> Yields[dict]:
    # Compiled parts are loaded when they are used.
    from pipeline.readers import _edges

    comments: list[str] = []
    edges = yield from _edges.parse(line_blocks(file), file, trace_id, drop.settings.weights, comments.append)
    said = " ".join(comments)
    directed = drop.settings.directed
    if directed is None:
        directed = not _UNDIRECTED.search(said)
    ids, edges = _edges.numbered(edges)
    announced = _COUNTS.search(said)
    if announced and (int(announced[1]), int(announced[2])) != (len(ids), len(edges.source)):
        detail = f"the header announces {announced[1]} nodes and {announced[2]} edges, the file has {len(ids)} and "
        yield Observed(trace_id, "edges", "count_differs", len(edges.source), f"{detail}{len(edges.source)}")
        yield Note(trace_id, f"Careful: {detail}{len(edges.source)}.")
    return (yield from _edges.hand_over(trace_id, edges, len(ids), ids, directed))
