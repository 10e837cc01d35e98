"""What a file of edges says of itself before them: its kind, direction, weights, two sides and sizes.

Sources: J. Kunegis, *Handbook of Network Analysis* (KONECT), `% sym|asym|bip` and the kind of weights; the graph
formats of the 9th DIMACS implementation challenge; G. Karypis, *METIS* manual, Section 4.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from pipeline.drops import Refusal
from pipeline.readers._files import separator_of

LIST, ARCS, NEIGHBOURS, TABLE = "list", "arcs", "neighbours", "table"
KONECT = re.compile(r"%\s*(a?sym|bip)\b[ \t]*(\w*)", re.IGNORECASE)
_BANNER = re.compile(r"%+\s*MatrixMarket\b([^\n]*)", re.IGNORECASE)
_PROBLEM = re.compile(r"p\s+(sp|edge|col)\s+(\d{1,18})\s+(\d{1,18})\s*")
_UNDIRECTED = re.compile(r"\bundirected\b", re.IGNORECASE)
_ANNOUNCED = re.compile(r"Nodes:\s*(\d+)\s+Edges:\s*(\d+)", re.IGNORECASE)
_WEIGHTED = re.compile(r"(multi)?(pos)?weighted", re.IGNORECASE)
_OPPOSITE = {
    "source": ("target", "destination", "dest", "sink"), "src": ("dst", "dest", "tgt", "trg"), "from": ("to",),
    "u": ("v",), "1": ("2",), "tail": ("head",),
}  # fmt: skip
_WEIGHT = re.compile(r"weights?|w|costs?|lengths?|distances?|values?", re.IGNORECASE)
MOST_LOOKED = 1000
"""Lines by which columns are told."""
_FIRST_TIME, _LAST_TIME = 631_152_000, 4_102_444_800
"""1990 and 2100, s since 1970."""


class Head(NamedTuple):
    """The head of a file of edges. directed is None where it does not say; sizes, announced: vertices and edges."""

    kind: str = LIST
    directed: bool | None = None
    weights: bool = True
    doubt: str = ""
    """Why the third column is not taken for weights."""
    two_sided: bool = False
    more: bool = False
    """Whether lines have columns behind the weight, which are not read."""
    line: int = 0
    """The line of the sizes or names of columns, from 1; 0: none."""
    sure: bool = True
    """Whether it is such a line. Else it is one only if the other lines have these sizes."""
    sizes: tuple[int, int] | None = None
    announced: tuple[int, int] | None = None
    skip: int = 0
    """Numbers before the neighbours of a vertex (METIS)."""
    columns: tuple[str, ...] = ()
    """Source, target and perhaps weight of a table."""


def head_of(lines: Sequence[str], name: str, stated: bool | None) -> Head:
    """The head of a file called `name` that begins with the lines. stated: whether trace.yaml says that it has weights.

    Raises Refusal for a METIS file without its first line.
    """
    body = [number for number, line in enumerate(lines) if line.strip() and line.lstrip()[0] not in "#%"]
    first = next((number for number, line in enumerate(lines) if line.strip() and line.split()[0] != "c"), None)
    problem = first is not None and _PROBLEM.fullmatch(lines[first])
    if problem:
        directed = problem[1] == "sp"
        sizes = int(problem[2]), int(problem[3])
        return Head(ARCS, directed, directed and stated is not False, line=first + 1, sizes=sizes)
    if name.lower().removesuffix(".gz").endswith((".graph", ".metis")):
        return _neighbours(lines[body[0]] if body else "", body[0] + 1 if body else 0, stated)
    columns = sides(lines[body[0]]) if body else ()
    if columns:
        weights = len(columns) == 3 and stated is not False
        # A comment says so, or a column of types in the first row.
        above = lines[: body[1] + 1] if len(body) > 1 else lines
        directed = False if _UNDIRECTED.search("\n".join(above)) else None
        kind = TABLE if separator(lines[body[0]]) else LIST
        return Head(kind, directed, weights, line=body[0] + 1, columns=columns[: 3 if weights else 2])
    return _list(lines, body, stated)


def separator(line: str) -> str | None:
    """What stands between the names of a table's columns; None: blanks."""
    found = separator_of(line)
    return found if found in line else None


