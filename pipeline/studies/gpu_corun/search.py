"""The least makespan of one or two applications: consecutive in either order, and every split of the SMs."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_corun.model import EQUAL, FIXED, INSTANT, LEFTOVER, Applications, Machine, play, queue_order

MOST_APPLICATIONS = 2
CONSECUTIVE = 8
"""Candidates that run one application after the other; the numbers from here on are splits of the SMs."""


@njit(cache=True)
def _candidate(number, table, machine, apps, slate_speed, overhead_s, room, results, added_s, log, row):
    """Play candidate `number`, write the overheads (s) that it has, and return its makespan.

    Below CONSECUTIVE: one after the other, two bits which applications are under Slate, the third whether the first in
    the queue goes second. CONSECUTIVE - 1 + n: n SMs for the first application, both under Slate.
    """
    count = len(apps.ready_s)
    queue_order(apps, room)
    consecutive = number < CONSECUTIVE
    transformed = number & 3 if consecutive else 3
    if number & 4 and consecutive:
        room.order[0], room.order[1] = room.order[1], room.order[0]
    speed = np.ones(count)
    for i in range(count):
        under_slate = transformed >> i & 1
        speed[i] = slate_speed[i] if under_slate else 1.0
        added_s[i] = overhead_s[i] if under_slate else 0.0
    mine = Applications(apps.ready_s, apps.loop_s, apps.dram_gbps, apps.saturation, speed, apps.kind)
    on = Machine(
        machine.sms, machine.bandwidth_gbps, machine.knee, machine.latency, machine.switching_loss,
        machine.overlap if transformed == 0 else 0.0, machine.resize_s,
    )  # fmt: skip
    sharing = LEFTOVER if consecutive else FIXED
    play(sharing, EQUAL, number - CONSECUTIVE + 1, table, on, mine, room, results, log, row)
    end_s = -np.inf
    for i in range(count):
        end_s = max(end_s, results.stop_s[i] + added_s[i])
    return end_s


@njit(cache=True)
def play_best(table, machine, apps, slate_speed, overhead_s, room, results, added_s, nothing, log, row):
    """Replay the candidate with the least makespan; the first of those that are equal to within INSTANT.

    `nothing` is a log without room, which the candidates are compared with; arguments else as of `play`.
    """
    alone = len(apps.ready_s) == 1
    best, least_s = 0, np.inf
    for number in range(2 if alone else CONSECUTIVE - 1 + machine.sms):
        end_s = _candidate(
            number, table, machine, apps, slate_speed, overhead_s, room, results, added_s, nothing, row
        )  # fmt: skip
        if end_s * (1.0 + INSTANT) < least_s:
            best, least_s = number, end_s
    _candidate(best, table, machine, apps, slate_speed, overhead_s, room, results, added_s, log, row)
