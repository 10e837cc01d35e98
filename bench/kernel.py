"""The compiled event loop of hpc_memory on arrays made beforehand, without the tables around it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from pipeline.simulation import easy, reserve
from pipeline.studies.hpc_memory import SCHEDULERS, admission, arrays, model
from pipeline.studies.hpc_memory.orders import rule_of

ROOM_IN_FLIGHT = 8
NO_EDGES = np.empty(0)


class Kernel:
    """One scenario, ready to run as often as one likes; `start_s` and `end_s` count from the first release.

    `inputs` are the tables of one workload as `hpc_memory.replay` takes them; every job fits the machine.
    """

    def __init__(
        self,
        inputs: Mapping[str, pl.DataFrame],
        scheduler: str,
        nodes: int,
        memory_gb: float = np.inf,
        backfilling: str = "easy",
        **dialect: object,
    ):
        (self.jobs,) = arrays.prepared(inputs).values()
        module = SCHEDULERS[scheduler]
        self.rule, self.occasions = model.compiled(module.rule), model.Occasions.of(module.rule)
        self.workload = self.jobs.ordered(module, {"largest_by": "memory"})
        self.machine = model.Machine(nodes, memory_gb, 0.03, 1.0, model.SERIAL, admission.RULES[backfilling], False, 0)
        self.key = rule_of("submit").compiled()
        self.dialect = reserve.Dialect(**dialect)
        count = len(self.jobs.nodes)
        self.start_s, self.end_s = np.empty(count), np.empty(count)

    def run(self, timeline_rows: int = 0) -> np.ndarray:
        """Replay; returns the timeline, which has no rows unless room for some is asked for."""
        timeline = np.empty((timeline_rows, 7))
        result = model.run(
            self.workload, self.machine, self.dialect, self.key, self.rule, self.occasions, self.start_s, self.end_s,
            NO_EDGES, NO_EDGES, timeline, ROOM_IN_FLIGHT,
        )  # fmt: skip
        return timeline[: min(result.rows, timeline_rows)]

    def instants(self) -> int:
        """Instants at which something happens: a release, or a change for a running job."""
        rows = 16 * len(self.jobs.phase_s)
        while len(timeline := self.run(rows)) == rows:
            rows *= 2
        times = np.sort(np.concatenate([self.jobs.model.release_s, timeline[:, 0]]))
        return int(np.sum(np.diff(times) >= easy.INSTANT_S)) + 1


def deepest_queue(release_s: np.ndarray, start_s: np.ndarray) -> int:
    """The largest number of jobs that wait after a scheduling pass."""
    waits = start_s > release_s
    times = np.concatenate([start_s[waits], release_s[waits]])
    change = np.repeat([-1, 1], waits.sum())
    return int(np.cumsum(change[np.lexsort((change, times))]).max(initial=0))