def sides(line: str) -> tuple[str, ...]:
    """Columns of a table of edges by its header: source, target and perhaps weight; none of another line."""
    names = [name.strip().strip('"') for name in line.strip("\ufeff\r\n").split(separator(line))]
    keys = {
        re.sub(r"[^a-z0-9]|node|vertex|id", "", name.lower()): name
        for name in reversed(names)
        if re.match(r"[^\W\d]", name)
    }
    found = next(((keys[s], keys[t]) for s in _OPPOSITE for t in _OPPOSITE[s] if s in keys and t in keys), ())
    return found + tuple(name for name in names if found and _WEIGHT.fullmatch(name))[:1]


def _neighbours(line: str, number: int, stated: bool | None) -> Head:
    words = line.split()
    form = words[2] if len(words) > 2 else "0"
    if not (2 <= len(words) <= 4 and all(re.fullmatch(r"\d{1,18}", w) for w in words) and re.fullmatch("[01]+", form)):
        raise Refusal(
            "header_malformed", f"{line[:80]!r} should be numbers of vertices and edges, perhaps a code of weights",
            row=number or 1,
        )  # fmt: skip
    of_vertex = int(words[3] if len(words) > 3 else 1) if form[-2:-1] == "1" else 0
    weights = form[-1] == "1"
    # Weights that are not used stand there all the same.
    return Head(
        NEIGHBOURS, False, weights and stated is not False, more=weights, line=number,
        sizes=(int(words[0]), int(words[1])), skip=of_vertex + (form[-3:-2] == "1"),
    )  # fmt: skip


def _list(lines: Sequence[str], body: Sequence[int], stated: bool | None) -> Head:
    said = "\n".join(line for line in lines if line.lstrip()[:1] in ("#", "%")) + "\n"
    konect, banner = KONECT.match(said), _BANNER.match(said)
    words = banner[1].lower().split() if banner else []
    two_sided = bool(konect) and konect[1].lower() == "bip"
    directed = konect[1].lower() == "asym" if konect else "general" in words if words else None
    directed = False if directed is None and _UNDIRECTED.search(said) else directed
    first = next((number for number in body if re.fullmatch(r"[\s\d,]{3,99}", lines[number])), None)
    values = [] if first is None else [int(word) for word in lines[first].replace(",", " ").split()]
    sure = bool(banner) and len(values) == 3
    two_sided |= sure and values[0] != values[1]
    may_be = len(values) == 2 or (len(values) == 3 and (two_sided or values[0] == values[1]))
    sizes = (sum(values[:-1]) if two_sided else values[0], values[-1]) if may_be else None
    line = first + 1 if sizes else 0
    found = _ANNOUNCED.search(said)
    announced = (int(found[1]), int(found[2])) if found else None
    rows = [lines[number].replace(",", " ").split() for number in body[:MOST_LOOKED] if number + 1 != line]
    third = [row[2] for row in rows if len(row) > 2]
    if konect and (len(values) == 2 or third):
        # Sizes below such a header are three, and may be an edge like the others.
        line, sizes = 0, None
    weights, doubt = stated is not False, ""
    if stated is None:
        kind = next((word for word in (konect[2] if konect else "", *words) if word), "")
        if "pattern" in words or (konect and kind and not _WEIGHTED.fullmatch(kind)):
            what = "pattern" if "pattern" in words else kind
            weights, doubt = False, f"the header says {what}" if third else ""
        elif not (konect and kind) and (since := _since(third)):
            weights, doubt = False, f"it looks like Unix times from {since} on"
    return Head(
        LIST,
        directed,
        weights,
        doubt,
        two_sided,
        2 * sum(len(row) == 4 for row in rows) > len(rows),
        line,
        sure,
        sizes,
        announced,
    )


def _since(third: Sequence[str]) -> str | None:
    """The first day of a column of which nine in ten values are Unix times, in s, ms, us or ns; None for another."""
    values = [float(word) for word in third if re.fullmatch(r"\d{1,20}(\.\d*)?", word)]
    for scale in (1, 10**3, 10**6, 10**9):
        times = [value / scale for value in values if _FIRST_TIME <= value / scale < _LAST_TIME]
        if times and 10 * len(times) >= 9 * len(third):
            return f"{datetime.fromtimestamp(min(times), UTC):%Y-%m-%d}"
    return None
