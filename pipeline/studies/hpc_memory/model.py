"""What the machine does: speeds, reconfigurations of the shared memory, and the event loop.

Source: Boëzennec et al., "Allocation Strategies for Disaggregated Memory in HPC Systems", HiPC 2024,
Sections III and IV.
`docs/models/hpc_memory.md` says how each point that the paper leaves open is read.

Who gets how much is not in here: the engine asks the scheduler's rule (`rules.py`), checks what it writes, and takes
the machine there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation import easy
from pipeline.simulation.easy import inlined, leaf
from pipeline.simulation.rules import Rule
from pipeline.studies.hpc_memory import admission, batch_system, filling
from pipeline.studies.hpc_memory.rules import (
    EPSILON_GB,
    Machine,
    Room,
    State,
    Workload,
    asked_of,
    by_level,
    by_phase,
    grant,
)

__all__ = ["Machine", "Workload", "marginal_gain", "run", "speed"]

SERIAL, INCREMENTAL, RESTART = 0, 1, 2
RECONFIGURATIONS = {"serial": SERIAL, "incremental": INCREMENTAL, "restart": RESTART}

DONE, FLIGHTS_EXCEEDED, WRONG_TARGET = 0, 1, 2
"""How a replay ends: as it should; with more increments on their way to a job than there is room for; or because the
rule gave a job less than nothing or all jobs together more than there is."""
NOBODY, ALL = -2, -1
ASKED, PHASES, LEVELS = range(3)
GRANTED = {grant: ASKED, by_phase: PHASES, by_level: LEVELS}
"""How memory is granted, by the signature of the scheduler's rule."""
_needs, _levels = leaf(filling.needs), leaf(filling.levels)


class Occasions(NamedTuple):
    """When the engine grants memory (see `rules.asked`), and how: one of GRANTED."""

    first: bool
    starts: bool
    ends: bool
    phases: bool
    how: int

    @classmethod
    def of(cls, rule: Rule) -> Occasions:
        """Those of a scheduler's rule."""
        return cls(*asked_of(rule)[:4], GRANTED[rule.of])


class Slots(NamedTuple):
    """Running jobs, one slot each; `active` lists the slots in use, `spare` the others as a stack."""

    active: np.ndarray
    spare: np.ndarray
    job: np.ndarray
    phase: np.ndarray
    place: np.ndarray  # of the current phase in the scheduler's order
    fresh: np.ndarray  # phase began at this instant: phase_end_s is still to be computed
    begun: np.ndarray  # slots whose phase began at this instant
    start_s: np.ndarray
    phase_end_s: np.ndarray
    speed: np.ndarray
    need_gb: np.ndarray
    target_gb: np.ndarray
    usable_gb: np.ndarray
    wanted_gb: np.ndarray  # what the rule writes


class Batch(NamedTuple):
    """The batch system: nodes and queue, and what it knows of the jobs."""

    nodes: easy.Nodes
    walltime_s: np.ndarray
    expected_s: np.ndarray  # this and demand_gb: see admission.expectations
    demand_gb: np.ndarray
    promise: np.ndarray
    site: batch_system.Site
    turn: np.ndarray  # jobs in the order in which they started: ends at one instant are handled in it
    started: np.ndarray  # jobs that start at this instant
    ended: np.ndarray  # jobs that end at this instant


class Flights(NamedTuple):
    """Memory on its way to a slot (incremental: several increments; restart: one timer)."""

    arrival_s: np.ndarray  # of the earliest, inf = none
    count: np.ndarray
    flight_s: np.ndarray  # (slots, room)
    flight_gb: np.ndarray


class Result(NamedTuple):
    """What a replay measures; where it did not end as it should, at what time, for which job (-1: all) and by what."""

    end: int
    useful_node_s: float  # until the last release
    reconfigurations: int
    moved_gb: float
    rows: int  # of the timeline; more than its room where that is too small
    wrong_s: float
    wrong_job: int
    wrong_gb: float
    possible_gb: float


def compiled(rule: Rule) -> Any:
    """What the engine takes of a scheduler's rule."""
    return (rule if rule.of is grant else filling.nothing).compiled()


@njit(cache=True)
def speed(usable_gb, need_gb, alpha):
    """Speed of a phase, alpha + (1 - alpha) * min(1, usable / need) (paper, Section III-B, there "slowdown" SL).

    Memory in GB of the whole job; a phase without need runs at full speed.
    """
    if usable_gb >= need_gb:
        return 1.0
    return alpha + (1 - alpha) * usable_gb / need_gb


