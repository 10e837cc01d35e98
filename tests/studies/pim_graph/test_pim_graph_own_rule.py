"""Rules as a user writes them: asked as stated, and refused where they decide what cannot be."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest
from pim_graph_cases import edges_of, metric, random_graph, scenario
from pim_graph_slow import Machine
from polars.testing import assert_frame_equal

from pipeline.studies import pim_graph
from pipeline.studies.pim_graph.rules import Policy, draw
from pipeline.studies.pim_graph.schedulers import SCHEDULERS, check

OWN = Path(__file__).parent / "own" / "random_stealing.py"
HEAD = "from pipeline.studies.pim_graph.rules import *\n"
QUEUES = "CHECKED = 'all'\nUNIQUE = False\nCOMPLEXITY = 9\n"


class RandomStealing(Machine):
    """The machine of the model page, with thieves that draw their victim."""

    def __init__(self, vertices, out, stacks, seed, algorithm, options):
        super().__init__(vertices, out, "migration_remote", algorithm, stacks, options)
        self.seed, self.drawn, self.most_taken = seed, [0] * stacks, 0

    def choose(self, pull, clock):
        for _, p in sorted((clock[p], p) for p in range(self.P)):
            if pull[p]:
                return p, p, 1
            self.drawn[p] += 1
            others = [q % self.P for q in range(p + 1, p + self.P)]
            victim = others[draw(self.seed, p, self.drawn[p]) % len(others)]
            if half := len(pull[victim]) // 2:
                self.most_taken = max(self.most_taken, half)
                return p, victim, half
        raise AssertionError


def crowded(random):
    """A graph whose first vertices have most edges: the first cores have more to do than the others."""
    n = int(random.integers(20, 60))
    pairs = np.column_stack([(n * random.random(6 * n) ** 3).astype(int), random.integers(0, n, 6 * n)])
    out = {v: {} for v in range(n)}
    for v, w in pairs[pairs[:, 0] != pairs[:, 1]].tolist():
        out[v][w], out[w][v] = int(random.integers(1, 9)), int(random.integers(1, 9))
    return n, out


def replayed(n, out, rows):
    graphs = pl.DataFrame({"graph_id": ["g"], "vertices": [n]})
    return pim_graph.replay({"edges": edges_of("g", out), "graphs": graphs, "return_values": True}, pl.DataFrame(rows))


def assert_equal(tables, machine, n):
    counters = metric(tables, "a")
    expected = machine.metrics()
    assert counters.pop("imbalance") == pytest.approx(expected.pop("imbalance"))
    assert counters == expected
    values = [float(machine.values[v]) if v in machine.values else None for v in range(n)]
    assert tables["values"]["value"].to_list() == pytest.approx(values)


@pytest.mark.parametrize("algorithm", ["bfs", "sssp", "bc"])
def test_random_stealing_is_as_the_slow_machine_has_it(algorithm, own_scheduler):
    name = own_scheduler("pim_graph", OWN)
    random = np.random.default_rng(17)
    stolen, most = 0, 0
    for _ in range(15):
        n, out = crowded(random)
        stacks, seed = int(random.choice([1, 2, 4, 7])), int(random.integers(100))
        queue, per_task = str(random.choice(["pim", "software"])), bool(random.integers(2))
        roots = random.integers(0, n, 2 if algorithm == "bc" else 1).tolist()
        options = {"qr": int(random.choice([64, 200])), "queue": queue, "per_task": per_task, "cd": 192}
        row = scenario("a", name, algorithm, roots, stacks, seed=seed, **options)
        machine = RandomStealing(n, out, stacks, seed, algorithm, row)
        for root in roots:
            machine.run(root)
        assert_equal(replayed(n, out, [row]), machine, n)
        stolen, most = stolen + machine.stolen, max(most, machine.most_taken)
    assert stolen > 30
    assert most > 1


def test_another_seed_is_another_traversal_and_other_rows_change_nothing(own_scheduler):
    name = own_scheduler("pim_graph", OWN)
    n, out = crowded(np.random.default_rng(3))
    rows = [scenario(f"s{seed}", name, "bfs", stacks=6, seed=seed) for seed in range(8)]
    together = replayed(n, out, rows)
    assert len({tuple(metric(together, row["scenario_id"]).values()) for row in rows}) > 1
    for row in rows:
        for table, frame in replayed(n, out, [row]).items():
            assert_frame_equal(frame, together[table].filter(scenario_id=row["scenario_id"]))
    shuffled = replayed(n, out, [*rows[::-1], scenario("z", "baseline", "bfs")])
    for table, frame in together.items():
        assert_frame_equal(shuffled[table].filter(pl.col("scenario_id") != "z"), frame)


def test_draws_are_even():
    drawn = np.array([draw(seed, core, count) % 7 for seed in range(9) for core in range(9) for count in range(100)])
    expected = len(drawn) / 7
    # Chi-square with 6 degrees of freedom: 22.5 is exceeded once in 1000.
    assert ((np.bincount(drawn) - expected) ** 2 / expected).sum() < 22.5


def test_a_rule_places_work_where_it_likes(own_scheduler, tmp_path):
    """Elements of odd vertices stay with the core that found them."""

    class Staying(Machine):
        def queue_of(self, p, w):
            return p if w % 2 else self.owner(w)

    file = tmp_path / "staying.py"
    file.write_text(
        f"{HEAD}CHECKED = 'local'\nUNIQUE = True\nCOMPLEXITY = 9\n"
        "@placing\ndef place(core, vertex, neighbours, queue, machine, scenario, memory):\n"
        "    for j in range(len(queue)):\n        if neighbours[j] % 2:\n            queue[j] = core\n"
    )
    name = own_scheduler("pim_graph", file)
    random = np.random.default_rng(5)
    for algorithm in ("bfs", "sssp") * 5:
        n, out = random_graph(random)
        row = scenario("a", name, algorithm, qr=200, cd=50)
        machine = Staying(n, out, "migration_duplicates_local", algorithm, 4, row)
        machine.run(0)
        assert_equal(replayed(n, out, [row]), machine, n)


@pytest.mark.parametrize(("algorithm", "roots"), [("bfs", [0]), ("sssp", [3]), ("bc", [0, 5, 2])])
def test_what_the_engine_does_unasked_is_what_the_rules_say(algorithm, roots, own_scheduler, tmp_path):
    """Work goes to its owner and nobody steals, with and without a rule that says so."""
    file = tmp_path / "asked.py"
    file.write_text(
        f"{HEAD}@placing\ndef place(core, vertex, neighbours, queue, machine, scenario, memory):\n    pass\n"
        f"@stealing\ndef steal(core, machine, scenario, memory, elements):\n    return NOBODY\n{QUEUES}"
    )
    name = own_scheduler("pim_graph", file)
    random = np.random.default_rng(9)
    for stacks in (1, 3, 4):
        n, out = crowded(random)
        rows = [scenario("a", s, algorithm, roots, stacks, qr=100) for s in ("migration_remote", name)]
        unasked, asked = (replayed(n, out, [row]) for row in rows)
        for table, frame in unasked.items():
            assert_frame_equal(asked[table], frame)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("@stealing\ndef steal(core, machine, scenario, memory, elements):\n    return 9\n",
         "steal lets core 0 take 1 elements of queue 9, which holds none; queues are 0 to 3, PASS is -1, NOBODY -2"),
        ("@stealing\ndef steal(core, machine, scenario, memory, elements):\n    return -3\n",
         "take 1 elements of queue -3, which holds none"),
        ("@stealing\ndef steal(core, machine, scenario, memory, elements):\n"
         "    elements[0] = 2\n    return 1\n", "steal lets core 0 take 2 elements of queue 1, which holds 1"),
        ("@stealing\ndef steal(core, machine, scenario, memory, elements):\n"
         "    elements[0] = 0\n    return 1\n", "steal lets core 0 take 0 elements of queue 1, which holds 1"),
        ("@placing\ndef place(core, vertex, neighbours, queue, machine, scenario, memory):\n"
         "    queue[0] = scenario.stacks\n", "place sends vertex 3 from core 1 to queue 4; queues are 0 to 3"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("algorithm", ["bfs", "bc"])
def test_a_decision_that_cannot_be_is_said(rules, said, algorithm, own_scheduler, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(HEAD + rules + QUEUES)
    name = own_scheduler("pim_graph", file)
    n, out = 8, {2: {3: 1, 4: 1}, 3: {}, 4: {}}
    begin = "scenario 'a' (wrong) on graph 'g': "
    with pytest.raises(ValueError, match=f"^{re.escape(begin)}.*{re.escape(said)}"):
        replayed(n, out, [scenario("a", name, algorithm, [2]), scenario("b", "baseline", algorithm, [2])])


def test_rules_are_asked_as_they_say(own_scheduler, tmp_path):
    """After PASS the next idle core is asked, after NOBODY none; a rule sees what it took the last time."""
    text = (
        f"{HEAD}@stealing\ndef steal(core, machine, scenario, memory, elements):\n"
        "    memory[core, 0] += 1\n"
        "    if core == 0:\n        return ANSWER\n"
        "    if memory[core, 0] > 1 or core != 2:\n        return PASS\n    return 3\n"
    )
    n, out = 8, {7: {6: 1}, 6: {0: 1, 5: 1, 7: 1, 4: 1, 1: 1}, **{v: {} for v in range(6)}}
    cycles = {}
    for answer in ("PASS", "NOBODY"):
        file = tmp_path / f"asks_{answer.lower()}.py"
        file.write_text(text.replace("ANSWER", answer) + QUEUES)
        name = own_scheduler("pim_graph", file)
        cycles[answer] = metric(replayed(n, out, [scenario("a", name, "bfs", [7], qr=100)]), "a")["cycles"]
    plain = metric(replayed(n, out, [scenario("a", "migration_remote", "bfs", [7], qr=100)]), "a")["cycles"]
    assert cycles["NOBODY"] == plain != cycles["PASS"]


BASELINE, STEALING = SCHEDULERS["baseline"], SCHEDULERS["work_stealing"]
GOOD = {"place": BASELINE.place, "steal": STEALING.steal, "CHECKED": "local", "UNIQUE": True, "COMPLEXITY": 1}
EAGER = Policy("all", unique=False, place=BASELINE.place)


@pytest.mark.parametrize("parts", [GOOD, {"CANDIDATES": (EAGER._replace(checked="none"), EAGER)}])
def test_what_is_known_passes(parts):
    check(scheduler(parts))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("place", STEALING.steal, "place is stealing steal; a function that begins with @placing would"),
        ("steal", "never", "steal is 'never'; a function that begins with @stealing would be right"),
        ("UNIQUE", None, "has no UNIQUE"),
        ("CHECKED", "locals", "CHECKED is 'locals'; known: none, local, all; did you mean 'local'?"),
        ("UNIQUE", 1, "UNIQUE is 1; True or False would be right"),
        ("CANDIDATES", [EAGER], "a tuple of policies (rules.Policy) would be right"),
        ("CANDIDATES", (), "a tuple of policies (rules.Policy) would be right"),
        ("CANDIDATES", (EAGER._replace(checked="local"),), "one with checked='all' must be among them, for BC"),
        ("CANDIDATES", (EAGER, EAGER._replace(steal=3)), "steal is 3; a function that begins with @stealing would be "
         "right (CANDIDATES[1])"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_an_error_that_names_the_file(key, value, said):
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        check(scheduler({name: part for name, part in (GOOD | {key: value}).items() if part is not None}))
    assert str(caught.value).startswith("pipeline/studies/pim_graph/schedulers/mine.py")


def scheduler(parts):
    module = ModuleType("pipeline.studies.pim_graph.schedulers.mine")
    vars(module).update(parts)
    return module
