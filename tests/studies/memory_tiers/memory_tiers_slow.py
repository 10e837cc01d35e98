"""memory_tiers once more, in plain Python and by the model page alone: time moves from event to event, everything is
recomputed at each, and memory is counted in fractions. Nothing of the engine is imported.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

LOCAL = ("all_local", "requested_local", "requested_spread")
SHARED = {"priority": lambda run: run.job.phases[run.phase][1], "oldest_first": lambda run: 0}
"""Who gets pool memory first, where nobody waits for it; equal ones by release."""
POLICIES = (*LOCAL, "static_pool", "static_used", "dynamic_pool", *SHARED)
INSTANT = 1e-6


@dataclass
class Job:
    """A job; phases are (seconds, GB per node)."""

    id: int
    submit: float
    nodes: int
    phases: list
    limit: float
    request: float
    beta: float


@dataclass
class Machine:
    nodes: int
    local: float
    pool: float
    alpha: float = 0.03
    backfilling: str = "easy"
    reserve_depth: int = 1
    growth: str = "wait"
    tau: float = 0.0


@dataclass
class Running:
    job: Job
    nodes: int
    start: float
    phase: int
    left: float
    held: Fraction
    wanted: list = field(default_factory=list)
    target: Fraction = Fraction(0)

    @property
    def short(self):
        return self.held < self.wanted[self.phase]


def beyond(policy, job, memory, local):
    """Pool memory of all nodes for so much memory per node."""
    if policy in LOCAL:
        return Fraction(0)
    return job.nodes * max(Fraction(0), Fraction(memory) - Fraction(local))


def plan(policy, job, machine):
    """Nodes and pool memory per phase, or why the job is rejected."""
    peak = max(memory for _, memory in job.phases)
    nodes = job.nodes
    if policy == "requested_local" and job.request > machine.local:
        return "request_exceeds_node"
    if policy == "requested_spread" and job.request > machine.local:
        if machine.local == 0:
            return "request_exceeds_node"
        nodes = ceil(Fraction(nodes) * Fraction(job.request) / Fraction(machine.local))
    if nodes > machine.nodes:
        return "larger_than_machine"
    held = {"static_pool": job.request, "static_used": peak}.get(policy)
    wanted = [beyond(policy, job, memory if held is None else held, machine.local) for _, memory in job.phases]
    if policy in SHARED:
        return nodes, wanted
    return "pool_too_small" if max(wanted) > Fraction(machine.pool) else (nodes, wanted)


def speed(run, policy, machine):
    """Speed in a phase: (alpha + (1 - alpha)(1 - m)) / (1 + beta p)."""
    need = Fraction(run.job.phases[run.phase][1])
    lacking = max(Fraction(0), need - Fraction(machine.local))
    if policy in LOCAL or not lacking:
        return 1.0
    pool = min(run.held / run.job.nodes, lacking)
    missing = (lacking - pool) / need
    return (machine.alpha + (1 - machine.alpha) * (1 - float(missing))) / (1 + run.job.beta * float(pool / need))


def replay(policy, jobs, machine):
    """Start and end of each job, or why it is rejected; at each instant the nodes and pool that are held; and the
    seconds of each run that was lost."""
    result, plans, todo, lost = {}, {}, [], {}
    for job in sorted(jobs, key=lambda job: (job.submit, job.id)):
        plans[job.id] = plan(policy, job, machine)
        if isinstance(plans[job.id], str):
            result[job.id] = plans[job.id]
        else:
            todo.append(job)
    asked = {job.id: Fraction(0) if policy in SHARED else plans[job.id][1][0] for job in todo}
    queue, running, held, now, due, pending = [], [], [], 0.0, None, False
    while todo or queue or running:
        times = [now + run.left / speed(run, policy, machine) for run in running]
        moment = min([*times, *([todo[0].submit] if todo else []), *([due] if due is not None else [])])
        for run in running:
            run.left -= (moment - now) * speed(run, policy, machine)
        now = moment
        if due is not None and due <= now:
            due = None
            for run in running:
                run.held = run.target
        over = [run for run in running if run.left < 1e-9]
        for run in over:
            run.phase += 1
            if run.phase == len(run.job.phases):
                result[run.job.id] = (run.start, now)
                running.remove(run)
            else:
                run.left = run.job.phases[run.phase][0]
                if policy not in SHARED:
                    run.held = min(run.held, run.wanted[run.phase])
        free = Fraction(machine.pool) - sum(run.held for run in running)
        for run in sorted(running, key=lambda run: (run.start, run.job.submit, run.job.id)):
            if policy in SHARED:
                break
            lacking = run.wanted[run.phase] - run.held
            if machine.growth == "requeue" and lacking > free:
                running.remove(run)
                free += run.held
                lost[run.job.id] = now - run.start
                asked[run.job.id] = max(run.wanted)
                plans[run.job.id] = plans[run.job.id][0], [max(run.wanted)] * len(run.wanted)
                queue.append(run.job)
                continue
            given = min(free, lacking)
            run.held, free = run.held + given, free - given
        submitted = bool(todo) and todo[0].submit <= now
        while todo and todo[0].submit <= now:
            queue.append(todo.pop(0))
        queue.sort(key=lambda job: (job.submit, job.id))
        ended = any(run not in running for run in over)
        starts = []
        if policy not in SHARED or submitted or ended:
            starts = chosen(queue, running, plans, asked, machine, now)
        for job in starts:
            queue.remove(job)
            nodes, wanted = plans[job.id]
            running.append(Running(job, nodes, now, 0, job.phases[0][0], asked[job.id], wanted))
        if policy in SHARED:
            pending = pending or bool(over) or bool(starts)
            if pending and due is None:
                pending, due = False, shared(policy, running, machine, now)
        held.append((now, sum(run.nodes for run in running), sum(run.held for run in running)))
    return result, held, lost


def shared(policy, running, machine, now):
    """Give the pool anew; returns when what was given arrives, None where it has, or nothing changes."""
    free, targets = Fraction(machine.pool), []
    ordered = sorted(running, key=lambda run: (SHARED[policy](run), run.job.submit, run.job.id))
    for run in ordered:
        targets.append(min(free, run.wanted[run.phase]))
        free -= targets[-1]
    if all(run.target == target for run, target in zip(ordered, targets, strict=True)):
        return None
    for run, target in zip(ordered, targets, strict=True):
        run.target = target
        run.held = min(run.held, target) if machine.tau else target
    return now + machine.tau if machine.tau else None


def chosen(queue, running, plans, asked, machine, now):
    """Jobs that start now."""
    takes = {job.id: (plans[job.id][0], asked[job.id]) for job in queue}
    ends = [(run.start + run.job.limit, run.nodes, run.held) for run in running]
    nodes = machine.nodes - sum(run.nodes for run in running)
    pool = Fraction(machine.pool) - sum(run.held for run in running)
    if machine.backfilling == "reserve":
        return reserving(queue, takes, ends, (nodes, pool), machine.reserve_depth, now)
    return beside_the_head(queue, takes, ends, nodes, pool, machine, now)


def reserving(queue, takes, ends, free, depth, now):
    """Jobs that start now, where the first `depth` that do not hold a reservation each (-1: all of them).

    Points of time are (0, now) and (1, end) for each end, those that have passed among them in their order. What holds
    from a point to a time holds at every point between.
    """
    points = [(0, now), *((1, end) for end, _, _ in ends)]
    holds = []  # first point, time until, nodes, pool
    starts, reserved, heads = [], 0, True

    def left(point):
        """Nodes and pool that are free at a point."""
        available = list(free)
        for end, *given in ends:
            if point[0] == 1 and end < point[1] + INSTANT:
                available = [a + b for a, b in zip(available, given, strict=True)]
        for first, until, *taken in holds:
            begun = first[0] < point[0] or (first[0] == point[0] and first[1] < point[1] + INSTANT)
            # (0, now) is before all ends, also those that have passed.
            if begun and (point[0] == 0 or point[1] <= until - INSTANT):
                available = [a - b for a, b in zip(available, taken, strict=True)]
        return available

    def fits(job, point):
        until = max(point[1], now) + job.limit
        inside = [p for p in points if p >= point and (p == point or p[1] <= until - INSTANT)]
        return all(a >= b for each in inside for a, b in zip(left(each), takes[job.id], strict=True))

    for job in queue:
        if heads and all(a >= b for a, b in zip(left(points[0]), takes[job.id], strict=True)):
            point = points[0]
        else:
            heads = False
            point = next(each for each in sorted(set(points)) if fits(job, each))
        if point == points[0]:
            starts.append(job)
        elif reserved == depth:
            continue
        else:
            reserved += 1
        until = max(point[1], now) + job.limit
        holds.append((point, until, *takes[job.id]))
        points.append((1, until))
    return starts


def beside_the_head(queue, takes, ends, nodes, pool, machine, now):
    """Heads that fit, then those that do not delay the first that does not."""
    starts, waiting = [], list(queue)

    def fits(job):
        return takes[job.id][0] <= nodes and takes[job.id][1] <= pool

    def start(job):
        nonlocal nodes, pool
        starts.append(job)
        waiting.remove(job)
        nodes, pool = nodes - takes[job.id][0], pool - takes[job.id][1]
        ends.append((now + job.limit, *takes[job.id]))

    while waiting and fits(waiting[0]):
        start(waiting[0])
    if not waiting or machine.backfilling == "fcfs":
        return starts
    needs = takes[waiting[0].id]

    def left(time):
        """What the head would leave at a time, if all ran to their limits."""
        return (
            nodes + sum(n for end, n, _ in ends if end <= time) - needs[0],
            pool + sum(p for end, _, p in ends if end <= time) - needs[1],
        )

    # The head's shadow time: the earliest limit at which nodes and pool suffice.
    shadow = min(end for end, _, _ in ends if min(left(end)) >= 0)
    extra = left(shadow)
    for job in waiting[1:]:
        if not fits(job):
            continue
        needed = takes[job.id]
        if now + job.limit <= shadow:
            start(job)
        elif needed[0] <= extra[0] and needed[1] <= extra[1]:
            extra = extra[0] - needed[0], extra[1] - needed[1]
            start(job)
    return starts
