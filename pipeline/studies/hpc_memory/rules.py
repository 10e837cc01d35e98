"""What a scheduler of this study is: a rule that says how much of the shared memory each running job is to have.

`grant` is the signature. Ready-made rules are below it and, for `cost_aware`, in `expected_work.py`.
"""

# ruff: noqa: ARG001 - a rule takes what its signature says, and need not look at all of it

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from numba import njit

from pipeline.simulation.rules import Floats, FloatTable, Integers, IntegerTable, Rule, signature

EPSILON_GB = 1e-6
"""A target that moves by no more than this has not changed."""


class Workload(NamedTuple):
    """Jobs in release order (ties by id) with their phases and profile levels; memory in GB of the whole job.

    Phases of job j lie at `first_phase[j]:first_phase[j + 1]`, levels at `first_level[j]:first_level[j + 1]`.
    """

    release_s: Floats  # (jobs), from the first release
    nodes: Integers  # (jobs)
    walltime_s: Floats  # (jobs), nan = T_opt / alpha
    optimal_s: Floats  # (jobs), T_opt
    first_phase: Integers  # (jobs + 1)
    phase_s: Floats  # (phases), at full speed
    need_gb: Floats  # (phases)
    first_level: Integers  # (jobs + 1)
    level_gb: Floats  # (levels), increasing within a job
    level_share: Floats  # (levels), share of full-speed time at the level
    level_gain: Floats  # (levels), g / c of one more GB below the level
    mean_phase_s: Floats  # (jobs), T_opt / number of phases
    place: Integers  # (phases or levels), position in the scheduler's `order`; empty where it has none
    priority: Floats  # (jobs), 0 where the job table has none


class Machine(NamedTuple):
    """Parameters of one scenario, codes of `model.RECONFIGURATIONS` and `admission.RULES` among them."""

    nodes: int
    memory_gb: float  # inf: without bound, nobody is asked
    alpha: float
    tau_s: float
    reconfiguration: int
    backfilling: int
    free_start: bool
    seed: int


class State(NamedTuple):
    """What a rule sees of the machine at the instant `now_s`, after ends, releases and starts of this instant.

    Each running job has a slot. `running` lists the slots in use: by `order` where it ranks phases, else by start.
    Arrays marked (slots) are indexed by slot. (phase_end_s - now_s) * speed are the seconds at full speed that are left
    of the current phase.
    """

    now_s: float  # from the first release
    starting: int  # slot of a job that starts at this moment and may have memory at once, else -1
    available_gb: float  # what there is to give: memory that nobody holds where a job starts, else all of the machine's
    free_nodes: int
    running: Integers
    waiting: Integers  # jobs in the queue, first one first
    job: Integers  # (slots), position in the workload
    phase: Integers  # (slots), position among all phases of the workload
    start_s: Floats  # (slots)
    phase_end_s: Floats  # (slots), at the present speed
    speed: Floats  # (slots), share of full speed; 1 in a phase that begins now
    need_gb: Floats  # (slots), of the current phase
    held_gb: Floats  # (slots), target until now (A), counted against the memory
    usable_gb: Floats  # (slots), part of it that has arrived (U)


class Room(NamedTuple):
    """Numbers that only the rule reads and writes: 0 before its first call of a replay, kept from call to call."""

    scheduler: Floats  # (16)
    job: FloatTable  # (jobs, 8)
    slot: FloatTable  # (slots, 8)
    whole: IntegerTable  # (2, slots)


@signature
def grant(state: State, workload: Workload, machine: Machine, room: Room, target_gb: Floats) -> None:
    """Write to `target_gb[slot]` how many GB each running job is to have from now on.

    target_gb: float64 (slots), as held until now; what is not written stays. A target is at least 0, and all together
    are no more than `state.available_gb`; a rule that writes anything else ends the replay with a ValueError.
    What it takes to get from old to new targets (tau, reconfiguration, free_start) is up to the machine.

    A rule is asked where jobs start or end and where a phase changes; while a serial reconfiguration lasts, once at its
    end instead. `asked` says so otherwise. It writes nothing but `target_gb` and `room`, so that random numbers are to
    be drawn from a state kept there, seeded with `machine.seed`.
    """


class Weights(NamedTuple):
    """What the parts of a multifactor priority count; age_max_s: the wait that counts as a whole age."""

    age: float
    age_max_s: float
    size: float
    machine_nodes: int


@signature
def key(now_s: float, submit_s: float, nodes: int, limit_s: float, priority: float, weights: Weights) -> float:
    """Where a waiting job stands in the queue: the smallest number is first, equal ones go by release, then job id.

    Asked for each waiting job before each pass; times count from the first release. A number that is none (nan) comes
    last.
    """