def marginal_gain(memory_gb, probability):
    """Gain g / c of one more GB at the levels 0, 1, …, n - 1 of a profile (paper, Equation 4).

    `memory_gb` increasing, per node, without zero; level 0 is the sentinel m_0 = 0. Element j is the sum of
    probability[k] / memory_gb[k] over the levels above j.
    """
    gain = [p / m for m, p in zip(memory_gb, probability, strict=True)]
    for k in range(len(gain) - 2, -1, -1):
        gain[k] += gain[k + 1]
    return gain


@njit(cache=True, nogil=True)
def run(workload, machine, dialect, key, rule, asked, start_s, end_s, edges_s, done, timeline, room_in_flight):
    """Replay one scenario; every job fits the machine. Returns a `Result`.

    `dialect` and `key`, how the site runs its queue and its rule of order, are read where backfilling is `reserve`.

    Writes start and end of each job (seconds from the first release) to `start_s` and `end_s`, and to `done` the useful
    node-seconds until each of `edges_s`, which rise and are no later than the last release.

    `timeline`, float64 (room, 7), gets a row whenever something changes for a running job, and one with speed 0 at its
    end: time, job, phase within the job, need, target and usable GB, speed. Without room nothing is noted.
    """
    jobs = workload.release_s.shape[0]
    size = min(jobs, machine.nodes)
    # Where the trace gives no walltime: the longest the replay of the job can take.
    walltime_s = np.where(np.isnan(workload.walltime_s), workload.optimal_s / machine.alpha, workload.walltime_s)
    expected_s, demand_gb = admission.expectations(workload, machine, machine.memory_gb, walltime_s)
    batch = Batch(
        easy.empty_nodes(machine.nodes, jobs), walltime_s, expected_s, demand_gb, admission.no_promise(),
        batch_system.site(jobs if machine.backfilling == admission.RESERVE else 0, size), np.empty(jobs, np.int64),
        np.empty(size, np.int64), np.empty(size, np.int64),
    )  # fmt: skip
    flights = _flights(size, room_in_flight if machine.reconfiguration == INCREMENTAL else 1)
    room = _room(jobs if machine.memory_gb < np.inf else 0, size)
    return _events(
        workload, machine, dialect, key, rule, asked, batch, _slots(size), flights, room, start_s, end_s, edges_s, done,
        timeline,
    )  # fmt: skip


