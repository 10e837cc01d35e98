"""Every cycle, counter and value against an engine in plain Python that was written from the model page alone."""

import numpy as np
import polars as pl
import pytest
from pim_graph_cases import EIGHT, RUNNABLE, edges_of, metric, random_graph, scenario
from pim_graph_slow import Machine

from pipeline.studies import pim_graph

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
    }


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
        found = metric({"metrics": metrics[name]}, name)
        assert {k: v for k, v in found.items() if k != "imbalance"} == {
            k: v for k, v in machine.metrics().items() if k != "imbalance"
        }, name
        assert found["imbalance"] == pytest.approx(machine.metrics()["imbalance"], nan_ok=True)
        levels = outcomes[name].select("level", "cycles", "tasks", "enqueues").rows()
        assert levels == [(level, *of) for level, of in sorted(machine.outcomes.items())], name
        wanted = [float(machine.values[v]) if v in machine.values else None for v in range(n)]
        assert values[name]["vertex"].to_list() == list(range(n))
        assert values[name]["value"].to_list() == pytest.approx(wanted), name
