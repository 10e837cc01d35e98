"""What the paper publishes of its kernels and machine, and the ranges of what it leaves open.

Rates: Table II of the paper (IPDPS 2019), measured with nvprof alone under CUDA on a Titan Xp. Speeds under Slate:
Section V-B, Table III and Figure 5. Ranges: docs/models/gpu_corun.md.
"""

from __future__ import annotations

import polars as pl

from pipeline.gpus import PUBLISHED
from pipeline.studies.gpu_corun.inputs import KERNEL_DEFAULTS

TABLE_2 = {
    "BS": {"gflops": 161.3, "memory_gbps": 401.49, "slate_speed": 0.95, "imbalance": (1 / 0.95 - 1 / 1.02) / 9},
    "GS": {"gflops": 19.6, "memory_gbps": 340.9, "loop_s": 24.7, "slate_speed": 1.28, "pull_cost": 1 / (0.9 * 1.28)},
    "MM": {"gflops": 1525.0, "memory_gbps": 403.5},
    "RG": {"gflops": 4.2, "memory_gbps": 71.6},
    "TR": {"gflops": 0.0, "memory_gbps": 568.6},
}
"""BlackScholes, Gaussian, SGEMM, QuasiRandomGenerator and Transpose; what is not given has its default.

GS's pull_cost doubles its time at task size 1 ("almost halves" at 10), BS's imbalance makes it 1.02 there.
"""
KERNEL_RANGES = {
    "BS": {"saturation": (0.3, 1.0), "slate_speed": (0.945, 0.955)},
    "GS": {"saturation": (0.3, 1.0), "slate_speed": (1.28, 1.307), "loop_s": (24.7, 24.7)},
    "MM": {"saturation": (0.8, 1.0)},
    "RG": {"saturation": (0.5, 1.0)},
    "TR": {"saturation": (0.3, 0.6)},
}
EVERY_KERNEL = {"loop_s": (25.0, 32.0), "setup_s": (0.5, 5.5), "slate_speed": (1.02, 1.10)}
"""Ranges of the kernels for which KERNEL_RANGES has none."""
DRAM_SHARE = (0.5, 1.0)
"""DRAM demand over min(memory_gbps, bandwidth): loads and stores are counted before the L2."""
MACHINE_RANGES = {
    "bandwidth_gbps": (400.0, 500.0),
    "knee": (0.6, 1.0),
    "latency": (0.0, 1.0),
    "switching_loss": (0.03, 0.09),
    "overlap": (0.0, 0.03),
    "mps_overhead": (0.0, 0.02),
    "communication": (0.03, 0.05),
    "injection": (0.01, 0.02),
    "resize_s": (0.0, 0.05),
    "medium_gflops": (19.7, 161.3),
    "high_gflops": (161.4, 1525.0),
    "medium_memory_gbps": (71.7, 340.9),
    "high_memory_gbps": (403.6, 568.6),
}
MPS_OVER_CUDA = (0.055, 0.065)
"""Mean gain of MPS over CUDA, "about 6 %" (Section V-E): what a draw has to agree with."""


def kernels() -> pl.DataFrame:
    """The five kernels as `replay` takes them: kernel, gflops, memory_gbps and the columns of KERNEL_DEFAULTS."""
    columns = ("gflops", "memory_gbps", *KERNEL_DEFAULTS)
    rows = [{"kernel": name} | {c: of.get(c, KERNEL_DEFAULTS.get(c)) for c in columns} for name, of in TABLE_2.items()]
    frame = pl.DataFrame(rows, schema={"kernel": pl.String} | dict.fromkeys(columns, pl.Float64))
    return frame.with_columns(loop_origin=pl.lit(PUBLISHED))
