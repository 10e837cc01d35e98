"""The database as Parquet: the same tables, rows and meanings, and the same bytes each time."""

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

from pipeline.export import export


@pytest.fixture(scope="module")
def dataset(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet") / "dataset"
    export("parquet", source, None, folder)
    return folder


def test_every_table_has_a_file_with_its_rows_in_their_order(source, dataset):
    with duckdb.connect(str(source.database), read_only=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        assert {path.stem for path in dataset.glob("*.parquet")} == set(tables)
        for table in tables:
            ours = connection.execute(f'FROM "{table}"').fetchall()
            assert connection.execute(f"FROM read_parquet('{dataset / table}.parquet')").fetchall() == ours, table


def test_meanings_and_units_stand_in_the_files(source, dataset):
    listed = pl.read_csv(dataset / "columns.csv").rows_by_key(["table_name", "column_name"], named=True, unique=True)
    schema = pq.read_schema(dataset / "outcome_hpc_memory.parquet")
    assert schema.metadata[b"comment"] == b"Start and end of each job in each scenario of hpc_memory."
    assert schema.field("start_s").metadata[b"comment"] == b"start; null = rejected [s]"
    assert listed["outcome_hpc_memory", "start_s"]["comment"] == "start; null = rejected [s]"
    for path in dataset.glob("*.parquet"):
        for field in pq.read_schema(path):
            assert field.metadata[b"comment"], (path.name, field.name)


def test_a_second_time_gives_the_same_bytes(source, dataset, tmp_path):
    export("parquet", source, None, tmp_path / "again")
    for path in dataset.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name
