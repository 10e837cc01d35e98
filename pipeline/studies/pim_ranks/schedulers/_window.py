"""The window of requests of PIM-CARE: those that were carried, in the order of the last cycle, then newcomers."""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from pipeline.simulation.rules import Floats, Integers

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
def window_of(memory):
    return Window(memory.integers[0], memory.integers[1], memory.integers[2], memory.numbers[0], memory.numbers[1])


@njit(cache=True)
def refill(window, now, options):
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
def keep(window, place, i):
    """The request that was sorted to place i is carried, as number `place`, with its priority."""
    window.job[place], window.priority[place] = window.sorted_job[i], window.sorted_priority[i]


@njit(cache=True)
def prioritise(window, held, free, jobs, options):
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
