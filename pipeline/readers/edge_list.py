"""Graphs in text: lists of edges (`*.edges`, `*.el`, `*.txt` …), CSV with a header, DIMACS `*.gr`, METIS `*.graph`.

Sources: the Stanford Network Analysis Project (SNAP), whose lists begin with comments, and those of `_graph_heads`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers import _graph_heads
from pipeline.readers._files import CsvTable, first_lines, line_blocks, stem
from pipeline.readers._items import Note, Observed, Reading, Trace, Warn, Whole, Yields

if TYPE_CHECKING:
    from pipeline.readers import _edges

FORMAT = "edge_list"
GIVES = ("graphs",)

_LISTS = (".edges", ".el", ".wel", ".edgelist", ".gr", ".graph", ".metis")
_SUFFIXES = tuple(s + zipped for s in _LISTS for zipped in ("", ".gz"))
_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_TEXT = (".txt", ".txt.gz")
_NOTES = re.compile(r"(readme|license|licence|notes?|copying)\b", re.IGNORECASE)
_EDGE = re.compile(r"\s*+\d++[\s,;]++\d++(?:[\s,;]++[^\s,;]++){0,2}+[\s,;]*+")
_NAMES = re.compile(r"\W*(source|src|from\w*|u|node\w*|vertex\w*|id\w*)\b.*", re.IGNORECASE)
MOST_LOOKED = 20
"""Lines by which a text file is told to be one of edges."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The graphs among the files. Text files are taken for such where nothing else but notes is in the drop."""
    lists = [file for file in files if stem(file, _SUFFIXES) or _is_headed(file)]
    texts = [file for file in files if stem(file, _TEXT) and file not in lists and not _NOTES.match(file.name)]
    texts = texts if settings.format == FORMAT else [file for file in texts if _holds_edges(file)]
    others = [file for file in files if file not in lists and file not in texts and not _NOTES.match(file.name)]
    return sorted([*lists, *(texts if not others or settings.format == FORMAT else [])])


