"""Small drops that tests run on, drawn anew by each process, and examples that ship."""

import atexit
import shutil
import tempfile
from collections.abc import Collection, Iterable
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from pipeline.fit.measured_shapes import TABLE_2
from pipeline.runtime import storage
from pipeline.runtime.sources import ROOT
from pipeline.statistics import job_laws, stand_ins
from pipeline.statistics.rank_tables import profile_points

RANKS = 30
ESTIMATES_S = 60 * np.array([5, 10, 15, 30, 60, 120, 240, 480, 720, 1440, 2880])
"""Run times that users ask for: few round values."""
APPS = ("axpy", "fft", "histogram", "matmul", "montecarlo", "nbody", "scan", "sort", "spmv", "stencil")
DEVICE = '"GeForce GTX 1080 Ti (0)"'
TRACE_HEADER = (
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread",'
    '"Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"\n'
    "ms,us,,,,,,,,B,B,MB,GB/s,,,,\n"
)
METRICS_HEADER = '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n'


def describe(folder: Path, name: str, **keys: object) -> None:
    """Write the trace.yaml of a drop of a format."""
    text = yaml.safe_dump({"format": name, "kind": "generated", "note": "Generated, not measured.", **keys})
    (folder / "trace.yaml").write_text(text, encoding="utf-8")


def log(seed: int, jobs: int, processors: int, load: float) -> pl.DataFrame:
    """Jobs that ask for `load` of a machine until the last one arrives, as real logs have them.

    A quarter is serial, the sizes of others are powers of two; run times are log-normal; arrivals are at random.
    Columns job_id, submit_s, nodes, walltime_s, runtime_s, user, all whole numbers, by submission.
    """
    rng = np.random.default_rng(seed)
    nodes = 2 ** np.where(rng.random(jobs) < 0.25, 0, rng.integers(0, np.log2(processors), jobs, endpoint=True))
    runtime_s = np.clip(rng.lognormal(6.5, 2.0, jobs), 1, ESTIMATES_S[-1]).astype(np.int64)
    arrival = np.append(0, np.cumsum(rng.exponential(size=jobs - 1)))
    last_s = (nodes * runtime_s).sum() / (load * processors)
    asked = np.searchsorted(ESTIMATES_S, np.minimum(runtime_s / rng.uniform(0.05, 1, jobs), ESTIMATES_S[-1]))
    return pl.DataFrame(
        {
            "job_id": np.arange(jobs) + 1,
            "submit_s": np.round(arrival / arrival[-1] * last_s).astype(np.int64),
            "nodes": nodes,
            "walltime_s": ESTIMATES_S[asked],
            "runtime_s": runtime_s,
            "user": rng.geometric(0.2, jobs),
        }
    )


