"""Connections of DuckDB that print nothing: its progress bar would get into what a verb prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb


def connect(database: Path | None = None, *, read_only: bool = False, **settings: Any) -> duckdb.DuckDBPyConnection:
    """A connection to a database, with None to one in memory; `settings` are DuckDB's."""
    connection = duckdb.connect(":memory:" if database is None else str(database), read_only=read_only, config=settings)
    connection.execute("SET enable_progress_bar = false")
    return connection


@contextmanager
def opened(database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that reads a database of results; of another version or project it raises ValueError."""
    with connect(database, read_only=True) as connection:
        try:
            yield connection
        except duckdb.CatalogException as error:
            raise ValueError(f"{database} was made by another version of this project; run `make` again") from error
