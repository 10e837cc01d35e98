"""An event loop over the arrivals and ends of applications, which asks a rule who runs on how many SMs.

Times count from the first arrival of the workload.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.gpus.intensity import CLASSES
from pipeline.simulation.arrays import copy, stable_order
from pipeline.simulation.easy import leaf
from pipeline.studies.gpu_corun.model.contention import progress
from pipeline.studies.gpu_corun.rules import IN_TURNS, INSTANT, NOTES, Choice, State

NOT_READY, WAITING, RUNNING, DONE = 0, 1, 2, 3
FEW = 32
"""Applications up to which sorting them one by one takes less than asking for room to sort in."""
PATIENCE = 100_000
"""Times in a row that a rule may ask to be asked again while nobody makes progress."""
(ARRIVAL, PLACE, AFTER, BEFORE, AFTER_OF, BEFORE_OF, FIRST_OF, LAST_OF, RUNS, STATE, NAMED, SMS, ON, INTERVAL) = range(
    14
)
"""Rows of `Room.whole`, one element per application; FIRST_OF and LAST_OF: one per class, at ALL for the whole queue.

ARRIVAL: applications in the order in which they are ready; AFTER, BEFORE: neighbours of one that waits, in that order,
AFTER_OF, BEFORE_OF: in its class; NAMED: the last time that it was chosen; ON: SMs of those that run, one after the
other, 0 = it pauses; INTERVAL: its last one in the log. Others: see `State`.
"""
REMAINING_S, HELD_UNTIL_S, RATE = range(3)
"""Rows of `Room.real`."""
ALL = len(CLASSES)
NO_PROBLEM, NOT_THERE, TWICE, NO_SUCH_SMS, TOO_MANY_SMS, MIXED, TOO_SOON, STALLED, NO_PROGRESS = range(9)
"""What may be wrong with a choice."""


class Results(NamedTuple):
    """What a replay writes, one element per application: first progress and end of the kernel (s), whether corun."""

    start_s: np.ndarray
    stop_s: np.ndarray
    corun: np.ndarray


class Log(NamedTuple):
    """Intervals with constant SMs and speed: `size[0]` of them; those for which there is no room are only counted."""

    size: np.ndarray
    application: np.ndarray
    start_s: np.ndarray
    end_s: np.ndarray
    sms: np.ndarray
    speed: np.ndarray


class Problem(NamedTuple):
    """What was wrong with a choice, and what would have been possible.

    facts: one of the numbers above, the scenario, who was chosen, the number chosen (SMs for it, SMs of all, or how
    many in turns), and how many waited and ran before; at_s: when it was chosen, and when the rule wanted to be asked
    again.
    """

    facts: np.ndarray
    at_s: np.ndarray


def no_problem() -> Problem:
    """Room for a problem."""
    return Problem(np.zeros(6, np.int64), np.zeros(2))


class Room(NamedTuple):
    """Room for the state of one replay, in few arrays: compiled code counts who has one in every call that takes it."""

    whole: np.ndarray
    real: np.ndarray
    notes: np.ndarray
    choice: Choice


@njit(cache=True)
def room_for(most):
    """Room for replays of up to so many applications."""
    choice = Choice(np.zeros(1, np.int64), np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64), np.zeros(1))
    width = max(most, ALL + 1)
    return Room(np.zeros((INTERVAL + 1, width), np.int64), np.zeros((RATE + 1, width)), np.zeros(most + NOTES), choice)


@njit(cache=True)
def log_of(room):
    """A log with room for so many intervals."""
    return Log(
        np.zeros(1, np.int64), np.empty(room, np.int64), np.empty(room), np.empty(room), np.empty(room, np.int64),
        np.empty(room),
    )  # fmt: skip


@njit(cache=True)
def queue_order(apps, room):
    """Fill row ARRIVAL with the order in which applications are ready, those of one instant by position."""
    count, arrival = len(apps.ready_s), room.whole[ARRIVAL]
    if count > FEW:
        copy(stable_order(apps.ready_s), arrival[:count])
        return
    for i in range(count):
        k = i
        while k > 0 and apps.ready_s[arrival[k - 1]] > apps.ready_s[i]:
            arrival[k] = arrival[k - 1]
            k -= 1
        arrival[k] = i


@leaf
def play(rule, machine, scenario, apps, room, results, log, row, problem):
    """Replay a workload by a rule, up to a choice that is impossible, which `problem` says then.

    Row ARRIVAL of the room says who is ready next (see queue_order); row: number by which the log calls the first
    application.
    """
    count = len(apps.ready_s)
    whole, real, choice, notes = room.whole, room.real, room.choice, room.notes[: count + NOTES]
    arrival, place, runs, state, sms = whole[ARRIVAL], whole[PLACE], whole[RUNS], whole[STATE], whole[SMS]
    after, first_of, after_of = whole[AFTER], whole[FIRST_OF], whole[AFTER_OF]
    on, interval = whole[ON], whole[INTERVAL]
    remaining_s, held, rate = real[REMAINING_S], real[HELD_UNTIL_S], real[RATE]
    for kind in range(ALL + 1):
        first_of[kind] = whole[LAST_OF, kind] = -1
    for k in range(count):
        i = arrival[k]
        place[i], state[i], sms[i], interval[i], whole[NAMED, i] = k, NOT_READY, 0, -1, 0
        remaining_s[i], held[i] = apps.loop_s[i], -np.inf
        results.start_s[i], results.corun[i] = np.nan, False
    for k in range(count + NOTES):
        notes[k] = 0.0
    none = np.int64(0)  # calls with a literal 0 would be compiled a second time
    # Applications that have been ready, that have ended, that run, and of these in turns; SMs that are taken.
    arrived, ended, running, turns, taken = none, none, none, none, none
    asked, in_vain = none, none
    now, again_s = 0.0, np.inf
    while ended < count:
        if turns:
            for k in range(running):
                rate[k] = apps.speed[runs[k]]
                if running > 1:
                    rate[k] /= running * (1.0 + machine.switching_loss)
        elif running == 1 and sms[runs[0]] == machine.sms and held[runs[0]] <= now:
            rate[0] = apps.speed[runs[0]]
            if arrived - ended > 1:
                rate[0] *= 1.0 + machine.overlap
        elif running:
            for k in range(running):
                on[k] = sms[runs[k]] if held[runs[k]] <= now else 0
            progress(running, machine, apps, runs, on, rate)
            for k in range(running):
                rate[k] *= apps.speed[runs[k]]
        then = min(apps.ready_s[arrival[arrived]] if arrived < count else np.inf, again_s)
        for k in range(running):
            then = min(then, now + remaining_s[runs[k]] / rate[k] if rate[k] > 0.0 else held[runs[k]])
        limit = then + INSTANT * abs(then)
        still = none
        for k in range(running):
            i = runs[k]
            end_s = now + remaining_s[i] / rate[k] if rate[k] > 0.0 else np.inf
            if rate[k] > 0.0:
                in_vain = none
                if np.isnan(results.start_s[i]):
                    results.start_s[i] = now
            if len(log.start_s):
                _record(log, interval, i, row + i, now, then, machine.sms if turns else sms[i], rate[k])
            remaining_s[i] -= rate[k] * (then - now)
            if end_s <= limit:
                state[i], results.stop_s[i] = DONE, then
                taken -= max(sms[i], 0)
                sms[i] = 0
                ended += 1
            else:
                runs[still], rate[still] = i, rate[k]
                still += 1
        happened = still < running
        running, turns = still, still if turns else none
        while arrived < count and apps.ready_s[arrival[arrived]] <= limit:
            i = arrival[arrived]
            arrived += 1
            state[i] = WAITING
            _enter(whole, AFTER, BEFORE, ALL, i)
            _enter(whole, AFTER_OF, BEFORE_OF, apps.kind[i], i)
            happened = True
        now = then
        if arrived == ended:
            again_s = np.inf
        elif happened or now >= again_s:
            asked += 1
            in_vain += not happened
            waiting, before = arrived - ended - running, running
            choice.count[0], choice.again_s[0] = 0, np.inf
            rule(
                now, machine, scenario, apps,
                State(
                    first_of[ALL], running, 0 if turns else machine.sms - taken, after, first_of, after_of, place, runs,
                    sms, remaining_s, rate,
                ),
                choice, notes,
            )  # fmt: skip
            again_s, wrong = choice.again_s[0], NO_PROBLEM
            if choice.count[0]:
                wrong, running, turns, taken = _apply(
                    machine, apps.kind, whole, real, choice, count, running, turns, taken, asked, now, problem.facts
                )
                if running > 1 and not turns:
                    for k in range(running):
                        results.corun[runs[k]] = True
            if wrong == NO_PROBLEM and again_s != np.inf and not again_s > limit:
                wrong = TOO_SOON
            if wrong == NO_PROBLEM and running == 0 and arrived == count and again_s == np.inf:
                wrong = STALLED
            if wrong == NO_PROBLEM and in_vain > PATIENCE:
                wrong = NO_PROGRESS
            if wrong != NO_PROBLEM:
                problem.facts[0], problem.facts[4], problem.facts[5] = wrong, waiting, before
                problem.at_s[0], problem.at_s[1] = now, again_s
                return


@leaf
def _apply(machine, kind, whole, real, choice, count, running, turns, taken, asked, now, facts):
    """Do what a rule chose: what is wrong with it (NO_PROBLEM: nothing), and how many run, in turns, SMs taken.

    kind: classes of the `count` applications; facts: of `Problem`.
    """
    # One more may be named than there are applications: then somebody is named twice.
    for k in range(min(choice.count[0], len(choice.application))):
        i, given = choice.application[k], choice.sms[k]
        facts[2], facts[3] = i, given
        if not 0 <= i < count or whole[STATE, i] not in (WAITING, RUNNING):
            return NOT_THERE, running, turns, taken
        if whole[NAMED, i] == asked:
            return TWICE, running, turns, taken
        if given < IN_TURNS or given > machine.sms:
            return NO_SUCH_SMS, running, turns, taken
        whole[NAMED, i] = asked
        had = whole[SMS, i]
        if given == had:
            continue
        if had == 0:
            whole[STATE, i], whole[RUNS, running], real[RATE, running] = RUNNING, i, 0.0
            running += 1
            _leave(whole, AFTER, BEFORE, ALL, i)
            _leave(whole, AFTER_OF, BEFORE_OF, kind[i], i)
        elif given == 0:
            whole[STATE, i] = WAITING
            running = _without(whole[RUNS], real[RATE], running, i)
            _enter(whole, AFTER, BEFORE, ALL, i)
            _enter(whole, AFTER_OF, BEFORE_OF, kind[i], i)
        taken += max(given, 0) - max(had, 0)
        turns += min(had, 0) - min(given, 0)  # IN_TURNS is -1
        if real[HELD_UNTIL_S, i] == -np.inf:
            real[HELD_UNTIL_S, i] = now
        elif given != 0 and (machine.sms if given == IN_TURNS else given) != (machine.sms if had == IN_TURNS else had):
            real[HELD_UNTIL_S, i] = now + machine.resize_s
        whole[SMS, i] = given
    if taken > machine.sms:
        facts[3] = taken
        return TOO_MANY_SMS, running, turns, taken
    if turns and turns != running:
        facts[3] = turns
        return MIXED, running, turns, taken
    return NO_PROBLEM, running, turns, taken


@leaf
def _without(runs, rate, running, i):
    """Take an application out of those that run, and count the others."""
    k = 0
    while runs[k] != i:
        k += 1
    for later in range(k + 1, running):
        runs[later - 1], rate[later - 1] = runs[later], rate[later]
    return running - 1


@leaf
def _enter(whole, after, before, which, i):
    """Put an application into list `which` of waiting ones, which is in the order of PLACE; most belong at its end."""
    left, right = whole[LAST_OF, which], -1
    if left >= 0 and whole[PLACE, left] > whole[PLACE, i]:
        left, right = -1, whole[FIRST_OF, which]
        while whole[PLACE, right] < whole[PLACE, i]:
            left, right = right, whole[after, right]
    whole[before, i], whole[after, i] = left, right
    _join(whole, after, before, which, left, i)
    _join(whole, after, before, which, i, right)


@leaf
def _leave(whole, after, before, which, i):
    """Take an application out of list `which`."""
    _join(whole, after, before, which, whole[before, i], whole[after, i])


@leaf
def _join(whole, after, before, which, left, right):
    """Make two neighbours in list `which`; -1: its begin or end."""
    if left >= 0:
        whole[after, left] = right
    else:
        whole[FIRST_OF, which] = right
    if right >= 0:
        whole[before, right] = left
    else:
        whole[LAST_OF, which] = left


@leaf
def _record(log, last, i, application, start_s, end_s, sms, speed):
    """Add an interval, or prolong the application's last one where nothing changed."""
    if end_s <= start_s:
        return
    k = last[i]
    if k >= 0 and log.end_s[k] == start_s and log.sms[k] == sms and log.speed[k] == speed:
        log.end_s[k] = end_s
        return
    k = log.size[0]
    log.size[0] = k + 1
    if k < len(log.start_s):
        log.application[k], log.start_s[k], log.end_s[k] = application, start_s, end_s
        log.sms[k], log.speed[k] = sms, speed
        last[i] = k
