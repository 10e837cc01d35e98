"""PIM-CARE's rules: Algorithm 2, and care_floor, where a grant below best_ranks must be worth it.

Both keep a window of requests in their memory: who was carried, in the order that the last cycle left, then newcomers.
"""

# ruff: noqa: ARG001 - a rule takes all that its signature states, and need not look at it

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from pipeline.simulation.rules import Floats, Integers
from pipeline.studies.pim_ranks.rules import expected_s, start

TIE = 1e-12
"""Priorities closer than this are a tie: rounding must not order what exact arithmetic leaves in order."""


class Window(NamedTuple):
    """Rows of the memory: requests that are carried, with their priorities, and room to sort them.

    seen[0]: first job that has not entered the window; seen[1]: requests in it; seen[2]: jobs whose work is counted.
    """

    seen: Integers
    job: Integers
    sorted_job: Integers
    priority: Floats
    sorted_priority: Floats


@njit(cache=True)
def _window(memory):
    return Window(
        memory.integers[0], memory.integers[1], memory.integers[2], memory.numbers[0], memory.numbers[1]
    )  # fmt: skip


@njit(cache=True)
def _refill(window, now, options):
    """Newcomers enter the window in arrival order, with priority 0, behind those that were carried."""
    held, newcomer = window.seen[1], window.seen[0]
    while held < options.window and newcomer < now.arrived:
        window.job[held] = newcomer
        window.priority[held] = 0.0
        held += 1
        newcomer += 1
    window.seen[0], window.seen[1] = newcomer, held
    return held


@njit(cache=True)
def _keep(window, place, i):
    """The request that was sorted to place i is carried, as number `place`, with its priority."""
    window.job[place], window.priority[place] = window.sorted_job[i], window.sorted_priority[i]


@njit(cache=True)
def _prioritise(window, held, free, jobs, options):
    """Both scans of Algorithm 2 (lines 1 to 19): the window by priority, descending, to `sorted_job`.

    Scan 1: who gets its best ranks out of what is left gains 1. Scan 2: the others gain their relative speed on the
    ranks that scan 1 left over (on all free ranks where the option says so), if it left any.
    """
    waiting, sorted_job, priority, sorted_priority = (
        window.job,
        window.sorted_job,
        window.priority,
        window.sorted_priority,
    )
    leftover, count = free, 0
    for i in range(held):
        j = waiting[i]
        if jobs.best_ranks[j] <= leftover:
            leftover -= jobs.best_ranks[j]
            sorted_job[count], sorted_priority[count] = j, priority[i] + 1.0
            count += 1
            waiting[i] = -1
    seen_at = free if options.perf_at_available else leftover
    for i in range(held):
        j = waiting[i]
        if j >= 0:
            sorted_job[count], sorted_priority[count] = j, priority[i]
            if leftover > 0:
                sorted_priority[count] += jobs.least_s[jobs.app[j]] / jobs.time_s[jobs.app[j], seen_at - 1]
            count += 1
    for i in range(1, held):
        j, p = sorted_job[i], sorted_priority[i]
        k = i
        while k > 0 and sorted_priority[k - 1] < p - TIE:
            sorted_job[k], sorted_priority[k] = sorted_job[k - 1], sorted_priority[k - 1]
            k -= 1
        sorted_job[k], sorted_priority[k] = j, p


@start
def priorities(now, machine, jobs, options, memory, choice):
    """Algorithm 2: cycles over a window until no ranks or no requests are left; any leftover is granted."""
    window = _window(memory)
    free, count = now.free_ranks, 0
    while free > 0:
        held = _refill(window, now, options)
        if held == 0:
            break
        _prioritise(window, held, free, jobs, options)
        stay = 0
        for i in range(held):
            j = window.sorted_job[i]
            ranks = min(jobs.best_ranks[j], free)
            if ranks > 0:
                choice.job[count], choice.ranks[count] = j, ranks
                free -= ranks
                count += 1
            else:
                _keep(window, stay, i)
                stay += 1
        window.seen[1] = stay
    return count


class Ahead(NamedTuple):
    """Expected ends of running jobs, in increasing order, and the ranks that each gives back."""

    end_s: Floats
    ranks: Integers


@njit(cache=True)
def _insert(ahead, size, end_s, ranks):
    k = size
    while k > 0 and ahead.end_s[k - 1] > end_s:
        ahead.end_s[k], ahead.ranks[k] = ahead.end_s[k - 1], ahead.ranks[k - 1]
        k -= 1
    ahead.end_s[k], ahead.ranks[k] = end_s, ranks


@njit(cache=True)
def _waiting_ends_earlier(j, free, end_s, ahead, size, jobs, options):
    """Whether job j, started when some running job ends, on what is free then, ends before `end_s`."""
    for k in range(size):
        if ahead.end_s[k] >= end_s:
            return False
        free += ahead.ranks[k]
        if ahead.end_s[k] + expected_s(jobs, options, j, min(jobs.best_ranks[j], free)) < end_s * (1.0 - TIE):
            return True
    return False


@njit(cache=True)
def _best_rank_s(jobs, options, j):
    """Rank-seconds of a job on its best ranks."""
    ranks = jobs.best_ranks[j]
    return ranks * jobs.time_s[jobs.app[j], ranks - 1] * (1.0 + options.overhead)


@start
def priorities_worth_it(now, machine, jobs, options, memory, choice):
    """As `priorities`; a request that would get fewer than its best ranks may be passed over (ours, care_floor).

    It is granted them where it would end before the machine has worked off all that runs and waits, or where no later
    start, as running jobs end, would let it end earlier. Cycles repeat as long as they start a job.
    """
    window, ahead, waiting_rank_s = _window(memory), Ahead(memory.numbers[2], memory.integers[3]), memory.numbers[3]
    for j in range(window.seen[2], now.arrived):
        waiting_rank_s[0] += _best_rank_s(jobs, options, j)
    window.seen[2] = now.arrived
    running_rank_s, size = 0.0, now.running
    for i in range(size):
        # A job that runs past the end that was expected of it may end at any instant.
        end_s = max(machine.expected_end_s[machine.job[i]], now.time_s)
        _insert(ahead, i, end_s, machine.held_ranks[i])
        running_rank_s += (end_s - now.time_s) * machine.held_ranks[i]
    free, count, before = now.free_ranks, 0, -1
    while free > 0 and count > before:
        before = count
        held = _refill(window, now, options)
        if held == 0:
            break
        _prioritise(window, held, free, jobs, options)
        worked_off_s = now.time_s + (running_rank_s + waiting_rank_s[0]) / machine.ranks
        stay = 0
        for i in range(held):
            j = window.sorted_job[i]
            ranks = min(jobs.best_ranks[j], free)
            end_s = now.time_s
            starts = ranks > 0
            if starts:
                end_s = now.time_s + expected_s(jobs, options, j, ranks)
                if ranks < jobs.best_ranks[j] and end_s > worked_off_s * (1.0 + TIE):
                    starts = not _waiting_ends_earlier(j, free, end_s, ahead, size, jobs, options)
            if starts:
                choice.job[count], choice.ranks[count] = j, ranks
                free -= ranks
                count += 1
                _insert(ahead, size, end_s, ranks)
                size += 1
                running_rank_s += (end_s - now.time_s) * ranks
                waiting_rank_s[0] -= _best_rank_s(jobs, options, j)
            else:
                _keep(window, stay, i)
                stay += 1
        window.seen[1] = stay
    return count
