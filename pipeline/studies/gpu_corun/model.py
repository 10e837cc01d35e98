"""What the machine does: kernels that share SMs and bandwidth, and an event loop over their arrivals and ends.

Equations and parameters stand in docs/models/gpu_corun.md. Times count from the first arrival of the workload.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

TIME_SLICED, LEFTOVER, COMPLEMENTARY, SEARCHED, FIXED = 0, 1, 2, 3, 4
SHARING = {"time_sliced": TIME_SLICED, "leftover": LEFTOVER, "complementary": COMPLEMENTARY, "searched": SEARCHED}
"""Ways to share the GPU; FIXED is a split that the search asks for, whatever Table I says."""
EQUAL, BEST, SATURATE = 0, 1, 2
SPLITS = {"equal": EQUAL, "best": BEST, "saturate": SATURATE}
INSTANT = 1e-12
"""Events closer than this, relative to the time since the first arrival, are one instant."""
NOT_READY, WAITING, RUNNING, DONE = 0, 1, 2, 3


class Machine(NamedTuple):
    """A GPU: streaming multiprocessors, DRAM bandwidth (GB/s), and what sharing costs (docs/models/gpu_corun.md)."""

    sms: int
    bandwidth_gbps: float
    knee: float
    latency: float
    switching_loss: float
    overlap: float
    resize_s: float


class Applications(NamedTuple):
    """Applications in arrays of one length.

    ready_s: end of the set-up; loop_s: work, seconds alone under CUDA; dram_gbps: demand at full speed, at most the
    machine's; saturation: share of the SMs; speed: progress of the loop at full speed, 1 under CUDA; kind: class of
    Table I.
    """

    ready_s: np.ndarray
    loop_s: np.ndarray
    dram_gbps: np.ndarray
    saturation: np.ndarray
    speed: np.ndarray
    kind: np.ndarray


class Results(NamedTuple):
    """What a replay writes, one element an application: first progress and end of the kernel (s), whether corun."""

    start_s: np.ndarray
    stop_s: np.ndarray
    corun: np.ndarray


class Log(NamedTuple):
    """Intervals with constant SMs and speed; `size[0]` of them are filled, none where there is no room."""

    size: np.ndarray
    application: np.ndarray
    start_s: np.ndarray
    end_s: np.ndarray
    sms: np.ndarray
    speed: np.ndarray


class Scratch(NamedTuple):
    """Room for the state of one replay, one element an application."""

    order: np.ndarray
    state: np.ndarray
    remaining_s: np.ndarray
    held_until_s: np.ndarray
    sms: np.ndarray
    rate: np.ndarray
    last: np.ndarray


@njit(cache=True)
def scratch(most):
    """Room for replays of up to so many applications."""
    return Scratch(
        np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most), np.zeros(most), np.zeros(most, np.int64),
        np.zeros(most), np.zeros(most, np.int64),
    )  # fmt: skip


@njit(cache=True)
def log_of(room):
    """A log with room for so many intervals."""
    return Log(
        np.zeros(1, np.int64), np.empty(room, np.int64), np.empty(room), np.empty(room), np.empty(room, np.int64),
        np.empty(room),
    )  # fmt: skip


@njit(cache=True)
def latency_at(used, machine):
    """l(ρ): latency over that of an idle memory, at this share of the bandwidth."""
    if used <= machine.knee:
        return 1.0
    return 1.0 + machine.latency * (used - machine.knee) / (1.0 - machine.knee)


@njit(cache=True)
def progress(sms_a, sms_b, saturation_a, saturation_b, dram_a, dram_b, machine):
    """Shares (x_a, x_b) of full speed of two kernels on so many SMs each; a kernel alone has one on 0 SMs beside it."""
    on_a, on_b = sms_a / machine.sms, sms_b / machine.sms
    reached_a, reached_b = min(1.0, on_a / saturation_a), min(1.0, on_b / saturation_b)
    used = min(1.0, (reached_a * dram_a + reached_b * dram_b) / machine.bandwidth_gbps)
    now = latency_at(used, machine)
    slower_a = max(1.0, now / latency_at(dram_a / machine.bandwidth_gbps, machine))
    slower_b = max(1.0, now / latency_at(dram_b / machine.bandwidth_gbps, machine))
    reached_a = min(1.0, on_a / (saturation_a * slower_a))
    reached_b = min(1.0, on_b / (saturation_b * slower_b))
    demand = reached_a * dram_a + reached_b * dram_b
    granted = 1.0 if demand <= machine.bandwidth_gbps else machine.bandwidth_gbps / demand
    return reached_a * granted, reached_b * granted


@njit(cache=True)
def sms_of_active(split, active, other, apps, remaining_s, machine):
    """SMs that the active kernel gets of the machine's where another runs beside it."""
    if split == EQUAL:
        return machine.sms - machine.sms // 2
    if split == SATURATE:
        first = active if apps.saturation[active] <= apps.saturation[other] else other
        need = int(np.ceil(apps.saturation[first] * machine.sms * (1.0 - INSTANT)))
        need = min(max(need, 1), machine.sms - 1)
        return need if first == active else machine.sms - need
    best, least_s = 1, np.inf
    for sms in range(1, machine.sms):
        x_a, x_b = progress(
            sms, machine.sms - sms, apps.saturation[active], apps.saturation[other], apps.dram_gbps[active],
            apps.dram_gbps[other], machine,
        )  # fmt: skip
        alone_a_s = remaining_s[active] / apps.speed[active]
        alone_b_s = remaining_s[other] / apps.speed[other]
        both_s = min(alone_a_s / x_a, alone_b_s / x_b)
        whole_s = both_s + max(alone_a_s - both_s * x_a, 0.0) + max(alone_b_s - both_s * x_b, 0.0)
        if whole_s < least_s * (1.0 - INSTANT):
            best, least_s = sms, whole_s
    return best


