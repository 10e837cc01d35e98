"""A drop becomes a folder of canonical tables, refused or not, and the same bytes each time."""

import hashlib

import polars as pl
import pytest

from pipeline import drops, tables
from pipeline.readers import _recognise
from pipeline.runtime import storage
from pipeline.stages import ingest

SWF = "; MaxProcs: 10\n1 0 5 60 2 -1 -1 2 100 -1 1 7 1 1 1 -1 -1 -1\n2 9 0 0 2 -1 -1 2 100 -1 1 7 1 1 1 -1 -1 -1\n"


@pytest.fixture
def drop(tmp_path):
    folder = tmp_path / "traces" / "demo"
    folder.mkdir(parents=True)
    return folder


def read(target, name):
    return pl.read_parquet(target / f"{name}.parquet")


def test_tables_have_exactly_the_canonical_columns_and_only_those_with_rows_exist(drop, tmp_path):
    (drop / "log.swf").write_text(SWF)
    summary = ingest.ingest(drop, tmp_path / "out" / "demo")
    written = {path.stem: pl.read_parquet(path) for path in (tmp_path / "out" / "demo").glob("*.parquet")}
    assert set(written) == {"jobs", "traces", "rejected_rows", "provenance", "tallies"}
    for name, frame in written.items():
        assert dict(frame.schema) == tables.polars_schema(tables.CANONICAL[name])
        assert tables.CANONICAL[name].is_valid(frame)
    assert summary.rows["jobs"] == written["jobs"].height == 1
    assert summary.code == 1
    assert "runtime_s_not_positive" in summary.text()


def test_provenance_has_the_digest_and_rows_of_every_file_read(drop, tmp_path):
    (drop / "log.swf").write_text(SWF)
    (drop / "trace.yaml").write_text("nodes: 10\n")
    (drop / "README.md").write_text("not read\n")
    summary = ingest.ingest(drop, tmp_path / "o")
    provenance = read(tmp_path / "o", "provenance")
    assert provenance["file"].to_list() == ["trace.yaml", "log.swf"]
    assert provenance["rows"].to_list() == [None, 2]
    assert provenance["sha256"][1] == hashlib.sha256(SWF.encode()).hexdigest()
    assert summary.unread == ["README.md"]


def test_a_second_run_replaces_the_first_and_leaves_nothing_beside_it(drop, tmp_path):
    (drop / "log.swf").write_text(SWF)
    target = tmp_path / "o"
    ingest.ingest(drop, target)
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    (target / "stale").write_text("x")
    ingest.ingest(drop, target)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o", "traces"]


@pytest.mark.parametrize(
    ("files", "settings", "reason"),
    [
        ({}, None, "drop_empty"),
        ({"x.bin": "?"}, None, "format_unknown"),
        ({"a.swf": SWF, "samples.csv": "job_id,time_s,used_gb\n"}, None, "format_ambiguous"),
        ({"a.swf": SWF}, "nodes: none\n", "settings_invalid"),
        ({"a.swf": SWF}, "nodes: [\n", "settings_malformed"),
        ({"samples.csv": "job_id,time_s,used_gb\na,0,1\n"}, "samples: sample.csv", "file_unknown"),
    ],
)
def test_refused_drop_is_a_result_with_its_reason(drop, tmp_path, files, settings, reason):
    for name, text in files.items():
        (drop / name).write_text(text)
    if settings:
        (drop / "trace.yaml").write_text(settings)
    summary = ingest.ingest(drop, tmp_path / "o")
    assert summary.code == 2
    traces, rejected = read(tmp_path / "o", "traces"), read(tmp_path / "o", "rejected_rows")
    assert traces.select("trace", "status", "jobs").rows() == [("demo", "refused", 0)]
    assert rejected["reason"].to_list() == [reason]
    assert rejected["trace"].to_list() == [None]
    assert not (tmp_path / "o" / "jobs.parquet").exists()


