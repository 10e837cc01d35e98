"""Every cycle, counter and value against an engine in plain Python that was written from the model page alone."""

import numpy as np
import polars as pl
import pytest
from pim_graph_cases import EIGHT, RUNNABLE, edges_of, metric, random_graph, scenario
from pim_graph_slow import Machine

from pipeline.simulation.csr import compressed
from pipeline.studies import pim_graph
from pipeline.studies.pim_graph.model import batch
from pipeline.studies.pim_graph.model.graph import block_of, graph_of
from pipeline.studies.pim_graph.model.traversal import CYCLES, ENQUEUES, TASKS
from pipeline.studies.pim_graph.rules import Policy, Scenario
from pipeline.studies.pim_graph.schedulers.adaptive import where_it_ends_sooner

GRAPHS = 20


def drawn_options(random: np.random.Generator) -> dict:
    return {
        "ql": int(random.choice([0, 1, 64])),
        "qr": int(random.choice([64, 65, 200, 640])),
        "s": int(random.choice([0, 1, 7])),
        "e": int(random.choice([0, 1, 5])),
        "cl": int(random.choice([0, 1, 192])),
        "cd": random.choice([None, 0, 50, 192]),
        "queue": str(random.choice(["pim", "software"])),
        "per_task": bool(random.integers(2)),
        "mlp": int(random.choice([0, 1, 2, 3])),
        "steal": random.choice([None, 0, 1, 64, 500]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_equal_in_every_cycle_and_counter(seed):
    random = np.random.default_rng(seed)
    graphs, rows, machines = [], [], {}
    for g in range(GRAPHS):
        n, out = random_graph(random)
        graphs.append((f"g{g}", n, out))
        for policy, algorithm in RUNNABLE:
            if policy not in EIGHT:
                continue
            options = drawn_options(random)
            stacks = int(random.choice([1, 2, 3, 4, 8, 16]))
            roots = random.integers(0, n, int(random.integers(1, 4)) if algorithm == "bc" else 1).tolist()
            name = f"{g}/{policy}/{algorithm}"
            rows.append(scenario(name, policy, algorithm, roots, stacks, f"g{g}", **options))
            full = options | {"cd": options["cl"] if options["cd"] is None else options["cd"]}
            machine = Machine(n, out, policy, algorithm, stacks, full)
            for root in roots:
                machine.run(root)
            machines[name] = (n, machine)
    inputs = {
        "edges": pl.concat(edges_of(name, out) for name, _, out in graphs).sample(fraction=1, shuffle=True, seed=seed),
        "graphs": pl.DataFrame({"graph_id": [g[0] for g in graphs], "vertices": [g[1] for g in graphs]}),
        "return_values": True,
    }
    tables = pim_graph.replay(inputs, pl.DataFrame(rows, schema_overrides={"cd": pl.Int64}))
    metrics = {key[0]: frame for key, frame in tables["metrics"].group_by("scenario_id")}
    outcomes = {key[0]: frame for key, frame in tables["outcomes"].group_by("scenario_id", maintain_order=True)}
    values = {key[0]: frame for key, frame in tables["values"].group_by("scenario_id", maintain_order=True)}
    assert len(metrics) == len(machines) == GRAPHS * (8 + 8 + 3)
    for name, (n, machine) in machines.items():
        counters = metric({"metrics": metrics[name]}, name)
        assert {k: v for k, v in counters.items() if k != "imbalance"} == {
            k: v for k, v in machine.metrics().items() if k != "imbalance"
        }, name
        assert counters["imbalance"] == pytest.approx(machine.metrics()["imbalance"], nan_ok=True)
        levels = outcomes[name].select("level", "cycles", "tasks", "enqueues").rows()
        assert levels == [(level, *of) for level, of in sorted(machine.outcomes.items())], name
        wanted = [float(machine.values[v]) if v in machine.values else None for v in range(n)]
        assert values[name]["vertex"].to_list() == list(range(n))
        assert values[name]["value"].to_list() == pytest.approx(wanted), name


def test_more_levels_than_there_is_room_for_at_first():
    n = 1100
    out = {v: {v + 1: 1} if v + 1 < n else {} for v in range(n)}
    rows = [scenario(name, name, "bfs", [0], 3) for name in ("baseline", "migration")]
    graphs = pl.DataFrame({"graph_id": ["g"], "vertices": [n]})
    tables = pim_graph.replay({"edges": edges_of("g", out), "graphs": graphs}, pl.DataFrame(rows))
    for row in rows:
        machine = Machine(n, out, row["scheduler"], "bfs", 3, row)
        machine.run(0)
        level_rows = tables["outcomes"].filter(scenario_id=row["scenario_id"])
        assert level_rows.select("level", "cycles", "tasks", "enqueues").rows() == [
            (level, *of) for level, of in sorted(machine.outcomes.items())
        ]


def test_a_wrong_value_of_any_vertex_is_a_fault(monkeypatch):
    n, out = 3, {0: {1: 1}, 1: {2: 1}, 2: {}}
    first, target, weight, _, _ = compressed(
        n, *(edges_of("g", out)[k].to_numpy() for k in ("source", "target", "weight"))
    )
    monkeypatch.setattr(batch, "_run", getattr(batch._run, "py_func", batch._run))
    graph, policy = graph_of(first, target, weight), WORTHWHILE["early and worthwhile"]
    scenarios = np.array([Scenario(0, 2, 2, 1, 1, 1, 1, 1, 1, False, False, 0, 2, False, 0, 1)], np.int64)
    arguments = (graph, policy, scenarios, np.array([0, 1]), np.zeros(1, int), np.zeros((0, n), bool), np.zeros((0, n)))
    for vertex in (0, 2):
        monkeypatch.setattr(batch, "wrong_distance", lambda *_: vertex)  # noqa: B023 - called within the turn
        with pytest.raises(RuntimeError, match=f"^scenario 0 gives vertex {vertex} a wrong value; the engine is at"):
            batch.run(*arguments, named="scenario {}".format)
    monkeypatch.setattr(batch, "wrong_distance", lambda *_: -1)
    batch.run(*arguments, named="scenario {}".format)


WORTHWHILE = {
    "early and worthwhile": Policy("all", unique=False, steal=where_it_ends_sooner),
    "late and worthwhile": Policy("local", unique=True, steal=where_it_ends_sooner),
}
RUNS = [("early and worthwhile", a) for a in ("bfs", "sssp", "bc")] + [
    ("late and worthwhile", a) for a in ("bfs", "sssp")
]


def crowded_graph(random):
    """A graph whose vertices of low numbers have most edges: the first cores have more to do than the others."""
    n = int(random.integers(8, 40))
    out = {v: {} for v in range(n)}
    for _ in range(int(random.integers(2 * n, 6 * n))):
        v, w = int(n * random.random() ** 3), int(random.integers(n))
        if v != w:
            out[v][w], out[w][v] = int(random.integers(1, 9)), int(random.integers(1, 9))
    return n, out


@pytest.mark.parametrize("seed", range(4))
def test_stealing_what_is_worth_it_is_equal_too(seed):
    """The policies that adaptive chooses among have no name of their own: the engine is asked without the tables."""
    random = np.random.default_rng(seed)
    stolen = 0
    for _ in range(12):
        n, out = crowded_graph(random)
        edges = edges_of("g", out).sort("source", "target")
        first, target, weight, _, _ = compressed(n, *(edges[k].to_numpy() for k in ("source", "target", "weight")))
        graph = graph_of(first, target, weight)
        for name, algorithm in RUNS:
            options = drawn_options(random) | {"qr": int(random.choice([64, 65])), "cl": int(random.choice([1, 192]))}
            options["cd"] = options["cl"]
            stacks, root = int(random.choice([2, 4, 8])), int(random.integers(n))
            machine = Machine(n, out, name, algorithm, stacks, options)
            machine.run(root)
            asked = Scenario(
                ("bfs", "sssp", "bc").index(algorithm), stacks, block_of(n, stacks),
                *(options[k] for k in ("ql", "qr", "s", "e", "cl", "cd")),
                options["queue"] == "software", options["per_task"], options["mlp"], checked=0, unique=False, seed=0,
                steal=options["qr"] if options["steal"] is None else options["steal"],
            )  # fmt: skip
            totals, levels = batch.run(
                graph,
                WORTHWHILE[name],
                batch.effective(WORTHWHILE[name], np.array([asked], np.int64)),
                np.array([0, 1]),
                np.array([root]),
                np.zeros((0, n), bool),
                np.zeros((0, n)),
                named="scenario {}".format,
            )
            counters = {
                "cycles": totals[0, CYCLES], "local_accesses": totals[0, batch.LOCAL_WORDS],
                "remote_accesses": totals[0, batch.REMOTE_WORDS], "levels": totals[0, batch.LEVELS],
                "tasks": totals[0, TASKS], "enqueues": totals[0, ENQUEUES],
            }  # fmt: skip
            assert counters == {key: machine.metrics()[key] for key in counters}, (name, algorithm, options, stacks)
            assert levels[:, 2:].tolist() == [of for _, of in sorted(machine.outcomes.items())]
            stolen += machine.stolen
    assert stolen > 100
