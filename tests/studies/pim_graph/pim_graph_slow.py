"""The machine of docs/models/pim_graph.md in plain Python, slowly, written from the page alone."""

from fractions import Fraction
from math import ceil

POLICIES = {  # destination, checked before the enqueue, at dequeue, hash set, steals
    "baseline": ("turn", "all", False, False, False),
    "migration": ("owner", "none", True, False, False),
    "migration_remote": ("owner", "all", False, False, False),
    "migration_local": ("owner", "local", True, False, False),
    "migration_duplicates": ("owner", "none", True, True, False),
    "migration_duplicates_local": ("owner", "local", True, True, False),
    "work_stealing": ("owner", "all", False, False, True),
    "dl_work_stealing": ("owner", "local", True, True, True),
    # What adaptive chooses among, with the baseline.
    "early and worthwhile": ("owner", "all", False, False, "worthwhile"),
    "late and worthwhile": ("owner", "local", True, True, "worthwhile"),
}


class Machine:
    """One scenario: `out` maps a vertex to its {neighbour: weight}; o holds the columns of the scenario."""

    def __init__(self, vertices, out, policy, algorithm, stacks, o):
        self.destination, self.checked, self.late, self.hashed, self.steals = POLICIES[policy]
        self.n, self.out, self.algorithm, self.P, self.o = (
            vertices,
            out,
            algorithm,
            stacks,
            o | {"steal": o["qr"] if o.get("steal") is None else o["steal"]},
        )
        self.block = max(1, ceil(vertices / stacks))
        self.software, self.per_task = o["queue"] == "software", o["queue"] == "software" and o["per_task"]
        self.local = self.remote = self.tasks = self.enqueues = self.levels = 0
        self.most = self.all = self.stolen = 0
        self.turn = list(range(stacks))
        self.now = 0
        self.outcomes = {}
        self.values = {}

    def owner(self, v):
        return v // self.block

    def words(self, count, core, at):
        if core == at:
            self.local += count
        else:
            self.remote += count

    def set_of(self, far):
        """Round trips of a set with so many remote accesses."""
        if far == 0:
            return 0
        return 1 if self.o["mlp"] == 0 else ceil(far / self.o["mlp"])

    def choose(self, pull, clock):
        """The core that acts next, the queue that it takes of, and how many elements."""
        o = self.o
        able = [p for p in range(self.P) if pull[p] or self.steals is True]
        fullest = max(range(self.P), key=lambda q: (len(pull[q]), -q))
        if self.steals == "worthwhile":
            mean = self.own[0] // self.own[1] if self.own[1] else o["s"] + o["cl"]
            further = (2 if self.software else 1) * o["steal"] + (3 if self.late else 2) * (o["qr"] - o["ql"])
            soonest = clock[fullest] + len(pull[fullest]) * mean
            able += [p for p in range(self.P) if not pull[p] and clock[p] + further + mean < soonest]
        p = min(able, key=lambda p: (clock[p], p))
        return p, p if pull[p] else fullest, 1

    def queue_of(self, p, w):
        """The queue to which core p sends vertex w."""
        if self.destination != "turn":
            return self.owner(w)
        to = self.turn[p]
        self.turn[p] = (to + 1) % self.P
        return to

    def level(self, pull, task):
        """Run the cores over the queues; task(core, v, value) gives (cycles beyond S, elements).

        Returns the largest clock and what was sent.
        """
        o = self.o
        pull = [list(queue) for queue in pull]
        clock = [self.now + ((2 if self.software else 1) * o["ql"] if pull[p] else 0) for p in range(self.P)]
        busy = [0] * self.P
        sent = []
        while any(pull):
            p, q, moved = self.choose(pull, clock)
            (v, value), *others = (pull[q].pop(0) for _ in range(moved))
            if q != p:
                pull[p] = others
                self.words((moved - 1) * (2 if self.software else 1), p, p)
            before = clock[p]
            if q != p:
                clock[p] += (2 if self.software else 1) * o["steal"]
            self.words(moved * (2 if self.software else 1), p, q)
            cycles, elements = task(p, v, value)
            clock[p] += o["s"] + cycles
            if self.per_task and elements:
                queues = {to for _, _, to in elements}
                for to in queues:
                    self.words(1, p, to)
                clock[p] += max(o["ql"] if to == p else o["qr"] for to in queues)
            for j, (w, candidate, to) in enumerate(elements):
                trip = o["ql"] if to == p else o["qr"]
                twice = self.software and not self.per_task
                sent.append((clock[p] + j * o["e"] + trip * (2 if twice else 1), p, len(sent), w, candidate, to))
                self.words(2 if twice else 1, p, to)
            clock[p] += len(elements) * o["e"]
            busy[p] += clock[p] - before
            self.stolen += q != p
            if q == p:
                self.own[0] += clock[p] - before
                self.own[1] += 1
        self.most += max(busy)
        self.all += sum(busy)
        return max(clock), sent

    def push(self, sent):
        """Queues of the next level and the last finish."""
        queues, last = [[] for _ in range(self.P)], 0
        for q in range(self.P):
            received = sorted((s for s in sent if s[5] == q), key=lambda s: s[:3])
            high = None
            for i, (arrival, _, _, w, candidate, _) in enumerate(received):
                high = max(high, arrival - i * self.o["s"]) if i else arrival
                last = max(last, self.o["s"] * (i + 1) + high)
                if self.hashed:
                    self.local += 1
                    there = [k for k, (x, _) in enumerate(queues[q]) if x == w]
                    if there:
                        if candidate < queues[q][there[0]][1]:
                            queues[q][there[0]] = (w, candidate)
                            self.local += 1
                        continue
                    self.local += 1
                queues[q].append((w, candidate))
        return queues, last

    def run(self, root):
        """A traversal from a root, and of BC the way back."""
        o, known, sigma = self.o, {}, {root: 1}
        self.own = [0, 0]  # cycles and number of the tasks that were not stolen
        far = o["qr"] - o["ql"]
        if not self.late:
            known[root] = 0

        def visit(p, v, value):
            here = self.owner(v)
            h = int(here != p)
            trips = 0
            if self.late:
                self.words(1, p, here)
                trips += h
                if v in known and known[v] <= value:
                    return o["cd"] + trips * far, []
                known[v] = value
                self.words(1, p, here)
            elif self.algorithm != "bfs":
                self.words(1, p, here)
            trips += 2 * h
            self.words(1 + len(self.out[v]), p, here)
            checks = paths = 0
            elements = []
            for w in sorted(self.out[v]):
                there = self.owner(w)
                reached = known[v] + (self.out[v][w] if self.algorithm == "sssp" else 1)
                wanted = True
                if self.checked == "all" or (self.checked == "local" and there == p):
                    wanted = w not in known or (self.algorithm == "sssp" and reached < known[w])
                    self.words(1, p, there)
                    checks += there != p
                    if self.checked == "all" and wanted:
                        known[w] = reached
                        self.words(1, p, there)
                if self.algorithm == "bc" and known[w] == known[v] + 1:
                    sigma[w] = sigma.get(w, 0) + sigma[v]
                    self.words(1, p, there)
                    self.words(1, p, here)
                    paths += there != p
                if wanted:
                    elements.append((w, reached, self.queue_of(p, w)))
            trips += self.set_of(checks) + self.set_of(paths)
            return o["cl"] + trips * far, elements

        queues = [[] for _ in range(self.P)]
        queues[self.owner(root)].append((root, 0))
        saved = []
        while any(queues):
            saved.append(queues)
            tasks = sum(map(len, queues))
            end, sent = self.level(queues, visit)
            queues, last = self.push(sent)
            end = max(end, last)
            so_far = self.outcomes.setdefault(len(saved) - 1, [0, 0, 0])
            for k, more in enumerate((end - self.now, tasks, len(sent))):
                so_far[k] += more
            self.tasks += tasks
            self.enqueues += len(sent)
            self.levels += 1
            self.now = end
        if self.algorithm != "bc":
            self.values = known
            return
        self.own = [0, 0]
        delta = dict.fromkeys(known, Fraction(0))

        def collect(p, v, value):
            here = self.owner(v)
            successors = [w for w in self.out[v] if known[w] == known[v] + 1]
            delta[v] = sum((Fraction(sigma[v], sigma[w]) * (1 + delta[w]) for w in successors), Fraction(0))
            self.words(2 + len(successors), p, here)
            for w in successors:
                self.words(1, p, self.owner(w))
            trips = 2 * (here != p) + self.set_of(sum(self.owner(w) != p for w in successors))
            return o["cl"] + trips * far, []

        for queues in reversed(saved):
            self.now, _ = self.level(queues, collect)
        for v in known:
            self.values[v] = self.values.get(v, 0) + (delta[v] if v != root else 0)

    def metrics(self):
        """Metrics by name, as `replay` returns them."""
        return {
            "cycles": self.now, "local_accesses": self.local, "remote_accesses": self.remote,
            **{f"energy_{r}x": self.local + r * self.remote for r in (1, 5, 10)},
            "imbalance": self.P * self.most / self.all if self.all else None, "levels": self.levels,
            "tasks": self.tasks, "enqueues": self.enqueues,
        }  # fmt: skip
