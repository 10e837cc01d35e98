"""Rules of the study: who runs on how many SMs. The signature `share`, and what it takes.

Applications are called by number, 0 for the first position of the workload. The numbers that a rule finds in the queue
are those that are ready; arrays of `apps` hold those that are still to come, too, and an honest rule leaves them alone.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from pipeline.simulation.rules import Floats, Integers, IntegerTable, signature
from pipeline.studies.gpu_corun.model.contention import Applications, Machine

INSTANT = 1e-12
"""Events closer than this, relative to the time since the first arrival, are one instant."""
EQUAL, BEST, SATURATE = 0, 1, 2
SPLITS = {"equal": EQUAL, "best": BEST, "saturate": SATURATE}
IN_TURNS = -1
"""Given as a number of SMs: all SMs, in turns with the others that have this; then nobody has SMs of its own."""
NOTES = 8


class Scenario(NamedTuple):
    """What the scenario says to schedulers.

    split: one of SPLITS; task_size: blocks; table_1: whether an active kernel (row) and a candidate (column) run side
    by side, 1 or 0, by their kinds and as the scenario's `symmetry` reads Table I.
    """

    seed: int
    split: int
    task_size: int
    table_1: IntegerTable


class State(NamedTuple):
    """Who waits and who runs.

    first: the application that has waited longest (ties: by position), -1 = none waits; after[i]: the next one, -1 =
    none. first_of[kind], after_of[i]: the same among those of one class. place[i]: its place in that order among all
    applications of the workload.
    running: how many run; runs[:running]: these, in the order in which they began, so runs[0] is the active kernel.
    free_sms: SMs that nobody has, 0 where all run in turns; sms[i]: what one has, or IN_TURNS, 0 = it waits.
    remaining_s[i]: rest of the loop, seconds alone under CUDA; rate[k]: progress a second that runs[k] made until now,
    0 = it paused for a change of its SMs.
    """

    first: int
    running: int
    free_sms: int
    after: Integers
    first_of: Integers
    after_of: Integers
    place: Integers
    runs: Integers
    sms: Integers
    remaining_s: Floats
    rate: Floats


class Choice(NamedTuple):
    """What a rule writes, by `give` and `ask_again`."""

    count: Integers
    application: Integers
    sms: Integers
    again_s: Floats


@signature
def share(
    now_s: float, machine: Machine, scenario: Scenario, apps: Applications, state: State, choice: Choice, notes: Floats
) -> None:
    """Say who runs on how many SMs from now on.

    A rule is asked after each instant at which applications became ready or ended, as long as any is ready; `now_s`
    are seconds since the first arrival. It says what changes:

    * `give(choice, i, n)`: application i, which waits or runs, has n SMs now, 1 to machine.sms, or IN_TURNS. With 0 it
      goes back to its place in the queue and keeps its progress. Each is named once at most, those that are not named
      keep what they have, and all of them have machine.sms SMs at most, or all are IN_TURNS.
    * `ask_again(choice, at_s)`: ask once more at this instant, later than now, if nothing happens before.

    Who has begun and gets another number of SMs pauses for machine.resize_s. `notes` are the rule's own: one number an
    application and NOTES more (notes[-1] to notes[-NOTES]), all 0 when a scenario begins. `progress` tells how fast
    kernels would be side by side. Nothing may be drawn but from `scenario.seed`.
    """


@njit(cache=True, inline="always")
def give(choice, application, sms):
    """An application has so many SMs from now on; 0: it waits, IN_TURNS: all, in turns."""
    k = choice.count[0]
    if k < len(choice.application):
        choice.application[k], choice.sms[k] = application, sms
    choice.count[0] = k + 1


@njit(cache=True, inline="always")
def ask_again(choice, at_s):
    """Ask the rule again at `at_s`, seconds since the first arrival, if nothing happens before."""
    choice.again_s[0] = at_s