@leaf
def _events(
    workload, machine, dialect, key, rule, asked, batch, slots, flights, room, start_s, end_s, edges_s, done, timeline
):
    """The event loop of `run`, on a machine on which nobody runs yet."""
    release_s, walltime_s = workload.release_s, batch.walltime_s
    jobs, size = release_s.shape[0], len(slots.active)
    nodes, started, ended = batch.nodes, batch.started, batch.ended
    active, begun, wanted_gb = slots.active, slots.begun, slots.wanted_gb
    tau_s, memory_gb = machine.tau_s, machine.memory_gb
    per_event = machine.backfilling == easy.EASY_PER_EVENT
    reserving = machine.backfilling == admission.RESERVE
    individual = machine.reconfiguration != SERIAL
    record, placed = timeline.shape[0] > 0, asked.how == PHASES
    running, released, turns, rows, edge_of_span, reconfigurations = 0, 0, 0, 0, 0, 0
    operation_end_s, next_phase_s = np.inf, np.inf
    unusable_gb = 0.0  # taken away by the operation under way and given to nobody
    pending, measured = False, False
    useful, moved_gb = 0.0, 0.0
    last_release_s = release_s[jobs - 1] if jobs > 0 else 0.0

    while True:
        now = release_s[released] if released < jobs else np.inf
        now = min(now, next_phase_s, operation_end_s)
        if individual:
            for i in range(running):
                slot = active[i]
                now = min(now, flights.arrival_s[slot])
        if reserving:
            now = min(now, batch_system.next_s(batch.site, dialect, start_s, end_s))
            if dialect.kill_at_limit:
                now = min(now, _next_limit_s(slots, running, walltime_s))
        if now == np.inf:
            break
        edge = now + easy.INSTANT_S

        # Speeds are the same since the last instant: what is left of each phase at an edge in between is known.
        while edge_of_span < edges_s.shape[0] and edges_s[edge_of_span] < edge:
            done[edge_of_span] = _useful_until(edges_s[edge_of_span], useful, slots, running, workload)
            edge_of_span += 1
        if not measured and last_release_s < edge:
            measured = True
            useful = _useful_until(now, useful, slots, running, workload)

        # 1. Reconfigurations end.
        memory_changed = False
        if operation_end_s < edge:
            operation_end_s, unusable_gb, memory_changed = np.inf, 0.0, True
            for i in range(running):
                slot = active[i]
                slots.usable_gb[slot] = slots.target_gb[slot]
        if individual:
            memory_changed |= _arrive(edge, slots, running, flights, machine.reconfiguration)

        # 2. Phases and jobs end.
        if reserving and dialect.kill_at_limit and _next_limit_s(slots, running, walltime_s) < edge:
            useful = _kill(now, slots, running, workload, walltime_s, useful, measured)
            next_phase_s = now
        ends, begins = 0, 0
        if next_phase_s < edge:
            was_running = running
            running, begins, next_phase_s, useful = _end_phases(
                now, slots, running, workload, placed, ended, useful, measured
            )
            ends = was_running - running
            for i in range(ends):
                job = ended[i]
                end_s[job] = now
                if record:
                    last = workload.first_phase[job + 1] - 1 - workload.first_phase[job]
                    _note(timeline, rows, now, job, last, 0.0, 0.0, 0.0, 0.0)
                    rows += 1

        phase_changed = begins > 0

        # 3. and 4. Releases join the queue; passes of the backfilling rule start jobs.
        first_released, starts = released, 0
        while released < jobs and release_s[released] < edge:
            released += 1
        if per_event:
            starts = _pass_per_event(now, batch, workload.nodes, ends, first_released, released, start_s)
        elif reserving:
            starts = batch_system.instant(
                now, nodes, machine.nodes, batch.site, dialect, key, workload, walltime_s, ended, ends, first_released,
                released, start_s, end_s, started,
            )  # fmt: skip
        elif ends > 0 or released > first_released:
            for i in range(ends):
                job = ended[i]
                easy.release(nodes, job)
            for job in range(first_released, released):
                easy.submit(nodes, job, workload.nodes[job], walltime_s[job])
            if machine.backfilling == admission.MEMORY_AWARE_EASY:
                starts = admission.schedule(
                    nodes, now, batch.promise, batch.expected_s, batch.demand_gb, memory_gb, machine.alpha, started
                )
            else:
                unseen = released - first_released if ends == 0 else -1
                starts = easy.schedule(nodes, now, machine.backfilling, unseen, started)
        for i in range(starts):
            job = started[i]
            start_s[job] = now
            batch.turn[job] = turns
            turns += 1
            slot = slots.spare[size - 1 - running]
            active[running] = slot
            running += 1
            begun[begins] = slot
            begins += 1
            slots.job[slot], slots.start_s[slot] = job, now
            slots.target_gb[slot] = slots.usable_gb[slot] = 0.0 if memory_gb < np.inf else np.inf
            _begin(now, workload.first_phase[job], slot, slots, workload, placed)
            if individual:
                flights.arrival_s[slot], flights.count[slot] = np.inf, 0
            if asked.first:
                unallocated_gb = memory_gb - unusable_gb
                for k in range(running):
                    other = active[k]
                    unallocated_gb -= slots.target_gb[other]
                wanted_gb[slot] = 0.0
                state = _state(now, slot, unallocated_gb, slots, running, nodes)
                rule(state, workload, machine, room, wanted_gb)
                target_gb = wanted_gb[slot]
                if not 0.0 <= target_gb <= unallocated_gb + _rounding_gb(memory_gb):
                    return Result(WRONG_TARGET, useful, 0, 0.0, rows, now, job, target_gb, unallocated_gb)
                slots.target_gb[slot] = slots.usable_gb[slot] = target_gb

        # 5. Memory: new targets, and what it takes to get there.
        pending |= (asked.starts and starts > 0) or (asked.ends and ends > 0) or (asked.phases and phase_changed)
        if pending and operation_end_s == np.inf:
            pending = False
            if placed:
                _sort_by(active, running, slots.place)
            state = _state(now, -1, memory_gb, slots, running, nodes)
            if placed:
                _needs(state, workload, machine, room, wanted_gb)
            elif asked.how == LEVELS:
                _levels(state, workload, machine, room, wanted_gb)
            else:
                # A rule may leave targets as they are.
                for i in range(running):
                    slot = active[i]
                    wanted_gb[slot] = slots.target_gb[slot]
                rule(state, workload, machine, room, wanted_gb)
            wrong, wrong_gb = _wrong_target(slots, running, memory_gb, wanted_gb)
            if wrong != NOBODY:
                return Result(WRONG_TARGET, useful, 0, 0.0, rows, now, wrong, wrong_gb, memory_gb)
            changed, change_gb, taken_gb = _compare(slots, running, wanted_gb)
            if changed:
                memory_changed = True
                reconfigurations += 1
                moved_gb += change_gb
                if not _reconfigure(now, slots, running, flights, machine, wanted_gb):
                    return Result(FLIGHTS_EXCEEDED, useful, 0, 0.0, rows, now, -1, 0.0, 0.0)
                if not individual and tau_s > 0.0:
                    operation_end_s = now + tau_s
                    unusable_gb = max(0.0, taken_gb)

        # 6. Speeds. Without a change of memory, those of the other phases stay.
        if memory_changed or (record and begins > 0):
            next_phase_s, rows = _speeds(
                now, active, running, slots, workload, machine.alpha, memory_changed, timeline, rows
            )
        elif begins > 0:
            earliest_s, _ = _speeds(now, begun, begins, slots, workload, machine.alpha, False, timeline, rows)
            next_phase_s = min(next_phase_s, earliest_s)

    return Result(DONE, useful, reconfigurations, moved_gb, rows, 0.0, NOBODY, 0.0, 0.0)