def _is_headed(file: Path) -> bool:
    """Whether a table has columns of edges, a text begins as one of DIMACS, or a file of KONECT's names as theirs."""
    if stem(file, _TABLES):
        lines = [line for line in first_lines(file) if line.strip() and line.lstrip()[0] not in "#%"]
        return bool(lines and _graph_heads.sides(lines[0]))
    if stem(file, _TEXT):
        return _graph_heads.head_of(first_lines(file), "", None).kind == _graph_heads.ARCS
    return file.name.startswith("out.") and bool(_graph_heads.KONECT.match("".join(first_lines(file)[:1])))


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
        name = stem(file, (*_SUFFIXES, *_TEXT, *_TABLES)) or file.name
        trace_id = drop.name if len(files) == 1 else f"{drop.name}/{name}"
        yield Trace(trace_id)
        with Reading(file) as reading:
            graphs.append((yield from _read(drop.settings, file, trace_id)))
        yield reading
    if graphs:
        yield Whole("graphs", pl.DataFrame(graphs))


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the graphs, one after the other."""
    from pipeline.readers import _edges

    def of_head(file: Path, _: bytes) -> tuple[bool, bool, bool]:
        try:
            head = _graph_heads.head_of(first_lines(file), file.name, drop.settings.weights)
        except Refusal:
            # Reading says what is wrong.
            return False, False, False
        return not _directed(drop.settings, head), head.weights, head.kind == _graph_heads.NEIGHBOURS

    return _edges.memory_bytes(files, of_head)


def _directed(settings: DropSettings, head: _graph_heads.Head) -> bool:
    stated = head.directed if settings.directed is None else settings.directed
    return True if stated is None else stated


def _read(settings: DropSettings, file: Path, trace_id: str) -> Yields[dict]:
    # Compiled parts are loaded when they are used.
    from pipeline.readers import _edges

    lines = first_lines(file)
    head = _graph_heads.head_of(lines, file.name, settings.weights)
    if head.kind == _graph_heads.TABLE:
        blocks = _rows(CsvTable(file, _graph_heads.separator(lines[head.line - 1]), header=head.line), head.columns)
    else:
        blocks = (piece for piece in _cut(line_blocks(file), head.line) if piece[0] != head.line or not head.sure)
    if head.kind == _graph_heads.NEIGHBOURS:
        scanned = _edges.neighbours_of(head.sizes[0], head.skip, head.more, head.weights)
    else:
        letter = "" if head.kind != _graph_heads.ARCS else "a" if head.directed else "e"
        scanned = _edges.lines_of(head.weights, letter, head.more)
    may_be = None if head.sure else head.sizes
    edges = yield from _edges.parse(blocks, file, trace_id, scanned, lambda _: None, may_be)
    directed = _directed(settings, head)
    if head.kind in (_graph_heads.ARCS, _graph_heads.NEIGHBOURS):
        vertices, ids, edges = head.sizes[0], None, _edges.within(edges, head.sizes[0])
    else:
        if head.two_sided:
            yield from _part(trace_id, edges)
        ids, edges = _edges.numbered(edges)
        vertices = len(ids)
    row = yield from _edges.hand_over(trace_id, edges, vertices, ids, directed)
    count = len(edges.source) // (2 if head.kind == _graph_heads.NEIGHBOURS else 1)
    announced = head.sizes if head.sure or edges.sizes_first else head.announced
    if announced and announced != (vertices, count):
        detail = f"the header announces {announced[0]} nodes and {announced[1]} edges, "
        detail += f"the file has {vertices} and {count}"
        yield Observed(trace_id, "edges", "count_differs", count, detail)
        yield Note(trace_id, f"Careful: {detail}.")
    if edges.sizes_first:
        yield Note(
            trace_id, f"The first line, {lines[head.line - 1].strip()}, has the sizes of the rest: it is no edge."
        )
    if head.more and head.kind == _graph_heads.LIST:
        yield Note(trace_id, "The fourth column is not read.")
    if head.doubt:
        yield Warn(
            trace_id,
            f"The third column is not taken for weights: {head.doubt}. State `weights: true` in trace.yaml if it is "
            "their weight, or `weights: false`.",
        )
    return row


def _part(trace_id: str, edges: _edges.Edges) -> Yields[None]:
    """Number the targets of a list with two sides on from the sources."""
    from pipeline.readers import _edges

    left = int(edges.source.max()) + int(edges.target.min() == 0)
    if left + int(edges.target.max()) > _edges.MOST_ID:
        raise Refusal("vertex_too_large", f"ids of both sides together are at most {_edges.MOST_ID}")
    edges.target += left
    yield Note(trace_id, f"Vertices of the second column are others than of the first; their ids are {left} larger.")


def _cut(blocks: Iterator[tuple[int, bytes]], line: int) -> Iterator[tuple[int, bytes]]:
    """The blocks, with a line (from 1) a block of its own."""
    for first, block in blocks:
        begin, number = 0, first
        while number < line and begin < len(block):
            begin = block.find(b"\n", begin) + 1 or len(block)
            number += 1
        if number > line or begin == len(block):
            yield first, block
            continue
        end = block.find(b"\n", begin) + 1 or len(block)
        pieces = (first, block[:begin]), (line, block[begin:end]), (line + 1, block[end:])
        yield from (piece for piece in pieces if piece[1])


def _rows(table: CsvTable, columns: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Columns of a table as blocks of lines of a list, each row on its line; rows that cannot be parsed say why."""
    malformed: list[pl.DataFrame] = []
    # An empty value, or blanks in one, would move the next ones; 3.0 is a whole number.
    values = [pl.col(name).fill_null("?").str.strip_chars().str.replace_all(r"\s|,", "_") for name in columns]
    values[2:] = [value.str.replace(r"\.0*$", "") for value in values[2:]]
    for batch in table.batches(columns, malformed.append):
        yield from _blocks(batch.select("row", text=pl.concat_str(values, separator=" ")))
        yield from (block for bad in malformed for block in _blocks(bad.select("row", text="detail")))
        malformed.clear()


def _blocks(rows: pl.DataFrame) -> Iterator[tuple[int, bytes]]:
    """Texts, each on the line of its row; lines between are blank."""
    if rows.height:
        every = pl.DataFrame({"row": range(rows["row"].min(), rows["row"].max() + 1)})
        texts = every.join(rows, on="row", how="left", maintain_order="left")["text"].fill_null("")
        yield int(every["row"][0]), "\n".join(texts.to_list()).encode()
