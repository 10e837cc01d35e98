"""Why jobs waited: a schedule worked out by hand, and random ones beside a second reader."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.studies.hpc_memory import waits

# On 4 nodes. From 0 to 10 one node is free, from 10 to 20 two are, from 20 to 30 none is.
JOBS = pl.DataFrame(
    {
        "job_id": ["a", "b", "c", "d"],
        "submit_s": [0.0, 1.0, 2.0, 3.0],
        "start_s": [0.0, 10.0, 20.0, 30.0],
        "end_s": [10.0, 20.0, 30.0, 35.0],
        "nodes": [3, 2, 4, 1],
    }
)


def told(unlimited_start_s: list[float]) -> dict[str, dict]:
    unlimited = JOBS.select("job_id", start_s=pl.Series(unlimited_start_s))
    rows = waits.explained(JOBS, unlimited, 4, JOBS["job_id"]).to_dicts()
    return {row["job_id"]: row for row in rows}


def test_free_nodes_are_counted_at_every_instant():
    time_s, free = waits.free_nodes(*(JOBS[name].to_numpy() for name in ("start_s", "end_s", "nodes")), 4)
    assert time_s.tolist() == [0, 10, 20, 30, 35]
    assert free.tolist() == [1, 2, 0, 3, 4]


def test_a_wait_is_divided_into_nodes_that_were_short_and_nodes_that_were_kept():
    rows = told([0.0, 10.0, 20.0, 30.0])
    divided = {name: (row["wait_s"], row["short_s"], row["kept_s"], row["until_s"]) for name, row in rows.items()}
    assert divided == {"a": (0, 0, 0, None), "b": (9, 9, 0, 10), "c": (18, 18, 0, 20), "d": (27, 10, 17, 30)}
    assert [row["freed_by"] for row in rows.values()] == [None, "a", "b", "c"]
    assert [row["ahead"] for row in rows.values()] == [0, 0, 1, 2]
    assert [row["reason"] for row in rows.values()] == [waits.AT_ONCE, waits.NODES, waits.NODES, waits.RESERVED]


def test_memory_is_named_where_unlimited_memory_would_have_halved_the_wait():
    # b would have waited 4.5 of 9 s, which is half; c 8.9 of 18 s, which is less.
    rows = told([0.0, 5.5, 10.9, 31.0])
    assert [row["reason"] for row in rows.values()] == [waits.AT_ONCE, waits.NODES, waits.MEMORY, waits.RESERVED]
    assert rows["c"]["unlimited_wait_s"] == pytest.approx(8.9)


def test_sentences_say_how_long_until_when_and_by_whom():
    rows = told([0.0, 10.0, 10.9, 30.0])
    assert waits.sentence(rows["a"], 0) == "Job a started at once on 3 nodes."
    assert waits.sentence(rows["d"], -3600) == (
        "Job d asked for 1 node and waited 27\u00a0s, from hour 1.0 to 1.0. When it came, 2 other jobs waited. "
        "For 10\u00a0s fewer were free, the last time until hour 1.0. For 17\u00a0s enough were free, but kept for "
        "jobs ahead of it. It started when job c ended. With unlimited memory it would have waited as long."
    )
    assert waits.sentence(rows["c"], 0).endswith(
        "With unlimited memory it would have waited 8.9\u00a0s. Jobs that lack memory run slower, and hold their nodes "
        "for longer."
    )


def test_the_queue_counts_who_waits():
    result = waits.queue(JOBS, 2.5, 25.0)
    assert result["time_s"].to_list() == [2.5, 3, 10, 20, 25]
    assert result["waiting"].to_list() == [2, 3, 2, 1, 1]


def test_windows_have_the_jobs_that_waited_longest_together_none_twice(monkeypatch):
    monkeypatch.setattr(waits, "WINDOW_JOBS", 2)
    assert waits.windows(JOBS, 1) == [(2.0, 30.0)]
    assert waits.windows(JOBS, 5) == [(2.0, 30.0), (0.0, 10.0)]
    # The job that waits nowhere else is in no window of its own.
    monkeypatch.setattr(waits, "WINDOW_JOBS", 1)
    assert waits.windows(JOBS, 5) == [(3.0, 30.0), (2.0, 20.0), (1.0, 10.0)]
    monkeypatch.setattr(waits, "WINDOW_JOBS", 9)
    assert waits.windows(JOBS, 5) == [(0.0, 30.0)]
    monkeypatch.setattr(waits, "WINDOW_JOBS", 2)
    # Three jobs run from 2 s to 30 s, the one that ends at 30 s included: too many, so one job alone is shown.
    monkeypatch.setattr(waits, "MOST_BOXES", 2)
    assert waits.windows(JOBS, 1) == [(3.0, 30.0)]


@st.composite
def schedules(draw):
    """Jobs in whole seconds that never hold more than the machine's nodes."""
    machine = draw(st.integers(2, 8))
    free_at, rows, now = [0] * machine, [], 0
    for number in range(draw(st.integers(1, 12))):
        nodes, length = draw(st.integers(1, machine)), draw(st.integers(1, 9))
        submit = now
        now += draw(st.integers(0, 3))
        start = max(now, sorted(free_at)[nodes - 1])
        for index in sorted(range(machine), key=free_at.__getitem__)[:nodes]:
            free_at[index] = start + length
        rows.append((f"j{number}", float(submit), float(start), float(start + length), nodes))
    return machine, pl.DataFrame(rows, schema=list(JOBS.schema.items()), orient="row").sort("submit_s", "job_id")


@given(schedules())
@settings(max_examples=100, deadline=None)
def test_every_second_of_a_wait_is_one_of_both(case):
    machine, jobs = case
    rows = waits.explained(jobs, jobs.select("job_id", "start_s"), machine, jobs["job_id"]).to_dicts()
    start, end, nodes = (jobs[name].to_numpy() for name in ("start_s", "end_s", "nodes"))
    for row in rows:
        # Times are whole seconds: the middle of each tells of all of it.
        seconds = np.arange(row["submit_s"], row["start_s"]) + 0.5
        free = [machine - nodes[(start < s) & (end > s)].sum() for s in seconds]
        assert row["short_s"] == sum(count < row["nodes"] for count in free)
        assert row["kept_s"] == sum(count >= row["nodes"] for count in free)
        assert row["wait_s"] == len(seconds)
        assert row["ahead"] == sum((jobs["submit_s"] < row["submit_s"]) & (jobs["start_s"] >= row["submit_s"]))
