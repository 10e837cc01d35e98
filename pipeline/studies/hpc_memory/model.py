"""What the machine does: speeds, reconfigurations of the shared memory, and the event loop.

Source: Boëzennec et al., "Allocation Strategies for Disaggregated Memory in HPC Systems", HiPC 2024,
Sections III and IV.
`docs/models/hpc_memory.md` says how each point that the paper leaves open is read.

Who gets how much is data, not code, in here: a scheduler gives each phase (or each level of a job's memory profile) its
`place` in one order over the whole workload, and memory is granted along that order until it is exhausted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.replay import easy
from pipeline.studies.hpc_memory import admission, expected_work
from pipeline.studies.hpc_memory.grants import EPSILON_GB, grant_levels, grant_phases

EVERYTHING, SHARE, PHASES, LEVELS, WORK = 0, 1, 2, 3, 4
GRANTS = {"everything": EVERYTHING, "share": SHARE, "phases": PHASES, "levels": LEVELS, "work": WORK}
"""What is granted: all that is needed, a fixed share by nodes, the current phases' needs in order, levels in order, or
what yields most work until the next reconfiguration."""

SERIAL, INCREMENTAL, RESTART = 0, 1, 2
RECONFIGURATIONS = {"serial": SERIAL, "incremental": INCREMENTAL, "restart": RESTART}


FLIGHTS_EXCEEDED = -1


class Workload(NamedTuple):
    """Jobs in release order (ties by id) with their phases and profile levels, as arrays.

    Phases of job j lie at `first_phase[j]:first_phase[j + 1]`, levels at `first_level[j]:first_level[j + 1]`.
    """

    release_s: np.ndarray  # float64 (jobs), from the first release
    nodes: np.ndarray  # int64 (jobs)
    walltime_s: np.ndarray  # float64 (jobs), nan = T_opt / alpha
    optimal_s: np.ndarray  # float64 (jobs), T_opt
    first_phase: np.ndarray  # int64 (jobs + 1)
    phase_s: np.ndarray  # float64 (phases)
    need_gb: np.ndarray  # float64 (phases), of the whole job
    first_level: np.ndarray  # int64 (jobs + 1)
    level_gb: np.ndarray  # float64 (levels), of the whole job, increasing within it
    level_share: np.ndarray  # float64 (levels), share of full-speed time at the level
    level_gain: np.ndarray  # float64 (levels), g / c of one more GB below the level
    mean_phase_s: np.ndarray  # float64 (jobs), T_opt / number of phases


class Machine(NamedTuple):
    """Parameters of one scenario."""

    nodes: int
    memory_gb: float
    alpha: float
    tau_s: float
    reconfiguration: int
    backfilling: int
    free_start: bool


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


@njit(cache=True)
def _note(timeline, row, time_s, job, phase, need_gb, target_gb, usable_gb, speed):
    if row < timeline.shape[0]:
        timeline[row, 0], timeline[row, 1], timeline[row, 2] = time_s, job, phase
        timeline[row, 3], timeline[row, 4], timeline[row, 5], timeline[row, 6] = need_gb, target_gb, usable_gb, speed


@njit(cache=True)
def run(workload, machine, grants, place, start_s, end_s, measure, edges_s, done, timeline, room_in_flight):
    """Replay one scenario.

    Writes start and end of each job (seconds from the first release) to `start_s` and `end_s`, and to `measure`: useful
    node-seconds until the last release, reconfigurations, GB moved. `done` gets the useful node-seconds until each of
    `edges_s`, which rise and are no later than the last release. Every job fits the machine. `place` is the order of
    phases (grants PHASES) or levels (LEVELS).

    `timeline`, float64 (room, 7), gets a row whenever something changes for a running job, and one with speed 0 at its
    end: time, job, phase within the job, need, target and usable GB, speed. Without room nothing is noted.

    Returns the rows that the timeline has or, beyond its room, would have; FLIGHTS_EXCEEDED where a job has more than
    `room_in_flight` increments on their way at once.
    """
    release_s, job_nodes, optimal_s = workload.release_s, workload.nodes, workload.optimal_s
    first_phase, phase_s, phase_need_gb = workload.first_phase, workload.phase_s, workload.need_gb
    jobs = release_s.shape[0]
    room = min(jobs, machine.nodes)
    alpha, tau_s = machine.alpha, machine.tau_s
    # Where the trace gives no walltime: the longest the replay of the job can take.
    walltime_s = np.where(np.isnan(workload.walltime_s), optimal_s / alpha, workload.walltime_s)
    nodes = easy.empty_nodes(machine.nodes, jobs)
    memory_gb = np.inf if grants == EVERYTHING else machine.memory_gb
    expected_s, demand_gb = admission.expectations(workload, machine, memory_gb, walltime_s)
    promise = admission.no_promise()
    started = np.empty(room, np.int64)
    per_event = machine.backfilling == easy.EASY_PER_EVENT

    # One slot a running job; `active` lists the slots in use.
    active, spare = np.empty(room, np.int64), np.arange(room)[::-1].copy()
    running, spares = 0, room
    job_of, phase_of = np.empty(room, np.int64), np.empty(room, np.int64)
    place_of = np.zeros(room, np.int64)
    phase_end_s, speed_of = np.empty(room), np.empty(room)
    fresh = np.zeros(room, np.bool_)  # phase began at this instant: phase_end_s is still to be computed
    need_gb, target_gb, usable_gb, wanted_gb = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    begun_s = np.empty(room)
    heap, level = np.empty(room, np.int64), np.empty(room, np.int64)
    delay_s, numbers = np.empty(room), np.empty((room, expected_work.COLUMNS))

    # Memory on its way to a slot (incremental: several increments; restart: one timer).
    arrival_s, flights = np.full(room, np.inf), np.zeros(room, np.int64)
    if machine.reconfiguration == INCREMENTAL:
        flight_s, flight_gb = np.empty((room, room_in_flight)), np.empty((room, room_in_flight))
    else:
        flight_s, flight_gb = np.empty((1, 1)), np.empty((1, 1))
    individual = machine.reconfiguration != SERIAL
    operation_end_s = np.inf
    unusable_gb = 0.0  # taken away by the operation under way and given to nobody
    pending = False

    useful, moved_gb = 0.0, 0.0
    reconfigurations = 0
    last_release_s = release_s[jobs - 1] if jobs > 0 else 0.0
    measured = False
    edge_of_span = 0
    released = 0
    ended = np.empty(room, np.int64)
    turn = np.empty(jobs, np.int64)  # jobs in the order in which they started: ends at one instant are handled in it
    turns = 0
    record = timeline.shape[0] > 0
    rows = 0

    while True:
        next_phase_s = np.inf
        for i in range(running):
            next_phase_s = min(next_phase_s, phase_end_s[active[i]])
        now = release_s[released] if released < jobs else np.inf
        now = min(now, next_phase_s, operation_end_s)
        if individual:
            for i in range(running):
                now = min(now, arrival_s[active[i]])
        if now == np.inf:
            break
        edge = now + easy.INSTANT_S

        # Speeds are the same since the last instant: what is left of each phase at an edge in between is known.
        while edge_of_span < edges_s.shape[0] and edges_s[edge_of_span] < edge:
            done[edge_of_span] = useful
            for i in range(running):
                slot = active[i]
                left = max(phase_end_s[slot] - edges_s[edge_of_span], 0.0) * speed_of[slot]
                done[edge_of_span] += job_nodes[job_of[slot]] * (phase_s[phase_of[slot]] - left)
            edge_of_span += 1

        if not measured and last_release_s < edge:
            measured = True
            for i in range(running):
                slot = active[i]
                job = job_of[slot]
                left = max(phase_end_s[slot] - now, 0.0) * speed_of[slot]
                useful += job_nodes[job] * (phase_s[phase_of[slot]] - left)

        # 1. Reconfigurations end.
        memory_changed = False
        if operation_end_s < edge:
            operation_end_s = np.inf
            unusable_gb = 0.0
            memory_changed = True
            for i in range(running):
                usable_gb[active[i]] = target_gb[active[i]]
        if individual:
            for i in range(running):
                slot = active[i]
                if arrival_s[slot] < edge:
                    memory_changed = True
                    if machine.reconfiguration == INCREMENTAL:
                        arrived = 0
                        while arrived < flights[slot] and flight_s[slot, arrived] < edge:
                            usable_gb[slot] += flight_gb[slot, arrived]
                            arrived += 1
                        flights[slot] -= arrived
                        for k in range(flights[slot]):
                            flight_s[slot, k] = flight_s[slot, k + arrived]
                            flight_gb[slot, k] = flight_gb[slot, k + arrived]
                        if flights[slot] > 0:
                            arrival_s[slot] = flight_s[slot, 0]
                            continue
                    usable_gb[slot] = target_gb[slot]
                    arrival_s[slot] = np.inf

        # 2. Phases and jobs end.
        phase_changed = False
        ends = 0
        if next_phase_s < edge:
            kept = 0
            for i in range(running):
                slot = active[i]
                if phase_end_s[slot] < edge:
                    job = job_of[slot]
                    if not measured:
                        useful += job_nodes[job] * phase_s[phase_of[slot]]
                    phase = phase_of[slot] + 1
                    if phase == first_phase[job + 1]:
                        ended[ends] = job
                        ends += 1
                        end_s[job] = now
                        spare[spares] = slot
                        spares += 1
                        if record:
                            _note(timeline, rows, now, job, phase - 1 - first_phase[job], 0.0, 0.0, 0.0, 0.0)
                            rows += 1
                        continue
                    phase_of[slot] = phase
                    need_gb[slot] = phase_need_gb[phase]
                    if grants == PHASES:
                        place_of[slot] = place[phase]
                    fresh[slot] = True
                    phase_changed = True
                active[kept] = slot
                kept += 1
            running = kept

        # 3. and 4. Releases join the queue; passes of the backfilling rule start jobs.
        first_released = released
        while released < jobs and release_s[released] < edge:
            released += 1
        starts = 0
        if per_event:
            _sort_by(ended, ends, turn)
            for i in range(ends):
                # An estimate that ends now counts as free for what is submitted now.
                if abs(start_s[ended[i]] + walltime_s[ended[i]] - now) < easy.INSTANT_S:
                    easy.release(nodes, ended[i])
            for job in range(first_released, released):
                easy.submit(nodes, job, job_nodes[job], walltime_s[job])
                starts += easy.schedule(nodes, now, easy.EASY, -1, started[starts:])
            for i in range(ends):
                easy.release(nodes, ended[i])
                starts += easy.schedule(nodes, now, easy.EASY, -1, started[starts:])
        elif ends > 0 or released > first_released:
            for i in range(ends):
                easy.release(nodes, ended[i])
            for job in range(first_released, released):
                easy.submit(nodes, job, job_nodes[job], walltime_s[job])
            unseen = released - first_released if ends == 0 else -1
            if machine.backfilling == admission.MEMORY_AWARE_EASY:
                starts = admission.schedule(nodes, now, promise, expected_s, demand_gb, memory_gb, alpha, started)
            else:
                starts = easy.schedule(nodes, now, machine.backfilling, unseen, started)
        for i in range(starts):
            job = started[i]
            spares -= 1
            slot = spare[spares]
            active[running] = slot
            running += 1
            start_s[job] = now
            turn[job] = turns
            turns += 1
            begun_s[slot] = now
            job_of[slot] = job
            phase = first_phase[job]
            phase_of[slot] = phase
            need_gb[slot] = phase_need_gb[phase]
            fresh[slot] = True
            arrival_s[slot] = np.inf
            flights[slot] = 0
            target_gb[slot] = 0.0
            usable_gb[slot] = 0.0
            if grants == SHARE:
                target_gb[slot] = job_nodes[job] * machine.memory_gb / machine.nodes
                usable_gb[slot] = target_gb[slot]
            elif grants == PHASES:
                place_of[slot] = place[phase]
            elif grants == WORK:
                target_gb[slot] = expected_work.share_at_start_gb(
                    job_nodes[job], machine, active, running, target_gb, unusable_gb
                )
                usable_gb[slot] = target_gb[slot]

        # 5. Memory: new targets, and what it takes to get there.
        if grants in (PHASES, WORK):
            pending |= ends > 0 or starts > 0 or phase_changed
        elif grants == LEVELS:
            pending |= ends > 0 or starts > 0
        if pending and operation_end_s == np.inf:
            pending = False
            if grants == PHASES:
                grant_phases(active, running, place_of, need_gb, machine.memory_gb, wanted_gb)
            elif grants == WORK:
                for i in range(running):
                    slot = active[i]
                    delay_s[slot] = 0.0 if machine.free_start and begun_s[slot] == now else tau_s
                expected_work.grant_work(
                    active, running, job_of, workload, machine, need_gb, target_gb, delay_s, wanted_gb, heap, level,
                    numbers,
                )  # fmt: skip
            else:
                grant_levels(active, running, job_of, workload, place, machine.memory_gb, wanted_gb, heap, level)
            changed = False
            change_gb, taken_gb = 0.0, 0.0
            for i in range(running):
                slot = active[i]
                taken_gb += target_gb[slot] - wanted_gb[slot]
                difference = abs(wanted_gb[slot] - target_gb[slot])
                change_gb += difference
                changed |= difference > EPSILON_GB
            if changed:
                memory_changed = True
                reconfigurations += 1
                moved_gb += change_gb
                for i in range(running):
                    slot = active[i]
                    wanted = wanted_gb[slot]
                    at_once = tau_s <= 0.0 or (machine.free_start and begun_s[slot] == now)
                    if not individual:
                        target_gb[slot] = wanted
                        usable_gb[slot] = wanted if at_once else min(usable_gb[slot], wanted)
                        continue
                    if abs(wanted - target_gb[slot]) <= EPSILON_GB:
                        continue
                    target_gb[slot] = wanted
                    if at_once or wanted <= usable_gb[slot]:
                        usable_gb[slot] = wanted
                        flights[slot] = 0
                        arrival_s[slot] = np.inf
                    elif machine.reconfiguration == RESTART:
                        arrival_s[slot] = now + tau_s
                    else:
                        missing = wanted - usable_gb[slot]
                        k = 0
                        while k < flights[slot] and missing > 0.0:
                            flight_gb[slot, k] = min(flight_gb[slot, k], missing)
                            missing -= flight_gb[slot, k]
                            k += 1
                        if k == 0 or missing > EPSILON_GB:
                            if k == flight_s.shape[1]:
                                return FLIGHTS_EXCEEDED
                            flight_s[slot, k] = now + tau_s
                            flight_gb[slot, k] = missing
                            k += 1
                        flights[slot] = k
                        arrival_s[slot] = flight_s[slot, 0]
                if not individual and tau_s > 0.0:
                    operation_end_s = now + tau_s
                    unusable_gb = max(0.0, taken_gb)

        # 6. Speeds.
        if memory_changed or phase_changed or starts > 0:
            for i in range(running):
                slot = active[i]
                new_speed = 1.0 if grants == EVERYTHING else speed(usable_gb[slot], need_gb[slot], alpha)
                if fresh[slot]:
                    fresh[slot] = False
                    phase_end_s[slot] = now + phase_s[phase_of[slot]] / new_speed
                elif new_speed != speed_of[slot]:
                    phase_end_s[slot] = now + (phase_end_s[slot] - now) * speed_of[slot] / new_speed
                elif not (record and memory_changed):
                    continue
                speed_of[slot] = new_speed
                if record:
                    job = job_of[slot]
                    phase = phase_of[slot] - first_phase[job]
                    if grants == EVERYTHING:
                        target_gb[slot] = need_gb[slot]
                        usable_gb[slot] = need_gb[slot]
                    _note(timeline, rows, now, job, phase, need_gb[slot], target_gb[slot], usable_gb[slot], new_speed)
                    rows += 1

    measure[0], measure[1], measure[2] = useful, reconfigurations, moved_gb
    return rows


@njit(cache=True)
def _sort_by(jobs, count, turn):
    for i in range(1, count):
        job = jobs[i]
        j = i - 1
        while j >= 0 and turn[jobs[j]] > turn[job]:
            jobs[j + 1] = jobs[j]
            j -= 1
        jobs[j + 1] = job
