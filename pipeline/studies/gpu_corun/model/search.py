"""The least makespan of one or two applications: consecutive in either order, and every split of the SMs.

Each candidate is a rule, played as that of any scheduler.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_corun.model.contention import Applications, Machine
from pipeline.studies.gpu_corun.model.engine import play, queue_order
from pipeline.studies.gpu_corun.rules import INSTANT, Scenario

MOST_APPLICATIONS = 2
CONSECUTIVE = 8
"""Candidates that run one application after the other; the numbers from here on are splits of the SMs."""


@njit(cache=True)
def _candidate(consecutively, together, number, machine, scenario, apps, slate_speed, overhead_s, room, results,
               added_s, log, row, problem):  # fmt: skip
    """Play candidate `number`, write the overheads (s) that it has, and return its makespan.

    Below CONSECUTIVE: one after the other, two bits which applications are under Slate, the third whether the first in
    the queue goes second. CONSECUTIVE - 1 + n: n SMs for the first application, both under Slate.
    """
    count = len(apps.ready_s)
    consecutive = number < CONSECUTIVE
    transformed = number & 3 if consecutive else 3
    speed = np.ones(count)
    for i in range(count):
        under_slate = transformed >> i & 1
        speed[i] = slate_speed[i] if under_slate else 1.0
        added_s[i] = overhead_s[i] if under_slate else 0.0
    sped = Applications(apps.ready_s, apps.loop_s, apps.dram_gbps, apps.saturation, speed, apps.kind, apps.computing)
    on = Machine(
        machine.sms, machine.bandwidth_gbps, machine.knee, machine.latency, machine.switching_loss,
        machine.overlap if transformed == 0 else 0.0, machine.resize_s,
    )  # fmt: skip
    split = number >> 2 if consecutive else number - CONSECUTIVE + 1
    asked = Scenario(scenario.seed, split, scenario.task_size, scenario.table_1)
    rule = consecutively if consecutive else together
    play(rule, on, asked, sped, room, results, log, row, problem)
    end_s = -np.inf
    for i in range(count):
        end_s = max(end_s, results.stop_s[i] + added_s[i])
    return end_s


@njit(cache=True)
def play_best(consecutively, together, machine, scenario, apps, slate_speed, overhead_s, room, results, added_s,
              nothing, log, row, problem):  # fmt: skip
    """Replay the candidate with the least makespan; the first of those that are equal to within INSTANT.

    consecutively, together: the two rules of the scheduler's file; `nothing`: a log without room, which the candidates
    are compared with; else as of `play`.
    """
    queue_order(apps, room)
    alone = len(apps.ready_s) == 1
    best, least_s = np.int64(0), np.inf
    for number in range(2 if alone else CONSECUTIVE - 1 + machine.sms):
        end_s = _candidate(
            consecutively, together, number, machine, scenario, apps, slate_speed, overhead_s, room, results, added_s,
            nothing, row, problem,
        )  # fmt: skip
        if end_s * (1.0 + INSTANT) < least_s:
            best, least_s = number, end_s
    _candidate(
        consecutively, together, best, machine, scenario, apps, slate_speed, overhead_s, room, results, added_s, log,
        row, problem,
    )  # fmt: skip
