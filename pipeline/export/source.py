"""Where exports take their rows from: the database, and the Parquet files beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from pipeline.runtime.database import connect

LIKENESS = 0.85
"""Jaro–Winkler similarity from which a known name is offered for one that is not."""


@dataclass(frozen=True)
class Source:
    """A database and the results folder that it was built from."""

    database: Path
    results: Path

    @contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The database, to read from, rows in their order. Raises FileNotFoundError where it is not there."""
        if not self.database.is_file():
            raise FileNotFoundError(f"{self.database} is not there; run `make` first")
        with connect(self.database, read_only=True) as connection:
            connection.execute("SET threads = 1")
            yield connection

    def rows(self, sql: str, *values: Any) -> pl.DataFrame:
        """Rows of a query with its values for $1, $2, …."""
        with self.connection() as connection:
            return pl.from_arrow(connection.sql(sql, params=list(values)).to_arrow_table())

    def scenario(self, scenario_id: str, study: str) -> dict[str, Any]:
        """Row of a scenario. Raises ValueError where there is none of that id, or it is of another study."""
        rows = self.rows("SELECT * FROM scenario WHERE scenario_id = $1", scenario_id)
        if rows.is_empty():
            near = self.nearest("scenario_id", "scenario", scenario_id)
            query = f"SELECT scenario_id FROM scenario WHERE study = '{study}'"
            raise ValueError(f'no scenario {scenario_id!r}{near}; all: apportion query "{query}"')
        row = rows.row(0, named=True)
        if row["study"] != study:
            raise ValueError(f"scenario {scenario_id!r} is of {row['study']}; this format takes those of {study}")
        return row

    def nearest(self, column: str, table: str, name: str) -> str:
        """`; did you mean 'x'?` for the known name most like `name`, nothing where none is like it."""
        likest = self.rows(
            f"SELECT {column} AS name FROM {table} WHERE jaro_winkler_similarity({column}, $1) >= {LIKENESS} "
            f"ORDER BY jaro_winkler_similarity({column}, $1) DESC, {column} LIMIT 1",
            name,
        )
        return "" if likest.is_empty() else f"; did you mean {likest['name'][0]!r}?"
