"""Each claim is met by results that are what the paper says, and by none in which nothing differs or all is turned."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.verdicts import NOT_JUDGED, REPRODUCED
from pipeline.warehouse import definitions

JUDGED = [path for path in evaluate.files() if evaluate.read(path)[0].kind not in NOT_JUDGED]


REASONED = [path for path in JUDGED if evaluate.read(path)[0].evidence]
BEYOND = {"M23", "G2", "G4", "G19", "C10"}
"""Claims whose evidence reads more than the worlds hold."""


@contextmanager
def world(path, name: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database of what a claim is judged on in a world of its study."""
    worlds = import_module(f"tests.claims.worlds.{path.parent.parent.name}")
    views = worlds.views(path.stem) if hasattr(worlds, "views") else worlds.VIEWS
    with duckdb.connect() as connection:
        for table, rows in worlds.world(name, path.stem).items():
            frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, infer_schema_length=None)
            connection.register("made_up", frame.to_arrow())
            connection.execute(f"CREATE TABLE {table} AS FROM made_up")
            connection.unregister("made_up")
        for view in views:
            connection.execute(definitions.files_of(view)[-1].read_text())
        yield connection


def verdict(path, name: str) -> tuple[str, list]:
    """Verdict and parts of a claim in a world of its study."""
    with world(path, name) as connection:
        header, sql = evaluate.read(path)
        row, parts = evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, connection)
    return row["verdict"], [(part["part"], part["value"], part["verdict"]) for part in parts] or row["value"]


@pytest.mark.parametrize("path", JUDGED, ids=lambda path: path.stem)
def test_what_the_paper_says_reproduces_it(path):
    said, parts = verdict(path, "exact")
    assert said == REPRODUCED, parts


@pytest.mark.parametrize("path", JUDGED, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["alike", "turned"])
def test_what_does_nothing_or_the_opposite_never_reproduces_it(path, name):
    said, parts = verdict(path, name)
    assert said != REPRODUCED, parts


@pytest.mark.parametrize("path", [path for path in REASONED if path.stem not in BEYOND], ids=lambda path: path.stem)
def test_no_reason_for_a_difference_holds_where_the_paper_does(path):
    with world(path, "exact") as connection:
        holds, shown = evaluate._shown_by(path, evaluate.read(path)[0], connection)
    assert not holds, shown


@pytest.mark.parametrize("claim", sorted(BEYOND))
def test_what_lies_beyond_the_worlds_cannot_be_asked_there(claim):
    path = next(path for path in REASONED if path.stem == claim)
    with world(path, "exact") as connection, pytest.raises(ValueError, match="its evidence cannot be asked for"):
        evaluate._shown_by(path, evaluate.read(path)[0], connection)
