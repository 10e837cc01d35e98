"""Quality of service: the SMs that applications with a target need, found by rounds of resizing or by looking at all.

Thesis, Chapter 5; docs/models/gpu_sharing-qos.md. Arrays in, arrays out. Those of a batch of scenarios:

* one value a scenario: `sms` (SMs of the GPU), `first` (one more than scenarios: where its slots begin), `gives_spare`
  (best-effort applications have what QoS applications leave);
* one a slot: `is_qos`, `row` (its curve), `gamma` (of the scenario times the application's sensitivity), `pressure`,
  `target` (IPC; looked at where `is_qos`);
* `isolated`: IPC alone, one row a curve, column n for n SMs, column 0 is 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

TIE = 1e-12
"""Relative difference up to which a target is met exactly and two worst cases are as good."""
EXACT = 1e-9
"""SMs by which target * n / T may exceed a whole number and still ask for that number: division rounds."""


@njit(cache=True)
def meets(throughput, target):
    """Whether a throughput reaches its target (both IPC)."""
    return throughput >= target * (1 - TIE)


@njit(cache=True)
def slowdown(a, b, i, gamma, pressure, held):
    """Time of slot i beside the others of a..b over its time alone: 1 + gamma sum of pressure * SMs held."""
    pressed = 0.0
    for j in range(a, b):
        if j != i:
            pressed += pressure[j] * held[j]
    return 1.0 + gamma[i] * pressed


@njit(cache=True)
def measure(a, b, row, gamma, pressure, isolated, held, throughput):
    """Throughput (IPC) of the slots a..b side by side, with `held` SMs each."""
    for i in range(a, b):
        throughput[i] = isolated[row[i], held[i]] / slowdown(a, b, i, gamma, pressure, held)


@njit(cache=True)
def measured(first, row, gamma, pressure, isolated, held):
    """Throughput (IPC) of every slot of every scenario, side by side, with `held` SMs each."""
    throughput = np.zeros(len(row))
    for s in range(len(first) - 1):
        measure(first[s], first[s + 1], row, gamma, pressure, isolated, held, throughput)
    return throughput


@njit(cache=True)
def give_spare(a, b, S, gives, is_qos, held):
    """Spare SMs to the best-effort slots of a..b, evenly and the remainder to the last, or none; returns the spare."""
    spare, others, last = S, 0, -1
    for i in range(a, b):
        if is_qos[i]:
            spare -= held[i]
        else:
            held[i] = 0
            others += 1
            last = i
    if gives and others > 0:
        for i in range(a, b):
            if not is_qos[i]:
                held[i] = spare // others
        held[last] += spare % others
    return spare


@njit(cache=True)
def needed(target, throughput, n):
    """SMs for the target by the line through the origin and the throughput measured on n SMs (Section 5.4)."""
    if throughput <= 0.0:
        return np.int64(2**31)
    return np.int64(np.ceil(min(target * n / throughput - EXACT, 2.0**31)))


@njit(cache=True)
def smaller(target, throughput, n, midpoint, missed):
    """Size that an application on n SMs shrinks to, n where it stays; `missed`: sizes at which it missed its target."""
    size = max(needed(target, throughput, n), 1)
    if midpoint:
        size = max(size, (n + size) // 2)
    while size < n and missed[size]:
        size += 1
    return min(size, n)


@njit(cache=True)
def larger(target, throughput, n, most, missed):
    """Size that an application on n SMs grows to, with `most` within reach, n where it stays."""
    size = max(n + 1, needed(target, throughput, n))
    while size <= most and missed[size]:
        size += 1
    size = min(size, most)
    while size > n and missed[size]:
        size -= 1
    return max(size, n)


@njit(cache=True)
def starting_sizes(a, b, S, from_all, is_qos, held):
    """SMs of the QoS slots of a..b before the first round: half of all or all of them, shared evenly."""
    count, last = 0, -1
    for i in range(a, b):
        if is_qos[i]:
            count += 1
            last = i
    for i in range(a, b):
        if is_qos[i]:
            held[i] = S // count if from_all else S // max(2, count)
    if from_all:
        held[last] += S % count


@njit(cache=True)
def resize(a, b, S, midpoint, is_qos, target, throughput, held, missed):
    """One round of resizing of the slots a..b, from what was measured; whether anything changed.

    missed: one row a slot of a..b, sizes at which it was seen below its target; sizes seen now are entered.
    """
    free = S
    for i in range(a, b):
        if is_qos[i]:
            free -= held[i]
    changed = False
    for i in range(a, b):
        if is_qos[i] and meets(throughput[i], target[i]):
            size = smaller(target[i], throughput[i], held[i], midpoint, missed[i - a])
            changed |= size != held[i]
            free += held[i] - size
            held[i] = size
    for i in range(a, b):
        if is_qos[i] and not meets(throughput[i], target[i]):
            missed[i - a, held[i]] = True
            size = larger(target[i], throughput[i], held[i], held[i] + free, missed[i - a])
            changed |= size != held[i]
            free -= size - held[i]
            held[i] = size
    return changed


@njit(cache=True)
def rounds(sms, first, gives_spare, midpoint, from_all, is_qos, row, gamma, pressure, target, isolated):
    """Rounds of measuring and resizing of every scenario, until nothing changes (Section 5.4).

    midpoint, from_all: one a scenario. Returns `begin` (one more than scenarios: where its rounds begin), and for each
    round, the start included, and each slot in order: SMs held and throughput (IPC).
    """
    slots = first[-1]
    begin = np.zeros(len(sms) + 1, np.int64)
    held, throughput = np.zeros(slots, np.int64), np.zeros(slots)
    held_in, throughput_in = np.empty(8 * slots + 8, np.int64), np.empty(8 * slots + 8)
    count = 0
    for s in range(len(sms)):
        a, b, S = first[s], first[s + 1], sms[s]
        missed = np.zeros((b - a, S + 2), np.bool_)
        starting_sizes(a, b, S, from_all[s], is_qos, held)
        changed = True
        while changed:
            give_spare(a, b, S, gives_spare[s], is_qos, held)
            measure(a, b, row, gamma, pressure, isolated, held, throughput)
            if count + b - a > len(held_in):
                held_in = np.concatenate((held_in, np.empty_like(held_in)))
                throughput_in = np.concatenate((throughput_in, np.empty_like(throughput_in)))
            held_in[count : count + b - a] = held[a:b]
            throughput_in[count : count + b - a] = throughput[a:b]
            count += b - a
            changed = resize(a, b, S, midpoint[s], is_qos, target, throughput, held, missed)
        begin[s + 1] = count
    return begin, held_in[:count].copy(), throughput_in[:count].copy()


@njit(cache=True)
def least(sms, first, gives_spare, by_profile, is_qos, row, gamma, pressure, target, isolated):
    """Fewest SMs with which the QoS slots of every scenario meet their targets, among all allocations (Section 5.2).

    by_profile: one a scenario, look at the curves alone and not at throughput side by side. Ties go to the
    lexicographically first. Where no allocation meets all: the one whose worst throughput over target is best, then the
    fewest SMs. Returns SMs (one a slot) and, one a scenario, whether the targets are met.
    """
    slots = first[-1]
    best, held, throughput = np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(slots)
    found = np.zeros(len(sms), np.bool_)
    alone = np.zeros(slots)
    for s in range(len(sms)):
        a, b, S = first[s], first[s + 1], sms[s]
        fewest, best_worst, best_total = S + 1, -1.0, S + 1
        total = 0
        for i in range(a, b):
            held[i] = 1 if is_qos[i] else 0
            total += held[i]
        while True:
            if total <= S:
                give_spare(a, b, S, gives_spare[s], is_qos, held)
                measure(a, b, row, alone if by_profile[s] else gamma, pressure, isolated, held, throughput)
                worst, every = np.inf, True
                for i in range(a, b):
                    if is_qos[i]:
                        every &= meets(throughput[i], target[i])
                        worst = min(worst, throughput[i] / target[i])
                better = total < fewest if every else (
                    not found[s] and (worst > best_worst * (1 + TIE)
                                      or (worst >= best_worst * (1 - TIE) and total < best_total))
                )  # fmt: skip
                if better:
                    best[a:b] = held[a:b]
                    if every:
                        found[s], fewest = True, total
                    else:
                        best_worst, best_total = max(worst, best_worst), total
            # The next vector in lexicographic order: a slot counts up to what the others leave, then starts again at 1.
            i = b - 1
            while i >= a and (not is_qos[i] or total >= min(S, fewest)):
                if is_qos[i]:
                    total -= held[i] - 1
                    held[i] = 1
                i -= 1
            if i < a:
                break
            held[i] += 1
            total += 1
    return best, found