@leaf
def _pass_per_event(now, batch, job_nodes, ends, first_released, released, start_s):
    """A pass for each submission, then one for each end, in the order of starts; returns how many jobs start."""
    nodes, walltime_s, started, ended = batch.nodes, batch.walltime_s, batch.started, batch.ended
    _sort_by(ended, ends, batch.turn)
    for i in range(ends):
        # An estimate that ends now counts as free for what is submitted now.
        if abs(start_s[ended[i]] + walltime_s[ended[i]] - now) < easy.INSTANT_S:
            easy.release(nodes, ended[i])
    starts, submitted = 0, released - first_released
    for i in range(submitted + ends):
        if i < submitted:
            job = first_released + i
            easy.submit(nodes, job, job_nodes[job], walltime_s[job])
        else:
            easy.release(nodes, ended[i - submitted])
        starts += easy.schedule(nodes, now, easy.EASY, -1, started[starts:])
    return starts


@njit(cache=True)
def _slots(size):
    """Room for the running jobs; nobody runs."""
    whole, numbers = np.zeros((3, size), np.int64), np.zeros((7, size))
    return Slots(
        np.empty(size, np.int64), np.arange(size)[::-1].copy(), whole[0], whole[1], whole[2],
        np.zeros(size, np.bool_), np.empty(size, np.int64), numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
        numbers[5], numbers[6],
    )  # fmt: skip


@njit(cache=True)
def _flights(size, room):
    """Nothing is on its way."""
    return Flights(np.full(size, np.inf), np.zeros(size, np.int64), np.empty((size, room)), np.empty((size, room)))


@njit(cache=True)
def _room(jobs, size):
    """Room for the rule."""
    return Room(np.zeros(16), np.zeros((jobs, 8)), np.zeros((size, 8)), np.zeros((2, size), np.int64))


@leaf
def _state(now_s, starting, available_gb, slots, running, nodes):
    """What the rule sees."""
    count = nodes.count
    return State(
        now_s, starting, available_gb, count[easy.FREE], slots.active[:running],
        nodes.waiting_job[count[easy.HEAD] : count[easy.TAIL]], slots.job, slots.phase, slots.start_s,
        slots.phase_end_s, slots.speed, slots.need_gb, slots.target_gb, slots.usable_gb,
    )  # fmt: skip


@leaf
def _useful_until(at_s, useful, slots, running, workload):
    """Useful node-seconds until `at_s`, with what the current phases have got done by then."""
    for i in range(running):
        slot = slots.active[i]
        left = max(slots.phase_end_s[slot] - at_s, 0.0) * slots.speed[slot]
        useful += workload.nodes[slots.job[slot]] * (workload.phase_s[slots.phase[slot]] - left)
    return useful


