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
ANY = -1
FEW = 32
"""Applications up to which sorting them one by one takes less than asking for room to sort in."""


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
    """Room for the state of one replay, one element an application; `head` has one a class of Table I.

    arrival: applications in the order in which they are ready; order: in that in which they go first. place: where an
    application stands in `order`; after: the next one of its class there, head: the first of a class that has not run.
    running: the applications that run.
    """

    arrival: np.ndarray
    order: np.ndarray
    place: np.ndarray
    after: np.ndarray
    head: np.ndarray
    running: np.ndarray
    state: np.ndarray
    remaining_s: np.ndarray
    held_until_s: np.ndarray
    sms: np.ndarray
    rate: np.ndarray
    last: np.ndarray


@njit(cache=True)
def scratch(most, classes):
    """Room for replays of up to so many applications of so many classes."""
    return Scratch(
        np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64),
        np.zeros(classes, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most),
        np.zeros(most), np.zeros(most, np.int64), np.zeros(most), np.zeros(most, np.int64),
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
def queue_order(apps, room):
    """Fill `arrival` and `order` with the order in which applications are ready, those of one instant by position."""
    count = len(apps.ready_s)
    if count > FEW:
        room.arrival[:count] = np.argsort(apps.ready_s, kind="mergesort")
    else:
        for i in range(count):
            k = i
            while k > 0 and apps.ready_s[room.arrival[k - 1]] > apps.ready_s[i]:
                room.arrival[k] = room.arrival[k - 1]
                k -= 1
            room.arrival[k] = i
    room.order[:count] = room.arrival[:count]


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
    """Replay a workload; room.arrival says who is ready next, room.order who goes first (see queue_order).

    table: whether a class (row, active) lets another (column) run beside it; fixed: SMs of the first application where
    sharing is FIXED; row: number by which the log calls the first application.
    """
    count = len(apps.ready_s)
    arrival, order, place, after, head, runs, state, remaining_s, held, sms, rate, last = room
    for kind in range(len(head)):
        head[kind] = -1
    for k in range(count - 1, -1, -1):
        i = order[k]
        place[i], after[k], head[apps.kind[i]] = k, head[apps.kind[i]], k
        state[i], remaining_s[i], held[i], sms[i], last[i] = NOT_READY, apps.loop_s[i], -np.inf, 0, -1
        results.start_s[i], results.corun[i] = np.nan, False
    active, partner = -1, -1
    now = 0.0
    # Applications that have been ready, the place behind the last of them, and those that have ended.
    arrived, behind, ended = 0, 0, 0
    running = 0
    while ended < count:
        _rates(sharing, machine, apps, arrived - ended, runs, running, held, sms, rate, active, partner, now)
        then = apps.ready_s[arrival[arrived]] if arrived < count else np.inf
        for k in range(running):
            i = runs[k]
            then = min(then, now + remaining_s[i] / rate[i] if rate[i] > 0.0 else held[i])
        limit = then + INSTANT * abs(then)
        still = 0
        for k in range(running):
            i = runs[k]
            end_s = now + remaining_s[i] / rate[i] if rate[i] > 0.0 else np.inf
            if rate[i] > 0.0 and np.isnan(results.start_s[i]):
                results.start_s[i] = now
            _record(log, last, i, row + i, now, then, sms[i], rate[i])
            remaining_s[i] -= rate[i] * (then - now)
            if end_s <= limit:
                state[i], results.stop_s[i] = DONE, then
                ended += 1
            else:
                runs[still] = i
                still += 1
        running = still
        while arrived < count and apps.ready_s[arrival[arrived]] <= limit:
            i = arrival[arrived]
            arrived += 1
            behind = max(behind, place[i] + 1)
            state[i] = WAITING
            if sharing == TIME_SLICED:
                state[i], sms[i] = RUNNING, machine.sms
                runs[running] = i
                running += 1
        now = then
        if sharing == TIME_SLICED:
            continue
        active, partner = _chosen(
            sharing, table, machine.sms, apps.kind, order, after, head, state, behind, active, partner
        )  # fmt: skip
        running = 0
        for i in (active, partner):
            if i >= 0:
                runs[running] = i
                running += 1
        _divide(sharing, split, fixed, machine, apps, results, remaining_s, held, sms, active, partner, now)


@njit(cache=True)
def _rates(sharing, machine, apps, ready, runs, running, held, sms, rate, active, partner, now):
    """Progress a second of every running kernel, at this instant; ready: how many run or wait."""
    if sharing in (TIME_SLICED, LEFTOVER):
        for k in range(running):
            i = runs[k]
            rate[i] = apps.speed[i]
            if ready > 1 and sharing == TIME_SLICED:
                rate[i] /= ready * (1.0 + machine.switching_loss)
            elif ready > 1:
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
def _chosen(sharing, table, sms, kind, order, after, head, state, behind, active, partner):
    """The active kernel and the one beside it (-1 = none) after ends and arrivals; who starts becomes RUNNING."""
    if active >= 0 and state[active] == DONE:
        active, partner = partner, -1
    if partner >= 0 and state[partner] == DONE:
        partner = -1
    if active >= 0 and state[active] == DONE:
        active = -1
    if active < 0:
        active = _next(ANY, table, order, after, head, state, behind)
    if active < 0 or partner >= 0 or sharing == LEFTOVER or sms == 1:
        return active, partner
    return active, _next(ANY if sharing == FIXED else kind[active], table, order, after, head, state, behind)


@njit(cache=True)
def _next(beside, table, order, after, head, state, behind):
    """The waiting application that goes first, of the classes that run beside class `beside` (ANY: of all); -1: none.

    It becomes RUNNING. behind: the place behind the last that has been ready.
    """
    first = behind
    for kind in range(len(head)):
        place = head[kind]
        if place < 0 or place >= first or (beside != ANY and not table[beside, kind]):
            continue
        while place >= 0 and state[order[place]] >= RUNNING:
            place = after[place]
        head[kind] = place
        while 0 <= place < first and state[order[place]] != WAITING:
            place = after[place]
        if 0 <= place < first:
            first = place
    if first == behind:
        return -1
    state[order[first]] = RUNNING
    return order[first]


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
