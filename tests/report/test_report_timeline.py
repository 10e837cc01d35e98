"""Node packing against brute force."""

import numpy as np
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
