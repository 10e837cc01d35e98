"""Jobs on nodes: shared nodes against a comparison of all pairs, slots found at any time, bytes per slot."""

import numpy as np
import pytest

from pipeline.readers import _node_samples, _placements
from pipeline.readers._placements import NodeLists

NODES = 7


def random_jobs(seed, jobs=60):
    rng = np.random.default_rng(seed)
    start_ms = rng.integers(0, 400, jobs)
    end_ms = start_ms + rng.integers(0, 40, jobs)
    nodes = [rng.permutation(NODES)[: rng.integers(0, 4)] for _ in range(jobs)]
    first = np.append(0, np.cumsum([len(of_job) for of_job in nodes]))
    return start_ms, end_ms, nodes, NodeLists(first, np.concatenate(nodes).astype(np.int32))


@pytest.mark.parametrize("seed", range(20))
def test_jobs_that_share_a_node_are_those_of_all_pairs(seed):
    start_ms, end_ms, nodes, lists = random_jobs(seed)
    rows = np.flatnonzero(np.random.default_rng(seed).random(start_ms.size) < 0.8)
    shares_node, used = _placements.shared(rows, start_ms, end_ms, lists, NODES)
    expected = np.zeros(start_ms.size, bool)
    for a in rows:
        for b in rows:
            together = max(start_ms[a], start_ms[b]) < min(end_ms[a], end_ms[b])
            expected[a] |= a != b and together and bool(set(nodes[a]) & set(nodes[b]))
    assert shares_node.tolist() == expected.tolist()
    assert set(used) == {node for row in rows for node in nodes[row]}


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_belongs_to_the_job_that_held_its_node(seed):
    start_ms, end_ms, nodes, lists = random_jobs(seed, 200)
    shares_node, _ = _placements.shared(np.arange(start_ms.size), start_ms, end_ms, lists, NODES)
    alone = np.flatnonzero(~shares_node & (end_ms > start_ms))
    placed_jobs = alone[np.lexsort((alone, end_ms[alone]))]
    placed = _placements.place(start_ms[placed_jobs], end_ms[placed_jobs], lists.of(placed_jobs), NODES)
    slots = [(job, node) for job, row in enumerate(placed_jobs) for node in sorted(nodes[row])]
    assert placed.slot_node.tolist() == [node for _, node in slots]
    assert sum(getattr(placed, name).nbytes for name in ("job", "slot", "slot_node")) == 12 * len(slots)
    of_placed = placed.first, placed.job, placed.slot, placed.job_start_ms, placed.job_end_ms
    for node in range(NODES):
        for time_ms in range(-1, 450):
            begin, end, slot = _node_samples.interval(*of_placed, node, time_ms)
            assert begin <= time_ms < end
            here = [
                i
                for i, (j, n) in enumerate(slots)
                if n == node and start_ms[placed_jobs[j]] <= time_ms < end_ms[placed_jobs[j]]
            ]
            assert here == ([slot] if slot >= 0 else [])