class Asked(NamedTuple):
    """When a rule is asked, and what the `order` of its scheduler ranks ("phases", "levels" or nothing)."""

    first: bool = False
    starts: bool = True
    ends: bool = True
    phases: bool = True
    order: str = ""


def asked(
    *, first: bool = False, starts: bool = True, ends: bool = True, phases: bool = True, order: str = ""
) -> Callable[[Rule], Rule]:
    """Decorator of a rule that is not asked as usual.

    first: for each job as it starts, too, with `state.starting`: what it is given of the memory that nobody holds is
    usable at once and no reconfiguration. starts, ends, phases: where jobs have started or ended, where phases changed.
    order: its scheduler's file has a function `order(jobs, scenario)`, computed once before the replay: a number per
    phase or per level, `workload.place` is the position of each. `order="phases"` sorts `state.running` by it.
    """
    if order not in ("", "phases", "levels"):
        raise ValueError(f"order is {order!r}; known: phases, levels")

    def state_when(rule: Rule) -> Rule:
        vars(rule)["asked"] = Asked(first, starts, ends, phases, order)
        return rule

    return state_when


def asked_of(rule: Rule) -> Asked:
    """When a rule is asked."""
    return vars(rule).get("asked", Asked())


@asked(starts=False, ends=False, phases=False)
@grant
def everything(state, workload, machine, room, target_gb):
    """All that each job needs: memory without bound, so that the rule is never asked in a replay."""
    for slot in state.running:
        target_gb[slot] = state.need_gb[slot]


@njit(cache=True)
def share_gb(state, workload, machine):
    """Memory that goes with the nodes of the job that starts (GB)."""
    return workload.nodes[state.job[state.starting]] * machine.memory_gb / machine.nodes


@asked(first=True, starts=False, ends=False, phases=False)
@grant
def share(state, workload, machine, room, target_gb):
    """The memory that goes with a job's nodes, from its start to its end."""
    target_gb[state.starting] = share_gb(state, workload, machine)


@asked(order="phases")
@grant
def phases(state, workload, machine, room, target_gb):
    """Needs of the current phases, in the scheduler's order, until memory is exhausted."""
    need_gb, available = state.need_gb, state.available_gb
    for slot in state.running:
        granted = min(need_gb[slot], available)
        target_gb[slot] = granted
        available -= granted


BEFORE = (0.98, 0.8, 0.0)
"""Parts of the way to the place at which memory was exhausted the last time, tried one after the other."""


@njit(cache=True)
def _sift_down(heap, size, root, place, level):
    while True:
        child = 2 * root + 1
        if child >= size:
            return
        if child + 1 < size and place[level[heap[child + 1]]] < place[level[heap[child]]]:
            child += 1
        if place[level[heap[root]]] <= place[level[heap[child]]]:
            return
        heap[root], heap[child] = heap[child], heap[root]
        root = child


@asked(phases=False, order="levels")
@grant
def levels(state, workload, machine, room, target_gb):
    """Algorithm 1 of the paper: raise the job whose next level is first in order, until memory is exhausted.

    The order never decreases within a job. In the room: the slots that have a level left, and the next level of each.
    What comes well before the place at which memory was exhausted the last time is given at once, where there is as
    much: the order does not matter among levels that all are given.
    """
    running, job_of, first_level, level_gb, place = (
        state.running, state.job, workload.first_level, workload.level_gb, workload.place,
    )  # fmt: skip
    heap, level = room.whole[0], room.whole[1]
    exhausted_at, available = room.scheduler[0], -1.0
    for attempt in range(len(BEFORE)):
        available, bound = state.available_gb, BEFORE[attempt] * exhausted_at
        for slot in running:
            first, past = first_level[job_of[slot]], first_level[job_of[slot] + 1]
            # Where the last call left the job is near; where another job had the slot, it is no level of this one.
            its = level[slot] if first <= level[slot] <= past else first
            while its > first and place[its - 1] >= bound:
                its -= 1
            while its < past and place[its] < bound:
                its += 1
            level[slot] = its
            target_gb[slot] = level_gb[its - 1] if its > first else 0.0
            available -= target_gb[slot]
        if available >= 0.0:
            break
    size = 0
    for slot in running:
        if level[slot] < first_level[job_of[slot] + 1]:
            heap[size] = slot
            size += 1
    for root in range(size // 2 - 1, -1, -1):
        _sift_down(heap, size, root, place, level)
    room.scheduler[0] = len(place)
    while size > 0 and available > 0.0:
        slot = heap[0]
        upper = level_gb[level[slot]]
        rise = upper - target_gb[slot]
        if rise > available:
            target_gb[slot] += available
            room.scheduler[0] = place[level[slot]]
            return
        available -= rise
        target_gb[slot] = upper
        level[slot] += 1
        if level[slot] == first_level[job_of[slot] + 1]:
            size -= 1
            heap[0] = heap[size]
        _sift_down(heap, size, 0, place, level)
