"""Mutants of a source file: the file with one small change, as a slip of the hand would make it.

After DeMillo, Lipton and Sayward (1978): tests that do not notice such changes would not notice such slips. A site is a
node of the syntax tree within a function; what a statement raises, annotations and docstrings are no sites, since no
result depends on them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

BOUNDARIES = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
OPPOSITES = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
EXTREMES = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "argmin": "argmax", "argmax": "argmin",
}  # fmt: skip
REMOVABLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Mutation:
    """One change: `number` counts those of a file from 0; before and after are the statement, or its first line.

    Where a jump goes from depends on what it stands in, whose first line is told with it.
    """

    number: int
    line: int
    kind: str
    before: str
    after: str


def mutations(source: str) -> list[Mutation]:
    """All changes of a source file that can be made, in the order of its syntax tree."""
    found = []
    for number, (place, kind, new) in enumerate(_changes(ast.parse(source))):
        around = f"{_code(place.parent)} … " if isinstance(place.node(), ast.Continue | ast.Break) else ""
        before = _code(place.statement())
        line = place.statement().lineno
        old = place.put(new)
        found.append(Mutation(number, line, kind, around + before, around + _code(place.statement())))
        place.put(old)
    return found


def mutant(source: str, number: int) -> str:
    """The source with change `number` made; comments are lost. Raises ValueError where there is no such change."""
    tree = ast.parse(source)
    changes = list(_changes(tree))
    if not 0 <= number < len(changes):
        raise ValueError(f"there is no change number {number} of this source: it has {len(changes)}")
    place, _, new = changes[number]
    place.put(new)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


@dataclass(frozen=True)
class Place:
    """Where a node stands: a field of its parent, or an element of it; within the statement at `around`."""

    parent: ast.AST
    field: str
    index: int | None
    around: Place | None

    def node(self) -> ast.AST:
        """The node that stands here."""
        value = getattr(self.parent, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: ast.AST) -> ast.AST:
        """Put another node here; returns the one that stood here."""
        old = self.node()
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node
        return old

    def statement(self) -> ast.AST:
        """The statement that this is, or is in."""
        return self.node() if self.around is None else self.around.node()


def _changes(tree: ast.Module) -> Iterator[tuple[Place, str, ast.AST]]:
    """Places with the kind of change and the node to put there."""
    for place, inside in _places(tree, None, False):
        if inside:
            for kind, new in _of(place.node()):
                yield place, kind, new


def _places(parent: ast.AST, around: Place | None, inside: bool) -> Iterator[tuple[Place, bool]]:
    for field, value in ast.iter_fields(parent):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            is_statement = isinstance(node, ast.stmt)
            place = Place(parent, field, index, None if is_statement else around)
            yield place, inside
            within = inside or isinstance(node, ast.FunctionDef | ast.Lambda)
            yield from _places(node, place if is_statement else around, within)


def _of(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(ops=[op]):
            for kind, swap in (("boundary", BOUNDARIES), ("opposite", OPPOSITES)):
                if type(op) in swap:
                    yield kind, _with(node, ops=[swap[type(op)]()])
        case ast.BinOp(op=op) if type(op) in ARITHMETIC and not _is_text(node):
            yield "arithmetic", _with(node, op=ARITHMETIC[type(op)]())
        case ast.BoolOp(op=op):
            yield "and/or", _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "sign", copy.deepcopy(operand)
        case ast.Constant(value=value) if isinstance(value, int | float) and not isinstance(value, bool):
            yield "constant", ast.copy_location(ast.Constant(value + 1), node)
            yield "constant", ast.copy_location(ast.Constant(value - 1), node)
        case ast.Constant(value=bool() as value):
            yield "constant", ast.copy_location(ast.Constant(not value), node)
        case ast.Call(func=ast.Name(id=name) as func) if name in EXTREMES:
            yield "extreme", _with(node, func=_with(func, id=EXTREMES[name]))
        case ast.Call(func=ast.Attribute(attr=name) as func) if name in EXTREMES:
            yield "extreme", _with(node, func=_with(func, attr=EXTREMES[name]))
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield "negated", _with(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield "arithmetic", _with(node, op=ARITHMETIC[type(op)]())
    if isinstance(node, REMOVABLE):
        yield "removed", ast.copy_location(ast.Pass(), node)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(new, name, copy.deepcopy(value))
    return new


def _is_text(node: ast.BinOp) -> bool:
    """Whether an operand shows that this joins texts, of which there is no difference."""
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _code(node: ast.AST) -> str:
    """First line of a node's code."""
    return ast.unparse(ast.fix_missing_locations(node)).partition("\n")[0]
