"""Writing whole or not at all."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import polars as pl
import pytest

from pipeline import tables
from pipeline.runtime import manifest, storage
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


@pytest.fixture
def sealed(tmp_path):
    """A folder of results of two tables and a text, with its manifest."""
    folder = tmp_path / "ingest" / "drop"
    with manifest.replacing_folder(folder) as part:
        storage.write(frame(3), part / "few.parquet")
        storage.write(frame(1500), part / "many.parquet")
        (part / "notes.json").write_text("{}")
    return folder


def test_a_manifest_names_each_file_and_is_the_same_for_the_same_files(sealed, tmp_path):
    text = (sealed / manifest.FILE).read_text()
    listed = json.loads(text)
    assert list(listed) == ["few.parquet", "many.parquet", "notes.json"]
    content = (sealed / "many.parquet").read_bytes()
    assert listed["many.parquet"] == {
        "bytes": len(content),
        "rows": 1500,
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    assert "rows" not in listed["notes.json"]
    shutil.copytree(sealed, tmp_path / "again")
    manifest.seal(tmp_path / "again")
    assert (tmp_path / "again" / manifest.FILE).read_text() == text


def _cut(folder):
    path = folder / "many.parquet"
    path.write_bytes(path.read_bytes()[:-1])


def _overwrite(folder):
    path = folder / "many.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


FAULTS = [
    (lambda folder: (folder / "many.parquet").unlink(), r"many\.parquet is missing, with 1,500 rows"),
    (_cut, r"many\.parquet is damaged, it has [\d,]+ bytes and was written with [\d,]+"),
    (_overwrite, r"many\.parquet was changed after it was written"),
    (lambda folder: storage.write(frame(1), folder / "more.parquet"), r"more\.parquet is none of the files"),
    (lambda folder: (folder / manifest.FILE).unlink(), r"manifest\.json is missing"),
    (lambda folder: (folder / manifest.FILE).write_text("{"), r"manifest\.json is damaged"),
    (lambda folder: (folder / manifest.FILE).write_text('{"few.parquet": 3}'), r"manifest\.json is damaged"),
]


@pytest.mark.parametrize(("change", "sentence"), FAULTS)
def test_what_is_missing_or_changed_is_named_with_its_remedy(sealed, tmp_path, change, sentence):
    manifest.require_whole(sealed)
    assert manifest.damaged(tmp_path) == {}
    change(sealed)
    with pytest.raises(ValueError, match=rf"{sentence}.*; remove the folder and run again: rm -rf {sealed}$"):
        manifest.require_whole(sealed)
    ((folder, text),) = manifest.damaged(tmp_path).items()
    assert folder == sealed
    assert re.search(sentence, text)


def test_damaged_folders_are_found_in_every_stage(tmp_path):
    folders = [
        tmp_path / name
        for name in (
            "fidelity/hpc_memory/drop", "fit/drop", "ingest/drop", "replay/hpc_memory/priority/trace-drop/0",
            "scenarios/hpc_memory/trace-drop",
        )
    ]  # fmt: skip
    for folder in folders:
        with manifest.replacing_folder(folder) as part:
            storage.write(frame(3), part / "some.parquet")
        (folder / ".snakemake_timestamp").touch()
        (folder.parent / ".drop.1.part").mkdir(exist_ok=True)
    assert manifest.damaged(tmp_path) == {}
    for folder in folders:
        (folder / "some.parquet").unlink()
    assert list(manifest.damaged(tmp_path)) == folders


def test_a_single_file_is_held_against_the_manifest_beside_it(tmp_path):
    path = tmp_path / "a.duckdb"
    path.write_bytes(b"as it was")
    assert "a.duckdb.built is missing" in manifest.fault_of_file(path)
    manifest.seal_file(path)
    assert manifest.fault_of_file(path) is None
    path.write_bytes(b"as it is.")
    assert manifest.fault_of_file(path, quick=True) == f"{path} was changed after it was written"


def test_the_log_of_a_killed_database_is_removed(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / f".a.duckdb.{gone.pid}.part.wal").touch()
    (tmp_path / f".a.duckdb.{os.getpid()}.part.wal").touch()
    with storage.replacing_file(tmp_path / "a.duckdb") as part:
        part.touch()
    assert [path.name for path in tmp_path.iterdir()] == ["a.duckdb"]
