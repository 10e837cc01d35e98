"""The hand-made traps: bombs, absurd numbers and footers, links, pipes and names; none of them does harm."""

import gzip
from random import Random

import pytest

from pipeline.readers import _files
from pipeline.stages import ingest
from reliability.fuzzing import container, hostile, mutation, oracle, targets
from reliability.trials import fuzz


@pytest.fixture(scope="module", autouse=True)
def compiled():
    targets.warm_up()


@pytest.fixture(scope="module")
def sprung():
    return {trap.name: trap for trap in fuzz.traps()}


@pytest.mark.parametrize("name", hostile.TRAPS)
def test_trap_is_read_or_refused_with_sentences(name, sprung):
    trap = sprung[name]
    assert trap.fault is None
    assert 0 < trap.rss_mb < oracle.MOST_RSS_MB


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("dictionary_bomb_parquet", "text_too_long"),
        ("many_columns_parquet", "columns_too_many"),
        ("million_columns_csv", "columns_too_many"),
        ("repeated_rows_parquet", "table_too_long"),
        ("empty_giant_matrix", "graph_too_large"),
        ("giant_machine", "larger_than_machine"),
        ("giant_logs_of_dpus", "ranks_too_many"),
        ("gigantic_settings", "settings_invalid"),
        ("large_yaml", "settings_too_large"),
        ("nested_yaml", "settings_malformed"),
        ("yaml_alias_bomb", "settings_malformed"),
        ("yaml_objects", "settings_malformed"),
        ("folders_named_like_files", "settings_malformed"),
        ("pipe_as_settings", "not_a_file"),
        ("files_with_hostile_names", "name_not_utf8"),
        ("times_of_no_calendar_parquet", "timestamp_unreadable"),
        ("nested_json", "unreadable_json"),
        ("odd_json", "columns_missing"),
    ],
)
def test_a_trap_is_refused_for_what_it_is(name, reason, tmp_path):
    hostile.TRAPS[name](tmp_path / name)
    assert reason in ingest.ingest(tmp_path / name, tmp_path / "out").rejected


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "UNPACKED_AT_EASE", 1 << 16)
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "log.swf.gz").write_bytes(gzip.compress(b"1 0 5 100\n" * 100_000))
    assert "unpacks_too_large" in ingest.ingest(tmp_path / "drop", tmp_path / "out").rejected


def test_a_fault_is_noticed(tmp_path, monkeypatch):
    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr(oracle, "ingest", broken)
    fault = oracle.examine(tmp_path)
    assert (fault.kind, fault.place) == ("KeyError", "outside")


def test_drops_come_back_as_they_were_packed(tmp_path):
    files = {"a/b.csv": b"x\n", "\udcff": b"", "c": bytes(range(256))}
    assert container.unpack(container.pack(files)) == files
    container.write({**files, "../out": b"x", "/abs": b"x", "a": b"x", "n\0": b"x"}, tmp_path / "drop")
    assert container.read(tmp_path / "drop") == files
    assert sorted(path.name for path in tmp_path.iterdir()) == ["drop"]


def test_mutants_of_nothing_are_something():
    assert mutation.mutate({}, Random(1))
