"""Writing whole or not at all."""

import os
import subprocess
import sys

import polars as pl
import pytest

from pipeline import tables
from pipeline.runtime import storage
from pipeline.tables.results import Metric


def frame(rows):
    return pl.DataFrame(
        {"scenario_id": [str(i) for i in range(rows)], "metric": "m", "value": [float(i) for i in range(rows)]}
    )


def test_a_failed_write_leaves_what_was_there(tmp_path):
    target = tmp_path / "a.parquet"
    storage.write(frame(3), target)
    before = target.read_bytes()
    with pytest.raises(RuntimeError), storage.replacing_file(target) as part:
        part.write_bytes(b"half")
        raise RuntimeError
    assert target.read_bytes() == before
    with pytest.raises(RuntimeError), storage.replacing_folder(tmp_path / "folder") as part:
        (part / "x").write_text("half")
        raise RuntimeError
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.parquet"]


def test_what_a_killed_process_left_is_removed(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for end in ("part", "old"):
        (tmp_path / f".folder.{gone.pid}.{end}").mkdir()
    (tmp_path / f".folder.{os.getppid()}.part").mkdir()  # of a process that still runs
    with storage.replacing_folder(tmp_path / "folder"):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([f".folder.{os.getppid()}.part", "folder"])


def test_a_folder_is_replaced_whole(tmp_path):
    target = tmp_path / "deep" / "folder"
    for name in ("one", "two"):
        with storage.replacing_folder(target) as part:
            (part / name).write_text(name)
    assert [p.name for p in target.iterdir()] == ["two"]
    assert [p.name for p in target.parent.iterdir()] == ["folder"]


@pytest.mark.parametrize("cut", [1, 7, 100])
def test_pieces_give_the_bytes_of_the_whole(tmp_path, monkeypatch, cut):
    monkeypatch.setattr(storage, "ROW_GROUP", 16)
    whole = frame(100)
    storage.write(whole, tmp_path / "whole.parquet")
    with storage.TableWriter(tmp_path / "pieces.parquet", whole.schema) as writer:
        for first in range(0, 100, cut):
            writer.append(whole.slice(first, cut))
    assert (tmp_path / "pieces.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_a_table_without_rows_has_its_columns(tmp_path):
    with storage.TableWriter(tmp_path / "none.parquet", tables.polars_schema(Metric)):
        pass
    assert pl.read_parquet(tmp_path / "none.parquet").schema == tables.polars_schema(Metric)


@pytest.mark.parametrize("left", [0, 3, 11, 0.5, -1])
def test_a_parquet_file_cut_short_is_named_with_its_remedy(tmp_path, left):
    folder = tmp_path / "stage"
    storage.write(frame(100), folder / "whole.parquet")
    storage.write(frame(100), folder / "cut.parquet")
    storage.require_whole(folder)
    content = (folder / "cut.parquet").read_bytes()
    kept = int(left * len(content)) if isinstance(left, float) else left
    (folder / "cut.parquet").write_bytes(content[:kept])
    with pytest.raises(ValueError, match=rf"cut\.parquet is damaged.* rm -r {folder}$"):
        storage.require_whole(folder)


def test_the_log_of_a_killed_database_is_removed(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / f".a.duckdb.{gone.pid}.part.wal").touch()
    (tmp_path / f".a.duckdb.{os.getpid()}.part.wal").touch()
    with storage.replacing_file(tmp_path / "a.duckdb") as part:
        part.touch()
    assert [path.name for path in tmp_path.iterdir()] == ["a.duckdb"]
