"""Traversals of the three panels at two costs of remote memory, queues in hardware and software, and imbalance."""

import itertools

from pipeline.runtime import sources

VIEWS = ("pim_graph_claim",)
SCHEDULERS = [name for name in sources.schedulers("pim_graph") if name != "adaptive"]
PANELS = {"bfs": ("amazon", 8), "sssp": ("road", 4), "bc": ("pokec", 8)}
AS_SAID = {
    # cycles, local and remote accesses at QR 64, and at 640
    "baseline": ((100, 2000, 400), (900, 2000, 400)),
    "migration": ((2000, 9000, 150), (2000, 9000, 150)),
    "migration_remote": ((300, 1200, 200), (1000, 1200, 200)),
    "migration_local": ((500, 3000, 90), (500, 3000, 90)),
    "migration_duplicates": ((450, 3000, 90), (450, 3000, 90)),
    "migration_duplicates_local": ((440, 2800, 90), (440, 2800, 90)),
    "work_stealing": ((90, 1000, 390), (800, 1100, 300)),
    "dl_work_stealing": ((200, 1500, 390), (400, 2000, 200)),
}


def made_up(change=lambda row: row) -> list[dict]:
    """Runs that agree with all that the thesis says; `change` makes others of them."""
    rows = []
    for (algorithm, (graph, stacks)), name, (i, qr), batch in itertools.product(
        PANELS.items(), SCHEDULERS, enumerate((64, 640)), range(5)
    ):
        cycles, local, remote = AS_SAID[name][i]
        if algorithm == "sssp" and name == "migration_remote":
            cycles, remote = 250, 50
        if algorithm == "bfs" and name == "migration_remote" and qr == 640:
            cycles = 850
        row = {"graph": graph, "kind": "stand_in", "whole": True, "algorithm": algorithm, "stacks": stacks, "qr": qr}
        row |= {"setting": "default", "queue": "pim", "batch": batch, "scheduler": name, "cycles": cycles + batch}
        row |= {"local_accesses": local, "remote_accesses": remote}
        rows.append(change(row | {"imbalance": 2.0 if name == "migration_remote" else 1.1}))
    # Energies that the change gave stay.
    return [
        {f"energy_{r}x": row["local_accesses"] + r * row["remote_accesses"] for r in (1, 5, 10)} | row for row in rows
    ]


SLOWER = {("amazon", 640): 1.167, ("amazon", 64): 1.01, ("pokec", 640): 1.097, ("pokec", 64): 1.02}


def queues(slower=SLOWER, stacks=(4, 8, 16)) -> list[dict]:
    """BFS with migration, queues in hardware and in software; atomics once a task, and one an enqueue, which cost
    nothing."""
    of = {"kind": "stand_in", "whole": True, "algorithm": "bfs", "scheduler": "migration", "imbalance": 1.0}
    of |= dict.fromkeys(("local_accesses", "remote_accesses", "energy_1x", "energy_5x", "energy_10x"), 1)
    return [
        of
        | {"graph": graph, "stacks": p, "qr": qr, "setting": setting, "queue": queue, "batch": batch}
        | {"cycles": (1000.0 + batch) * (slower[graph, qr] if (setting, queue) == ("default", "software") else 1.0)}
        for graph, qr, batch, p in itertools.product(("amazon", "pokec"), (64, 640), range(5), stacks)
        for queue, setting in (("pim", "default"), ("software", "default"), ("software", "per enqueue"))
    ]


def stacks_of(imbalance) -> list[dict]:
    """BC with migration_remote on four, eight and sixteen stacks."""
    of = {"algorithm": "bc", "scheduler": "migration_remote", "qr": 352}
    return [
        row | of | {"stacks": p, "graph": graph, "imbalance": imbalance[p]}
        for row, p, graph in itertools.product(made_up()[:5], (4, 8, 16), ("road", "amazon", "pokec"))
    ]


def _alike(row):
    return row | {"cycles": 100, "local_accesses": 1000, "remote_accesses": 100, "imbalance": 1.5}


def _turned(row):
    middle = {"cycles": 3000, "local_accesses": 10000, "remote_accesses": 500, "imbalance": 3}
    return row | {name: both - row[name] for name, both in middle.items()}


def world(name, claim):
    if claim in ("G1", "G2", "G3", "G16"):
        factor = {"exact": lambda x: x, "alike": lambda x: 1.0, "turned": lambda x: 1 / x}[name]
        return {"pim_graph_result": queues({key: factor(value) for key, value in SLOWER.items()})}
    if claim == "G12":
        grown = {"exact": (1.5, 1.7, 1.9), "alike": (1.5, 1.5, 1.5), "turned": (1.9, 1.7, 1.5)}[name]
        return {"pim_graph_result": stacks_of(dict(zip((4, 8, 16), grown, strict=True)))}
    return {"pim_graph_result": made_up({"exact": lambda row: row, "alike": _alike, "turned": _turned}[name])}
