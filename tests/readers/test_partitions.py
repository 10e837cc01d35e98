"""Partitions that `partitions:` of trace.yaml names are machines, and traces, of their own."""

import random

import polars as pl
import pytest

from pipeline.stages import ingest

HEADER = "JobID|Partition|Submit|Start|End|NNodes|Timelimit|NodeList"
NODES = {"batch": range(1, 9), "gpu": range(9, 13), "debug": range(13, 15)}


def line(number, partition, submit, wait=0, run=600, nodes=(1,)):
    seconds = (submit, submit + wait, submit + wait + run)
    times = [f"2024-01-08T{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds]
    return "|".join([str(number), partition, *times, str(len(nodes)), "01:00:00", f"n[{','.join(map(str, nodes))}]"])


def random_lines(seed):
    rng = random.Random(seed)
    lines = []
    for number in range(60):
        partition = rng.choice(list(NODES))
        nodes = sorted(rng.sample(NODES[partition], rng.randint(1, len(NODES[partition]))))
        lines.append(line(number, partition, 60 * number, rng.randrange(0, 600), rng.randrange(60, 3600), nodes))
    return lines


def run(folder, lines, trace_yaml="{}", name="log.sacct", header=HEADER):
    """Tables of the drop `demo`, by name."""
    drop = folder / "demo"
    drop.mkdir(parents=True, exist_ok=True)
    (drop / name).write_text("\n".join([header, *lines]) + "\n")
    (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    names = ("traces", "jobs", "rejected_rows", "tallies")
    held = {n: folder / "out" / f"{n}.parquet" for n in names}
    return summary, {n: pl.read_parquet(path) for n, path in held.items() if path.exists()}


def refusals(tables):
    return dict(tables["rejected_rows"].select("reason", "detail").iter_rows())


def test_a_named_partition_equals_a_log_of_its_jobs_alone(tmp_path):
    lines = random_lines(1)
    _, tables = run(tmp_path / "all", lines, "partitions: {batch: 8, gpu: 5}")
    assert tables["traces"]["trace"].to_list() == ["demo/log/batch", "demo/log/gpu"]
    assert not len(tables["rejected_rows"])
    origin = pl.Series([float(60 * n) for n, text in enumerate(lines)])
    for partition, nodes in (("batch", 8), ("gpu", 5)):
        of_partition = [text for text in lines if f"|{partition}|" in text]
        _, alone = run(tmp_path / partition, of_partition, f"nodes: {nodes}")
        first = float(60 * int(of_partition[0].partition("|")[0]))
        assert first in origin
        times = pl.col("submit_s", "start_s", "end_s")
        jobs = tables["jobs"].filter(pl.col("partition") == partition)
        assert jobs["trace"].unique().to_list() == [f"demo/log/{partition}"]
        assert jobs.drop("trace").with_columns(times - first).equals(alone["jobs"].drop("trace"))
        machine = ["nodes", "nodes_origin", "unit", "offered_load", "span_s", "jobs"]
        trace = tables["traces"].filter(pl.col("trace") == f"demo/log/{partition}")
        assert trace.select(machine).equals(alone["traces"].select(machine))


def test_jobs_of_other_partitions_are_counted_and_left_out(tmp_path):
    lines = random_lines(2)
    summary, tables = run(tmp_path, lines, "partitions: {gpu: 4}")
    others = sum("|gpu|" not in text for text in lines)
    left_out = tables["tallies"].filter(pl.col("fate") == "left_out").select("trace", "reason", "rows").rows()
    assert left_out == [("demo/log", "other_partition", others)]
    assert f"of demo/log: left out: {others} other_partition" in summary.text()
    assert tables["jobs"].height == 60 - others


def test_without_the_key_the_log_is_one_machine_and_its_note_names_the_partitions(tmp_path):
    lines = random_lines(3)
    _, tables = run(tmp_path, lines)
    assert tables["traces"]["trace"].to_list() == ["demo/log"]
    count = {name: sum(f"|{name}|" in text for text in lines) for name in NODES}
    named = ", ".join(f"{name} {count[name]}" for name in sorted(count, key=lambda name: (-count[name], name)))
    assert f"Jobs by partition or queue: {named};" in tables["traces"]["note"][0]


def test_a_partition_that_no_job_ran_in_is_said_and_the_others_are_read(tmp_path):
    _, tables = run(tmp_path, random_lines(4), "partitions: {gpuu: 4, batch: 8}")
    assert tables["traces"]["trace"].to_list() == ["demo/log/batch"]
    assert refusals(tables) == {
        "partition_unknown": "no job ran in partition 'gpuu', but in batch, debug, gpu; did you mean 'gpu'?"
    }


def test_partitions_whose_jobs_ran_on_one_node_are_refused(tmp_path):
    lines = [line(1, "batch", 0, nodes=(1, 2)), line(2, "gpu", 60, nodes=(2, 3)), line(3, "debug", 90, nodes=(1,))]
    _, tables = run(tmp_path / "two", lines, "partitions: {batch: 2, gpu: 2}")
    assert tables["traces"]["status"].to_list() == ["refused"]
    assert refusals(tables)["partitions_share_nodes"].startswith(
        "partitions batch, gpu share nodes: jobs of more than one ran on 1 of the nodes"
    )
    # What a partition that is not named does is not asked.
    _, tables = run(tmp_path / "one", lines, "partitions: {batch: 2}")
    assert tables["jobs"]["job_id"].to_list() == ["1"]


def test_a_job_larger_than_its_partition_is_rejected(tmp_path):
    _, tables = run(tmp_path, [line(1, "a", 0, nodes=(1, 2)), line(2, "a", 0)], "nodes: 8\npartitions: {a: 1}")
    assert refusals(tables) == {"larger_than_machine": "job 1 asks for 2 nodes, the machine has 1"}
    assert tables["traces"]["nodes"].to_list() == [1]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("nodes: 10\npartitions: {a: 8, b: 4}", "they have 12 nodes together, and the machine 10"),
        ("partitions: {a/b: 8}", "a/b is no name"),
        ("partitions: {a: 0}", "greater than or equal to 1"),
        ("partitions: [a]", "dictionary"),
    ],
)
def test_what_cannot_be_is_refused_by_its_name(tmp_path, settings, sentence):
    _, tables = run(tmp_path, [line(1, "a", 0)], settings)
    assert sentence in refusals(tables)["settings_invalid"]


