"""What readers yield: a file that is refused inside `with Reading(...)` is told of, whatever leaves the block."""

import ast
from pathlib import Path

import polars as pl
import pytest

from pipeline import readers
from pipeline.drops import Refusal
from pipeline.readers._items import Note, Reading, Rejected, counting

MODULES = sorted(Path(readers.__file__).parent.glob("*.py"))


def blocks(tree):
    """Each `with Reading(...)` and the statement after it."""
    for parent in ast.walk(tree):
        body = getattr(parent, "body", None)
        for number, node in enumerate(body if isinstance(body, list) else []):
            if isinstance(node, ast.With) and "Reading(" in ast.unparse(node.items[0]):
                yield node, body[number + 1 :]


def leaves(node, in_loop=False):
    """Whether a statement below leaves the block other than at its end."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Return) or (isinstance(child, ast.Continue | ast.Break) and not in_loop):
            return True
        if leaves(child, in_loop or isinstance(child, ast.For | ast.While)):
            return True
    return False


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_each_file_that_is_read_is_yielded(path):
    for node, after in blocks(ast.parse(path.read_text(encoding="utf-8"))):
        assert not leaves(node), f"line {node.lineno}: the block is left before its end, and its refusal lost"
        assert any(ast.unparse(statement) == "yield reading" for statement in after), f"line {node.lineno}"


def test_a_block_that_is_left_early_is_found():
    early = "for f in fs:\n    with Reading(f) as reading:\n        if f:\n            continue\n    yield reading"
    assert [leaves(node) for node, _ in blocks(ast.parse(early))] == [True]


def test_a_refusal_ends_the_file_and_no_other(tmp_path):
    with Reading(tmp_path / "a") as reading:
        raise Refusal("file_empty", "the file is empty")
    assert reading.refusal.reason == "file_empty"
    with pytest.raises(OSError, match="gone"), Reading(tmp_path / "b"):
        raise OSError("gone")


def test_rejected_rows_of_a_part_are_counted(tmp_path):
    def part():
        yield Note("a", "said")
        yield Rejected(pl.DataFrame({"row": [1, 2]}), tmp_path, "jobs")
        return "table"

    items = counting(part())
    kinds = []
    while True:
        try:
            kinds.append(type(next(items)))
        except StopIteration as end:
            assert end.value == ("table", 2)
            break
    assert kinds == [Note, Rejected]
