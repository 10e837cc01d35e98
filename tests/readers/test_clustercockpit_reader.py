"""ClusterCockpit archives: a job and its samples from each pair, odd units and missing halves."""

import gzip
import json

import polars as pl
import pytest

from pipeline.stages import ingest


def meta(number=1, start=1000, **more):
    return {"jobId": number, "startTime": start, "duration": 180, "numNodes": 2, "walltime": 3600, "user": "u", **more}


def data(series, prefix="G", base="B", step=60):
    hosts = [{"hostname": host, "data": values} for host, values in series.items()]
    return {"mem_used": {"node": {"unit": {"base": base, "prefix": prefix}, "timestep": step, "series": hosts}}}


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    for name, content in files.items():
        path = drop / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def test_pair_becomes_a_job_and_samples(tmp_path):
    files = {
        "a_meta.json": meta(1, 1000),
        "a_data.json": data({"n1": [1, 2], "n2": [3, None]}),
        "7/meta.json": meta(2, 1060, walltime=10),
        "7/data.json.gz": data({"n3": [2048]}, prefix="Mi", base="B/s"),
    }
    _, result = run(tmp_path, files)
    jobs = result["jobs"].select("job_id", "submit_s", "nodes", "walltime_s", "runtime_s", "start_s", "end_s")
    assert jobs.rows() == [("1", 0, 2, 3600, 180, 0, 180), ("2", 60, 2, None, 180, 60, 240)]
    assert result["samples"].rows() == [
        ("demo", "1", "n1", 0.0, 1.0),
        ("demo", "1", "n1", 60.0, 2.0),
        ("demo", "1", "n2", 0.0, 3.0),
        ("demo", "2", "n3", 60.0, pytest.approx(2.147483648)),
    ]
    assert result["rejected_rows"].select("file", "row", "reason").rows() == [("a_data.json", 4, "used_gb_missing")]
    assert "Requested time of job 2 not used: 10 s is shorter" in result["traces"]["note"][0]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"b_meta.json": meta(2)}, ("b_meta.json", "data_missing")),
        ({"b_data.json": data({"n": [1]})}, ("b_data.json", "meta_missing")),
        ({"b_meta.json": meta(2), "b_data.json": b"{"}, ("b_data.json", "unreadable_json")),
        ({"b_meta.json": meta(2), "b_data.json": b""}, ("b_data.json", "file_empty")),
        ({"b_meta.json": meta(2), "b_data.json": {"cpu": 1}}, ("b_data.json", "columns_missing")),
        ({"b_meta.json": meta(2), "b_data.json": data({"n": [1]}, prefix="X")}, ("b_data.json", "unit_unknown")),
        ({"b_meta.json": meta(2), "b_data.json": data({"n": [1]}, step=0)}, ("b_data.json", "column_type")),
        ({"b_meta.json": meta(2), "b_data.json": data({"n": ["x"]})}, ("b_data.json", "column_type")),
        ({"b_meta.json": meta(2, numNodes=9), "b_data.json": data({"n": [1]})}, ("b_meta.json", "larger_than_machine")),
        (
            {"b_meta.json": meta(2, duration=0), "b_data.json": data({"n": [1]})},
            ("b_meta.json", "runtime_s_not_positive"),
        ),
        ({"b_meta.json": meta(1), "b_data.json": data({"n": [1]})}, ("b_meta.json", "duplicate_job_id")),
    ],
)
def test_bad_job_is_rejected_alone(tmp_path, files, expected):
    good = {"a_meta.json": meta(1), "a_data.json": data({"n1": [1, 2]})}
    summary, result = run(tmp_path, {**good, **files}, "nodes: 4")
    assert result["jobs"]["job_id"].to_list() == ["1"]
    assert expected in result["rejected_rows"].select("file", "reason").rows()
    assert summary.code == 1


def test_a_cut_off_data_file_is_named(tmp_path):
    _, result = run(
        tmp_path, {"a_meta.json": meta(), "a_data.json": gzip.compress(json.dumps(data({"n": [1]})).encode())[:-9]}
    )
    assert "truncated_gzip" in result["rejected_rows"]["reason"].to_list()


@pytest.mark.real
def test_real_job_adds_up(tmp_path, trace_data):
    source = trace_data / "hpc" / "memory"
    drop = tmp_path / "demo"
    drop.mkdir()
    for file in source.glob("emmy_1403_244*"):
        (drop / file.name).write_bytes(file.read_bytes())
    ingest.ingest(drop, tmp_path / "out")
    with gzip.open(next(source.glob("emmy_1403_244*data.json.gz"))) as file:
        series = json.load(file)["mem_used"]["node"]["series"]
    values = [value for host in series for value in host["data"]]
    samples = pl.read_parquet(tmp_path / "out" / "samples.parquet")
    assert samples["node"].n_unique() == len(series) == 32
    assert samples.height == sum(value is not None for value in values)
    assert pl.read_parquet(tmp_path / "out" / "rejected_rows.parquet").height == sum(value is None for value in values)
    job = pl.read_parquet(tmp_path / "out" / "jobs.parquet")
    assert job.select("nodes", "runtime_s", "walltime_s").rows() == [(32, 86486.0, None)]
    # The archive's own statistics of the metric, rounded to two digits there.
    per_host = samples.group_by("node").agg(pl.col("used_gb").max()).sort("node")["used_gb"].to_list()
    assert per_host == pytest.approx(
        [h["statistics"]["max"] for h in sorted(series, key=lambda h: h["hostname"])], abs=0.01
    )
