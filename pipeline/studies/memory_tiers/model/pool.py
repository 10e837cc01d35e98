"""Who gets pool memory while jobs run: jobs that lack some are served, put back, or share the pool along an order."""

from __future__ import annotations

from pipeline.simulation.easy import leaf
from pipeline.studies.memory_tiers.model.state import (
    FREE_KB,
    HEAD,
    LISTED,
    REQUEUE,
    TAIL,
    leave,
    moved,
    unlist,
)

SAME_KB = 1
"""A target that moves by no more than this has not changed, as in hpc_memory."""


@leaf
def lacks(s, job, start_s):
    """Put a job among those that are short of memory: the one that started first is first, then by number."""
    unlist(s, job)
    i = s.count[LISTED]
    while i > 0 and (
        start_s[s.listed[i - 1]] > start_s[job] or (start_s[s.listed[i - 1]] == start_s[job] and s.listed[i - 1] > job)
    ):
        s.listed[i] = s.listed[i - 1]
        i -= 1
    s.listed[i] = job
    s.count[LISTED] += 1


@leaf
def grant(s, jobs, now_s, rules, start_s, lost_s):
    """Give what is free of the pool to the jobs that lack some; put back those that then still do, if that is the rule.

    A job that is put back has lost its run (seconds in `lost_s`). It joins the queue where its release belongs, waits
    for what its largest step needs, and then holds that to its end: nobody is put back twice.
    """
    i = 0
    while i < s.count[LISTED] and (s.count[FREE_KB] > 0 or rules.growth == REQUEUE):
        job = s.listed[i]
        lacking = jobs.step_kb[s.step[job]] - s.held_kb[job]
        if rules.growth == REQUEUE and lacking > s.count[FREE_KB]:
            leave(s, jobs, job, False)
            lost_s[job] = now_s - start_s[job]
            for k in range(jobs.first_step[job], jobs.first_step[job + 1]):
                s.least_kb[job] = max(s.least_kb[job], jobs.step_kb[k])
            s.asked_kb[job] = s.least_kb[job]
            _wait_again(s, job)
            continue
        given = min(lacking, s.count[FREE_KB])
        if given > 0:
            s.held_kb[job] += given
            s.count[FREE_KB] -= given
            moved(s, jobs, job, now_s, rules.alpha)
        if given == lacking:
            unlist(s, job)
        else:
            i += 1


@leaf
def _wait_again(s, job):
    """Put a job into the queue where its release belongs; jobs are numbered by release."""
    head, tail = s.count[HEAD], s.count[TAIL]
    if head > 0:
        i = head
        while i < tail and s.queue[i] < job:
            s.queue[i - 1] = s.queue[i]
            i += 1
        s.queue[i - 1] = job
        s.count[HEAD] = head - 1
        return
    i = tail
    if i == len(s.queue):
        raise IndexError("the queue has no room for another job")
    while i > 0 and s.queue[i - 1] > job:
        s.queue[i] = s.queue[i - 1]
        i -= 1
    s.queue[i] = job
    s.count[TAIL] = tail + 1


@leaf
def share(s, jobs, now_s, pool_kb, tau_s):
    """Give the pool anew to all that run, each its need along the order, until it is exhausted.

    Returns when what comes is there, -1 where nothing changes. What leaves a job leaves at once.
    """
    running = s.count[LISTED]
    for i in range(1, running):
        job, j = s.listed[i], i - 1
        while j >= 0 and jobs.place[s.step[s.listed[j]]] > jobs.place[s.step[job]]:
            s.listed[j + 1] = s.listed[j]
            j -= 1
        s.listed[j + 1] = job
    free, changed = pool_kb, False
    for i in range(running):
        job = s.listed[i]
        wanted = min(jobs.step_kb[s.step[job]], free)
        changed |= abs(wanted - s.target_kb[job]) > SAME_KB
        free -= wanted
    if not changed:
        return -1.0
    free = pool_kb
    for i in range(running):
        job = s.listed[i]
        wanted = min(jobs.step_kb[s.step[job]], free)
        free -= wanted
        s.target_kb[job] = wanted
        s.held_kb[job] = wanted if tau_s <= 0.0 else min(s.held_kb[job], wanted)
    s.count[FREE_KB] = free
    return now_s + tau_s


@leaf
def arrive(s):
    """What was on its way is there."""
    for i in range(s.count[LISTED]):
        job = s.listed[i]
        s.held_kb[job] = s.target_kb[job]
