"""Figures of the benchmarks, kept in record.csv beside this file; docs/reference/performance.md is made of them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from bench import results
from pipeline.runtime import storage

RECORD = Path(__file__).with_name("record.csv")


def load(path: Path) -> pl.DataFrame:
    """The figures that were kept, a table of results.SCHEMA; without a record it has no rows."""
    if not path.is_file():
        return pl.DataFrame(schema=results.SCHEMA)
    return pl.read_csv(path, schema=results.SCHEMA).with_columns(pl.col("note").fill_null(""))


def save(found: pl.DataFrame, path: Path) -> None:
    """Keep figures in place of all those of the same benchmarks, beside those of others."""
    kept = load(path).join(found, on="benchmark", how="anti", maintain_order="left")
    with storage.replacing_file(path) as part:
        pl.concat([kept, found]).sort("benchmark", maintain_order=True).write_csv(part)