@leaf
def _arrive(edge, slots, running, flights, reconfiguration):
    """Memory arrives at the jobs it was on its way to; returns whether any did."""
    arrived_any = False
    flight_s, flight_gb = flights.flight_s, flights.flight_gb
    for i in range(running):
        slot = slots.active[i]
        if flights.arrival_s[slot] < edge:
            arrived_any = True
            if reconfiguration == INCREMENTAL:
                arrived = 0
                while arrived < flights.count[slot] and flight_s[slot, arrived] < edge:
                    slots.usable_gb[slot] += flight_gb[slot, arrived]
                    arrived += 1
                flights.count[slot] -= arrived
                for k in range(flights.count[slot]):
                    flight_s[slot, k] = flight_s[slot, k + arrived]
                    flight_gb[slot, k] = flight_gb[slot, k + arrived]
                if flights.count[slot] > 0:
                    flights.arrival_s[slot] = flight_s[slot, 0]
                    continue
            slots.usable_gb[slot] = slots.target_gb[slot]
            flights.arrival_s[slot] = np.inf
    return arrived_any


@leaf
def _next_limit_s(slots, running, walltime_s):
    """When the first of the running jobs reaches its limit."""
    limit_s = np.inf
    for i in range(running):
        slot = slots.active[i]
        limit_s = min(limit_s, slots.start_s[slot] + walltime_s[slots.job[slot]])
    return limit_s


@leaf
def _kill(now, slots, running, workload, walltime_s, useful, measured):
    """Jobs at their limits are put at the end of their last phases, and what they did not do is no useful work."""
    for i in range(running):
        slot = slots.active[i]
        job, phase = slots.job[slot], slots.phase[slot]
        end_s = slots.phase_end_s[slot]
        if slots.start_s[slot] + walltime_s[job] < now + easy.INSTANT_S and end_s >= now + easy.INSTANT_S:
            last = workload.first_phase[job + 1] - 1
            if not measured:
                did_s = workload.phase_s[phase] - (end_s - now) * slots.speed[slot]
                useful += workload.nodes[job] * (did_s - workload.phase_s[last])
            slots.phase[slot], slots.phase_end_s[slot] = last, now
    return useful


@inlined
def _end_phases(now, slots, running, workload, placed, ended, useful, measured):
    """Phases that end now give way to the next ones; jobs that had their last are written to `ended`.

    Returns who is still running, how many phases began (`slots.begun`), when the next of the other phases ends, and the
    useful node-seconds.
    """
    active, begun, spare, phase_end_s = slots.active, slots.begun, slots.spare, slots.phase_end_s
    edge = now + easy.INSTANT_S
    still_active, ends, begins = 0, 0, 0
    first_spare = len(active) - running
    next_phase_s = np.inf
    for i in range(running):
        slot = active[i]
        its_end_s = phase_end_s[slot]
        if its_end_s < edge:
            job, phase = slots.job[slot], slots.phase[slot]
            if not measured:
                useful += workload.nodes[job] * workload.phase_s[phase]
            if phase + 1 == workload.first_phase[job + 1]:
                spare[first_spare + ends] = slot
                ended[ends] = job
                ends += 1
                continue
            _begin(now, phase + 1, slot, slots, workload, placed)
            begun[begins] = slot
            begins += 1
        else:
            next_phase_s = min(next_phase_s, its_end_s)
        active[still_active] = slot
        still_active += 1
    return still_active, begins, next_phase_s, useful


@inlined
def _begin(now, phase, slot, slots, workload, placed):
    """A phase begins; step 6 gives it its speed."""
    slots.phase[slot] = phase
    slots.need_gb[slot] = workload.need_gb[phase]
    if placed:
        slots.place[slot] = workload.place[phase]
    slots.fresh[slot] = True
    slots.phase_end_s[slot], slots.speed[slot] = now + workload.phase_s[phase], 1.0


@leaf
def _wrong_target(slots, running, memory_gb, wanted_gb):
    """Who is given what cannot be, and how much: a job, ALL of them, or NOBODY."""
    total_gb = 0.0
    for i in range(running):
        slot = slots.active[i]
        if not wanted_gb[slot] >= 0.0:
            return slots.job[slot], wanted_gb[slot]
        total_gb += wanted_gb[slot]
    return (NOBODY if total_gb <= memory_gb + _rounding_gb(memory_gb) else ALL), total_gb


@njit(cache=True)
def _rounding_gb(memory_gb):
    """What a sum of targets may exceed the memory by: they round."""
    return EPSILON_GB + 1e-9 * memory_gb


@inlined
def _compare(slots, running, wanted_gb):
    """Whether a target changes, the sum of changes, and what is taken away beyond what is given."""
    active, target_gb = slots.active, slots.target_gb
    changed = False
    change_gb, taken_gb = 0.0, 0.0
    for i in range(running):
        slot = active[i]
        less_gb = target_gb[slot] - wanted_gb[slot]
        taken_gb += less_gb
        change_gb += abs(less_gb)
        changed |= abs(less_gb) > EPSILON_GB
    return changed, change_gb, taken_gb


