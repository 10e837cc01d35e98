"""What the jobs of a trace say of their machine: size, offered load, span, origin of the memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.readers._machine import busy_nodes
from pipeline.stages.ingest import check, ingest

HEADER = "JobID|User|Submit|Start|End|NNodes|Timelimit|State"


def at(minute: int) -> str:
    return f"2024-01-08T{minute // 60:02d}:{minute % 60:02d}:00"


def sacct(*jobs: tuple[str, int, int, int, int]) -> str:
    """A log of jobs (id, submit, start, end in minutes, nodes)."""
    lines = [
        f"{job}|u|{at(submit)}|{at(start)}|{at(end)}|{nodes}|08:00:00|COMPLETED"
        for job, submit, start, end, nodes in jobs
    ]
    return "\n".join([HEADER, *lines]) + "\n"


def trace_of(tmp_path: Path, files: dict[str, str]) -> tuple[dict, pl.DataFrame]:
    """The only trace of a drop of these files, and its jobs."""
    drop, target = tmp_path / "demo", tmp_path / "ingested"
    drop.mkdir(parents=True)
    for name, text in files.items():
        (drop / name).write_text(text)
    ingest(drop, target)
    jobs = target / "jobs.parquet"
    trace = pl.read_parquet(target / "traces.parquet").row(0, named=True)
    return trace, pl.read_parquet(jobs) if jobs.is_file() else pl.DataFrame()


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10), st.integers(1, 5)), max_size=30),
)
def test_the_peak_is_the_largest_sum_at_any_instant(jobs):
    start, length, nodes = (np.array(column, dtype=float) for column in (zip(*jobs, strict=True) if jobs else [[]] * 3))
    end = start + length
    slow = max((nodes[(start <= t) & (t < end)].sum() for t in range(42)), default=0)
    assert busy_nodes(start, end, nodes)[0] == slow


def test_a_size_that_was_reached_for_a_moment_is_doubted(tmp_path):
    """Jobs of a log overlap where nodes were shared: what is busy for 1 % of the time may be more than the machine."""
    jobs = [(str(n), 60 * n, 60 * n, 60 * (n + 1), 4) for n in range(22)]
    trace, _ = trace_of(tmp_path / "a", {"log.sacct": sacct(*jobs, ("again", 500, 500, 506, 4))})
    assert (trace["nodes"], trace["nodes_origin"]) == (8, "peak")
    assert "For 99% of the time no more than 4 were busy" in trace["warnings"]
    trace, _ = trace_of(
        tmp_path / "b", {"log.sacct": sacct(*jobs, ("again", 500, 500, 506, 4)), "trace.yaml": "nodes: 5"}
    )
    assert "up to 8 nodes were busy at once, more than the machine's 5" in trace["warnings"]


def test_a_machine_of_unknown_size_is_as_large_as_was_busy_at_once(tmp_path):
    log = sacct(("1", 0, 0, 60, 4), ("2", 10, 20, 80, 3), ("3", 30, 60, 120, 5), ("4", 120, 120, 150, 1))
    trace, _ = trace_of(tmp_path, {"log.sacct": log})
    # 3 + 5 nodes from minute 60, at which the first job's 4 become free; the largest job has 5.
    assert (trace["nodes"], trace["nodes_origin"], trace["unit"]) == (8, "peak", "node")
    assert trace["span_s"] == 120 * 60
    assert trace["offered_load"] == pytest.approx((4 * 60 + 3 * 60 + 5 * 60 + 30) / (8 * 120))
    assert "8 nodes, is assumed: the most nodes busy at once" in trace["warnings"]


def test_a_stated_size_is_kept_and_a_load_above_one_is_told(tmp_path):
    log = sacct(*((str(n), 10 * n, 10 * n, 10 * n + 60, 4) for n in range(11)))
    trace, _ = trace_of(tmp_path, {"log.sacct": log, "trace.yaml": "nodes: 6\n"})
    assert (trace["nodes"], trace["nodes_origin"]) == (6, "stated")
    assert trace["offered_load"] == pytest.approx(11 * 4 * 60 / (6 * 100))
    assert "offered load is 4.40" in trace["warnings"]


def test_without_times_the_largest_job_is_the_machine(tmp_path):
    jobs = "job_id,submit_s,nodes\na,0,3\nb,5,7\n"
    phases = "job_id,phase,duration_s,memory_gb\na,0,10,5\nb,0,20,5\n"
    trace, _ = trace_of(tmp_path, {"jobs.csv": jobs, "phases.csv": phases})
    assert (trace["nodes"], trace["nodes_origin"], trace["memory_origin"]) == (7, "largest_job", "measured")
    assert trace["offered_load"] == pytest.approx((3 * 10 + 7 * 20) / (7 * 5))


def test_a_position_is_the_place_in_the_file(tmp_path):
    _, jobs = trace_of(tmp_path, {"log.sacct": sacct(*((str(n), 0, n, n + 1, 1) for n in (9, 10, 11, 100, 2)))})
    assert jobs.sort("position")["job_id"].to_list() == ["9", "10", "11", "100", "2"]
    assert jobs["position"].sort().to_list() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("header", "settings", "unit"),
    [
        ("; MaxProcs: 64\n; MaxNodes: 64\n", "", "node"),
        ("; MaxProcs: 64\n; MaxNodes: 16\n", "", "core"),
        ("; MaxProcs: 64\n; MaxNodes: 16\n", "cpus_per_node: 4\n", "node"),
        ("; MaxProcs: 64\n", "", "core"),
        ("", "", "core"),
    ],
)
def test_swf_counts_processors_unless_nodes_are_told(tmp_path, header, settings, unit):
    line = "1 0 5 60 4 -1 -1 4 90 -1 1 7 1 3 -1 -1 -1 -1\n"
    trace, _ = trace_of(tmp_path, {"log.swf": header + line, "trace.yaml": settings})
    assert trace["unit"] == unit
    assert trace["nodes_origin"] == ("header" if header else "peak")


def swf_line(number: int, used_kb: int, requested_kb: int = -1, procs: int = 4, run: int = 60) -> str:
    return f"{number} {number * 100} 5 {run} {procs} -1 {used_kb} {procs} 90 {requested_kb} 1 7 1 3 -1 -1 -1 -1\n"


@pytest.mark.parametrize(
    ("used_kb", "requested_kb", "origin", "part"),
    [
        ([409_600] * 90 + list(range(1, 11)), [-1] * 100, "default_like", "it is 409600 kB for 90.0% of 100 jobs"),
        (list(range(1, 101)), list(range(1, 61)) + [7] * 40, "default_like", "the requested memory in 60 of 100 jobs"),
        ([409_600] * 95 + [7] * 5, [409_600] * 60 + [9] * 40, "default", "the requested memory in 60 of 100 jobs"),
        (list(range(1, 101)), list(range(2, 102)), "measured", None),
        ([-1] * 100, [5] * 100, "requested", None),
        ([-1] * 100, [-1] * 100, None, None),
    ],
)
def test_used_memory_that_looks_like_a_default_is_told(tmp_path, used_kb, requested_kb, origin, part):
    rows = enumerate(zip(used_kb, requested_kb, strict=True), start=1)
    log = "".join(swf_line(number, *kb) for number, kb in rows)
    trace, jobs = trace_of(tmp_path, {"log.swf": "; MaxProcs: 64\n" + log, "trace.yaml": "cpus_per_node: 8\n"})
    assert trace["memory_origin"] == origin
    assert (part in (trace["warnings"] or "")) if part else ("default" not in (trace["warnings"] or ""))
    assert jobs["used_memory_gb"].null_count() == used_kb.count(-1)


def test_no_processors_have_no_memory(tmp_path):
    """Of a job without processors the memory of a processor is not that of minus one of them."""
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "log.swf").write_text(swf_line(1, 5) + swf_line(2, 7, procs=-1))
    text, _ = check(drop)
    assert "nodes_too_small" in text
    assert "used_memory_gb" not in text


@pytest.mark.parametrize(
    ("processors", "nodes", "right"),
    [(1280, 160, "set cpus_per_node: 8 in"), (178, 57, "those of most nodes (3.1 on average)")],
)
def test_processors_per_node_are_not_rounded_down(tmp_path, processors, nodes, right):
    trace, _ = trace_of(tmp_path, {"log.swf": f"; MaxProcs: {processors}\n; MaxNodes: {nodes}\n" + swf_line(1, 5)})
    assert right in trace["note"]


def test_memory_that_no_node_has_is_rejected(tmp_path):
    log = "".join(swf_line(number, gb * 1_000_000, procs=1) for number, gb in enumerate([10, 280, 13_744], start=1))
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "log.swf").write_text("; MaxProcs: 8\n; MaxNodes: 8\n" + log)
    (drop / "trace.yaml").write_text("node_memory_gb: 256\n")
    text, code = check(drop)
    # 280 GB are 261 GiB: what is called 256 may be meant in either.
    assert "1 x beyond_node_memory, first log.swf:5: used_memory_gb = 13744.0" in text
    assert code == 1
    assert "mean 145 GB, largest 280 GB per node" in text


def test_samples_and_phases_beyond_the_node_are_rejected(tmp_path):
    samples = "job_id,time_s,used_gb\na,0,10\na,20,30\na,40,300\nb,0,5\n"
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "samples.csv").write_text(samples)
    (drop / "trace.yaml").write_text("node_memory_gb: 256\n")
    text, _ = check(drop)
    assert "1 x beyond_node_memory, first samples.csv:4" in text
    assert "memory (samples): a sample every 20 s, mean 15 GB, largest 30 GB per node" in text
    phases = "job_id,phase,duration_s,memory_gb\na,0,10,5\na,1,10,500\nb,0,20,5\n"
    trace, jobs = trace_of(
        tmp_path / "tables",
        {"jobs.csv": "job_id,submit_s,nodes\na,0,3\nb,5,7\n", "phases.csv": phases,
         "trace.yaml": "node_memory_gb: 256\n"},
    )  # fmt: skip
    assert jobs["job_id"].to_list() == ["b"]
    assert trace["rejected"] == 3


def test_bytes_taken_for_gb_and_milliseconds_for_seconds_are_told(tmp_path):
    samples = "job_id,time_s,used_gb\na,0,1e9\na,20,3e9\n"
    trace, _ = trace_of(tmp_path / "bytes", {"samples.csv": samples})
    assert "3e+09 GB per node, more than nearly any has; is its unit right?" in trace["warnings"]
    log = "; MaxProcs: 8\n" + swf_line(1, 5, run=7_200_000) + swf_line(2, 5, run=3_600_000)
    trace, _ = trace_of(tmp_path / "ms", {"log.swf": log})
    assert "run longer than 62 days; are these milliseconds?" in trace["warnings"]


@pytest.mark.parametrize("name", ["node_memory_MemAvailable_bytes", "MemFree", "mem_free", "free_mem", "memory free"])
def test_memory_that_is_left_is_not_taken_for_used(tmp_path, name):
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "node.csv").write_text(f"job,t,{name}\na,0,5\n")
    (drop / "trace.yaml").write_text(f"columns: {{job_id: job, time_s: t, used_gb: {{from: {name}, unit: B}}}}\n")
    text, code = check(drop)
    assert code == 2
    assert "used_gb = total - available" in text


def test_check_says_what_is_left_out_and_that_limits_are_missing(tmp_path):
    header = "JobID|Submit|Start|End|NNodes|State"
    ran = [f"{n}|{at(0)}|{at(1)}|{at(9)}|1|COMPLETED" for n in (1, 2, 2)]
    pending = f"3|{at(0)}|Unknown|Unknown|1|PENDING"
    orphan = f"9.batch|{at(0)}|{at(1)}|{at(9)}|1|COMPLETED"
    drop = tmp_path / "demo"
    drop.mkdir()
    (drop / "log.sacct").write_text("\n".join([header, *ran, pending, orphan]) + "\n")
    text, _ = check(drop)
    assert "left out: 1 never_started, 1 requeued, 1 step_without_job" in text
    assert "No job has a time limit: EASY backfilling takes run times" in text
    assert len(text.splitlines()) <= 15
