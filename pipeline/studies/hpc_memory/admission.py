"""EASY backfilling that knows what memory does to a job: `memory_aware_easy` (rule in docs/models/hpc_memory.md).

Three differences to EASY: whether a job behind the head is done in time is judged by the run time expected with its
nodes' share of the memory instead of the longest possible; the head's shadow time is a promise that later passes do not
move; and among the jobs that may start, the one goes first that is expected to add most throughput in the memory left.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation import easy

MEMORY_AWARE_EASY, RESERVE = 3, 4
RULES = easy.RULES | {"memory_aware_easy": MEMORY_AWARE_EASY, "reserve": RESERVE}
"""Backfilling rules by name: those that look at nodes only, the one that looks at memory as well, and the general form
of sites (`pipeline.simulation.reserve`)."""

TIE = 1e-9
"""Throughputs closer than this (relative) are a tie: the place in the queue decides."""

PROMISED_JOB, PROMISED_S = 0, 1


@njit(cache=True)
def no_promise():
    """Nobody has been promised a start: job and shadow time of the head (float64, 2)."""
    return np.array([-1.0, np.inf])


@njit(cache=True)
def expectations(workload, machine, memory_gb, walltime_s):
    """Expected run time (s) with the nodes' share of the memory, and mean need (GB), of each job; float64 (jobs) both.

    The expected speed is that of the profile (paper, Section III-D, expectation under Definition 1). A walltime that
    was given is all that is known of the job's run time.
    """
    jobs = walltime_s.shape[0] if machine.backfilling == MEMORY_AWARE_EASY else 0
    expected_s, demand_gb = np.empty(jobs), np.zeros(jobs)
    for job in range(jobs):
        share_gb = workload.nodes[job] * memory_gb / machine.nodes
        slowed = 0.0
        for k in range(workload.first_level[job], workload.first_level[job + 1]):
            level_gb = workload.level_gb[k]
            demand_gb[job] += workload.level_share[k] * level_gb
            if level_gb > share_gb:
                slowed += workload.level_share[k] * (1 - share_gb / level_gb)
        if np.isnan(workload.walltime_s[job]):
            expected_s[job] = workload.optimal_s[job] / max(machine.alpha, 1 - (1 - machine.alpha) * slowed)
        else:
            expected_s[job] = walltime_s[job]
    return expected_s, demand_gb


@njit(cache=True)
def _throughput(nodes, demand_gb, left_gb, alpha):
    """Nodes at full speed that a job is worth with no more than the memory left."""
    if demand_gb <= left_gb:
        return float(nodes)
    return nodes * (alpha + (1 - alpha) * left_gb / demand_gb)


@njit(cache=True)
def schedule(machine, now_s, promise, expected_s, demand_gb, memory_gb, alpha, started):
    """One pass; `machine` are the nodes (`easy.Nodes`), `promise` is kept from pass to pass.

    Writes the started jobs to `started` in order of start and returns their number.
    """
    count = machine.count
    left_gb = memory_gb
    for i in range(count[easy.RUNNING]):
        left_gb -= demand_gb[machine.end_job[i]]
    starts = 0
    head, tail = count[easy.HEAD], count[easy.TAIL]
    while head < tail and machine.waiting_nodes[head] <= count[easy.FREE]:
        job = machine.waiting_job[head]
        started[starts] = job
        starts += 1
        left_gb -= demand_gb[job]
        easy.occupy(machine, job, machine.waiting_nodes[head], now_s + machine.waiting_walltime_s[head])
        head += 1
    count[easy.HEAD] = head
    if head == tail:
        count[easy.HEAD] = 0
        count[easy.TAIL] = 0
        return starts

    easy.reserve(machine)
    shadow_s, extra = machine.reservation[0], machine.reservation[1]
    if promise[PROMISED_JOB] != machine.waiting_job[head]:
        promise[PROMISED_JOB] = machine.waiting_job[head]
        promise[PROMISED_S] = shadow_s
    promise[PROMISED_S] = min(promise[PROMISED_S], shadow_s)

    while count[easy.FREE] > 0:
        best, most = -1, 0.0
        for i in range(head + 1, tail):
            nodes = machine.waiting_nodes[i]
            if nodes > count[easy.FREE]:
                continue
            job = machine.waiting_job[i]
            in_time = now_s + expected_s[job] < promise[PROMISED_S] + easy.INSTANT_S
            if in_time or nodes <= extra:
                worth = _throughput(nodes, demand_gb[job], max(0.0, left_gb), alpha)
                if worth > most * (1 + TIE):
                    best, most = i, worth
        if best < 0:
            break
        job, nodes = machine.waiting_job[best], machine.waiting_nodes[best]
        if not now_s + expected_s[job] < promise[PROMISED_S] + easy.INSTANT_S:
            extra -= nodes
        started[starts] = job
        starts += 1
        left_gb -= demand_gb[job]
        easy.occupy(machine, job, nodes, now_s + machine.waiting_walltime_s[best])
        for i in range(best, tail - 1):
            machine.waiting_job[i] = machine.waiting_job[i + 1]
            machine.waiting_nodes[i] = machine.waiting_nodes[i + 1]
            machine.waiting_walltime_s[i] = machine.waiting_walltime_s[i + 1]
        tail -= 1
        count[easy.TAIL] = tail
    return starts
