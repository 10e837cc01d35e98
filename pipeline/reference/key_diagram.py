"""A picture of tables and of the keys by which their rows refer to each other, as SVG.

Tables stand in columns from left to right, each to the right of those that it refers to. Tables that refer and are
referred to alike share a box. A line ends in a crow's foot where many rows refer to one, in a bar where there is always
one, in a ring where there may be none, and in a crow's foot where there may be several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from pipeline.tables.keys import Reference
from pipeline.warehouse.schemas import KEYS

CHARACTER, LINE, PADDING = 6.7, 17, 8
"""Width of a character of the monospaced face at 11 px, height of a line, space around the text, all in px."""
BETWEEN_COLUMNS, BETWEEN_BOXES, MARGIN = 76, 16, 10
END_HEIGHTS = ("one", "none or one", "several")
"""Kinds of ends at the table that is referred to, from above: lines of one kind leave a box together."""

_STYLE = """text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.name{font-weight:600}.note{fill:#59636e}rect{fill:#fff;stroke:#818b98}.head{fill:#eaeef2}
path{fill:none;stroke:#59636e}circle{fill:#fff;stroke:#59636e}
@media(prefers-color-scheme:dark){text{fill:#d1d7e0}.note{fill:#9198a1}rect{fill:#151b23;stroke:#656c76}
.head{fill:#2a313c}path{stroke:#9198a1}circle{fill:#151b23;stroke:#9198a1}}"""


@dataclass(frozen=True)
class Column:
    """A column of a key as the picture shows it: its kind, such as text, its name, and its marks, such as PK."""

    kind: str
    name: str
    marks: str


@dataclass
class _Box:
    """Tables in one box, with the columns shown below their names.

    x, y are its upper left corner and `right` is where the widest box of its column ends, in px.
    """

    tables: list[str]
    columns: Sequence[Column]
    x: float = 0.0
    y: float = 0.0
    right: float = 0.0

    @property
    def width(self) -> float:
        longest = max(*map(len, self.tables), *(len(_words(column)) for column in self.columns), 0)
        return longest * CHARACTER + 2 * PADDING

    @property
    def head(self) -> float:
        return len(self.tables) * LINE + PADDING

    @property
    def height(self) -> float:
        return self.head + (len(self.columns) * LINE + PADDING if self.columns else 0)


def svg(references: Iterable[Reference], columns: Mapping[str, Sequence[Column]], *, alone: Iterable[str]) -> str:
    """The picture of the tables that the references name, and of those in `alone`, which share no box.

    `columns` gives what is shown of a table. References must not run in a circle.
    """
    pairs: dict[tuple[str, str], list[Reference]] = {}
    for reference in references:
        if reference.parent != reference.child:
            pairs.setdefault((reference.parent, reference.child), []).append(reference)
    shown = list(dict.fromkeys([table for pair in pairs for table in pair] + sorted(alone)))
    boxes = _boxes(shown, pairs, columns, set(alone))
    box_of = {table: number for number, box in enumerate(boxes) for table in box.tables}
    lines = {}
    for (parent, child), between in pairs.items():
        lines.setdefault((box_of[parent], box_of[child]), _end(parent, between[0]))
    _place(boxes, list(lines))
    drawn = []
    for (parent, child), end in lines.items():
        ends = sorted({e for (p, _), e in lines.items() if p == parent}, key=END_HEIGHTS.index)
        drawn.append(_line(boxes[parent], boxes[child], end, (ends.index(end) + 1) / (len(ends) + 1)))
    drawn += [_drawn(box) for box in boxes]
    width = max(box.x + box.width for box in boxes) + MARGIN
    height = max(box.y + box.height for box in boxes) + MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    names = escape(", ".join(shown))
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">', f"<title>Tables and keys: {names}</title>"]
    return "\n".join([*head, f"<style>{_STYLE}</style>", *drawn, "</svg>\n"])


def _end(parent: str, reference: Reference) -> str:
    if reference.optional:
        return "none or one"
    return "one" if KEYS[parent] == reference.columns else "several"


def _boxes(
    shown: Sequence[str],
    pairs: Mapping[tuple[str, str], list[Reference]],
    columns: Mapping[str, Sequence[Column]],
    alone: set[str],
) -> list[_Box]:
    """A box for each table in `alone`, and one for all that refer, are referred to and look alike."""
    alike: dict[object, list[str]] = {}
    for table in shown:
        to = frozenset((p, r[0].columns, r[0].optional) for (p, child), r in pairs.items() if child == table)
        by = frozenset(child for parent, child in pairs if parent == table)
        alike.setdefault(table if table in alone else (to, by, tuple(columns.get(table, ()))), []).append(table)
    return [_Box(tables, columns.get(tables[0], ())) for tables in alike.values()]


def _place(boxes: Sequence[_Box], lines: Sequence[tuple[int, int]]) -> None:
    """Give each box its place: columns by the longest way from a table that refers to none, rows near those above."""
    parents = {n: [p for p, c in lines if c == n] for n in range(len(boxes))}
    children = {n: [c for p, c in lines if p == n] for n in range(len(boxes))}
    column: dict[int, int] = {}

    def depth(number: int) -> int:
        if number not in column:
            column[number] = max((depth(parent) + 1 for parent in parents[number]), default=0)
        return column[number]

    for number in range(len(boxes)):
        depth(number)
    for number in range(len(boxes)):
        if not parents[number] and children[number]:
            column[number] = min(column[child] for child in children[number]) - 1
    tall = max(_stack(boxes, [n for n in column if column[n] == c]) for c in set(column.values()))
    x = MARGIN
    for at in range(max(column.values()) + 1):
        members = sorted((n for n in column if column[n] == at), key=lambda n: (_middle(boxes, parents[n], tall), n))
        y = MARGIN + (tall - _stack(boxes, members)) / 2
        for number in members:
            boxes[number].x, boxes[number].y = x, y
            y += boxes[number].height + BETWEEN_BOXES
        right = x + max(boxes[number].width for number in members)
        for number in members:
            boxes[number].right = right
        x = right + BETWEEN_COLUMNS


def _stack(boxes: Sequence[_Box], members: Sequence[int]) -> float:
    return sum(boxes[n].height for n in members) + BETWEEN_BOXES * max(len(members) - 1, 0)


def _middle(boxes: Sequence[_Box], parents: Sequence[int], tall: float) -> float:
    """Mean height of the boxes that a box refers to; the middle where it refers to none."""
    if not parents:
        return tall / 2
    return sum(boxes[n].y + boxes[n].height / 2 for n in parents) / len(parents)


def _words(column: Column) -> str:
    return f"{column.name} {column.kind} {column.marks}".rstrip()


def _line(parent: _Box, child: _Box, end: str, height: float) -> str:
    """A curve from the right side of one box, at a share of its height, to the middle of the left side of another."""
    x, y = parent.x + parent.width, parent.y + parent.height * height
    to, at = child.x, child.y + child.height / 2
    bend = (to - parent.right) / 2
    parts = [
        f'<path d="M{x:.1f} {y:.1f}H{parent.right:.1f}'
        f'C{parent.right + bend:.1f} {y:.1f} {to - bend:.1f} {at:.1f} {to:.1f} {at:.1f}"/>',
        f'<path d="M{to:.1f} {at - 5:.1f}L{to - 10:.1f} {at:.1f}L{to:.1f} {at + 5:.1f}"/>',
    ]
    if end == "one":
        parts.append(f'<path d="M{x + 7:.1f} {y - 4:.1f}v8"/>')
    elif end == "none or one":
        parts.append(f'<circle cx="{x + 7:.1f}" cy="{y:.1f}" r="3.5"/>')
    else:
        parts.append(f'<path d="M{x:.1f} {y - 4:.1f}L{x + 9:.1f} {y:.1f}L{x:.1f} {y + 4:.1f}"/>')
    return "".join(parts)


def _drawn(box: _Box) -> str:
    parts = [f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="3"/>']
    parts.append(
        f'<rect class="head" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.head:.1f}" rx="3"/>'
    )
    left, y = box.x + PADDING, box.y + PADDING / 2 + 12
    for number, table in enumerate(box.tables):
        parts.append(f'<text class="name" x="{left:.1f}" y="{y + number * LINE:.1f}">{escape(table)}</text>')
    y = box.y + box.head + PADDING / 2 + 12
    for number, column in enumerate(box.columns):
        note = f"{column.kind} {column.marks}".rstrip()
        parts.append(
            f'<text x="{left:.1f}" y="{y + number * LINE:.1f}">{escape(column.name)} '
            f'<tspan class="note">{escape(note)}</tspan></text>'
        )
    return "".join(parts)