def test_jobs_that_do_not_say_their_partition_are_refused(tmp_path):
    lines = ["1|2024-01-08T00:00:00|2024-01-08T00:00:00|2024-01-08T01:00:00|1"]
    _, tables = run(tmp_path, lines, "partitions: {a: 8}", header="JobID|Submit|Start|End|NNodes")
    assert "the jobs do not say theirs" in refusals(tables)["partition_missing"]


def test_a_file_whose_jobs_do_not_say_it_is_left_out_beside_one_whose_jobs_do(tmp_path):
    before = tmp_path / "demo" / "before.sacct"
    before.parent.mkdir()
    for header, of_before in (
        (HEADER, [line(1, "", 0), line(2, "", 0)]),
        (HEADER.replace("Partition|", ""), [line(1, "", 0).replace("||", "|"), line(2, "", 0).replace("||", "|")]),
    ):
        before.write_text("\n".join([header, *of_before]) + "\n", encoding="utf-8")
        _, tables = run(tmp_path, [line(3, "a", 0)], "partitions: {a: 1}", name="since.sacct")
        assert refusals(tables) == {}
        assert tables["jobs"].select("trace", "job_id").rows() == [("demo/since/a", "3")]
        left_out = tables["tallies"].filter(pl.col("fate") == "left_out").select("trace", "reason", "rows").rows()
        assert left_out == [("demo/before", "other_partition", 2)]


def test_a_drop_with_more_than_jobs_is_refused(tmp_path):
    samples = "a,0,1", "a,5,2"
    _, tables = run(tmp_path, samples, "partitions: {a: 8}", name="samples.csv", header="job_id,time_s,used_gb")
    assert "for logs of jobs alone" in refusals(tables)["partition_missing"]


SWF = "{job} 0 0 60 1 -1 -1 1 600 -1 1 -1 -1 -1 {queue} {partition} -1 -1"
PBS = (
    "03/01/2024 11:00:00;E;{job}.s;user=u queue={queue} ctime=1709283600 start=1709283600 end=1709287200 "
    "exec_host=n{job}/0 Resource_List.nodect=1"
)
SGE = (
    "{queue}:n{job}:g:u:x:{job}:sge:0:1709283600:1709283600:1709287200:0:0" + ":0" * 18
    + ":p:d:NONE:1:0:1:0.1:0.0:-l h_rt=3600:0.0:NONE:1000000.0"
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "header", "form"),
    [
        ("log.swf", "; MaxNodes: 4", SWF.replace("{partition}", "{queue}").replace(" {queue} {queue} ", " 9 {queue} ")),
        ("queues.swf", "; MaxNodes: 4", SWF.replace("{partition}", "-1")),
        ("jobs.csv", "job_id,submit_s,nodes,runtime_s,partition", "{job},0,1,60,{queue}"),
        ("20240301", "# accounting", PBS),
        ("accounting", "# accounting", SGE),
    ],
)
def test_formats_that_have_them_give_partitions_or_else_queues(tmp_path, name, header, form):
    lines = [form.format(job=job, queue=queue) for job, queue in ((1, 7), (2, 7), (3, 8))]
    _, tables = run(tmp_path, lines, "partitions: {7: 3, 8: 1}", name=name, header=header)
    assert refusals(tables) == {}
    jobs = tables["jobs"].select(pl.col("trace").str.extract(r"([^/]*)$"), "partition", "job_id").rows()
    assert [(trace, partition) for trace, partition, _ in sorted(jobs)] == [("7", "7"), ("7", "7"), ("8", "8")]
    assert tables["traces"]["nodes"].to_list() == [3, 1]
