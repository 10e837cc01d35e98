"""Contract cases of gpu_partition."""

from random import Random

import polars as pl
from contracts import Contract
from gpu_partition_cases import random_options, random_tasks, scenario_table, task_table

MEMORY = pl.col("kind") == "memory"


class Case(Contract):
    workload = "taskset_id"
    each = ("tasks", "task_id")
    tables = {"tasks": ("taskset_id", "task_id", "period", "deadline", "work", "kind")}
    ids = ("task_id",)
    optional = {
        "tasks": {
            "serial_fraction": pl.when(MEMORY).then(0.1).otherwise(0.02),
            "conflict_factor": pl.when(MEMORY).then(2.3).otherwise(1.2),
        }
    }
    durations = {"tasks": ("period", "deadline", "work")}
    result_durations = ("execution_time",)
    placed = "partition"
    reasons = ("overloaded: ", "a task is late", "more than ", "the scheduler finds no partition")

    def case(self, scheduler, seed):
        rng = Random(seed)
        sets = {f"{scheduler} {k:02d}": random_tasks(rng, rng.randint(1, 9), rng.uniform(1, 16)) for k in range(16)}
        rows = {f"{s} s": (s, random_options(rng, scheduler=scheduler)) for s in sets}
        rest = {"priority": pl.Series(["edf", "dm"] * 8), "sizes": pl.Series(["any"] * 12 + ["mig"] * 4)}
        return {"tasks": task_table(sets)}, scenario_table(rows).with_columns(**rest)

    def single(self, scheduler):
        """205 * 1.02 / 50 = 4.18: five SMs; the whole GPU is asked for all of them."""
        tasks = {"taskset_id": "a", "task_id": 1, "period": 100.0, "deadline": 50.0, "work": 205.0, "kind": "compute"}
        row = {"scenario_id": "x", "taskset_id": "a", "scheduler": scheduler}
        sms = 68 if scheduler == "one_gpu" else 5
        outcome = {"task_id": 1, "partition": 0, "partition_sms": sms, "conflict": False}
        return {"tasks": pl.DataFrame([tasks])}, pl.DataFrame([row]), outcome, {"sms_needed": sms, "schedulable": 1}

    def held(self, inputs, scenarios, result):
        """SMs of the partitions of what is schedulable."""
        good = result["metrics"].filter(metric="schedulable", value=1).join(scenarios, on="scenario_id")
        rows = result["outcomes"].join(good, on="scenario_id").unique(["scenario_id", "partition"])
        yield rows.select("scenario_id", start=0.0, end=1.0, amount="partition_sms", limit="sms")

    def sound(self, rows):
        """A task in a partition of its size is in time; what has the whole GPU may be late."""
        in_time = pl.col("execution_time") <= pl.col("deadline") * (1 + 1e-9)
        return rows.select(ok=in_time | (pl.col("scheduler") == "one_gpu"))["ok"]
