"""All tables of the database as a Parquet dataset, a file per table, for whatever reads Parquet.

Meanings and units stand in the files: the table's comment in the metadata of the schema, each column's in those of its
field, both under the key `comment`; `columns.csv` lists them. Views are queries, and not among them.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.export._source import Source
from pipeline.runtime import storage

FORMAT = "parquet"
TAKES = ""
TARGET = "dataset"

TABLES_SQL = "SELECT table_name, comment FROM duckdb_tables() WHERE NOT internal ORDER BY table_name"
COLUMNS_SQL = """\
SELECT table_name, column_name, data_type, columns.comment
FROM duckdb_columns() AS columns JOIN duckdb_tables() AS tables USING (table_name)
WHERE NOT tables.internal
ORDER BY table_name, column_index"""


def write(source: Source, what: None, target: Path) -> str:  # noqa: ARG001 - there is nothing to choose
    """Write every table into the folder `target`, which is replaced as a whole."""
    with source.connection() as connection, storage.replacing_folder(target) as folder:
        comments = dict(connection.execute(TABLES_SQL).fetchall())
        columns = pl.from_arrow(connection.sql(COLUMNS_SQL).to_arrow_table())
        columns.write_csv(folder / "columns.csv")
        rows = 0
        for table, comment in comments.items():
            meanings = dict(columns.filter(table_name=table).select("column_name", "comment").iter_rows())
            rows += _write_table(connection, table, comment, meanings, folder / f"{table}.parquet")
    return f"{target}: {len(comments)} tables, {rows} rows"


def _write_table(
    connection: duckdb.DuckDBPyConnection, table: str, comment: str, meanings: dict[str, str], path: Path
) -> int:
    """Write a table group by group, so that it need not fit into memory; its number of rows."""
    reader = connection.sql(f'SELECT * FROM "{table}"').to_arrow_reader(storage.ROW_GROUP)
    fields = [field.with_metadata({"comment": meanings[field.name] or ""}) for field in reader.schema]
    schema = pa.schema(fields, metadata={"comment": comment or ""})
    rows = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in reader:
            rows += batch.num_rows
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
    return rows
