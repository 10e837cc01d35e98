"""A database that is brought up to date has the content of one made from nothing."""

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import examples
import polars as pl
import pytest
from contents import different

from pipeline.claims import evaluate
from pipeline.runtime import manifest, sources, storage
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest
from pipeline.warehouse import load

CHUNKS = 2
SCANNED = re.compile(r'"\w+\.main\.(\w+)"')
"""A table in a query plan as JSON."""
SEQUENCES = [
    pytest.param(3, ("edit remove", "add"), False, id="all kinds"),
    pytest.param(1, ("remove", "edit remove", "add edit"), True, id="several at once", marks=pytest.mark.exhaustive),
    pytest.param(2, ("edit", "remove", "add"), False, id="one by one", marks=pytest.mark.exhaustive),
]
"""Seed of what is drawn, changes before each update, and whether views are compared, too."""


class _Project:
    """Results of which parts come, go and change."""

    def __init__(self, results):
        self.results = results
        self.drops = sorted(path.name for path in (results / "ingest").iterdir())
        self.there = set(self.drops)

    def named(self):
        parts = [
            f"{study}/{part.name}"
            for study in sources.studies()
            for part in sorted((self.results / "scenarios" / study).iterdir())
            if self._drop(part.name) in {"synthetic", *self.there}
        ]
        return {"drops": sorted(self.there), "parts": parts, "chunks": CHUNKS}

    def change(self, what, drawn):
        if what == "add":
            self.there.add(drawn.choice(sorted(set(self.drops) - self.there)))
        elif what == "remove":
            self.there.remove(drawn.choice(sorted(self.there)))
        else:
            self._edit(drawn)

    def _edit(self, drawn):
        """Measures of one replay of a part that is there, as another code or trace would have given them."""
        replays = [
            folder
            for folder in sorted((self.results / "replay").glob("*/*/*/0"))
            if self._drop(folder.parent.name) in {"synthetic", *self.there} and (folder / "metrics.parquet").is_file()
        ]
        path = drawn.choice(replays) / "metrics.parquet"
        metrics = pl.read_parquet(path).with_columns(pl.col("value") * 1.01)
        path.unlink()
        storage.write(metrics, path)
        manifest.seal(path.parent)

    @staticmethod
    def _drop(part):
        return part.removeprefix("trace-")


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "sequence", "with_views"), SEQUENCES)
def test_any_sequence_of_changes_gives_what_is_made_from_nothing(small_results, tmp_path, seed, sequence, with_views):
    results = tmp_path / "results"
    shutil.copytree(small_results, results, copy_function=shutil.copy)
    project, drawn = _Project(results), random.Random(seed)
    target = results / "apportion.duckdb"
    for changes in sequence:
        for what in changes.split():
            project.change(what, drawn)
        load.build(results, target, **project.named())
    load.build(results, tmp_path / "again.duckdb", **project.named())
    assert different(target, tmp_path / "again.duckdb", with_views) == []


@pytest.mark.exhaustive
def test_without_claims_the_first_database_begins_with_an_empty_one_that_is_kept(tmp_path, monkeypatch):
    results, name = tmp_path / "results", "thesis_table_6"
    ingest.ingest(examples.trace(name), results / "ingest" / name)
    fit_drop.fit(results / "ingest" / name, results / "fit" / name)
    created, create = [], load.create_views
    monkeypatch.setattr(load, "create_views", lambda *given: created.append(given) or create(*given))
    monkeypatch.setattr(sources, "kernel_folder", lambda: tmp_path / "kept")
    load.build(results, tmp_path / "first", [name], [], 1, judged=False)
    fewer = load._schedulers().head(3)
    monkeypatch.setattr(load, "_schedulers", lambda: fewer)
    load.build(results, tmp_path / "second", [name], [], 1, judged=False)
    assert len(created) == 1
    monkeypatch.setattr(load, "_empty", lambda code: tmp_path / code)
    load.build(results, tmp_path / "whole", [name], [], 1, judged=False)
    assert different(tmp_path / "second", tmp_path / "whole") == []


def copy_database(results, folder):
    """A copy of the database of the results, with its manifest; its path."""
    shutil.copy(results / "apportion.duckdb.built", folder)
    return Path(shutil.copy(results / "apportion.duckdb", folder))


