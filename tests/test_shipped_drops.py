"""The drops that ship: what they are is told, they are read whole, and measured figures are those of their source."""

import csv
import gzip
import io
import re
import tarfile
from pathlib import Path

import polars as pl
import pytest
import yaml

from pipeline import drops
from pipeline.runtime.sources import ROOT
from pipeline.stages import ingest

SHIPPED = {folder.key: folder.path for folder in drops.discover([ROOT / "traces"])}
WEEK_S = 7 * 86400
FAULTS = {
    "marconi_like": {"duplicate_sample", "end_before_start", "nodes_unreadable", "sample_invalid", "used_gb_negative"},
}
"""Reasons for which rows of a drop are rejected."""


def settings(name: str) -> dict:
    return yaml.safe_load((SHIPPED[name] / "trace.yaml").read_text(encoding="utf-8"))


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_a_shipped_drop_is_read_and_only_known_faults_are_rejected(name, tmp_path):
    ingest.ingest(SHIPPED[name], tmp_path / name)
    (status,) = pl.read_parquet(tmp_path / name / "traces.parquet")["status"].unique()
    assert status == "read"
    rejected = set(pl.read_parquet(tmp_path / name / "rejected_rows.parquet")["reason"])
    assert rejected == FAULTS.get(name, set())


def test_a_measured_drop_names_source_licence_and_citation():
    measured = [name for name in SHIPPED if settings(name)["kind"] == "measured"]
    assert len(measured) > len(SHIPPED) / 2
    for name in measured:
        assert {"source", "licence", "citation", "note"} <= set(settings(name)), name


def test_the_readme_of_the_traces_lists_them_all_with_the_generated_ones_last():
    text = (ROOT / "traces" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(SHIPPED)
    kinds = [settings(name)["kind"] for name in listed]
    assert kinds == sorted(kinds, key=["measured", "generated"].index)


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "log", "weeks"),
    [("kth_sp2", "KTH-SP2-1996-2.1-cln", (16, 22)), ("lanl_cm5", "LANL-CM5-1994-4.1-cln", (40, 43))],
)
def test_excerpts_of_logs_are_all_lines_of_their_weeks(trace_data, name, log, weeks):
    first, past = (week * WEEK_S for week in weeks)
    jobs = [line for line in lines(trace_data / "hpc" / "swf" / f"{log}.swf.gz") if line and line[0] != ";"]
    ours = [line for line in lines(SHIPPED[name] / f"{name}.swf.gz") if line[0] != ";"]
    assert ours == [line for line in jobs if first <= int(line.split()[1]) < past]


@pytest.mark.real
def test_memory_of_a_node_is_the_most_that_a_job_of_the_whole_log_requests(trace_data):
    log = trace_data / "hpc" / "swf" / "LANL-CM5-1994-4.1-cln.swf.gz"
    requests = [int(line.split()[9]) for line in lines(log) if line and line[0] != ";"]
    node_kb = 1e6 * settings("lanl_cm5")["node_memory_gb"]
    assert (max(requests), requests.count(node_kb)) == (node_kb, 19523)


@pytest.mark.real
def test_jobs_of_marconi100_are_those_of_the_data_set(trace_data):
    theirs = pl.read_parquet(trace_data / "hpc" / "m100" / "m100_real_jobs.parquet")
    ours = pl.read_csv(SHIPPED["m100_jobs"] / "m100_jobs.csv", schema_overrides={"partition": pl.String})
    submitted = pl.col("submit_time").dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    theirs = theirs.with_columns(submitted).select(ours.columns).sort("submit_time", "job_id")
    assert ours.rows() == theirs.rows()


@pytest.mark.real
def test_logs_and_profiles_are_those_that_were_published(trace_data):
    with tarfile.open(trace_data / "pim" / "prim_raw_logs.tar.xz") as archive:
        published = {Path(m.name).name: m for m in archive if "vPrIM/full_results/native/" in m.name}
        for path in SHIPPED["prim_upmem"].iterdir():
            if path.name != "trace.yaml":
                assert path.read_bytes() == archive.extractfile(published[path.name]).read()
    for kind in ("traces", "metrics"):
        with tarfile.open(trace_data / "gpu" / f"magus_nvprof_{kind}.tar.xz") as archive:
            published = {f"{Path(m.name).name}.gz": archive.extractfile(m).read() for m in archive if m.isfile()}
        ours = {path.name: path for name in ("magus", "rodinia") for path in SHIPPED[name].glob(f"{kind}_*.csv.gz")}
        assert ours.keys() == {name for name, content in published.items() if content}
        for name, path in ours.items():
            assert gzip.decompress(path.read_bytes()) == published[name]
    pairs = list(csv.reader(io.StringIO((trace_data / "gpu" / "magus_corun_pairs.csv").read_text())))
    ours = list(csv.reader(io.StringIO((SHIPPED["magus"] / "corun_pairs.csv").read_text())))
    assert ours == [row for row in pairs if "" not in row]
    published = trace_data / "gpu" / "miso_mig_iteration_times.csv"
    assert (SHIPPED["miso_a100"] / "sm_curve.csv").read_bytes() == published.read_bytes()


@pytest.mark.real
def test_the_roads_are_all_those_among_their_vertices(trace_data):
    def edges(path: Path) -> set[tuple[str, str]]:
        return {tuple(line.split()) for line in lines(path) if line[0] != "#"}

    ours = edges(SHIPPED["luxembourg_roads"] / "luxembourg_roads.txt.gz")
    vertices = {vertex for edge in ours for vertex in edge}
    whole = edges(trace_data / "graph" / "luxembourg_osm.txt.gz")
    assert ours == {edge for edge in whole if vertices.issuperset(edge)}
