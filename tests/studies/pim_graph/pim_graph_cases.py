"""Small graphs and scenarios for the tests of pim_graph."""

import numpy as np
import polars as pl

from pipeline.studies.pim_graph import DEFAULTS, SCHEDULERS
from pipeline.studies.pim_graph.replay import ALGORITHMS

EIGHT = [name for name in SCHEDULERS if name != "adaptive"]
EAGER = ["baseline", "migration_remote", "work_stealing", "adaptive"]
RUNNABLE = [(s, a) for s in SCHEDULERS for a in ALGORITHMS if a != "bc" or s in EAGER]


def random_graph(random: np.random.Generator, most: int = 24) -> tuple[int, dict[int, dict[int, int]]]:
    """Vertices and {vertex: {neighbour: weight}} of a random graph, often not connected, perhaps without an edge."""
    n = int(random.integers(1, most))
    out = {v: {} for v in range(n)}
    for _ in range(int(random.integers(0, 5 * n))):
        v, w = random.integers(0, n, 2).tolist()
        if v != w:
            out[v][w] = int(random.integers(1, 9))
    return n, out


def edges_of(graph_id, out) -> pl.DataFrame:
    """Rows of `edges`."""
    rows = [(graph_id, v, w, weight) for v, targets in out.items() for w, weight in targets.items()]
    schema = {"graph_id": pl.Series([graph_id]).dtype, "source": pl.Int64, "target": pl.Int64, "weight": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def shape(name: str) -> tuple[int, dict[int, dict[int, int]]]:
    """A graph that is easy to know all about."""
    made = {
        "single": (1, []),
        "path": (9, [(i, i + 1) for i in range(8)]),
        "star": (9, [(0, i) for i in range(1, 9)]),
        "cycle": (8, [(i, (i + 1) % 8) for i in range(8)]),
        "two": (8, [(0, 1), (1, 2), (5, 6), (6, 7)]),
        "full": (6, [(i, j) for i in range(6) for j in range(6) if i != j]),
    }
    n, pairs = made[name]
    out = {v: {} for v in range(n)}
    for v, w in pairs:
        out[v][w] = 1 + (v * w) % 3
    return n, out


def scenario(scenario_id, scheduler, algorithm, root=(0,), stacks=4, graph_id="g", **options) -> dict:
    """A row of scenarios."""
    return {
        "scenario_id": scenario_id, "scheduler": scheduler, "graph_id": graph_id, "algorithm": algorithm,
        "stacks": stacks, "root": list(root), **DEFAULTS, **options,
    }  # fmt: skip


def metric(tables: dict[str, pl.DataFrame], scenario_id) -> dict[str, float]:
    """Metrics of a scenario by name."""
    rows = tables["metrics"].filter(pl.col("scenario_id") == scenario_id)
    return dict(zip(rows["metric"], rows["value"], strict=True))