@pytest.fixture
def judged(monkeypatch):
    """Ids of the claims that are evaluated."""
    claim_ids, judge = [], evaluate._judge
    monkeypatch.setattr(evaluate, "_judge", lambda path, *rest: claim_ids.append(path.stem) or judge(path, *rest))
    return claim_ids


def test_where_nothing_changed_nothing_is_judged(small_results, tmp_path, judged):
    target = copy_database(small_results, tmp_path)
    load.build(small_results, target)
    assert judged == []
    assert different(target, small_results / "apportion.duckdb") == []


def test_claims_of_other_studies_stay_where_one_has_changed(small_results, tmp_path, judged):
    results = tmp_path / "results"
    shutil.copytree(small_results, results, copy_function=shutil.copy)
    folder = results / "replay" / "gpu_partition" / "bf" / "synthetic" / "0"
    metrics = pl.read_parquet(folder / "metrics.parquet").with_columns(pl.col("value") + 1)
    (folder / "metrics.parquet").unlink()
    storage.write(metrics, folder / "metrics.parquet")
    manifest.seal(folder)
    load.build(results, results / "apportion.duckdb")
    names = {path.stem for path in evaluate.files() if path.parent.parent.name == "gpu_partition"}
    assert judged
    assert set(judged) <= names


@pytest.mark.exhaustive
def test_a_database_of_other_code_is_made_anew(small_results, tmp_path, judged, monkeypatch):
    target = copy_database(small_results, tmp_path)
    monkeypatch.setattr(sources, "version", lambda _: "another")
    load.build(small_results, target)
    assert len(judged) == len(evaluate.files())


def test_a_database_that_was_changed_by_hand_is_made_anew(small_results, tmp_path, caplog):
    target = copy_database(small_results, tmp_path)
    with duckdb.connect(str(target)) as connection:
        connection.execute("DELETE FROM job WHERE trace = 'marconi_like'")
    load.build(small_results, target)
    assert f"{target} was changed after it was written" in caplog.text or f"{target} is damaged" in caplog.text
    assert "the database is made anew from nothing" in caplog.text
    assert different(target, small_results / "apportion.duckdb") == []
    assert manifest.fault_of_file(target) is None


def test_changes_of_a_program_that_was_killed_do_not_get_into_the_next_database(small_results, tmp_path):
    target = copy_database(small_results, tmp_path)
    code = (
        "import duckdb, sys, time\n"
        "opened = duckdb.connect(sys.argv[1])\n"
        "opened.execute('DELETE FROM scheduler')\n"
        "print('deleted', flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, target], stdout=subprocess.PIPE) as program:
        assert program.stdout.readline() == b"deleted\n"
        with pytest.raises(OSError, match=r"another program has .* open for writing; end it and run again"):
            load.build(small_results, target)
        program.kill()
    assert target.with_name("apportion.duckdb.wal").exists()
    load.build(small_results, target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["apportion.duckdb", "apportion.duckdb.built"]
    assert different(target, small_results / "apportion.duckdb") == []


@pytest.mark.exhaustive
def test_what_is_no_database_is_made_anew(small_results, tmp_path):
    target = tmp_path / "apportion.duckdb"
    target.write_bytes(b"no database")
    load.build(small_results, target)
    assert different(target, small_results / "apportion.duckdb") == []


def test_every_table_that_a_claim_reads_is_found(connection):
    """What stands after FROM and JOIN names at least the tables that the query plan scans."""
    connection.execute("SET threads = 1")
    update = evaluate.Update(frozenset(), {})
    definitions = update._definitions(connection)
    checked = 0
    for path in evaluate.files():
        header, sql = evaluate.read(path)
        for query in filter(None, (sql, header.scenarios_sql, header.evidence)):
            (plan,) = connection.execute(f"EXPLAIN (FORMAT json) {query.rstrip('; ')}").fetchall()
            scanned = set(SCANNED.findall(plan[1]))
            assert scanned <= evaluate.read_by([query], definitions), path.stem
            checked += bool(scanned)
    assert checked > 100


def test_claims_rest_on_scenarios_of_their_own_study(connection):
    for path in evaluate.files():
        header, _ = evaluate.read(path)
        if header.scenarios_sql is not None:
            rows = connection.execute(
                f"SELECT DISTINCT study FROM scenario WHERE scenario_id IN ({header.scenarios_sql})"
            ).fetchall()
            assert rows in ([], [(path.parent.parent.name,)]), path.stem
