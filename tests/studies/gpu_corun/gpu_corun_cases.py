"""Random cases of gpu_corun, and their tables."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import gpu_corun_slow as slow
import polars as pl

from pipeline.studies import gpu_corun

RATES = {"LL": (1.0, 10.0), "LM": (100.0, 10.0), "LH": (900.0, 10.0), "M": (5.0, 300.0), "H": (5.0, 560.0)}
"""GFLOP/s and GB/s in the middle of each class of Table I."""
TABLE_2 = {"BS": (161.3, 401.49), "GS": (19.6, 340.9), "MM": (1525.0, 403.5), "RG": (4.2, 71.6), "TR": (0.0, 568.6)}


def random_machine(rng: Random) -> slow.Machine:
    return slow.Machine(
        sms=rng.choice([1, 2, 3, 7, 30]),
        bandwidth=Fraction(rng.randint(200, 500)),
        knee=Fraction(rng.randint(1, 10), 10),
        latency=Fraction(rng.randint(0, 8), 4),
        loss=Fraction(rng.randint(0, 10), 100),
        overlap=Fraction(rng.randint(0, 5), 100),
        resize_s=Fraction(rng.choice([0, 0, 1, 5]), 10),
        mps_overhead=Fraction(rng.randint(0, 3), 100),
        slate_overhead=Fraction(rng.randint(0, 8), 100),
        split=rng.choice(["equal", "best", "saturate"]),
        symmetry=rng.choice(["printed", "either", "both"]),
        task_size=rng.choice([1, 4, 10, 16]),
    )


def random_apps(rng: Random, machine: slow.Machine, most: int) -> list[slow.App]:
    return [
        slow.App(
            kind=rng.choice(list(RATES)),
            loop_s=Fraction(rng.randint(1, 60), rng.choice([1, 2, 7])),
            dram=Fraction(rng.randint(0, int(machine.bandwidth))),
            saturation=Fraction(rng.randint(1, 20), 20),
            slate_speed=Fraction(rng.randint(80, 130), 100),
            setup_s=Fraction(rng.choice([0, 0, 1, 5]), 2),
            arrival_s=Fraction(rng.choice([0, 0, 0, 1, 7, 20]), 2),
            pull_cost=Fraction(rng.choice([0, 0, 3]), 10),
            imbalance=Fraction(rng.choice([0, 0, 1]), 200),
        )
        for _ in range(rng.randint(1, most))
    ]


def tables(
    cases: dict[str, tuple[slow.Machine, list[slow.App]]], scheduler: str
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """Inputs and scenarios of the cases; each has kernels, a workload and a scenario of its own."""
    kernels, queue, scenarios = [], [], []
    for name, (machine, apps) in cases.items():
        for place, app in enumerate(apps):
            gflops, memory_gbps = RATES[app.kind]
            queue.append(
                {"workload_id": name, "position": place, "kernel": f"k{place}", "arrival_s": float(app.arrival_s)}
            )
            kernels.append(
                {"model_id": name, "kernel": f"k{place}", "gflops": gflops, "memory_gbps": memory_gbps}
                | {"dram_gbps": float(app.dram)}
                | {c: float(getattr(app, c)) for c in ("loop_s", "setup_s", "saturation", "slate_speed")}
                | {c: float(getattr(app, c)) for c in ("pull_cost", "imbalance")}
            )
        scenarios.append(
            {
                "scenario_id": name, "scheduler": scheduler, "workload_id": name, "model_id": name, "sms": machine.sms,
                "bandwidth_gbps": float(machine.bandwidth), "knee": float(machine.knee),
                "latency": float(machine.latency), "switching_loss": float(machine.loss),
                "overlap": float(machine.overlap), "resize_s": float(machine.resize_s),
                "mps_overhead": float(machine.mps_overhead), "communication": float(machine.slate_overhead),
                "injection": 0.0, "split": machine.split, "symmetry": machine.symmetry,
                "task_size": machine.task_size, "timeline": True,
            }
        )  # fmt: skip
    return {"kernels": pl.DataFrame(kernels), "queue": pl.DataFrame(queue)}, pl.DataFrame(scenarios)


def pairs(*names: str) -> pl.DataFrame:
    """Queues of the given kernels, as 'RG-BS', one workload each."""
    return pl.DataFrame(
        [
            {"workload_id": name, "position": place, "kernel": kernel}
            for name in names
            for place, kernel in enumerate(name.split("-"))
        ]
    )


def plain(**kernels: dict) -> pl.DataFrame:
    """Kernels without set-up, DRAM demand or gain under Slate, saturating on all SMs, with what is given instead."""
    base = {"gflops": 4.0, "memory_gbps": 70.0, "loop_s": 30.0, "setup_s": 0.0, "dram_gbps": 0.0, "saturation": 1.0,
            "slate_speed": 1.0}  # fmt: skip
    return pl.DataFrame([{"kernel": name} | base | of for name, of in kernels.items()])


def run(kernels: pl.DataFrame, queue: pl.DataFrame, scheduler: str, **parameters) -> dict[str, pl.DataFrame]:
    """Replay every workload of the queue under a scheduler without overheads, with the given parameters."""
    free = {"mps_overhead": 0.0, "communication": 0.0, "injection": 0.0, "timeline": True} | parameters
    rows = [
        {"scenario_id": workload, "scheduler": scheduler, "workload_id": workload} | free
        for workload in queue["workload_id"].unique(maintain_order=True)
    ]
    return gpu_corun.replay({"kernels": kernels, "queue": queue}, pl.DataFrame(rows))
