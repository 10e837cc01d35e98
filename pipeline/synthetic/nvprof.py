"""Profiles of applications on a GPU as nvprof exports them, and pairs of them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from pipeline.statistics.streams import stream
from pipeline.synthetic.drop import describe

APPS = ("axpy", "fft", "histogram", "matmul", "montecarlo", "nbody", "scan", "sort", "spmv", "stencil")
DEVICE = "GeForce GTX 1080 Ti (0)"
PEAK_GFLOPS, PEAK_GBPS, LINK_GBPS = 10600.0, 484.0, 12.0
"""Of the GTX 1080 Ti: single precision, device memory (data sheet); PCIe 3.0 with 16 lanes as it is met."""
SHARES = {"start": 0.6, "copies": 0.5, "kernels": 0.5}
"""Share of the largest possible collision on each resource that comes true."""
NOISE = 0.02
_KI = 1024.0
_TIME_UNITS = (("s", "ms", 1.0, 1e-3), ("ms", "us", 1e-3, 1e-6), ("ms", "ms", 1e-3, 1e-3))
_TRACE_HEADER = (
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread",'
    '"Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"'
)
_METRICS_HEADER = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"'


@dataclass(frozen=True)
class App:
    """One application: seconds alone, before its first use of the GPU, of each copy and of each launch, and rates."""

    name: str
    alone_s: float
    start_s: float
    copies_s: tuple[float, float]
    launches: int
    launch_s: float
    gap_s: float
    gflops: float
    dram_gbps: float
    memory_gbps: float
    occupancy: float
    blocks: int
    time_unit: int


def draw_apps(seed: int) -> list[App]:
    """Applications under the roofline of a GTX 1080 Ti: intensities log-uniform from 0.05 to 200 flop/B."""
    apps = []
    for number, name in enumerate(APPS):
        rng = stream(seed, "nvprof", name)
        intensity = 10 ** rng.uniform(np.log10(0.05), np.log10(200.0))
        reached = rng.uniform(0.5, 0.85)
        dram_gbps = reached * min(PEAK_GBPS, PEAK_GFLOPS / intensity)
        launches = int(rng.integers(6, 16))
        launch_s = float(rng.uniform(0.01, 0.08))
        gap_s = float(rng.uniform(0.0, 0.02))
        copies_s = tuple(float(gb / LINK_GBPS) for gb in rng.uniform(0.2, 3.0, 2))
        start_s = float(rng.uniform(0.25, 0.6))
        host_s = 10 ** rng.uniform(-1.0, 0.7)
        busy_s = sum(copies_s) + launches * (launch_s + gap_s)
        apps.append(
            App(name, start_s + busy_s + host_s, start_s, copies_s, launches, launch_s, gap_s, intensity * dram_gbps,
                dram_gbps, dram_gbps * rng.uniform(1.0, 1.8), rng.uniform(0.3, 0.95),
                int(rng.integers(1, 40)) * 224, number % len(_TIME_UNITS))
        )  # fmt: skip
    return apps


def corun_slowdowns(apps: list[App], seed: int) -> list[tuple[App, App, float, float]]:
    """Slowdowns of each pair: delays by SHARES of what both ask for at once, times noise (log-normal, 2 %)."""
    most = max(app.gflops for app in apps), max(app.dram_gbps for app in apps)
    rng = stream(seed, "nvprof", "pairs")
    pairs = []
    for a, b in combinations(apps, 2):
        together = min(1.0, max((a.gflops + b.gflops) / most[0], (a.dram_gbps + b.dram_gbps) / most[1]))
        delay_s = (
            SHARES["start"] * min(a.start_s, b.start_s)
            + SHARES["copies"] * min(sum(a.copies_s), sum(b.copies_s))
            + SHARES["kernels"] * together * min(a.launches * a.launch_s, b.launches * b.launch_s)
        )
        noise = np.exp(rng.normal(0.0, NOISE, 2))
        pairs.append((a, b, (1 + delay_s / a.alone_s) * noise[0], (1 + delay_s / b.alone_s) * noise[1]))
    return pairs


def trace_text(app: App) -> str:
    """The application as `nvprof --csv --print-gpu-trace` prints it; files differ in their units."""
    start_unit, time_unit, start_scale, time_scale = _TIME_UNITS[app.time_unit]
    lines = [
        f"==1== NVPROF is profiling process 1, command: ./{app.name}",
        f"==1== Profiling application: ./{app.name}",
        "==1== Profiling result:",
        _TRACE_HEADER,
        f"{start_unit},{time_unit},,,,,,,,B,B,MB,GB/s,,,,",
    ]
    now = app.start_s

    def line(duration_s: float, shape: str, size: str, name: str) -> str:
        where = f'"{DEVICE}","1","7","{name}"'
        return f"{now / start_scale:.6f},{duration_s / time_scale:.6f},{shape},{size},{where}"

    def copy(duration_s: float, way: str) -> str:
        size = duration_s * LINK_GBPS * 1e9 / _KI**2
        return line(duration_s, ",,,,,,,,", f"{size:.6f},{LINK_GBPS * 1e9 / _KI**3:.6f}", f"[CUDA memcpy {way}]")

    lines.append(copy(app.copies_s[0], "HtoD"))
    now += app.copies_s[0]
    for number in range(app.launches):
        lines.append(
            line(
                app.launch_s,
                f"{app.blocks},1,1,256,1,1,32,0,0",
                ",",
                f"{app.name}_kernel(float*, int) [{100 + number}]",
            )
        )
        now += app.launch_s + app.gap_s
    lines.append(copy(app.copies_s[1], "DtoH"))
    return "\n".join(lines) + "\n"


def metrics_text(app: App) -> str:
    """The application's kernel as `nvprof --csv --metrics …` prints it."""
    binary = 1e9 / _KI**3
    flops = round(app.gflops * 1e9 * app.launch_s)
    level = round(10 * app.dram_gbps / PEAK_GBPS)
    grade = f"{('Idle', 'Low', 'Mid', 'High', 'Max')[(level + 2) // 3]} ({level})"
    metrics = {
        "flop_count_sp": f"{flops}",
        "flop_count_dp": "0",
        "gld_throughput": f"{0.7 * app.memory_gbps * binary:.6f}GB/s",
        "gst_throughput": f"{0.3 * app.memory_gbps * binary * _KI:.6f}MB/s",
        "dram_read_throughput": f"{0.7 * app.dram_gbps * binary:.6f}GB/s",
        "dram_write_throughput": f"{0.3 * app.dram_gbps * binary:.6f}GB/s",
        "dram_utilization": f'"{grade}"',
        "achieved_occupancy": f"{app.occupancy:.6f}",
    }
    lines = [
        f"==1== NVPROF is profiling process 1, command: ./{app.name}",
        "==1== Metric result:",
        _METRICS_HEADER,
        *(
            f'"{DEVICE}","{app.name}_kernel(float*, int)",{app.launches},"{name}","{name}",{value},{value},{value}'
            for name, value in metrics.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def write_nvprof(folder: Path, seed: int) -> None:
    """Write a drop of the format nvprof: a trace and metrics of each application, corun_pairs.csv and trace.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    apps = draw_apps(seed)
    for app in apps:
        (folder / f"trace_{app.name}.csv").write_text(trace_text(app), encoding="utf-8")
        (folder / f"metrics_{app.name}.csv").write_text(metrics_text(app), encoding="utf-8")
    lines = ["app_a,app_b,alone_a_s,alone_b_s,corun_a_s,corun_b_s"]
    for a, b, slowdown_a, slowdown_b in corun_slowdowns(apps, seed):
        times = (a.alone_s, b.alone_s, slowdown_a * a.alone_s, slowdown_b * b.alone_s)
        lines.append(f"{a.name},{b.name}," + ",".join(f"{time:.4f}" for time in times))
    (folder / "corun_pairs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    note = (
        f"Generated, not measured: pipeline.synthetic.write_nvprof(seed={seed}). Slowdowns follow the law of the rule "
        "shared_resources, so they are no evidence for it."
    )
    describe(folder, {"format": "nvprof", "kind": "generated", "note": note})