def test_drop_with_a_bad_name_is_recorded_under_its_key(tmp_path):
    (tmp_path / "traces" / "my drop").mkdir(parents=True)
    (folder,) = drops.discover([tmp_path / "traces"])
    ingest.ingest(folder.path, tmp_path / "o", folder)
    assert read(tmp_path / "o", "traces")["trace"].to_list() == [folder.key]
    assert read(tmp_path / "o", "rejected_rows")["reason"].to_list() == ["drop_name"]


def test_file_linked_from_outside_is_refused_and_the_rest_read(drop, tmp_path):
    (tmp_path / "secret.swf").write_text(SWF)
    (drop / "log.swf").write_text(SWF)
    (drop / "stolen.swf").symlink_to(tmp_path / "secret.swf")
    ingest.ingest(drop, tmp_path / "o")
    assert read(tmp_path / "o", "traces")["trace"].to_list() == ["demo/log"]
    refused = read(tmp_path / "o", "rejected_rows").filter(pl.col("reason") == "link_outside")
    assert refused["file"].to_list() == ["stolen.swf"]
    assert "stolen.swf" not in read(tmp_path / "o", "provenance")["file"].to_list()


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("; MaxProcs: 10\n1 0 5 60 2 -1 -1 2 100 -1 1 7 1 1 1 -1 -1 -1\n", 0, "1 jobs"),
        (SWF, 1, "rejected 1 x runtime_s_not_positive, first log.swf:3"),
        ("", 2, "rejected 1 x file_empty"),
    ],
)
def test_check_tells_what_would_happen_and_leaves_nothing(drop, tmp_path, text, code, part):
    (drop / "log.swf").write_text(text)
    before = sorted(tmp_path.rglob("*"))
    said, returned = ingest.check(drop)
    assert returned == code
    assert part in said
    assert sorted(tmp_path.rglob("*")) == before


def test_failure_to_write_raises_and_keeps_the_old_result(drop, tmp_path, monkeypatch):
    (drop / "log.swf").write_text(SWF)
    target = tmp_path / "o"
    ingest.ingest(drop, target)
    before = {path.name: path.read_bytes() for path in target.iterdir()}

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storage, "write", full)
    with pytest.raises(OSError, match="No space left"):
        ingest.ingest(drop, target)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o", "traces"]


@pytest.mark.parametrize("change", ["grows", "disappears", "is joined by another"])
def test_a_drop_that_changes_while_it_is_read_is_said_and_keeps_the_old_result(drop, tmp_path, monkeypatch, change):
    log = drop / "log.swf"
    log.write_text(SWF)
    target = tmp_path / "o"
    ingest.ingest(drop, target)
    before = {path.name: path.read_bytes() for path in target.iterdir()}
    identify = _recognise.identify

    def changing(*given):
        known = identify(*given)
        if change == "grows":
            log.write_text(SWF + SWF.splitlines()[-1].replace("2 9", "3 9", 1) + "\n")
        elif change == "disappears":
            log.unlink()
        else:
            (drop / "more.swf").write_text(SWF)
        return known

    monkeypatch.setattr(_recognise, "identify", changing)
    with pytest.raises(OSError, match=r"demo changed while they were read; run again"):
        ingest.ingest(drop, target)
    assert {path.name: path.read_bytes() for path in target.iterdir()} == before


def test_source_licence_and_citation_of_a_drop_are_kept_with_its_traces(tmp_path):
    drop = tmp_path / "d"
    drop.mkdir()
    (drop / "samples.csv").write_text("job_id,time_s,used_gb\na,0,1\na,60,2\n")
    (drop / "trace.yaml").write_text("source: Ada, example.org/log\nlicence: CC-BY-4.0\ncitation: Ada (2024)\n")
    ingest.ingest(drop, tmp_path / "out")
    traces = pl.read_parquet(tmp_path / "out" / "traces.parquet")
    expected = [("Ada, example.org/log", "CC-BY-4.0", "Ada (2024)")]
    assert traces.select("data_source", "licence", "citation").rows() == expected
