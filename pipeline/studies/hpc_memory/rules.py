"""What a scheduler of this study is: a rule that says how much of the shared memory each running job is to have.

It writes that itself (`grant`), or it says the order in which the engine grants memory (`by_phase`, `by_level`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

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
    place: Integers  # (phases or levels), position in the order of the scheduler; empty where it states none
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

    Each running job has a slot. `running` lists the slots in use: by `by_phase` where that is the rule, else by start.
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


@signature
def by_phase(jobs: Any, scenario: Any) -> Any:
    """Return the order in which needs are met: a number per phase, the smallest comes first.

    Each running job gets the need of its current phase, in this order, until memory is exhausted. Plain Python, asked
    once before the replay. jobs: an `arrays.Arrays`; scenario: `largest_by` of the row. Equal numbers (closer than
    1e-9, relative) go by release, then job id.
    """


@signature
def by_level(jobs: Any, scenario: Any) -> Any:
    """Return the order in which levels of the memory profiles are granted: a number per level, the smallest first.

    The job whose next level comes first is raised, again and again, until memory is exhausted (Algorithm 1 of the
    paper). The numbers never decrease within a job. All else is as of `by_phase`.
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
    """When a rule is asked, and whether it has memory without bound."""

    first: bool = False
    starts: bool = True
    ends: bool = True
    phases: bool = True
    unbounded: bool = False


def asked(
    *, first: bool = False, starts: bool = True, ends: bool = True, phases: bool = True, unbounded: bool = False
) -> Callable[[Rule], Rule]:
    """Decorator of a rule `grant` that is not asked as usual.

    first: for each job as it starts, too, with `state.starting`: what it is given of the memory that nobody holds is
    usable at once and no reconfiguration. starts, ends, phases: where jobs have started or ended, where phases changed.
    unbounded: never, because every job has all that it needs: the machine's memory is without bound, whatever the
    scenario says.
    """

    def state_when(rule: Rule) -> Rule:
        usual = not unbounded
        vars(rule)["asked"] = Asked(first, starts and usual, ends and usual, phases and usual, unbounded)
        return rule

    return state_when


def asked_of(rule: Rule) -> Asked:
    """When a rule is asked; where it states an order, when the engine grants memory along it."""
    return vars(rule).get("asked", Asked(phases=rule.of is not by_level))


@njit(cache=True)
def share_gb(state, workload, machine):
    """Memory that goes with the nodes of the job that starts (GB)."""
    return workload.nodes[state.job[state.starting]] * machine.memory_gb / machine.nodes
