"""The hpc_memory replay once more, slowly and obviously: lists, dicts and sorts, one job an object.

Written from the model page alone, so that the compiled kernel has something independent to agree with. Every quantity
may be an int, a float or a `fractions.Fraction`: with fractions (see `exact`) the whole replay is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

INSTANT_S = 1e-6  # events less than this after the first belong to its instant
TARGET_GB = 1e-6  # targets that move by no more than this have not changed
WARM_UP = Fraction(1, 10)  # share of the time of releases that the steady measures leave out
TIE = 1e-9  # relative difference below which two g are equal
NOTHING = 1e-12  # a GB worth no more than this, in node-seconds, is worth nothing (differences of times round)


@dataclass(frozen=True)
class Job:
    """A job as submitted: `phases` = [(duration_s at full speed, memory_gb per node)], `profile` = [(gb, share)]."""

    job_id: int | str
    submit: object
    nodes: int
    phases: tuple
    walltime: object = None
    profile: tuple | None = None

    @property
    def full_speed_s(self):
        """T_opt."""
        return sum(duration for duration, _ in self.phases)

    def levels(self):
        """Stochastic profile: [(memory_gb per node, share of full-speed time)], memory increasing."""
        if self.profile is None:
            rows = [(memory, duration / self.full_speed_s) for duration, memory in self.phases]
        else:
            rows = list(self.profile)
        return [(level, sum(p for m, p in rows if m == level)) for level in sorted({m for m, _ in rows})]


@dataclass(frozen=True)
class Scenario:
    """One run: machine, scheduler and options."""

    nodes: int
    memory: object
    scheduler: str
    alpha: object = 0.03
    tau: object = 1
    reconfiguration: str = "serial"
    backfilling: str = "easy"  # reserve at its defaults is easy
    free_start: bool = False
    largest_by: str = "memory"


@dataclass
class Running:
    """A running job: target A, usable part U, phase and what is left of it."""

    job: Job
    rank: int
    started_at: object  # the instant of the start
    expected_end: object
    left: object
    phase: int = 0
    A: object = 0
    U: object = 0
    arrivals: list = field(default_factory=list)  # incremental: [(time, GB)] in flight, earliest first
    timer: object = None  # restart: when U becomes A
    speed: object = 1

    @property
    def need(self):
        """GB per node of the phase it is in."""
        return self.job.phases[self.phase][1]


@dataclass
class Result:
    """Starts and ends by job_id (rejected jobs absent), metrics by name, useful node-seconds by job_id."""

    starts: dict
    ends: dict
    metrics: dict
    work: dict
    near_tie: bool  # an EASY decision hung on two sums that are equal but not computed exactly in floating point


def exact(jobs, scenario):
    """The same case with every time, memory and share as a Fraction."""

    def f(value):
        return None if value is None else Fraction(value)

    def pairs(rows):
        return None if rows is None else tuple((f(a), f(b)) for a, b in rows)

    jobs = [
        replace(
            job, submit=f(job.submit), phases=pairs(job.phases), walltime=f(job.walltime), profile=pairs(job.profile)
        )
        for job in jobs
    ]
    return jobs, replace(scenario, memory=f(scenario.memory), alpha=f(scenario.alpha), tau=f(scenario.tau))


# ---------------------------------------------------------------------------------------------- what a job gets out


def speed(usable, need, alpha):
    """Speed of a job with `usable` GB of the `need` GB (c·x) of its phase."""
    if need == 0:
        return 1
    return alpha + (1 - alpha) * min(1, usable / need)


def marginal_gains(levels):
    """g / c below each level: sum of p_k / x_k over the levels still above."""
    return [sum(p / x for x, p in levels[k:]) for k in range(len(levels))]


# ------------------------------------------------------------------------------------------------------- who gets it


def grant(order, wanted, memory):
    """Give in `order` what is wanted, until memory is exhausted."""
    targets = {}
    for rank in order:
        targets[rank] = min(wanted[rank], memory)
        memory -= targets[rank]
    return targets


def stochastic_targets(jobs, memory):
    """Theorem 2: raise the job of greatest g to its next level, again and again. `jobs`: {rank: Job}."""
    levels = {rank: [row for row in job.levels() if row[0] > 0] for rank, job in jobs.items()}
    gains = {rank: marginal_gains(rows) for rank, rows in levels.items()}
    at = dict.fromkeys(jobs, 0)
    targets = dict.fromkeys(jobs, 0)
    while memory > 0:
        candidates = {r: gains[r][at[r]] for r in jobs if at[r] < len(levels[r])}
        if not candidates:
            break
        best = max(candidates.values())
        rank = min(r for r, g in candidates.items() if best - g <= TIE * best)
        below = levels[rank][at[rank] - 1][0] if at[rank] else 0
        step = min(jobs[rank].nodes * (levels[rank][at[rank]][0] - below), memory)
        targets[rank] += step
        memory -= step
        at[rank] += 1
    return targets


def expected_work_segments(r, horizon, certain, delay):
    """[(worth of a GB, GB)] of a running job, from its first GB up: what `cost_aware` gives away."""
    job, c, need, held = r.job, r.job.nodes, r.job.nodes * r.need, r.A
    mean_phase = job.full_speed_s / len(job.phases)

    def in_phase(until):
        """Expected time in the current phase in [0, until]."""
        return min(until, certain) + mean_phase * (1 - math.exp(-max(0, until - certain) / mean_phase))

    profile = [(c * x, p) for x, p in job.levels() if x > 0]
    edges = sorted({0, need, held, *(level for level, _ in profile)})
    segments = []
    for low, high in pairwise(edges):
        begin = 0 if high <= held else delay
        current = in_phase(horizon) - in_phase(begin)
        later = horizon - begin - current
        worth = current * c / need if high <= need else 0
        worth += later * c * sum(p / level for level, p in profile if level >= high)
        segments.append((worth, high - low))
    return segments


def cost_aware_targets(running, scenario, t):
    """Greedy over the segments of all jobs; nothing changes where nobody would get more."""
    certain = 1 / sum(len(r.job.phases) / r.job.full_speed_s for r in running) if running else 0
    horizon = certain + 2 * scenario.tau
    at_once = {r.rank for r in running if scenario.free_start and r.started_at == t}
    left = {
        r.rank: expected_work_segments(r, horizon, certain, 0 if r.rank in at_once else scenario.tau) for r in running
    }
    new = dict.fromkeys(left, 0)
    memory = scenario.memory
    while memory > 0:
        worth = {rank: segments[0][0] for rank, segments in left.items() if segments and segments[0][0] > NOTHING}
        if not worth:
            break
        best = max(worth.values())
        rank = min(rank for rank, w in worth.items() if best - w <= TIE * best)
        step = min(left[rank].pop(0)[1], memory)
        new[rank] += step
        memory -= step
    held = {r.rank: r.A for r in running}
    return new if any(new[rank] - held[rank] > TARGET_GB for rank in new) else held


def targets(running, scenario, t):
    """Target of every running job by release rank."""
    if scenario.scheduler == "cost_aware":
        return cost_aware_targets(running, scenario, t)
    by_rank = {r.rank: r for r in running}
    wanted = {rank: r.job.nodes * r.need for rank, r in by_rank.items()}
    if scenario.scheduler == "stochastic":
        return stochastic_targets({rank: r.job for rank, r in by_rank.items()}, scenario.memory)
    if scenario.scheduler == "priority":
        order = sorted(by_rank, key=lambda rank: (by_rank[rank].need, rank))
    elif scenario.scheduler == "oldest_first":
        order = sorted(by_rank)
    elif scenario.scheduler == "largest_first":
        size = wanted if scenario.largest_by == "memory" else {rank: r.job.nodes for rank, r in by_rank.items()}
        order = sorted(by_rank, key=lambda rank: (-size[rank], rank))
    else:
        raise ValueError(scenario.scheduler)
    return grant(order, wanted, scenario.memory)


# ------------------------------------------------------------------------------------------------------- the replay


class Replay:
    """One scenario: `run()` walks from instant to instant."""

    def __init__(self, jobs, scenario):
        self.scenario = scenario
        accepted = sorted((j for j in jobs if j.nodes <= scenario.nodes), key=lambda j: (j.submit, j.job_id))
        self.accepted = accepted
        self.to_come = list(enumerate(accepted))  # (rank, job) not yet released
        self.queue = []
        self.running = []
        self.operation_end = None
        self.flagged = False
        self.unusable = 0  # memory that the operation under way takes away and gives to nobody
        self.ending = []  # jobs that end at this instant
        self.promise = None  # (rank of the head, earliest shadow time it has had)
        self.now = accepted[0].submit if accepted else 0
        self.last_release = accepted[-1].submit if accepted else 0
        self.starts, self.ends = {}, {}
        self.work = {job.job_id: 0 for job in accepted}
        self.useful = self.busy = self.moved = self.reconfigurations = self.steady = 0
        first = accepted[0].submit if accepted else 0
        self.warm = first + (self.last_release - first) * (WARM_UP if isinstance(self.last_release, Fraction) else 0.1)
        self.all_dyadic = True
        self.near_tie = False

    def walltime(self, job):
        return job.full_speed_s / self.scenario.alpha if job.walltime is None else job.walltime

    def run(self):
        while self.to_come or self.running:
            self.instant()
        assert not self.queue
        return Result(self.starts, self.ends, self.metrics(), self.work, self.near_tie)

    def instant(self):
        phase_ends = {r.rank: self.now + r.left / r.speed for r in self.running}
        timers = [time for r in self.running for time, _ in r.arrivals]
        timers += [r.timer for r in self.running if r.timer is not None]
        if self.operation_end is not None:
            timers.append(self.operation_end)
        releases = [job.submit for _, job in self.to_come[:1]]
        t = min([*phase_ends.values(), *timers, *releases])
        self.integrate(t)

        def due(time):
            return time - t < INSTANT_S

        # 1. reconfigurations end
        if self.operation_end is not None and due(self.operation_end):
            self.operation_end = None
            self.unusable = 0
            for r in self.running:
                r.U = r.A
        for r in self.running:
            while r.arrivals and due(r.arrivals[0][0]):
                r.U += r.arrivals.pop(0)[1]
            if r.timer is not None and due(r.timer):
                r.U, r.timer = r.A, None

        # 2. phases end; which jobs end with them
        phase_changed = False
        ended = []
        for r in self.running:
            if due(phase_ends[r.rank]):
                if r.phase + 1 == len(r.job.phases):
                    ended.append(r)
                else:
                    r.phase += 1
                    r.left = r.job.phases[r.phase][0]
                    phase_changed = True

        self.ending = ended

        # 3. releases
        released = []
        while self.to_come and due(self.to_come[0][1].submit):
            released.append(self.to_come.pop(0))

        # 2.-4. jobs leave and join, EASY passes
        before = {r.rank for r in self.running}
        if self.scenario.backfilling == "easy_per_event":
            for entry in released:
                self.queue.append(entry)
                self.easy_pass(t, leaving=ended)
            for r in ended:  # in the order they started, as pyss's event queue has them
                self.end(r, t)
                self.easy_pass(t, leaving=ended)
        else:
            for r in ended:
                self.end(r, t)
            self.queue += released
            if ended or released:
                self.easy_pass(t)

        # 5. memory
        self.memory_step(t, {r.rank for r in self.running} != before, phase_changed)

        # 6. speeds
        for r in self.running:
            need = r.job.nodes * r.need
            r.speed = 1 if self.scenario.scheduler == "unlimited" else speed(r.U, need, self.scenario.alpha)
            self.all_dyadic = self.all_dyadic and (r.speed * 4096) % 1 == 0

    def integrate(self, t):
        """Work from the last instant to t; only what lies before the last release counts for utilisation."""
        whole = t - self.now
        counted = max(0, min(t, self.last_release) - self.now)
        steady = max(0, min(t, self.last_release) - max(self.now, self.warm))
        for r in self.running:
            r.left -= r.speed * whole
            self.work[r.job.job_id] += r.job.nodes * r.speed * whole
            self.useful += r.job.nodes * r.speed * counted
            self.busy += r.job.nodes * counted
            self.steady += r.job.nodes * r.speed * steady
        self.now = t
        self.all_dyadic = self.all_dyadic and (t * 4096) % 1 == 0

    def end(self, r, t):
        self.running.remove(r)
        self.ends[r.job.job_id] = t

    def start(self, rank, job, t):
        start = max(t, job.submit)
        self.starts[job.job_id] = start
        r = Running(job, rank, t, start + self.walltime(job), job.phases[0][0])
        if self.scenario.scheduler == "aggregated":
            r.A = r.U = job.nodes * self.scenario.memory / self.scenario.nodes
        if self.scenario.scheduler == "cost_aware":
            unallocated = self.scenario.memory - self.unusable - sum(o.A for o in self.running if o not in self.ending)
            r.A = r.U = max(0, min(job.nodes * self.scenario.memory / self.scenario.nodes, unallocated))
        self.running.append(r)

    def easy_pass(self, t, leaving=()):
        """One EASY pass. A job of `leaving` whose expected end is this instant counts as gone."""
        gone = [r for r in leaving if abs(r.expected_end - t) < INSTANT_S]

        def holding():
            return [r for r in self.running if r not in gone]

        def free():
            return self.scenario.nodes - sum(r.job.nodes for r in holding())

        while self.queue and self.queue[0][1].nodes <= free():
            self.start(*self.queue.pop(0), t)
        if not self.queue or self.scenario.backfilling == "fcfs":
            return
        head = self.queue[0][1]
        shadow, extra = None, None
        for e in sorted({r.expected_end for r in holding()}):
            by_then = free() + sum(r.job.nodes for r in holding() if r.expected_end <= e)
            if by_then >= head.nodes:
                shadow, extra = e, by_then - head.nodes
                break
        self.notice_near_tie(shadow, [r.expected_end for r in holding()], several=True)
        if self.scenario.backfilling == "memory_aware_easy":
            self.backfill_by_memory(t, self.queue[0][0], shadow, extra)
            return
        for rank, job in self.queue[1:]:
            if job.nodes > free():
                continue
            self.notice_near_tie(shadow, [t + self.walltime(job)])
            if t + self.walltime(job) <= shadow:
                pass
            elif job.nodes <= extra:
                extra -= job.nodes
            else:
                continue
            self.queue.remove((rank, job))
            self.start(rank, job, t)

    def backfill_by_memory(self, t, head_rank, shadow, extra):
        """Behind a head: the job that adds most expected throughput, again and again."""
        s = self.scenario
        if self.promise is None or self.promise[0] != head_rank:
            self.promise = (head_rank, shadow)
        self.promise = (head_rank, min(self.promise[1], shadow))
        deadline = self.promise[1]
        limitless = s.scheduler == "unlimited"

        def mean_need(job):
            return job.nodes * sum(p * x for x, p in job.levels())

        def expected(job):
            if job.walltime is not None:
                return job.walltime
            share = math.inf if limitless else s.memory / s.nodes
            lost = 0 if limitless else sum(p * (1 - min(1, share / x)) for x, p in job.levels() if x > 0)
            return job.full_speed_s / (1 - (1 - s.alpha) * lost)

        def throughput(job):
            if limitless:
                return job.nodes
            left = max(0, s.memory - sum(mean_need(r.job) for r in self.running))
            return job.nodes * speed(left, mean_need(job), s.alpha)

        while True:
            free = s.nodes - sum(r.job.nodes for r in self.running)
            fitting = [(rank, job) for rank, job in self.queue[1:] if job.nodes <= free]
            for _, job in fitting:
                self.notice_near_tie(deadline, [t + expected(job)])
            allowed = [e for e in fitting if t + expected(e[1]) <= deadline or e[1].nodes <= extra]
            if not allowed:
                return
            most = max(throughput(job) for _, job in allowed)
            rank, job = next(e for e in allowed if most - throughput(e[1]) <= TIE * most)
            if t + expected(job) > deadline:
                extra -= job.nodes
            self.queue.remove((rank, job))
            self.start(rank, job, t)

    def notice_near_tie(self, shadow, times, several=False):
        """Remember that a comparison with the shadow is one that rounding may turn either way."""
        near = sum(abs(time - shadow) <= TIE * max(1, abs(shadow)) for time in times)
        if near > several and not self.all_dyadic:
            self.near_tie = True

    def memory_step(self, t, running_set_changed, phase_changed):
        s = self.scenario
        if s.scheduler in ("unlimited", "aggregated"):
            return
        trigger = running_set_changed or (phase_changed and s.scheduler != "stochastic")
        if s.reconfiguration == "serial":
            trigger = trigger or self.flagged
            if self.operation_end is not None:
                self.flagged = trigger
                return
            self.flagged = False
        if not trigger:
            return
        new = targets(self.running, s, t)
        changed = [r for r in self.running if abs(new[r.rank] - r.A) > TARGET_GB]
        if not changed:
            return
        taken = sum(r.A - new[r.rank] for r in self.running)
        self.reconfigurations += 1
        self.moved += sum(abs(new[r.rank] - r.A) for r in changed)
        for r in changed:
            at_once = s.tau == 0 or (s.free_start and r.started_at == t)
            self.change_target(r, new[r.rank], t, at_once)
        if s.reconfiguration == "serial" and s.tau > 0:
            self.operation_end = t + s.tau
            self.unusable = max(0, taken)

    def change_target(self, r, target, t, at_once):
        s = self.scenario
        r.A = target
        if at_once or target <= r.U:
            r.U, r.arrivals, r.timer = target, [], None
        elif s.reconfiguration == "incremental":
            missing = target - r.U
            arriving = []
            for time, amount in r.arrivals:
                keep = min(amount, missing)
                if keep > 0:
                    arriving.append((time, keep))
                missing -= keep
            if missing > 0:
                arriving.append((t + s.tau, missing))
            r.arrivals = arriving
        elif s.reconfiguration == "restart":
            r.timer = t + s.tau

    def metrics(self):
        if not self.accepted:
            nothing = dict.fromkeys(("utilisation", "busy_utilisation", "mean_response_s", "mean_wait_s", "makespan_s"))
            nothing |= dict.fromkeys(("steady_utilisation", "steady_response_s", "steady_wait_s", "steady_slowdown"))
            return nothing | {"reconfigurations": 0, "moved_gb": 0}
        first = self.accepted[0].submit
        capacity = self.scenario.nodes * (self.last_release - first)
        responses = [self.ends[job.job_id] - job.submit for job in self.accepted]
        waits = [self.starts[job.job_id] - job.submit for job in self.accepted]
        # Without time between the releases there is no part of it to leave out, and none to look at.
        late = [job for job in self.accepted if job.submit >= self.warm] if capacity else []
        response = {job.job_id: self.ends[job.job_id] - job.submit for job in late}
        slowdowns = [max(1, response[job.job_id] / max(job.full_speed_s, 10)) for job in late]

        def mean(values):
            return sum(values) / len(values) if values else None

        return {
            "steady_utilisation": self.steady / (self.scenario.nodes * (self.last_release - self.warm))
            if capacity
            else None,
            "steady_response_s": mean(list(response.values())),
            "steady_wait_s": mean([self.starts[job.job_id] - job.submit for job in late]),
            "steady_slowdown": mean(slowdowns),
            "utilisation": self.useful / capacity if capacity else None,
            "busy_utilisation": self.busy / capacity if capacity else None,
            "mean_response_s": sum(responses) / len(responses),
            "mean_wait_s": sum(waits) / len(waits),
            "makespan_s": max(self.ends.values()) - first,
            "reconfigurations": self.reconfigurations,
            "moved_gb": self.moved,
        }


def replay(jobs, scenario) -> Result:
    """Replay `jobs` under `scenario`."""
    return Replay(jobs, scenario).run()
