"""Configuration of pim_graph."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.config.sections import Positive, Section, scheduler_of

SchedulerName = scheduler_of("pim_graph")

Cycles = Annotated[int, Field(ge=0)]
Stacks = Annotated[int, Field(ge=1, le=1024)]


class GraphSweep(Section):
    """Scenarios of pim_graph: every combination of the lists below, on graphs of one kind."""

    workload: Literal["stand_in", "dropped"] = Field(
        description="stand_in (generated in the likeness of the thesis's graphs, which are not redistributed) or "
        "dropped (graphs of the traces)",
    )
    graphs: list[Literal["road", "amazon", "pokec", "google"]] = Field(
        ["road", "amazon", "pokec"], min_length=1, description="stand-ins"
    )
    scale: Positive = Field(0.01, le=1, description="vertices and edges of stand-ins over those of the graphs")
    largest_weight: int = Field(10, ge=1, description="weights of stand-ins are uniform from 1 to this; 1 = none")
    far: Annotated[float, Field(gt=0, lt=1)] | None = Field(
        None,
        description="share of the edges that lead far, of stand-ins of road and amazon; null = 0.04, and 100 edges",
    )
    seeded_weights: int | None = Field(
        None,
        ge=1,
        description="dropped graphs without weights get seeded ones, uniform from 1 to this, as graph <trace>-w<this>; "
        "null = 1 everywhere",
    )
    algorithms: list[Literal["bfs", "sssp", "bc"]] = Field(
        ["bfs", "sssp", "bc"], min_length=1, description="what is computed"
    )
    stacks: list[Stacks] = Field([8], min_length=1, description="stacks of memory, with a core each")
    qr: list[Cycles] = Field([64, 352, 640], min_length=1, description="cycles of an access to remote memory")
    ql: list[Cycles] = Field(
        [64], min_length=1, description="cycles of an access to local memory; pairs with ql above qr are left out"
    )
    s: list[Cycles] = Field([1], min_length=1, description="cycles that a queue takes for an element")
    e: list[Cycles] = Field([1], min_length=1, description="cycles between two enqueues of a core")
    batches: int = Field(5, ge=1, description="independent sources")
    roots: list[Annotated[int, Field(ge=1)] | Literal["all"]] = Field(
        [1],
        min_length=1,
        description="sources of a run of bc; all = every vertex, in one batch, which takes vertices times edges",
    )
    schedulers: list[SchedulerName] | None = Field(
        None, min_length=1, description="schedulers to compare; null = all that can run the algorithm"
    )
    cl: list[Cycles] = Field([192], min_length=1, description="cycles of a task's own work")
    cd: list[Cycles | None] = Field([None], min_length=1, description="those of a discarded element; null = as cl")
    queue: list[Literal["pim", "software"]] = Field(["pim"], min_length=1, description="queues in hardware or software")
    per_task: list[bool] = Field(
        [True],
        min_length=1,
        description="whether software queues reserve slots once a task and the core waits for it (thesis, 7.4), or an "
        "atomic precedes each enqueue; pim queues have neither",
    )
    mlp: list[Cycles] = Field(
        [0], min_length=1, description="remote accesses of one set that are under way at once; 0 = all"
    )
    steal: list[Cycles | None] = Field(
        [0],
        min_length=1,
        description="cycles that a stolen element is under way beside the queue's service; 0 = the service alone "
        "(thesis, 7.4), null = QR",
    )
    traces: list[str] | None = Field(None, description="graphs to traverse; null = all that were dropped")

    @model_validator(mode="after")
    def _some_edges_lead_far(self) -> GraphSweep:
        if self.far is not None and (self.workload != "stand_in" or not {"road", "amazon"}.issuperset(self.graphs)):
            raise ValueError("far: only the stand-ins of road and amazon have edges that lead far")
        return self

    @model_validator(mode="after")
    def _remote_is_not_nearer(self) -> GraphSweep:
        if min(self.qr) < min(self.ql):
            raise ValueError(f"qr: {min(self.qr)} is less than the {min(self.ql)} cycles of an access to local memory")
        return self


PAPER = {
    "figure_26_bfs": ("amazon", "bfs", 8),
    "figure_26_sssp": ("road", "sssp", 4),
    "figure_26_bc": ("pokec", "bc", 8),
}
"""Graph, algorithm and stacks of the panels of the thesis's Figure 26."""
SCALE = 0.1
"""Scale of the stand-ins by default: 0.3 to 3 million edges."""
SMALL = 0.0003
"""Scale of the stand-in on which BC runs from every vertex: 490 vertices."""
ASKED = {
    "bfs": ["baseline", "migration", "migration_remote", "migration_local", "migration_duplicates",
            "migration_duplicates_local", "work_stealing", "dl_work_stealing"],
    "sssp": ["baseline", "migration", "migration_remote", "migration_local", "migration_duplicates",
             "migration_duplicates_local"],
    "bc": ["baseline", "migration_remote", "work_stealing"],
}  # fmt: skip
"""Policies that claims on the settings of a panel are about."""


