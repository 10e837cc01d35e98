"""Range queries of Prometheus: memory of nodes and jobs, odd values, other metrics, damaged and foreign answers."""

import gzip
import json
import tracemalloc

import polars as pl
import pytest

from pipeline.readers import _range_query
from pipeline.stages import ingest

AVAILABLE, TOTAL = "node_memory_MemAvailable_bytes", "node_memory_MemTotal_bytes"
RSS = "cgroup_memory_rss_bytes"


def series(name, values, **labels):
    labels |= {"__name__": name} if name else {}
    return {"metric": labels, "values": [[1000 + at, str(value)] for at, value in values.items()]}


def answer(*all_series):
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": list(all_series)}})


def run(folder, files, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    for name, content in files.items():
        content = content if isinstance(content, bytes) else content.encode()
        (drop / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def samples(tables):
    return tables["samples"].drop("trace").rows() if "samples" in tables else []


def fates(tables):
    """Rows of samples by what became of them."""
    tally = tables["tallies"].filter(pl.col("table_name") == "samples")
    return {reason or fate: rows for fate, reason, rows in tally.select("fate", "reason", "rows").iter_rows()}


def refusals(tables):
    return tables["rejected_rows"].filter(pl.col("table_name").is_null())["reason"].to_list()


def test_used_memory_of_a_node_is_its_total_less_what_is_available(tmp_path):
    # The total grows from 100 to 200 GB at 60 s; before its first sample the first one holds.
    available = series(AVAILABLE, {0: 90e9, 30: 80e9, 60: 150e9, 90: 60e9}, instance="n1:9100", job="node")
    total = series(TOTAL, {30: 100e9, 60: 200e9}, instance="n1:9100", job="node")
    other = series("up", {0: 1}, instance="n1:9100")
    summary, result = run(tmp_path, {"a.json.gz": answer(available), "b.json": answer(other, total)})
    assert summary.format == "prometheus"
    assert samples(result) == [("n1", "n1", 0, 10), ("n1", "n1", 30, 20), ("n1", "n1", 60, 50), ("n1", "n1", 90, 140)]
    assert fates(result) == {"used": 4, "capacity": 2, "metric_not_used": 1}
    assert dict(result["provenance"].select("file", "rows").iter_rows()) == {"a.json.gz": 4, "b.json": 3}


def test_values_that_are_no_amounts_are_rejected_one_by_one(tmp_path):
    values = {0: "NaN", 60: "+Inf", 120: "-1", 180: "seven", 240: "1e9", 900: "2e9"}
    summary, result = run(tmp_path, {"a.json": answer(series(RSS, values, jobid="7", instance="n1:9306"))})
    assert samples(result) == [("7", "n1", 240, 1), ("7", "n1", 900, 2)]
    rejected = result["rejected_rows"].sort("row").select("row", "reason").rows()
    assert rejected == [
        (1, "used_gb_not_a_number"), (2, "used_gb_infinite"), (3, "used_gb_negative"), (4, "used_gb_unreadable"),
    ]  # fmt: skip
    assert fates(result)["used"] == 2
    assert fates(result)["gap"] == 1
    assert result["provenance"]["rows"].to_list() == [6]
    assert summary.code == 1


@pytest.mark.parametrize(
    ("labels", "job", "node"),
    [
        ({"slurmjobid": "41", "instance": "n2:9798", "job": "slurm"}, "41", "n2"),
        ({"cgroup": "/slurm/uid_5/job_88", "instance": "n3"}, "88", "n3"),
        ({"job": "node", "node": "n4", "instance": "10.0.0.4:9100"}, "n4", "n4"),
        ({"jobid": "9"}, "9", None),
    ],
)
def test_jobs_and_nodes_are_told_by_their_labels(labels, job, node, tmp_path):
    _, result = run(tmp_path, {"a.json": answer(series(RSS, {0: 1e9, 60: 2e9}, **labels))})
    assert samples(result) == [(job, node, 0, 1), (job, node, 60, 2)]


def test_what_is_of_no_use_is_left_out_by_reason(tmp_path):
    result = run(
        tmp_path,
        {
            "a.json": answer(
                series(RSS, {0: 1e9}, cgroup="/slurm/job_7", instance="n1"),
                series(RSS, {0: 1e9, 1: 1e9}, cgroup="/slurm/job_7/step_0", instance="n1"),
                series(RSS, {0: 1e9, 1: 1e9, 2: 1e9}, task="x"),
                series(AVAILABLE, {0: 1e9, 1: 1, 2: 1, 3: 1}, instance="n1"),
            )
        },
    )[1]
    assert fates(result) == {"used": 1, "part_of_job": 2, "series_unnamed": 3, "metric_not_used": 4}


def test_without_a_total_the_stated_memory_of_a_node_is_taken_or_nothing(tmp_path):
    files = {"a.json": answer(series(AVAILABLE, {0: 1e9, 60: 2e9}, instance="n1"))}
    assert fates(run(tmp_path / "without", files)[1]) == {"capacity_unknown": 2}
    unknown = {"b.json": answer(series(TOTAL, {0: "NaN"}, instance="n1"))}
    assert fates(run(tmp_path / "unknown", files | unknown)[1]) == {"capacity": 1, "capacity_unknown": 2}
    _, result = run(tmp_path / "with", files, "node_memory_gb: 10\n")
    assert samples(result) == [("n1", "n1", 0, 9), ("n1", "n1", 60, 8)]


def test_metric_and_labels_may_be_stated(tmp_path):
    pods = [series("rss", {0: 5, 60: 6}, namespace="a", pod=pod, nodename="n1") for pod in ("x", "y")]
    settings = "columns: {used_gb: {from: rss, unit: MB}, job_id: [namespace, pod], node: nodename}\n"
    _, result = run(tmp_path, {"a.json": answer(*pods)}, settings)
    expected = [("a/x", "n1", 0, 0.005), ("a/x", "n1", 60, 0.006), ("a/y", "n1", 0, 0.005), ("a/y", "n1", 60, 0.006)]
    assert samples(result) == expected


def test_the_result_of_a_query_without_a_name_is_taken_as_bytes(tmp_path):
    printed_by_promtool = json.dumps([series(None, {0: 3e9, 60: 4e9}, instance="n1:9100")])
    _, result = run(tmp_path, {"a.json": printed_by_promtool})
    assert samples(result) == [("n1", "n1", 0, 3), ("n1", "n1", 60, 4)]
    assert "the value of the query, taken as bytes" in result["traces"]["note"][0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"status":"error","errorType":"bad_data","error":"parse error"}', "result_missing"),
        ('{"status":"success","data":{"resultType":"vector","result":[]}}', "result_not_matrix"),
        (answer(), "file_empty"),
        (answer({"metric": {}, "values": []}), "file_empty"),
        (answer({"metric": {}, "value": [0, "1"]}), "columns_missing"),
        (answer({"metric": {"a": 1}, "values": []}), "columns_missing"),
        (answer({"metric": {}, "values": [[0]]}), "column_type"),
        (answer({"metric": {}, "values": [0, 1]}), "column_type"),
        (answer({"metric": {"a": "\ud800"}, "values": []}), "unreadable_json"),
        (answer(series("mem_free_total", {0: 1}, instance="n1")), "metric_unknown"),
        (answer(7), "unreadable_json"),
        ('{"status":"success","data":{"result":' + "[" * 9999, "unreadable_json"),
    ],
)
def test_answers_that_are_no_series_are_refused(content, reason, tmp_path):
    summary, result = run(tmp_path, {"a.json": content})
    assert refusals(result) == [reason]
    assert summary.code == 2


