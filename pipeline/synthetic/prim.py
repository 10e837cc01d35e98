"""Logs of PrIM applications on a PIM machine of 30 ranks, in the format of PrIM's host programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from pipeline.fit import admissible
from pipeline.statistics.rank_tables import profile_points
from pipeline.statistics.streams import stream
from pipeline.synthetic.drop import describe

RANKS = 30
DPUS_PER_RANK = 64
TASKLETS, BLOCK_SIZE = 16, 10
OK = "[\x1b[32mOK\x1b[0m] Outputs are equal"

TIMERS: dict[str, tuple[str, ...]] = {
    "BFS": ("CPU-DPU", "DPU Kernel", "Inter-DPU", "DPU-CPU"),
    "BS": ("CPU Version", "CPU-DPU", "DPU Kernel", "DPU-CPU"),
    "GEMV": ("CPU Version", "CPU-DPU", "DPU Kernel", "DPU-CPU"),
    "HST-L": ("CPU", "CPU-DPU", "DPU Kernel", "DPU-CPU"),
    "HST-S": ("CPU", "CPU-DPU", "DPU Kernel", "DPU-CPU"),
    "MLP": ("CPU Version", "CPU-DPU", "DPU Kernel", "Inter-DPU", "DPU-CPU"),
    "RED": ("CPU", "CPU-DPU", "DPU Kernel", "Inter-DPU"),
    "SCAN-RSS": ("CPU", "CPU-DPU", "DPU Kernel Reduction", "Inter-DPU (Scan)", "DPU Kernel Scan", "DPU-CPU"),
    "SCAN-SSA": ("CPU", "CPU-DPU", "DPU Kernel Scan", "Inter-DPU (Scan)", "DPU Kernel Add", "DPU-CPU"),
    "SEL": ("CPU", "CPU-DPU", "DPU Kernel", "Inter-DPU", "DPU-CPU"),
    "SpMV": ("CPU-DPU", "DPU Kernel", "DPU-CPU"),
    "TS": ("CPU Version", "Inter-DPU", "CPU-DPU", "DPU Kernel", "DPU-CPU"),
    "UNI": ("CPU", "CPU-DPU", "DPU Kernel", "Inter-DPU", "DPU-CPU"),
    "VA": ("CPU", "CPU-DPU", "DPU Kernel", "DPU-CPU"),
}
"""Timers of each application in the order in which its host program prints them."""
UNCHECKED = ("BFS", "SpMV")
"""Host programs that separate timers by blanks, and do not check their outputs."""


def prim_logs(seed: int) -> dict[str, str]:
    """Texts of logs by path, of the 14 applications of PIM-CARE (ICS 2025) at its profile points.

    The times are those of one admissible machine (fit.admissible): the best rank counts are those of the paper's Table
    2. Each of the model's sums is divided among the timers by shares that are drawn for the application; what grows
    with the ranks goes to the transfers.
    """
    drawn = admissible.parameters(1, seed, max_ranks=RANKS)
    logs = {}
    for row in drawn.iter_rows(named=True):
        app = row["app"]
        rng = stream(seed, "prim", app)
        timers = [label for label in TIMERS[app] if label not in ("CPU", "CPU Version")]
        transfers = np.array(["Kernel" not in label for label in timers])
        shares = rng.dirichlet(np.ones(len(timers)), 2)
        growing = np.zeros(len(timers))
        growing[transfers] = rng.dirichlet(np.ones(transfers.sum()))
        cpu_s = rng.uniform(0.1, 1.0) * row["shared_s"]
        for ranks in profile_points(RANKS):
            times_s = (
                shares[0] * row["constant_s"]
                + shares[1] * row["shared_s"] / min(ranks, row["sat"])
                + growing * row["per_rank_s"] * ranks
            )
            path = f"{app}/profile/outss_tl{TASKLETS}_bl{BLOCK_SIZE}_dpus{ranks * DPUS_PER_RANK}"
            by_label = dict(zip(timers, times_s, strict=True))
            logs[path] = _log(app, ranks, [(label, by_label.get(label, cpu_s)) for label in TIMERS[app]])
    return logs


def _log(app: str, ranks: int, timers: list[tuple[str, float]]) -> str:
    """Text of a log: what the program runs on, its timers (s) in milliseconds, and the check of its outputs."""
    head = f"Allocated {ranks * DPUS_PER_RANK} DPU(s)\nNR_TASKLETS\t{TASKLETS}\tBL\t{BLOCK_SIZE}\n"
    if app in UNCHECKED:
        return head + "    ".join(f"{label} Time (ms): {1e3 * time_s:.6f}" for label, time_s in timers) + "\n"
    return head + "".join(f"{label} Time (ms): {1e3 * time_s:.6f}\t" for label, time_s in timers) + OK + "\n"


def write_prim(folder: Path, seed: int) -> None:
    """Write `prim_logs` as a drop of the format prim: <app>/profile/outss_tl16_bl10_dpus<N>, and trace.yaml."""
    for app in TIMERS:
        shutil.rmtree(folder / app / "profile", ignore_errors=True)
    for path, text in prim_logs(seed).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    note = (
        f"Generated, not measured: pipeline.synthetic.write_prim(seed={seed}), one of the machines that agree with "
        "Table 2 of PIM-CARE (ICS 2025); the paper prints no times."
    )
    describe(folder, {"format": "prim", "kind": "generated", "ranks": RANKS, "note": note})