def _graph_sweeps() -> dict[str, GraphSweep]:
    sweeps = {}
    for name, (graph, algorithm, stacks) in PAPER.items():
        common = {"workload": "stand_in", "graphs": [graph], "scale": SCALE, "algorithms": [algorithm]}
        sweeps[name] = GraphSweep(**common, stacks=[stacks], qr=[64, 160, 352, 544, 640])
        # Settings of docs/models/pim_graph-evaluation.md, for the robustness of the claims.
        at = common | {"stacks": [stacks], "qr": [64, 640], "schedulers": ASKED[algorithm]}
        sweeps[f"{name}_cl"] = GraphSweep(**at, cl=[64, 256])
        sweeps[f"{name}_cd"] = GraphSweep(**at, cd=[64])
        sweeps[f"{name}_mlp"] = GraphSweep(**at, mlp=[1, 4])
        sweeps[f"{name}_together"] = GraphSweep(**at, cl=[64, 256], mlp=[1, 4])
        if algorithm != "sssp":
            sweeps[f"{name}_steal"] = GraphSweep(**at, steal=[None])
    for graph in ("amazon", "pokec"):
        common = {"workload": "stand_in", "graphs": [graph], "scale": SCALE, "algorithms": ["bfs"]}
        at = common | {"stacks": [4, 8, 16], "qr": [64, 256, 640], "schedulers": ["migration"]}
        sweeps[f"queues_{graph}"] = GraphSweep(**at, queue=["pim", "software"])
        sweeps[f"queues_{graph}_settings"] = GraphSweep(
            **at | {"qr": [64, 640], "stacks": [4]}, queue=["pim", "software"], per_task=[True, False], cl=[192, 256]
        )
    for graph in ("road", "amazon", "pokec"):
        common = {"workload": "stand_in", "graphs": [graph], "scale": SCALE}
        sweeps[f"stacks_{graph}"] = GraphSweep(
            **common,
            algorithms=["bfs", "bc"],
            stacks=[4, 8, 16],
            qr=[64, 352],
            schedulers=["migration_remote", "baseline"],
        )
        sweeps[f"all_{graph}"] = GraphSweep(**common, qr=[64, 352, 640], batches=1)
    sweeps["google"] = GraphSweep(
        workload="stand_in",
        graphs=["google"],
        scale=SCALE,
        algorithms=["bfs"],
        qr=[64],
        batches=1,
        schedulers=["baseline"],
    )
    # What the thesis names and does not vary: service of a queue, interval of enqueues, access to local memory.
    at = {"workload": "stand_in", "graphs": ["amazon"], "scale": SCALE, "algorithms": ["bfs"], "batches": 3}
    sweeps["queue_service"] = GraphSweep(**at, qr=[640], s=[4, 16, 64])
    sweeps["enqueue_interval"] = GraphSweep(**at, qr=[640], e=[4, 16, 64])
    sweeps["local_access"] = GraphSweep(**at, qr=[640], ql=[16, 256])
    at = {"workload": "stand_in", "graphs": ["pokec"], "scale": SMALL, "algorithms": ["bc"]}
    sweeps["bc_roots"] = GraphSweep(**at, qr=[64, 640], roots=[1, 4, 16, 64, "all"])
    sweeps["dropped"] = GraphSweep(workload="dropped", qr=[64, 352, 640], batches=3)
    return sweeps


class PimGraph(Section):
    """Graph traversal over stacks of memory that compute."""

    sweeps: dict[str, GraphSweep | None] = Field(
        default_factory=_graph_sweeps,
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )
