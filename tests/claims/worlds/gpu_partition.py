"""Task sets on 68 SMs, 34 utilisations, 12 sets each, of 50 and of 200 tasks."""

import itertools

VIEWS = ("gpu_partition_claim",)
SETS = 12
POINTS = tuple(range(2, 69, 2))
ALGORITHMS = [("one_gpu", "inactive"), *itertools.product(("sms", "bf"), ("inactive", "act"))]
BOUND = dict(zip(ALGORITHMS, (34, 60, 58, 56, 54), strict=True))


def exact(scheduler, forbidden, tasks, u, batch):
    bound = BOUND[scheduler, forbidden]
    if tasks == 200:
        bound = 34 if scheduler == "one_gpu" else 40
    excess = 1.0 if scheduler == "one_gpu" else {"sms": 0.05, "bf": 0.1}[scheduler] + (0.1 if tasks == 200 else 0)
    steps = {"sms": 1000, "bf": 400, "one_gpu": 1}[scheduler] * (0.5 if forbidden == "act" else 1)
    partitions = 1 if scheduler == "one_gpu" else 25 if tasks == 50 else 40
    return {"schedulable": float(u <= bound), "excess": excess, "steps": steps, "partitions": partitions}


def alike(scheduler, forbidden, tasks, u, batch):
    """No analysis, no merging, all sets schedulable."""
    return {"schedulable": 1.0, "excess": 0.5, "steps": 0, "partitions": tasks}


def turned(scheduler, forbidden, tasks, u, batch):
    scheduler = {"one_gpu": "sms", "sms": "bf", "bf": "one_gpu" if forbidden == "act" else "sms"}[scheduler]
    forbidden = "inactive" if forbidden == "act" or scheduler == "one_gpu" else "act"
    result = exact(scheduler, forbidden, 250 - tasks, 70 - u, batch)
    return result | {"steps": result["steps"] * u, "partitions": 40 if tasks == 50 else 100}


def rows(result=exact, settings=("paper",), sets=SETS):
    """Rows of gpu_partition_result."""
    made = []
    for setting, (scheduler, forbidden), tasks, u, batch in itertools.product(
        settings, ALGORITHMS, (50, 200), POINTS, range(sets)
    ):
        figures = result(scheduler, forbidden, tasks, u, batch)
        row = {"kind": "generated", "sms": 68, "memory_share": 0.5, "setting": setting, "batch": batch, "tasks": tasks}
        row |= {"utilisation": float(u), "scheduler": scheduler, "forbidden": forbidden, "sms_needed": 68.0, "tests": 1}
        row |= {"tasks_per_partition": tasks / figures["partitions"]}
        made.append(row | {"scheduled_workload": u * (1 + figures["excess"])} | figures)
    return made


CONTENT = {"exact": (1, 1), "alike": (1, 0), "turned": (2, 0)}
"""Tasks of the memory and the compute kind in each partition."""


def world(name, claim):
    memory, compute = CONTENT[name]
    of = {"setting": "default", "utilisation": 40.0, "memory": memory, "compute": compute}
    content = [
        of | {"algorithm": algorithm, "replicate": b, "partition": p}
        for algorithm, b, p in itertools.product(("SMS-INA", "SMS-ACT", "BF-INA", "BF-ACT"), range(SETS), range(5))
    ]
    return {
        "gpu_partition_result": rows({"exact": exact, "alike": alike, "turned": turned}[name]),
        "gpu_partition_content": content,
    }
