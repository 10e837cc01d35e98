"""Tables that a replay takes."""

from pipeline.runtime.study import REQUIRED, Table, number, text

INPUTS = {
    "queue": Table(
        {
            "workload_id": text("workload", REQUIRED),
            "position": text("place in the queue, which may be a name", REQUIRED),
            "kernel": text("kernel", REQUIRED),
            "arrival_s": number("when the application arrives", "s", 0.0),
        },
        key=("workload_id", "position"),
    ),
    "kernels": Table(
        {
            "kernel": text("kernel", REQUIRED),
            "gflops": number("rate of arithmetic alone on the GPU", "GFLOP/s", REQUIRED, min=0),
            "memory_gbps": number("rate of its loads and stores", "GB/s", REQUIRED, min=0),
            "loop_s": number("time of its kernels alone on the GPU", "s", 30.0, min_exclusive=0),
            "setup_s": number("time of the application before them", "s", 3.0, min=0),
            "dram_gbps": number("traffic of DRAM; null = by its rates, per scenario", "GB/s", min=0),
            "saturation": number(
                "share of the SMs that is as fast as all; null = by its intensity",
                "1",
                min_exclusive=0,
                max=1,
            ),
            "slate_speed": number("speed under Slate at tasks of 10 blocks", "1", 1.06, min_exclusive=0),
            "pull_cost": number("cost of pulling a task", "1", 0.0, min=0),
            "imbalance": number("cost of a large last task", "1", 0.0, min=0),
        }
    ),
}
KERNEL_DEFAULTS = {
    name: each.default for name, each in INPUTS["kernels"].columns.items() if each.default is not REQUIRED
}
"""Columns of `kernels` that may be left out, with what they are then; None: made of the rates, per scenario."""
