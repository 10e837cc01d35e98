"""What a scheduler knows of a job's memory before it runs: its profile, and the mean length of its phases.

docs/models/hpc_memory.md, "What a scheduler knows", has the rules. The machine always runs the true phases.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from pipeline.studies.hpc_memory.arrays import Arrays, levels, offsets
from pipeline.studies.hpc_memory.bins import BINS, GIVEN, HISTORY, OWN, TRACE, upper_edge, width_of

LATEST = 10
"""Runs that a history goes back."""
MOST_LEVELS = 64
"""Levels of the law of a whole log; of more values of memory, parts of equal node time take their mean."""


def knowing(jobs: Arrays, knowledge: str, share_gb: float) -> Arrays:
    """The jobs with the profiles that a scheduler has of them.

    knowledge: a word of `bins`. share_gb: memory of the machine over its nodes (GB), which a job is taken to need per
    node where nothing is known of it, not even a request. Jobs larger than the machine are there, as in the log.
    """
    if knowledge == OWN:
        return jobs
    if knowledge not in jobs.cache:
        jobs.cache[knowledge] = _known(jobs, knowledge)
    known, unknown = jobs.cache[knowledge]
    if not (len(unknown) and share_gb > 0):
        return known
    memory_gb, gain = known.level_memory_gb.copy(), known.level_gain.copy()
    memory_gb[unknown], gain[unknown] = share_gb, 1 / share_gb
    return replace(known, level_memory_gb=memory_gb, level_gain=gain, cache={})


def _known(jobs: Arrays, knowledge: str) -> tuple[Arrays, np.ndarray]:
    """The jobs with other profiles, and the levels of those of which nothing is known."""
    nobody = np.empty(0, np.int64)
    if knowledge == TRACE:
        return _of_trace(jobs), nobody
    if knowledge in (GIVEN, HISTORY):
        return _of_history(jobs, with_given=knowledge == GIVEN)
    assert knowledge.startswith(BINS)
    owner = np.repeat(np.arange(len(jobs.nodes)), np.diff(jobs.first_level))
    edge_gb = upper_edge(jobs.level_memory_gb, width_of(knowledge))
    return replace(jobs, **levels(len(jobs.nodes), owner, edge_gb, jobs.level_share), cache={}), nobody


def _of_trace(jobs: Arrays) -> Arrays:
    """Every job has the memory of all phases of the log, by node time, and the mean of their lengths."""
    node_time = jobs.phase_s * jobs.nodes[jobs.phase_job]
    memory_gb, value = np.unique(jobs.phase_memory_gb, return_inverse=True)
    weight = np.bincount(value, node_time, minlength=len(memory_gb))
    if len(memory_gb) > MOST_LEVELS:
        middle = (np.cumsum(weight) - weight / 2) / weight.sum()
        part = np.unique((middle * MOST_LEVELS).astype(np.int64), return_inverse=True)[1]
        of_part = np.bincount(part, weight)
        memory_gb, weight = np.bincount(part, weight * memory_gb) / of_part, of_part
    count = len(jobs.nodes)
    law = levels(
        count,
        np.repeat(np.arange(count), len(memory_gb)),
        np.tile(memory_gb, count),
        np.tile(weight / weight.sum(), count),
    )
    return replace(jobs, **law, mean_phase_s=np.full(count, jobs.phase_s.mean()), cache={})


def _of_history(jobs: Arrays, with_given: bool) -> tuple[Arrays, np.ndarray]:
    """Profiles of earlier runs, or as the drop gives them; and the levels of jobs of which nothing is known."""
    log, count = jobs.log, len(jobs.nodes)
    # A job of an unknown start is taken to start as it is submitted.
    start_s = np.where(np.isnan(log.start_s), jobs.submit_s, log.start_s)
    ended = np.flatnonzero(~np.isnan(log.end_s))
    ended = ended[np.argsort(log.end_s[ended], kind="stable")]
    first, runs = _latest(start_s, np.argsort(start_s, kind="stable"), log.end_s, ended, log.recurrent, log.user)
    asker = np.repeat(np.arange(count), np.diff(first))
    phases = np.diff(jobs.first_phase)
    total_s = np.bincount(asker, jobs.optimal_s[runs], minlength=count)
    limit_s = np.where(np.isnan(jobs.walltime_s), jobs.optimal_s, jobs.walltime_s)
    phases_run = np.bincount(asker, phases[runs], minlength=count)
    mean_phase_s = np.where(total_s > 0, total_s / np.maximum(phases_run, 1), limit_s)

    given = np.diff(log.given.first) > 0 if with_given else np.zeros(count, bool)
    take = ~given[asker]
    asker, runs = asker[take], runs[take]
    phase = np.repeat(jobs.first_phase[runs] - offsets(phases[runs])[:-1], phases[runs])
    phase += np.arange(len(phase))
    of_runs = np.repeat(asker, phases[runs])
    parts = [(of_runs, jobs.phase_memory_gb[phase], jobs.phase_s[phase] / total_s[of_runs])]
    alone = np.flatnonzero((total_s == 0) & ~given)
    # Some systems write 0 for a whole node.
    unknown = ~(log.request_gb[alone] > 0)
    # The share of the machine, which is another one at every size, is filled in later.
    parts.append((alone, np.where(unknown, 1.0, log.request_gb[alone]), np.ones(len(alone))))
    if with_given:
        owner = np.repeat(np.arange(count), np.diff(log.given.first))
        parts.append((owner, log.given.memory_gb, log.given.share))
    known = levels(count, *(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return replace(jobs, **known, mean_phase_s=mean_phase_s, cache={}), known["first_level"][alone[unknown]]


@njit(cache=True)
def _latest(start_s, by_start, end_s, by_end, recurrent, user):
    """Runs that each job's history has, as offsets (jobs + 1) and positions of jobs.

    Of those that ended before it starts: the latest of the same `recurrent`, else of the same user, else of all; a
    negative number is no group. by_start: all jobs by start; by_end: those that ended, by end.
    """
    jobs = len(start_s)
    groups = np.stack((recurrent, user, np.zeros(jobs, np.int64)))
    kinds = len(groups)
    most = max(1, np.max(groups) + 1) if jobs else 1
    ring = np.empty((kinds, most, LATEST), np.int64)
    pushed = np.zeros((kinds, most), np.int64)
    latest, many = np.empty((jobs, LATEST), np.int64), np.zeros(jobs, np.int64)
    next_end = 0
    for job in by_start:
        while next_end < len(by_end) and end_s[by_end[next_end]] < start_s[job]:
            run = by_end[next_end]
            for kind in range(kinds):
                group = groups[kind, run]
                if group >= 0:
                    ring[kind, group, pushed[kind, group] % LATEST] = run
                    pushed[kind, group] += 1
            next_end += 1
        for kind in range(kinds):
            group = groups[kind, job]
            if group >= 0 and pushed[kind, group] > 0:
                many[job] = min(LATEST, pushed[kind, group])
                latest[job, : many[job]] = ring[kind, group, : many[job]]
                break
    first = np.zeros(jobs + 1, np.int64)
    first[1:] = np.cumsum(many)
    runs = np.empty(first[-1], np.int64)
    for job in range(jobs):
        runs[first[job] : first[job + 1]] = latest[job, : many[job]]
    return first, runs