@inlined
def _reconfigure(now, slots, running, flights, machine, wanted_gb):
    """New targets: what leaves is unusable at once, what comes is on its way. False where that is too much at once."""
    individual = machine.reconfiguration != SERIAL
    tau_s = machine.tau_s
    active, start_s, target_gb, usable_gb = slots.active, slots.start_s, slots.target_gb, slots.usable_gb
    for i in range(running):
        slot = active[i]
        wanted = wanted_gb[slot]
        at_once = tau_s <= 0.0 or (machine.free_start and start_s[slot] == now)
        if not individual:
            target_gb[slot] = wanted
            usable_gb[slot] = wanted if at_once else min(usable_gb[slot], wanted)
            continue
        if abs(wanted - target_gb[slot]) <= EPSILON_GB:
            continue
        target_gb[slot] = wanted
        if at_once or wanted <= usable_gb[slot]:
            usable_gb[slot] = wanted
            flights.count[slot] = 0
            flights.arrival_s[slot] = np.inf
        elif machine.reconfiguration == RESTART:
            flights.arrival_s[slot] = now + tau_s
        elif not _send(now + tau_s, wanted - usable_gb[slot], slot, flights):
            return False
    return True


@leaf
def _send(arrival_s, missing, slot, flights):
    """Keep of the increments on their way, the earliest first, what is missing, and send the rest of it.

    False where there is no room for one more.
    """
    k = 0
    while k < flights.count[slot] and missing > 0.0:
        flights.flight_gb[slot, k] = min(flights.flight_gb[slot, k], missing)
        missing -= flights.flight_gb[slot, k]
        k += 1
    if k == 0 or missing > EPSILON_GB:
        if k == flights.flight_s.shape[1]:
            return False
        flights.flight_s[slot, k] = arrival_s
        flights.flight_gb[slot, k] = missing
        k += 1
    flights.count[slot] = k
    flights.arrival_s[slot] = flights.flight_s[slot, 0]
    return True


@inlined
def _speeds(now, chosen, count, slots, workload, alpha, memory_changed, timeline, rows):
    """Speeds of the chosen slots and ends of their phases; returns the earliest end and the rows of the timeline."""
    earliest_s = np.inf
    phase_end_s, speed_of, need_gb = slots.phase_end_s, slots.speed, slots.need_gb
    target_gb, usable_gb, fresh = slots.target_gb, slots.usable_gb, slots.fresh
    record = timeline.shape[0] > 0
    for i in range(count):
        slot = chosen[i]
        new_speed = speed(usable_gb[slot], need_gb[slot], alpha)
        changed = True
        if fresh[slot]:
            fresh[slot] = False
            phase_end_s[slot] = now + workload.phase_s[slots.phase[slot]] / new_speed
        elif new_speed != speed_of[slot]:
            phase_end_s[slot] = now + (phase_end_s[slot] - now) * speed_of[slot] / new_speed
        else:
            changed = memory_changed
        speed_of[slot] = new_speed
        earliest_s = min(earliest_s, phase_end_s[slot])
        if record and changed:
            job = slots.job[slot]
            # Memory without bound is noted as what is needed of it.
            target = min(target_gb[slot], need_gb[slot]) if target_gb[slot] == np.inf else target_gb[slot]
            usable = min(usable_gb[slot], need_gb[slot]) if usable_gb[slot] == np.inf else usable_gb[slot]
            phase = slots.phase[slot] - workload.first_phase[job]
            _note(timeline, rows, now, job, phase, need_gb[slot], target, usable, new_speed)
            rows += 1
    return earliest_s, rows


@leaf
def _note(timeline, row, time_s, job, phase, need_gb, target_gb, usable_gb, speed):
    if row < timeline.shape[0]:
        timeline[row, 0], timeline[row, 1], timeline[row, 2] = time_s, job, phase
        timeline[row, 3], timeline[row, 4], timeline[row, 5], timeline[row, 6] = need_gb, target_gb, usable_gb, speed


@leaf
def _sort_by(elements, count, key):
    """Sort the first `count` elements by key[element]; nearly sorted ones take one pass."""
    if count == 0:
        return
    highest = key[elements[0]]
    for i in range(1, count):
        element = elements[i]
        own_key = key[element]
        if highest <= own_key:
            highest = own_key
            continue
        j = i - 1
        while j >= 0 and key[elements[j]] > own_key:
            elements[j + 1] = elements[j]
            j -= 1
        elements[j + 1] = element
