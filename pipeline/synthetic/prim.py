"""Logs of PrIM applications on a PIM machine of 30 ranks, in the format of PrIM's host programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from pipeline.fit.measured_shapes import TABLE_2
from pipeline.statistics.rank_tables import best_ranks, interpolated, profile_points
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
SHARED_DECADES, PER_RANK_DECADES = 3, 6
"""Orders of magnitude over which shares are drawn, down from 1."""
ONE_RANK_S = (0.5, 20.0)
BATCH = 1 << 15
UNCHECKED = ("BFS", "SpMV")
"""Host programs that separate timers by blanks, and do not check their outputs."""


def prim_logs(seed: int) -> dict[str, str]:
    """Texts of logs by path, of the 14 applications of PIM-CARE (ICS 2025) at its profile points.

    Each of the sums of `_machine` is divided among the timers by shares that are drawn for the application; what grows
    with the ranks goes to the transfers.
    """
    logs = {}
    for app in sorted(TABLE_2):
        constant_s, shared_s, per_rank_s, sat = _machine(app, seed)
        rng = stream(seed, "prim", app)
        timers = [label for label in TIMERS[app] if label not in ("CPU", "CPU Version")]
        transfers = np.array(["Kernel" not in label for label in timers])
        shares = rng.dirichlet(np.ones(len(timers)), 2)
        growing = np.zeros(len(timers))
        growing[transfers] = rng.dirichlet(np.ones(transfers.sum()))
        cpu_s = rng.uniform(0.1, 1.0) * shared_s
        for ranks in profile_points(RANKS):
            times_s = shares[0] * constant_s + shares[1] * shared_s / min(ranks, sat) + growing * per_rank_s * ranks
            path = f"{app}/profile/outss_tl{TASKLETS}_bl{BLOCK_SIZE}_dpus{ranks * DPUS_PER_RANK}"
            by_label = dict(zip(timers, times_s, strict=True))
            logs[path] = _log(app, ranks, [(label, by_label.get(label, cpu_s)) for label in TIMERS[app]])
    return logs


def _machine(app: str, seed: int) -> np.ndarray:
    """An application's constant, shared and per-rank time (s), and where it saturates (ranks).

    time(r) = constant + shared / min(r, sat) + per_rank r. Shares are log-uniform over SHARED_DECADES for the first two
    and PER_RANK_DECADES for the last, time on one rank over ONE_RANK_S. The first draw counts with which Algorithm 1
    gives the best rank count of the paper's Table 2.
    """
    rng, points = stream(seed, "admissible", app), np.array(profile_points(RANKS))
    while True:
        parts = 10 ** rng.uniform(np.array([-SHARED_DECADES, -SHARED_DECADES, -PER_RANK_DECADES]), 0.0, (BATCH, 3))
        one_rank_s = np.exp(rng.uniform(*np.log(ONE_RANK_S), BATCH))
        sat = rng.integers(1, RANKS, BATCH, endpoint=True)
        sums = parts * (one_rank_s / parts.sum(axis=1))[:, None]
        constant, shared, per_rank = (sums[:, column, None] for column in range(3))
        times = constant + shared / np.minimum(points, sat[:, None]) + per_rank * points
        hit = np.flatnonzero(best_ranks(interpolated(points, times, RANKS)) == TABLE_2[app])
        if hit.size:
            return np.append(sums[hit[0]], sat[hit[0]])


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