@njit(cache=True)
def queue_order(apps, order):
    """Applications in the order in which they are ready, those of one instant by position."""
    for i in range(len(apps.ready_s)):
        k = i
        while k > 0 and apps.ready_s[order[k - 1]] > apps.ready_s[i]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


@njit(cache=True)
def _record(log, last, i, application, start_s, end_s, sms, speed):
    """Add an interval, or prolong the application's last one where nothing changed."""
    if not len(log.start_s) or end_s <= start_s:
        return
    k = last[i]
    if k >= 0 and log.end_s[k] == start_s and log.sms[k] == sms and log.speed[k] == speed:
        log.end_s[k] = end_s
        return
    k = log.size[0]
    log.application[k], log.start_s[k], log.end_s[k], log.sms[k], log.speed[k] = application, start_s, end_s, sms, speed
    last[i] = k
    log.size[0] = k + 1


@njit(cache=True)
def play(sharing, split, fixed, table, machine, apps, room, results, log, row):
    """Replay a workload; room.order says who goes first.

    table: whether a class (row, active) lets another (column) run beside it; fixed: SMs of the first application where
    sharing is FIXED; row: number by which the log calls the first application.
    """
    count = len(apps.ready_s)
    order, state, remaining_s, held, sms, rate, last = room
    for i in range(count):
        state[i], remaining_s[i], held[i], sms[i], last[i] = NOT_READY, apps.loop_s[i], -np.inf, 0, -1
        results.start_s[i], results.corun[i] = np.nan, False
    active, partner = -1, -1
    now, left = 0.0, count
    while left > 0:
        _rates(sharing, machine, apps, state, held, sms, rate, active, partner, now)
        then = np.inf
        for i in range(count):
            if state[i] == NOT_READY:
                then = min(then, apps.ready_s[i])
            elif state[i] == RUNNING:
                then = min(then, now + remaining_s[i] / rate[i] if rate[i] > 0.0 else held[i])
        limit = then + INSTANT * abs(then)
        for i in range(count):
            if state[i] == RUNNING:
                end_s = now + remaining_s[i] / rate[i] if rate[i] > 0.0 else np.inf
                if rate[i] > 0.0 and np.isnan(results.start_s[i]):
                    results.start_s[i] = now
                _record(log, last, i, row + i, now, then, sms[i], rate[i])
                remaining_s[i] -= rate[i] * (then - now)
                if end_s <= limit:
                    state[i], results.stop_s[i] = DONE, then
                    left -= 1
            elif state[i] == NOT_READY and apps.ready_s[i] <= limit:
                state[i] = WAITING
        now = then
        if sharing == TIME_SLICED:
            for i in range(count):
                if state[i] == WAITING:
                    state[i], sms[i] = RUNNING, machine.sms
            continue
        active, partner = _chosen(sharing, table, machine, apps, state, order, active, partner)
        _divide(sharing, split, fixed, machine, apps, results, remaining_s, held, sms, active, partner, now)


@njit(cache=True)
def _rates(sharing, machine, apps, state, held, sms, rate, active, partner, now):
    """Progress a second of every running kernel, at this instant."""
    if sharing in (TIME_SLICED, LEFTOVER):
        count, ready = len(apps.ready_s), 0
        for i in range(count):
            ready += state[i] == WAITING or state[i] == RUNNING
        several = ready > 1
        for i in range(count):
            rate[i] = apps.speed[i]
            if several and sharing == TIME_SLICED:
                rate[i] /= ready * (1.0 + machine.switching_loss)
            elif several:
                rate[i] *= 1.0 + machine.overlap
        return
    if active < 0:
        return
    a, b = active, max(partner, 0)
    on_a = sms[active] if held[active] <= now else 0
    on_b = sms[partner] if partner >= 0 and held[partner] <= now else 0
    x_a, x_b = progress(
        on_a, on_b, apps.saturation[a], apps.saturation[b], apps.dram_gbps[a], apps.dram_gbps[b], machine
    )  # fmt: skip
    rate[active] = apps.speed[a] * x_a
    if partner >= 0:
        rate[partner] = apps.speed[b] * x_b


@njit(cache=True)
def _chosen(sharing, table, machine, apps, state, order, active, partner):
    """The active kernel and the one beside it (-1 = none) after ends and arrivals; who starts becomes RUNNING."""
    if active >= 0 and state[active] == DONE:
        active, partner = partner, -1
    if partner >= 0 and state[partner] == DONE:
        partner = -1
    if active >= 0 and state[active] == DONE:
        active = -1
    for k in range(len(apps.ready_s)):
        i = order[k]
        if state[i] != WAITING:
            continue
        if active < 0:
            active = i
            state[i] = RUNNING
        elif sharing == LEFTOVER or partner >= 0 or machine.sms == 1:
            break
        elif sharing == FIXED or table[apps.kind[active], apps.kind[i]]:
            partner = i
            state[i] = RUNNING
    return active, partner


@njit(cache=True)
def _divide(sharing, split, fixed, machine, apps, results, remaining_s, held, sms, active, partner, now):
    """Give the SMs to the active kernel and its partner; one that had another number of them pauses."""
    if active < 0:
        return
    mine = machine.sms
    if partner >= 0:
        results.corun[active] = results.corun[partner] = True
        if sms[partner] > 0:
            return  # both ran before: nothing has changed
        if sharing == FIXED:
            mine = fixed if active == 0 else machine.sms - fixed
        else:
            mine = sms_of_active(split, active, partner, apps, remaining_s, machine)
        sms[partner] = machine.sms - mine
    if 0 < sms[active] != mine:
        held[active] = now + machine.resize_s
    sms[active] = mine
