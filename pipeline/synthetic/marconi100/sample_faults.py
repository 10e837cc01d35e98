"""Faults of the real files, put into generated ones on purpose and counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from pipeline.synthetic.marconi100 import memory

SAMPLES_A_FAULT = 200_000
"""Rows to one fault of each kind, but every kind occurs at least once a file."""
SLOT = 4
"""Faults of a block keep this many rows apart, so that each is told by itself."""


@dataclass(frozen=True)
class Samples:
    """Samples of one day: time (s), value, node, whether the value is null; row_of[n]..row_of[n + 1] are node n's."""

    times: np.ndarray
    values: np.ndarray
    node: np.ndarray
    row_of: np.ndarray
    missing: np.ndarray | None = None


def kinds_of(metric: str, whole_numbers: bool) -> list[str]:
    """Kinds of faults that a metric can have."""
    kinds = ["duplicated", "clock_backwards", "value_null"]
    if not whole_numbers:
        kinds.append("value_nan")
    if metric == "mem_free":
        kinds.append("free_above_total")
    return kinds


class SampleFaults:
    """Faults of one metric and month; `counts` tells those put in so far."""

    def __init__(self, rng: np.random.Generator, kinds: list[str], days: int, nodes: int, rows_a_block: int) -> None:
        slots = rows_a_block // SLOT - 2
        each = max(1, days * nodes * rows_a_block // SAMPLES_A_FAULT)
        place = rng.choice(days * nodes * slots, each * len(kinds), replace=False)
        block, slot = np.divmod(place, slots)
        self._day, self._node = np.divmod(block, nodes)
        self._row = slot * SLOT + 2
        self._kind = np.repeat(kinds, each)
        self._today = 0
        self.counts: Counter[str] = Counter()

    def put_into(self, samples: Samples) -> Samples:
        """The next day's samples with its faults."""
        today = self._day == self._today
        self._today += 1
        rows = samples.row_of[self._node[today]] + self._row[today]
        kinds = self._kind[today]
        self.counts.update(kinds.tolist())
        at = {kind: rows[kinds == kind] for kind in set(kinds)}
        none = rows[:0]
        times, values = samples.times, samples.values
        missing = np.zeros(times.size, bool)
        missing[at.get("value_null", none)] = True
        values[at.get("value_nan", none)] = np.nan
        # More than a node has, and a number that float32 holds.
        values[at.get("free_above_total", none)] = memory.TOTAL_KIB + (1 << 24)
        # Off the grid, lest a late sample be mistaken for a duplicate.
        backwards = at.get("clock_backwards", none)
        times[backwards] = times[backwards - 1] - 7
        copies = np.ones(times.size, np.int64)
        copies[at.get("duplicated", none)] = 2
        return replace(
            samples,
            times=np.repeat(times, copies),
            values=np.repeat(values, copies),
            node=np.repeat(samples.node, copies),
            missing=np.repeat(missing, copies),
        )