def test_a_counter_is_no_used_memory(tmp_path):
    files = {"a.json": answer(series("pages_total", {0: 1}, instance="n1"))}
    _, result = run(tmp_path, files, "columns: {used_gb: pages_total}\n")
    assert refusals(result) == ["metric_is_counter"]


def test_what_stands_before_a_cut_is_used(tmp_path):
    whole = answer(series(RSS, {0: 1e9, 60: 1e9}, jobid="1"), series(RSS, {0: 2e9, 60: 2e9}, jobid="2"))
    _, result = run(tmp_path, {"a.json": whole[: whole.index('"jobid": "2"')]})
    assert [row[0] for row in samples(result)] == ["1", "1"]
    assert refusals(result) == ["unreadable_json"]


def test_series_are_held_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.readers._files.BLOCK_BYTES", 1 << 16)
    path, count = tmp_path / "a.json", 400
    path.write_text(answer(*(series(RSS, dict.fromkeys(range(1000), 1e9), jobid=str(n)) for n in range(count))))
    tracemalloc.start()
    part_sizes = [(part.labels["jobid"], part.samples.height) for part in _range_query.parts(path, print)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert part_sizes == [(str(n), 1000) for n in range(count)]
    assert peak < path.stat().st_size / 4


def test_a_series_longer_than_any_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("pipeline.readers._json_array.LONGEST", 1000)
    monkeypatch.setattr("pipeline.readers._files.BLOCK_BYTES", 500)
    _, result = run(tmp_path, {"a.json": answer(series(RSS, dict.fromkeys(range(200), 1e9), jobid="1"))})
    assert refusals(result) == ["object_too_long"]


PANEL = (
    'Time,"slurm_job_memory_rss{instance=""n1:9798"",slurmjobid=""41""}",'
    '"slurm_job_memory_rss{instance=""n2:9798"",slurmjobid=""41""}"\n'
)


@pytest.mark.parametrize("first", ["1700000000000", "1700000000", "2023-11-14 22:13:20", "2023-11-14T22:13:20Z"])
def test_a_panel_has_a_column_per_series(first, tmp_path):
    then = {"1700000000000": "1700000060000", "1700000000": "1700000060"}.get(first, first.replace("13:20", "14:20"))
    _, result = run(tmp_path, {"a.csv": f"{PANEL}{first},1e9,2e9\n{then},,4e9\n"})
    assert samples(result) == [("41", "n1", 0, 1), ("41", "n2", 0, 2), ("41", "n2", 60, 4)]
    assert "Unix time 1700000000." in result["traces"]["note"][0]


def test_a_table_has_labels_in_columns(tmp_path):
    text = (
        "Time,__name__,instance,slurmjobid,Value\n"
        "1700000000,slurm_job_memory_usage,n1:1,5,1e9\n"
        "1700000000,slurm_job_memory_usage,n2:1,5,2e9\n"
        "1700000060,slurm_job_memory_usage,n1:1,5,1.5 GiB\n"
        "1700000120,slurm_job_memory_usage,n1:1,5,much\n"
        "1700000060,slurm_job_memory_usage,n1:1\n"
    )
    _, result = run(tmp_path, {"a.csv": text})
    assert samples(result) == [("5", "n1", 0, 1), ("5", "n1", 60, 1.5 * 1.024**3), ("5", "n2", 0, 2)]
    rejected = result["rejected_rows"].sort("row").select("row", "reason").rows()
    assert rejected == [(5, "used_gb_unreadable"), (6, "malformed_line")]


def test_columns_with_legends_are_nodes_where_the_format_is_stated(tmp_path):
    _, result = run(tmp_path, {"a.csv": "Time,n1,n2\n0,1e9,2e9\n60,1e9,3e9\n"}, "format: prometheus\n")
    assert samples(result) == [("n1", "n1", 0, 1), ("n1", "n1", 60, 1), ("n2", "n2", 0, 2), ("n2", "n2", 60, 3)]


WORKING_SET = "container_memory_working_set_bytes"


def pod(name, values, container=None, **labels):
    labels |= {"namespace": "ns", "pod": name, "id": f"/kubepods/{name}/{container}", "instance": "10.0.0.1:10250"}
    return series(WORKING_SET, values, **labels, **({"container": container} if container else {}))


def test_pods_are_jobs_and_their_containers_are_summed(tmp_path):
    files = {
        "a.json": answer(
            pod("web", {0: 1e9, 60: 2e9}, "app", node="n1"),
            pod("web", {60: 3e9, 120: 4e9}, "proxy", node="n1"),
            pod("web", {0: 9e9}, "POD", node="n1"),
            pod("db", {0: 7e9}, node="n1"),
            pod("db", {0: 6e9}, "sql", node="n1"),
            series(WORKING_SET, {0: 99e9}, id="/", node="n1"),
        ),
        "b.json": answer(pod("web", {120: 4e9, 180: 5e9}, "proxy", node="n1")),
    }
    summary, result = run(tmp_path, files)
    assert samples(result) == [
        ("ns/db", "n1", 0, 7), ("ns/web", "n1", 0, 1), ("ns/web", "n1", 60, 5), ("ns/web", "n1", 120, 4),
        ("ns/web", "n1", 180, 5),
    ]  # fmt: skip
    expected = {"used": 5, "summed": 1, "part_of_job": 2, "part_of_node": 1, "duplicate_sample": 1}
    assert fates(result) == expected
    assert dict(result["provenance"].select("file", "rows").iter_rows()) == {"a.json": 8, "b.json": 2}
    assert "Series of 1 jobs or nodes, as of the containers of a pod, are summed" in result["traces"]["note"][0]
    assert summary.code == 1


def test_several_things_on_a_node_are_summed_and_one_thing_twice_is_refused(tmp_path):
    both = [series(None, {0: n * 1e9, 60: 1e9}, node="n1", namespace=name) for n, name in ((1, "a"), (2, "b"))]
    _, result = run(tmp_path / "things", {"a.json": answer(*both)})
    assert samples(result) == [("n1", "n1", 0, 3), ("n1", "n1", 60, 2)]
    twice = [series(WORKING_SET, {0: 1e9, 60: 1e9}, id="/", node="n1", replica=name) for name in "ab"]
    summary, result = run(tmp_path / "twice", {"a.json": answer(*twice)})
    assert refusals(result) == ["series_repeated"]
    assert "2 series of n1 differ only in replica" in result["rejected_rows"]["detail"][0]
    assert summary.code == 2


def test_the_pod_of_an_exporter_is_no_job_and_may_be_restarted(tmp_path):
    labels = {"instance": "n1:9100", "container": "node-exporter"}
    left = [series(AVAILABLE, {at: 1e9, at + 60: 2e9}, pod=f"exp-{at}", **labels) for at in (0, 120)]
    _, result = run(tmp_path, {"a.json": answer(*left)}, "node_memory_gb: 10\n")
    assert samples(result) == [("n1", "n1", 0, 9), ("n1", "n1", 60, 8), ("n1", "n1", 120, 9), ("n1", "n1", 180, 8)]
