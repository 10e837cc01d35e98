"""Tables of jobs alone, under names and columns of anybody, and what a table that nobody knows is told."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pipeline.readers import _names
from pipeline.stages.ingest import check, ingest
from pipeline.tables import Job

EXPORT = (
    "jobnumber,user,queued,started,finished,nodecount,reqmem_mb,peakmem_mb,limit_min\n"
    "1000,u18,2024-03-01 00:02:43,2024-03-01 00:07:22,2024-03-01 00:52:02,8,135780,104446,68\n"
    "1001,u21,2024-03-01 00:05:23,2024-03-01 00:08:37,2024-03-01 00:44:59,16,65542,50417,55\n"
)


def dropped(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def jobs_of(drop: Path) -> pl.DataFrame:
    ingest(drop, drop.parent / "out")
    return pl.read_parquet(drop.parent / "out" / "jobs.parquet")


def proposed(text: str) -> str:
    """The trace.yaml that a refusal proposes."""
    return text.partition("trace.yaml:\n")[2]


def accepted(folder: Path, **files: str) -> Path:
    """A drop with the trace.yaml that is proposed for it."""
    drop = dropped(folder, **files)
    assert check(drop, write=True)[1] == 2
    return drop


def test_an_unknown_table_is_read_as_its_header_proposes(tmp_path):
    drop = accepted(tmp_path / "export", jobs_export__csv=EXPORT)
    assert check(drop)[1] == 0
    assert jobs_of(drop).drop("trace", "name", "partition", "sensitivity").rows() == [
        ("1000", 0.0, 8, 4080.0, 2680.0, 135.78, 104.446, "u18", 279.0, 2959.0, 0),
        ("1001", 160.0, 16, 3300.0, 2182.0, 65.542, 50.417, "u21", 354.0, 2536.0, 1),
    ]


def test_a_real_export_is_read_as_its_header_proposes(tmp_path, trace_data):
    export = trace_data / "repro" / "jobs_export" / "jobs_export.csv"
    drop = accepted(tmp_path / "export", jobs_export__csv=export.read_text())
    raw = pl.read_csv(export, try_parse_dates=True)
    jobs = jobs_of(drop)
    assert jobs.height == raw.height
    assert jobs["runtime_s"].sum() == (raw["finished"] - raw["started"]).dt.total_seconds().sum()
    assert jobs["used_memory_gb"].sum() == pytest.approx(raw["peakmem_mb"].sum() / 1000)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_separators_and_dates_with_the_day_first(tmp_path, separator):
    days = EXPORT.replace("2024-03-01", "01.03.2024").replace(",", separator)
    drop = accepted(tmp_path / "export", jobs_export__csv=days)
    assert jobs_of(drop)["submit_s"].to_list() == [0.0, 160.0]


@pytest.mark.parametrize("name", ["jobs__csv", "january__csv"])
def test_tables_with_the_canonical_columns_need_no_settings(tmp_path, name):
    table = "job_id,submit_s,nodes,runtime_s\n9,0,1,5\n10,0,1,5\n100,0,1,5\n"
    drop = dropped(tmp_path / "plain", **{name: table})
    assert check(drop)[1] == 0
    assert jobs_of(drop).sort("position")["job_id"].to_list() == ["9", "10", "100"]


def test_jobs_without_run_times_are_refused(tmp_path):
    drop = dropped(tmp_path / "plain", jobs__csv="job_id,submit_s,nodes\n9,0,1\n")
    text, code = check(drop)
    assert code == 2
    assert "no column runtime_s or end_s" in text


def test_cores_are_counted_on_request(tmp_path):
    table = "job_id,submit_s,cores,start_s,end_s\na,0,3,0,10\nb,5,7,5,15\n"
    drop = dropped(tmp_path / "plain", export__csv=table)
    settings = proposed(check(drop)[0])
    assert "share: cores" in settings
    (drop / "trace.yaml").write_text(settings + "\nnodes: 2\ncpus_per_node: 8\n")
    ingest(drop, tmp_path / "out")
    trace = pl.read_parquet(tmp_path / "out" / "traces.parquet").row(0, named=True)
    assert (trace["unit"], trace["nodes"], trace["nodes_origin"]) == ("core", 16, "stated")


def test_a_table_of_nothing_known_is_told_its_columns_in_short(tmp_path):
    text, _ = check(dropped(tmp_path / "odd", colours__csv="red,green,blue\n1,2,3\n"))
    assert "colours.csv, whose columns are red, green, blue" in text
    assert len(text) < 800


def test_what_is_missing_has_its_likely_source(tmp_path):
    table = "jobid,queued,nodes,start,end\n1,0,1,0,5\n"
    drop = dropped(tmp_path / "plain", jobs__csv=table)
    text, _ = check(drop)
    assert "job_id maybe 'jobid', submit_s maybe 'queued'" in text
    (drop / "trace.yaml").write_text(proposed(text))
    assert check(drop)[1] == 0
    assert jobs_of(drop).select("job_id", "submit_s", "runtime_s").rows() == [("1", 0.0, 5.0)]


@pytest.mark.parametrize(
    ("names", "mapping"),
    [
        (["Job ID", "Submit Time", "Nodes"], '{job_id: "Job ID", submit_s: "Submit Time", nodes: Nodes}'),
        (["JobId", "qtime", "NumNodes"], "{job_id: JobId, submit_s: qtime, nodes: NumNodes}"),
        (["job_id", "submit_ms", "num_nodes"], "{submit_s: {from: submit_ms, unit: ms}, nodes: num_nodes}"),
        (["elapsed_h"], "{runtime_s: {from: elapsed_h, unit: h}}"),
        (["maxRSS (KiB)"], '{used_memory_gb: {from: "maxRSS (KiB)", unit: KiB}}'),
    ],
)
def test_columns_are_proposed_by_their_names(names, mapping):
    assert _names.mapping(_names.columns(names, Job.columns())) == mapping
