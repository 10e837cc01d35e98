"""Contract cases of gpu_corun."""

from random import Random

import polars as pl
from contracts import Contract
from gpu_corun_cases import plain, random_apps, random_machine, tables


class Case(Contract):
    each = ("queue", "position")
    tables = {"queue": ("workload_id", "position", "kernel"), "kernels": ("kernel", "gflops", "memory_gbps")}
    needed = ("model_id",)
    ids = ("model_id", "position", "kernel")
    optional = {
        "queue": {"arrival_s": 0.0},
        "kernels": {"loop_s": 30.0, "setup_s": 3.0, "slate_speed": 1.06, "pull_cost": 0.0, "imbalance": 0.0,
                    "dram_gbps": pl.col("memory_gbps").clip(upper_bound=450)},
    }  # fmt: skip
    instants = {"queue": ("arrival_s",)}
    durations = {"queue": ("arrival_s",), "kernels": ("loop_s", "setup_s"), "scenarios": ("resize_s",)}
    result_instants = result_durations = ("start_s", "kernel_end_s", "end_s")
    placed = "start_s"
    order = ("arrival_s", "start_s", "kernel_end_s", "end_s")

    def case(self, scheduler, seed):
        rng = Random(seed)
        cases = {}
        for k in range(12):
            machine = random_machine(rng)
            cases[f"{scheduler} {k:02d}"] = (machine, random_apps(rng, machine, 2 if scheduler == "optimal" else 6))
        return tables(cases, scheduler)

    def single(self, scheduler):
        free = {"mps_overhead": 0.0, "communication": 0.0, "injection": 0.0}
        row = pl.DataFrame([{"scenario_id": "s", "scheduler": scheduler, "workload_id": "w"} | free])
        queue = pl.DataFrame({"workload_id": ["w"], "position": [0], "kernel": ["A"]})
        inputs = {"queue": queue, "kernels": plain(A={"setup_s": 2.0, "dram_gbps": 450.0, "saturation": 0.3})}
        metrics = {"makespan_s": 32, "kernel_makespan_s": 30, "antt": 1, "stp": 1}
        return inputs, row, {"position": 0, "start_s": 2, "end_s": 32, "mode": "solo"}, metrics

    def held(self, inputs, scenarios, result):
        """SMs side by side; who runs in turns has all of them, and a share of the time."""
        timeline = result["timeline"].join(scenarios.select("scenario_id", limit="sms"), on="scenario_id")
        turn = pl.when(pl.col("sms") == pl.col("limit")).then(pl.col("speed").clip(upper_bound=1)).otherwise(1.0)
        yield timeline.select("scenario_id", "limit", start="start_s", end="end_s", amount=pl.col("sms") * turn)
