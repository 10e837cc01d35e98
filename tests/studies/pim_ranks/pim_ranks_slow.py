"""The schedulers of pim_ranks in plain Python: written from the rules, exact with fractions, one event at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Job:
    job_id: int
    app: str
    arrival: Fraction = Fraction(0)


@dataclass(frozen=True)
class Stage:
    kind: str
    time: Fraction = Fraction(0)
    input: Fraction = Fraction(0)
    kernel: Fraction = Fraction(0)
    output: Fraction = Fraction(0)
    serial: Fraction = Fraction(0)


@dataclass(frozen=True)
class Scenario:
    scheduler: str
    ranks: int
    overhead: Fraction = Fraction(0)
    window: int = 6
    ooo_window: int | None = None
    perf_at: str = "leftover"
    coop_limit: Fraction = Fraction(11, 10)


@dataclass
class World:
    """Performance tables (times on 1, 2, … ranks), best ranks, and for VirtualPIM stages and requests, by app.

    predicted: the times by which schedulers decide; None = those that jobs take.
    """

    times: dict[str, list]
    best: dict[str, int]
    stages: dict[str, list[Stage]] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    predicted: dict[str, list] | None = None


@dataclass
class Run:
    start: Fraction
    ranks: int
    end: Fraction | None = None
    freed: Fraction | None = None
    expected: Fraction | None = None


def replay(world: World, jobs: list[Job], scenario: Scenario) -> dict[int, Run]:
    """What becomes of each job; jobs that cannot run are absent."""
    jobs = sorted(jobs, key=lambda job: (job.arrival, job.job_id))
    if scenario.scheduler.startswith("virtual_pim"):
        return VirtualPim(world, jobs, scenario).run()
    return Machine(world, jobs, scenario).run()


class Machine:
    def __init__(self, world, jobs, scenario):
        self.world, self.jobs, self.scenario = world, jobs, scenario
        self.R = self.free = scenario.ranks
        self.now = Fraction(0)
        self.queue: list[Job] = []
        self.running: dict[int, Run] = {}
        self.done: dict[int, Run] = {}
        self.carried: list[list] = []  # [job, priority] as the last cycle left them

    def best(self, job):
        return min(self.world.best[job.app], self.R)

    def length(self, job, ranks):
        return self.world.times[job.app][ranks - 1] * (1 + self.scenario.overhead)

    def guess(self, job, ranks):
        """Length as the scheduler predicts it."""
        return (self.world.predicted or self.world.times)[job.app][ranks - 1] * (1 + self.scenario.overhead)

    def awaited(self, run):
        """When a running job is thought to end: not before now."""
        return max(run.expected, self.now)

    def perf(self, job, ranks):
        times = (self.world.predicted or self.world.times)[job.app]
        return min(times) / Fraction(times[ranks - 1])

    def launch(self, job, ranks):
        assert 0 < ranks <= self.free
        end, expected = self.now + self.length(job, ranks), self.now + self.guess(job, ranks)
        self.running[job.job_id] = Run(self.now, ranks, end, expected=expected)
        self.free -= ranks

    def run(self):
        coming = list(self.jobs)
        while coming or self.running:
            self.now = min([job.arrival for job in coming] + [run.end for run in self.running.values()])
            for job_id in [j for j, run in self.running.items() if run.end == self.now]:
                self.done[job_id] = self.running.pop(job_id)
                self.free += self.done[job_id].ranks
            while coming and coming[0].arrival == self.now:
                self.queue.append(coming.pop(0))
            getattr(self, self.scenario.scheduler)()
        return self.done

    def se_full(self):
        if self.queue and not self.running:
            self.launch(self.queue.pop(0), self.R)

    def se_opt(self):
        if self.queue and not self.running:
            job = self.queue.pop(0)
            self.launch(job, self.best(job))

    def sm_opt_fcfs(self):
        while self.queue and self.best(self.queue[0]) <= self.free:
            job = self.queue.pop(0)
            self.launch(job, self.best(job))

    def sm_opt_ooo(self):
        while True:
            window = self.queue if self.scenario.ooo_window is None else self.queue[: self.scenario.ooo_window]
            fits = [job for job in window if self.best(job) <= self.free]
            if not fits:
                return
            self.queue.remove(fits[0])
            self.launch(fits[0], self.best(fits[0]))

    def sorted_window(self):
        """Both scans: requests with their new priorities, highest first."""
        window = list(self.carried)
        while len(window) < self.scenario.window and self.queue:
            window.append([self.queue.pop(0), Fraction(0)])
        temp = self.free
        wt = []
        for request in list(window):
            if temp >= self.best(request[0]):
                request[1] += 1
                temp -= self.best(request[0])
                wt.append(request)
                window.remove(request)
        for request in window:
            if temp > 0:
                request[1] += self.perf(request[0], temp if self.scenario.perf_at == "leftover" else self.free)
            wt.append(request)
        return sorted(wt, key=lambda request: -request[1])

    def pim_care(self):
        while self.free > 0 and (self.carried or self.queue):
            left = []
            for request in self.sorted_window():
                ranks = min(self.best(request[0]), self.free)
                if ranks > 0:
                    self.launch(request[0], ranks)
                else:
                    left.append(request)
            self.carried = left

    def care_floor(self):
        while self.free > 0 and (self.carried or self.queue):
            waiting = [job for job, _ in self.carried] + self.queue
            work = sum(run.ranks * (self.awaited(run) - self.now) for run in self.running.values())
            work += sum(self.best(job) * self.guess(job, self.best(job)) for job in waiting)
            worked_off = self.now + Fraction(work) / self.R
            left, before = [], len(self.running)
            for job, priority in self.sorted_window():
                ranks = min(self.best(job), self.free)
                if ranks > 0 and (ranks == self.best(job) or self.worth_it(job, ranks, worked_off)):
                    self.launch(job, ranks)
                else:
                    left.append([job, priority])
            self.carried = left
            if len(self.running) == before:
                return

    def worth_it(self, job, ranks, worked_off):
        ends = self.now + self.guess(job, ranks)
        if ends <= worked_off:
            return True
        for instant in {self.awaited(run) for run in self.running.values()}:
            then = self.free + sum(run.ranks for run in self.running.values() if self.awaited(run) <= instant)
            if instant + self.guess(job, min(self.best(job), then)) < ends:
                return False
        return True


class VirtualPim:
    def __init__(self, world, jobs, scenario):
        self.world, self.scenario = world, scenario
        self.R = scenario.ranks
        self.jobs = jobs

    def slices(self, app, overhead):
        """Under Fine: length of a unit of each kernel stage, by its place among the stages."""
        kernels = [(k, s) for k, s in enumerate(self.world.stages[app]) if s.kind == "kernel"]
        n = self.world.requests[app]
        first = kernels[0][1]
        return {
            k: (
                Fraction(s.input + s.kernel + s.output, n)
                + s.serial
                + (Fraction(first.input, n) if s is not first else 0)
            )
            * (1 + overhead)
            for k, s in kernels
        }

    def held(self, app):
        """Under Coarse: how long ranks are held."""
        stages, n = self.world.stages[app], self.world.requests[app]
        places = [k for k, s in enumerate(stages) if s.kind == "kernel"]
        total = Fraction(0)
        for s in stages[places[0] : places[-1] + 1]:
            total += Fraction(s.input + s.kernel + s.output, n) + n * s.serial if s.kind == "kernel" else s.time
        return total

    def is_fine(self, app):
        if self.scenario.scheduler != "virtual_pim_coop":
            return self.scenario.scheduler == "virtual_pim_fine"
        n = self.world.requests[app]
        fine = sum(n * length for length in self.slices(app, self.scenario.overhead).values())
        return fine <= self.scenario.coop_limit * n * self.held(app)

    def steps(self, app):
        """("host", s), ("gang", s) or ("units", s) one after the other."""
        stages = self.world.stages[app]
        if self.is_fine(app):
            lengths = self.slices(app, self.scenario.overhead)
            return [("units", lengths[k]) if s.kind == "kernel" else ("host", s.time) for k, s in enumerate(stages)]
        overhead = self.scenario.overhead if self.scenario.scheduler == "virtual_pim_coarse" else 0
        before = sum(s.time for s in stages if s.kind == "host_pre")
        after = sum(s.time for s in stages if s.kind == "host_post")
        return [("host", before), ("gang", self.held(app) * (1 + overhead)), ("host", after)]

    def run(self):
        free = self.R
        runs: dict[int, Run] = {}
        steps, place = {}, {}
        events = []  # (time, job number, ranks given back)
        for number, job in enumerate(self.jobs):
            steps[number] = self.steps(job.app)
            place[number] = -1
            if not any(kind == "gang" for kind, _ in steps[number]) or self.world.requests[job.app] <= self.R:
                events.append((job.arrival, number, 0))
        queue: list[list] = []  # [job number, units left to start]
        units_out = dict.fromkeys(steps, 0)
        while events:
            now = min(time for time, _, _ in events)
            current = [event for event in events if event[0] == now]
            events = [event for event in events if event[0] != now]
            ready = set()
            for _, number, ranks in current:
                free += ranks
                units_out[number] -= ranks
                if ranks:
                    runs[self.jobs[number].job_id].freed = now
                if units_out[number] == 0 and all(entry[0] != number for entry in queue):
                    ready.add(number)
            for number in sorted(ready):
                while True:
                    place[number] += 1
                    if place[number] == len(steps[number]):
                        runs[self.jobs[number].job_id].end = now
                        break
                    kind, length = steps[number][place[number]]
                    if kind != "host":
                        queue.append([number, self.world.requests[self.jobs[number].app]])
                        break
                    if length > 0:
                        events.append((now + length, number, 0))
                        break
            while queue and free > 0:
                number, units = queue[0]
                job = self.jobs[number]
                kind, length = steps[number][place[number]]
                n = self.world.requests[job.app]
                if kind == "gang" and n > free:
                    break
                ranks = n if kind == "gang" else 1
                runs.setdefault(job.job_id, Run(now, n))
                free -= ranks
                units_out[number] += ranks
                events.append((now + length, number, ranks))
                queue[0][1] = units - ranks
                if queue[0][1] == 0:
                    queue.pop(0)
        return runs
