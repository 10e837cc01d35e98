"""Graph traversal over several stacks of memory that compute: work migration and stealing (thesis, chapter 7)."""

from pipeline.runtime.study import REQUIRED, Answer, Metric, Study, choice, count, counts, flag, offering, text

STUDY = Study(
    place=6,
    title="Graphs over stacks of memory",
    about="graphs over PIM stacks (thesis, chapter 7)",
    takes=("graphs",),
    headline="cycles",
    answers={
        "graphs": Answer(
            "Graphs over stacks of memory that compute",
            "The policy to use takes the least time; ties go to the simpler one. QR is the number of cycles of an "
            "access to remote memory; a local access takes 64. Energy assumes that a remote access costs five times a "
            "local one.",
            of=("graph",),
        ),
    },
    metrics={
        "cycles": Metric("cycles of all levels", "cycles", "less"),
        "local_accesses": Metric("accesses to a core's own stack", "1"),
        "remote_accesses": Metric("accesses to other stacks", "1", "less"),
        "energy_1x": Metric("energy of all accesses in those of a local one, a remote one costing 1", "1", "less"),
        "energy_5x": Metric("the same, a remote one costing 5", "1", "less"),
        "energy_10x": Metric("the same, a remote one costing 10", "1", "less"),
        "imbalance": Metric("busiest stack over the mean, level by level, weighted by cycles", "1", "less"),
        "levels": Metric("levels of the traversal", "1"),
        "tasks": Metric("tasks run", "1"),
        "enqueues": Metric("elements put into queues", "1", "less"),
    },
    parameters={
        "graph_id": text("graph that is traversed", REQUIRED),
        "algorithm": choice("bfs, sssp or bc", "bfs", "sssp", "bc", required=True),
        "stacks": count("stacks of memory, with a core each", REQUIRED, min=1, max=32767),
        "root": counts("vertex that the traversal begins at; of bc several", REQUIRED),
        "ql": count("QL, access to local memory", 64, unit="cycles", min=0),
        "qr": count("QR, access to remote memory", 64, unit="cycles", min=0),
        "s": count("S, service of a queue", 1, unit="cycles", min=0),
        "e": count("E, interval of a core's enqueues", 1, unit="cycles", min=0),
        "cl": count("CL, work of a task", 192, unit="cycles", min=0),
        "cd": count("CD, work of a discarded element; null = CL", unit="cycles", min=0),
        "queue": choice("pim (queues in hardware) or software (atomics)", "pim", "software"),
        "per_task": flag("whether software queues reserve slots once a task", False),
        "steal": count("time that a stolen element is under way; null = QR", unit="cycles", min=0),
        "mlp": count("remote accesses of a set under way at once; 0 = all", 0, min=0),
    },
    drawn=("root",),
    keys=("graph_id",),
    traits=("CHECKED", "CANDIDATES"),
    tables=("graph",),
    looks={
        "baseline": "grey",
        "migration_remote": "blue",
        "work_stealing": "purple",
        "adaptive": "green",
        "migration_duplicates_local": "amber",
        "dl_work_stealing": "red",
        "migration_duplicates": "violet",
    },
    batch=512,
)

__getattr__ = offering(__name__)
