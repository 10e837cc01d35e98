"""Contract cases of pim_graph."""

import numpy as np
import polars as pl
from contracts import Contract
from pim_graph_cases import edges_of, random_graph, scenario

from pipeline.studies.pim_graph.replay import ALGORITHMS
from pipeline.studies.pim_graph.schedulers import SCHEDULERS, runs_bc

CYCLES = ("ql", "qr", "s", "e", "cl", "cd")


class Case(Contract):
    workload = "graph_id"
    each = ("edges", "level")
    tables = {"edges": ("graph_id", "source", "target")}
    whole_ids = ("source", "target")
    optional = {"edges": {"weight": 1}}
    durations = {"scenarios": CYCLES}
    result_durations = ("cycles",)
    powers = {"cycles": 1}
    placed = "cycles"

    def case(self, scheduler, seed):
        random = np.random.default_rng(seed)
        graphs, edges, rows = [], [], []
        words = [name for name in ALGORITHMS if name != "bc" or runs_bc(SCHEDULERS[scheduler])]
        for k in range(6):
            name, (n, out) = f"{scheduler} {k:02d}", random_graph(random)
            graphs.append((name, n))
            edges.append(edges_of(name, out))
            algorithm = words[k % len(words)]
            roots = random.integers(0, n, 2 if algorithm == "bc" else 1).tolist()
            options = {"ql": 32 + k, "qr": 64 * (k % 3 + 1), "s": 2, "e": 3, "cl": 100, "cd": 60, "mlp": k % 4}
            options |= {"queue": ("pim", "software")[k % 2], "per_task": k % 3 == 0}
            rows.append(scenario(f"{name} s", scheduler, algorithm, roots, 1 + k % 5, name, **options))
        known = pl.DataFrame(graphs, schema=["graph_id", "vertices"], orient="row")
        return {"edges": pl.concat(edges), "graphs": known, "return_values": True}, pl.DataFrame(rows)

    def single(self, scheduler):
        """One vertex: QL + S + CL cycles."""
        graphs = pl.DataFrame({"graph_id": ["g"], "vertices": [1]})
        rows = pl.DataFrame([scenario(a, scheduler, a) for a in ("bfs", "sssp")])
        outcome = {"level": 0, "cycles": 257, "tasks": 1, "enqueues": 0}
        return {"edges": edges_of("g", {}), "graphs": graphs}, rows, outcome, {"cycles": 257, "levels": 1, "tasks": 1}

    def scales(self, scheduler):
        """Estimates of a trial are whole cycles."""
        return not hasattr(SCHEDULERS[scheduler], "CANDIDATES")

    def expected(self, inputs, scenarios, result):
        """All levels, from 0; those of several roots in one."""
        levels = result["outcomes"].group_by("scenario_id").agg(count=pl.col("level").max() + 1)
        for table in (result["metrics"].filter(metric="levels"), scenarios):
            levels = levels.join(table, on="scenario_id")
        assert levels.select(((pl.col("count") == pl.col("value")) | (pl.col("algorithm") == "bc")).all()).item()
        return levels.select("scenario_id", level=pl.int_ranges("count")).explode("level")

    def held(self, inputs, scenarios, result):
        """Cores: each works on a task at a time, or on a discarded element, within the cycles of its level."""
        levels = result["outcomes"].join(scenarios, on="scenario_id").with_columns(pl.col("level").cast(pl.Float64))
        yield levels.select(
            "scenario_id", start="level", end=pl.col("level") + 1, limit="stacks",
            amount=pl.col("tasks") * pl.min_horizontal("cl", "cd") / pl.col("cycles"),
        )  # fmt: skip
