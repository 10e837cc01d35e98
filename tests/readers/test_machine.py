"""What the jobs of a trace say of their machine: size, offered load, span, origin of the memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ingest import ingest
from pipeline.readers._columns import natural_order
from pipeline.readers._machine import peak_busy

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
    drop.mkdir()
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
    assert peak_busy(start, end, nodes) == slow


def test_a_machine_of_unknown_size_is_as_large_as_was_busy_at_once(tmp_path):
    log = sacct(("1", 0, 0, 60, 4), ("2", 10, 20, 80, 3), ("3", 30, 60, 120, 5), ("4", 120, 120, 150, 1))
    trace, _ = trace_of(tmp_path, {"log.sacct": log})
    # 3 + 5 nodes from minute 60, at which the first job's 4 become free; the largest job has 5.
    assert (trace["nodes"], trace["nodes_origin"], trace["unit"]) == (8, "peak", "node")
    assert trace["span_s"] == 120 * 60
    assert trace["offered_load"] == pytest.approx((4 * 60 + 3 * 60 + 5 * 60 + 30) / (8 * 120))
    assert "8 nodes, is assumed: the most nodes busy at once" in trace["warnings"]


def test_a_stated_size_is_kept_and_a_load_above_one_is_told(tmp_path):
    log = sacct(("1", 0, 0, 60, 4), ("2", 10, 20, 80, 3), ("3", 30, 60, 120, 5))
    trace, _ = trace_of(tmp_path, {"log.sacct": log, "trace.yaml": "nodes: 6\n"})
    assert (trace["nodes"], trace["nodes_origin"]) == (6, "stated")
    assert trace["offered_load"] == pytest.approx(720 / (6 * 30))
    assert "offered load is 4.00" in trace["warnings"]


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


def test_ids_in_natural_order():
    ids = ["7_10", "100", "9", "7_2", "10", "a2", "a10", ""]
    assert sorted(ids, key=natural_order) == ["", "7_2", "7_10", "9", "10", "100", "a2", "a10"]


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