def memory_trace(seed: int, jobs: int, nodes: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Jobs of phases after the laws of Marconi100, sampled node by node at irregular steps: (samples, jobs).

    Jobs run first come, first served, no node shared, and ask for 90 % of the machine. Times are whole seconds.
    """
    rng = np.random.default_rng(seed)
    width = np.minimum(job_laws.nodes(rng, "marconi100", jobs), nodes)
    phases = job_laws.phases(rng, jobs)
    of_phase = np.repeat(np.arange(jobs), phases)
    length_s = np.ceil(job_laws.lengths_s(rng, phases.sum())).astype(np.int64)
    memory_gb = job_laws.memory_gb(rng, "beta", phases.sum())
    runtime_s = np.bincount(of_phase, length_s).astype(np.int64)
    gaps = np.append(0, rng.exponential(size=jobs - 1))
    last_s = (width * runtime_s).sum() / (0.9 * nodes)
    submit_s = np.round(np.cumsum(gaps) / max(gaps.sum(), 1) * last_s).astype(np.int64)

    free_at, earliest, start_s, samples = np.zeros(nodes, np.int64), 0, [], []
    for job in range(jobs):
        chosen = np.argsort(free_at, kind="stable")[: width[job]]
        earliest = max(earliest, submit_s[job], free_at[chosen].max())
        free_at[chosen] = earliest + runtime_s[job]
        start_s.append(earliest)
        ends_s = np.cumsum(length_s[of_phase == job])
        for node in chosen:
            steps_s = rng.choice((40, 80, 120), runtime_s[job] // 40 + 1, p=(0.8, 0.16, 0.04))
            steps_s[0] = min(rng.integers(0, 40), runtime_s[job] - 1)
            time_s = np.cumsum(steps_s)
            time_s = time_s[time_s < runtime_s[job]]
            level_gb = memory_gb[of_phase == job][np.searchsorted(ends_s, time_s, side="right")]
            used_gb = level_gb * rng.normal(1, 0.01) + rng.normal(0, 0.2, time_s.size)
            samples.append(
                pl.DataFrame({"time_s": earliest + time_s, "used_gb": np.round(np.clip(used_gb, 0, 242), 2)}).select(
                    pl.lit(str(job + 1)).alias("job_id"), pl.lit(str(node)).alias("node"), "time_s", "used_gb"
                )
            )
    asked = np.searchsorted(ESTIMATES_S, runtime_s).clip(max=len(ESTIMATES_S) - 1)
    submitted = pl.DataFrame(
        {
            "job_id": [str(job + 1) for job in range(jobs)],
            "submit_s": submit_s,
            "nodes": width,
            "walltime_s": np.maximum(ESTIMATES_S[asked], runtime_s),
            "runtime_s": runtime_s,
            "start_s": start_s,
            "end_s": start_s + runtime_s,
            "user": [f"user{number}" for number in rng.geometric(0.3, jobs)],
        }
    )
    return pl.concat(samples).sort("job_id", "node", "time_s"), submitted


def _samples(folder: Path) -> None:
    samples, jobs = memory_trace(seed=2, jobs=60, nodes=54)
    storage.write(samples, folder / "samples.parquet")
    storage.write(jobs, folder / "jobs.parquet")
    describe(folder, "memory_samples", nodes=54, node_memory_gb=256)


def _log(folder: Path) -> None:
    jobs = log(seed=1, jobs=1500, processors=128, load=0.85)
    lines = "".join(
        f"{job} {submit_s} -1 {runtime_s} {nodes} -1 -1 {nodes} {walltime_s} -1 1 {user} -1 -1 -1 -1 -1 -1\n"
        for job, submit_s, nodes, walltime_s, runtime_s, user in jobs.iter_rows()
    )
    head = "; MaxNodes: 128\n; MaxProcs: 128\n; UnixStartTime: 0\n"
    (folder / f"{folder.name}.swf").write_text(head + lines, encoding="utf-8")
    describe(folder, "swf")


def _graph(folder: Path) -> None:
    _, edges = stand_ins.make("amazon", 0.003, seed=1)
    lines = "".join(f"{source}\t{target}\t{weight}\n" for source, target, weight in edges)
    (folder / "amazon.txt").write_text(f"# FromNodeId\tToNodeId\tWeight\n{lines}", encoding="utf-8")
    describe(folder, "edge_list")


def _prim(folder: Path) -> None:
    """Logs of each application at its profile points: its time falls to the best count of Table 2, then grows."""
    rng = np.random.default_rng(1)
    for app, best in sorted(TABLE_2.items()):
        constant_s, shared_s, growth = rng.uniform(0.05, 1), rng.uniform(1, 10), rng.uniform(0.1, 0.9)
        (folder / app / "profile").mkdir(parents=True)
        for ranks in profile_points(RANKS):
            times_s = {
                "CPU": 3 * shared_s,
                "CPU-DPU": constant_s,
                "DPU Kernel": shared_s / min(ranks, best),
                "Inter-DPU": growth * shared_s / best**2 * ranks,
                "DPU-CPU": constant_s / 3,
            }
            timers = "".join(f"{label} Time (ms): {1e3 * time_s:.6f}\t" for label, time_s in times_s.items())
            head = f"Allocated {64 * ranks} DPU(s)\nNR_TASKLETS\t16\tBL\t10\n"
            path = folder / app / "profile" / f"outss_tl16_bl10_dpus{64 * ranks}"
            path.write_text(f"{head}{timers}[\x1b[32mOK\x1b[0m] Outputs are equal\n", encoding="utf-8")
    describe(folder, "prim", ranks=RANKS)


def _nvprof(folder: Path) -> None:
    """Profiles of ten applications below the roofline of a GTX 1080 Ti, and the times of all pairs side by side."""
    rng = np.random.default_rng(1)
    alone_s, gflops, dram_gbps = {}, {}, {}
    for app in APPS:
        intensity = 10 ** rng.uniform(-1.3, 2.3)
        dram_gbps[app] = rng.uniform(0.5, 0.85) * min(484.0, 10_600 / intensity)
        gflops[app] = intensity * dram_gbps[app]
        start_s, copy_s, launch_s, launches = rng.uniform(0.25, 0.6), rng.uniform(0.02, 0.2), rng.uniform(0.01, 0.08), 8
        alone_s[app] = start_s + 2 * copy_s + launches * launch_s + 10 ** rng.uniform(-1, 0.7)
        (folder / f"trace_{app}.csv").write_text(_trace(app, start_s, copy_s, launch_s, launches), encoding="utf-8")
        metrics = {
            "flop_count_sp": f"{1e9 * gflops[app] * launch_s:.0f}",
            "flop_count_dp": "0",
            "gld_throughput": f"{dram_gbps[app]:.6f}GB/s",
            "gst_throughput": f"{300 * dram_gbps[app]:.6f}MB/s",
            "dram_read_throughput": f"{0.65 * dram_gbps[app]:.6f}GB/s",
            "dram_write_throughput": f"{0.28 * dram_gbps[app]:.6f}GB/s",
            "achieved_occupancy": f"{rng.uniform(0.3, 0.95):.6f}",
        }
        lines = [
            f'{DEVICE},"{app}_kernel(float*, int)",{launches},"{name}","{name}",{value},{value},{value}\n'
            for name, value in metrics.items()
        ]
        head = f"==1== NVPROF is profiling process 1, command: ./{app}\n==1== Metric result:\n{METRICS_HEADER}"
        (folder / f"metrics_{app}.csv").write_text(head + "".join(lines), encoding="utf-8")
    rows = ["app_a,app_b,alone_a_s,alone_b_s,corun_a_s,corun_b_s\n"]
    for a, b in combinations(APPS, 2):
        asked = max((each[a] + each[b]) / max(each.values()) for each in (gflops, dram_gbps))
        delay_s = min(alone_s[a], alone_s[b]) * 0.3 * min(asked, 1) * rng.uniform(0.9, 1.1)
        times_s = (alone_s[a], alone_s[b], alone_s[a] + delay_s, alone_s[b] + delay_s)
        rows.append(f"{a},{b}," + ",".join(f"{time_s:.4f}" for time_s in times_s) + "\n")
    (folder / "corun_pairs.csv").write_text("".join(rows), encoding="utf-8")
    describe(folder, "nvprof")


def _trace(app: str, start_s: float, copy_s: float, launch_s: float, launches: int) -> str:
    """A program's trace as nvprof prints it: a copy to the GPU, launches, and a copy back."""
    copied = f",,,,,,,,,{copy_s * 12e9 / 1024**2:.6f},{12e9 / 1024**3:.6f},"
    what = [(copied, copy_s, "[CUDA memcpy HtoD]")]
    what += [("8064,1,1,256,1,1,32,0,0,,,", launch_s, f"{app}_kernel(float*, int) [{n}]") for n in range(launches)]
    what += [(copied, copy_s, "[CUDA memcpy DtoH]")]
    lines, now_s = "", start_s
    for shape, took_s, name in what:
        lines += f'{1e3 * now_s:.6f},{1e6 * took_s:.6f},{shape}{DEVICE},"1","7","{name}"\n'
        now_s += took_s
    head = f"==1== NVPROF is profiling process 1, command: ./{app}\n==1== Profiling result:\n"
    return head + TRACE_HEADER + lines


MADE = {
    "amazon_like": _graph,
    "lublin_like": _log,
    "marconi_like": _samples,
    "nvprof_like": _nvprof,
    "prim_like": _prim,
}
"""What fills the folder of each drop. Here `marconi_like` is one table of samples; the one that ships is days."""
SHIPPED = ("automotive_like", "thesis_table_6")
NAMES = (*MADE, *SHIPPED)


@cache
def trace(name: str) -> Path:
    """Folder of a drop, which tests only read."""
    if name in SHIPPED:
        return ROOT / "traces" / name
    folder = Path(tempfile.mkdtemp(prefix="apportion-examples-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / name).mkdir()
    MADE[name](folder / name)
    return folder / name


def only(traces: Path) -> None:
    """Leave in `traces`, a folder of drops, just these."""
    shutil.rmtree(traces, ignore_errors=True)
    for name in NAMES:
        shutil.copytree(trace(name), traces / name)


def cases(names: Iterable[str], always: Collection[str]) -> list:
    """Cases of a test: those of `always` for `make test`, the others for `make test-all` alone."""
    return [pytest.param(name, marks=() if name in always else pytest.mark.exhaustive) for name in names]
