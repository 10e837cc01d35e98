"""The hand-made traps: bombs, absurd numbers and footers, links and names; none of them does harm."""

import gzip

import hostile_drops
import oracle
import pytest
import traps

from pipeline.readers import _files
from pipeline.stages import ingest


@pytest.mark.parametrize("name", traps.TRAPS)
def test_a_trap_is_read_or_refused_with_sentences(name, tmp_path):
    traps.make(name, tmp_path / name)
    oracle.examine(tmp_path / name)


@pytest.mark.parametrize("name", [name for name, (reason, _) in traps.TRAPS.items() if reason])
def test_a_trap_is_refused_for_what_it_is(name, tmp_path):
    traps.make(name, tmp_path / name)
    assert traps.TRAPS[name][0] in ingest.ingest(tmp_path / name, tmp_path / "out").rejected


def test_settings_that_are_a_pipe_are_refused_for_that(tmp_path):
    (tmp_path / "drop").mkdir()
    hostile_drops.pipe_as_settings(tmp_path / "drop")
    assert "not_a_file" in ingest.ingest(tmp_path / "drop", tmp_path / "out").rejected


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "UNPACKED_AT_EASE", 1 << 16)
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "log.swf.gz").write_bytes(gzip.compress(b"1 0 5 100\n" * 100_000))
    assert "unpacks_too_large" in ingest.ingest(tmp_path / "drop", tmp_path / "out").rejected
