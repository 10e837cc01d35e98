"""Node packing and binning against brute force."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.report import timeline


@st.composite
def schedules(draw):
    """Jobs in the order of their starts that never hold more than the machine's nodes."""
    machine = draw(st.integers(1, 12))
    free_at, jobs, now = [0] * machine, [], 0
    for _ in range(draw(st.integers(1, 15))):
        nodes, length = draw(st.integers(1, machine)), draw(st.integers(1, 9))
        now = max(now + draw(st.integers(0, 3)), sorted(free_at)[nodes - 1])
        for index in sorted(range(machine), key=free_at.__getitem__)[:nodes]:
            free_at[index] = now + length
        jobs.append((now, now + length, nodes))
    return machine, jobs


@given(schedules())
@settings(max_examples=150, deadline=None)
def test_packing_gives_each_job_its_nodes_and_no_node_two_jobs(case):
    machine, jobs = case
    start, end, nodes = (np.array(column) for column in zip(*jobs, strict=True))
    places = timeline.pack(start.astype(float), end.astype(float), nodes, machine)
    held = np.zeros((end.max(), machine), dtype=int)
    for (first_s, last_s, wanted), ranges in zip(jobs, places, strict=True):
        assert sum(past - first for first, past in ranges) == wanted
        for first, past in ranges:
            assert 0 <= first < past <= machine
            held[first_s:last_s, first:past] += 1
    assert held.max() == 1


def test_packing_keeps_a_job_in_one_range_where_there_is_room():
    start, end = np.array([0.0, 0.0, 2.0, 2.0]), np.array([2.0, 9.0, 5.0, 5.0])
    places = timeline.pack(start, end, np.array([2, 2, 2, 4]), 8)
    assert [len(ranges) for ranges in places] == [1, 1, 1, 1]


def test_packing_refuses_more_nodes_than_there_are():
    with pytest.raises(ValueError, match="fewer of 4 are free"):
        timeline.pack(np.zeros(2), np.ones(2), np.array([3, 2]), 4)


def test_integral_of_a_step_function_is_the_sum_of_its_rectangles():
    time_s, value = np.array([1.0, 3.0, 4.0]), np.array([2.0, 5.0, 0.0])
    at_s = np.array([0.0, 1.0, 2.0, 3.5, 4.0, 9.0])
    assert timeline.integral(time_s, value, at_s).tolist() == [0.0, 0.0, 2.0, 6.5, 9.0, 9.0]


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 20)), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_stretches_cover_the_life_of_a_job_and_keep_its_work(pieces):
    time_s = np.cumsum([5.0] + [length for length, _ in pieces])
    speed = np.array([part / 20 for _, part in pieces] + [0.0])
    parts = timeline.speeds(time_s, speed, 1500.0)
    assert parts[0][0] == time_s[0]
    assert parts[-1][1] == time_s[-1]
    assert all(left[1] == right[0] for left, right in pairwise(parts))
    work = sum(length * part / 20 for length, part in pieces)
    assert sum((to - start) * mean for start, to, mean in parts) == pytest.approx(work)


def test_memory_over_time_adds_the_jobs_and_keeps_the_integral():
    frame = pl.DataFrame(
        {
            "job_id": ["a", "a", "b", "b"],
            "time_s": [0.0, 100.0, 50.0, 320.0],
            "need_gb": [10.0, 0.0, 4.0, 0.0],
            "target_gb": [8.0, 0.0, 4.0, 0.0],
            "usable_gb": [8.0, 0.0, 2.0, 0.0],
        }
    )
    over_time = timeline.memory(frame, 320.0)
    lengths = over_time["to_s"] - over_time["from_s"]
    assert (over_time["need_gb"] * lengths).sum() == pytest.approx(10 * 100 + 4 * 270)
    assert over_time.filter(pl.col("from_s") == 60)["need_gb"].item() == pytest.approx(14)
    assert over_time.filter(pl.col("from_s") == 60)["usable_gb"].item() == pytest.approx(10)
    assert over_time.filter(pl.col("from_s") >= 100)["need_gb"].unique().to_list() == pytest.approx([4])
