"""Graphs in Matrix Market format: `*.mtx`, plain or gzip, square matrices in coordinate form.

Source: Boisvert, Pozo, Remington, *The Matrix Market Exchange Formats* (NIST, 1996): rows and columns are numbered from
1, and of symmetric matrices one triangle is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._files import line_blocks, stem
from pipeline.readers._items import Note, Observed, Reading, Trace, Whole, Yields

FORMAT = "matrix_market"
GIVES = ("graphs",)

_SUFFIXES = (".mtx", ".mtx.gz")
FIELDS = ("pattern", "integer", "real")
SYMMETRIES = ("general", "symmetric")


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The Matrix Market files among the files."""
    return [file for file in files if stem(file, _SUFFIXES)]


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The graph of each file: trace `<drop>`, or `<drop>/<stem>` where there are several."""
    graphs = []
    for file in files:
        trace_id = drop.name if len(files) == 1 else f"{drop.name}/{stem(file, _SUFFIXES)}"
        yield Trace(trace_id)
        with Reading(file) as reading:
            graphs.append((yield from _read(drop, file, trace_id)))
        yield reading
    if graphs:
        yield Whole("graphs", pl.DataFrame(graphs))


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the matrices, one after the other."""
    from pipeline.readers import _edges

    weights = drop.settings.weights is not False
    return _edges.memory_bytes(
        files, lambda _, text: (b"symmetric" in text.partition(b"\n")[0].lower(), weights, False)
    )


def _read(drop: Drop, file: Path, trace_id: str) -> Yields[dict]:
    # Compiled parts are loaded when they are used.
    from pipeline.readers import _edges

    blocks = line_blocks(file)
    size, symmetric, announced, rest = _header(blocks)
    lines = _edges.lines_of(drop.settings.weights is not False)
    edges = yield from _edges.parse(rest, file, trace_id, lines, lambda _: None)
    zero = _edges.within(edges, size)
    if announced != len(edges.source):
        detail = f"the header announces {announced} entries, the file has {len(edges.source)}"
        yield Observed(trace_id, "edges", "count_differs", len(edges.source), detail)
        yield Note(trace_id, f"Careful: {detail}.")
    return (yield from _edges.hand_over(trace_id, zero, size, None, not symmetric))


def _header(blocks: Iterator[tuple[int, bytes]]) -> tuple[int, bool, int, Iterator[tuple[int, bytes]]]:
    """Rows, whether it is symmetric, entries announced, and the blocks below; raises Refusal for other forms."""
    line, block = next(blocks)
    banner, _, block = block.partition(b"\n")
    words = banner.decode(errors="replace").lower().split()
    if words[:3] != ["%%matrixmarket", "matrix", "coordinate"] or len(words) != 5:
        raise Refusal(
            "header_malformed", "the first line must be `%%MatrixMarket matrix coordinate <field> <symmetry>`", row=1
        )
    if words[3] not in FIELDS or words[4] not in SYMMETRIES:
        known = f"{', '.join(FIELDS)} and {', '.join(SYMMETRIES)}"
        raise Refusal("header_malformed", f"{words[3]} {words[4]} matrices are no graphs here; known: {known}", row=1)
    line += 1
    while True:
        text, newline, block = block.partition(b"\n")
        stripped = text.strip()
        if stripped and not stripped.startswith(b"%"):
            break
        line += 1
        if not newline:
            raise Refusal(
                "header_malformed", "the line with the numbers of rows, columns and entries is missing", row=line
            )
    numbers = stripped.split()
    if len(numbers) != 3 or not all(n.isdigit() and len(n) <= 18 for n in numbers):
        raise Refusal("header_malformed", f"{stripped[:80]!r} should be numbers of rows, columns and entries", row=line)
    rows, columns, entries = map(int, numbers)
    if rows != columns or rows < 1:
        raise Refusal(
            "not_square", f"a matrix of {rows} rows and {columns} columns is no graph; they must be equal", row=line
        )

    def below() -> Iterator[tuple[int, bytes]]:
        if block:
            yield line + 1, block
        yield from blocks

    return rows, words[4] == "symmetric", entries, below()
