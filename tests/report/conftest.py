"""Two small databases made by the real stages: one of a hostile drop, one with hardly anything in it."""

import json
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from hostile import HOSTILE

from pipeline import config, tables
from pipeline.fit import characteristics, gpu
from pipeline.report import figures, page
from pipeline.report.chart import Figure
from pipeline.runtime import manifest, sources, storage
from pipeline.stages import replay as stage
from pipeline.stages import scenarios as stages
from pipeline.warehouse import load

MEMORY = {"memory_per_node_gb": [105, 150]}
GRAPH = {"workload": "stand_in", "scale": 0.0005, "batches": 2, "qr": [64, 640]}
FULL = {
    "hpc_memory": {
        "timeline": 12,
        "sweeps": {
            "phased": MEMORY | {"workload": "phased", "batches": 2, "jobs": 40},
            "dynamic": MEMORY | {"workload": "dynamic", "batches": 2, "jobs": 30},
            "alpha": MEMORY | {"workload": "phased", "batches": 2, "jobs": 40, "alpha": [0.1]},
            "reconfiguration_time": MEMORY | {"workload": "phased", "batches": 2, "jobs": 40, "tau_s": [100]},
            "dynamic_alpha": MEMORY | {"workload": "dynamic", "batches": 2, "jobs": 30, "alpha": [0.1]},
            "replayed": {"workload": "replayed", "memory_over_mean": [1.0, 1.5]},
            "composed": {"workload": "composed", "batches": 2, "memory_over_mean": [1.0, 1.5], "shapes": [HOSTILE]},
        },
    },
    "pim_ranks": {
        "sweeps": {
            "sets": {"workload": "sets", "jobs": [12, 24, 36], "batches": 2, "members": 2},
            "small": {"workload": "sets", "sets": ["1"], "jobs": [5], "batches": 1, "members": 1},
            "virtual_pim": {"workload": "virtual_pim", "batches": 2, "members": 2, "ranks": [14]},
        }
    },
    "gpu_corun": {
        "sweeps": {
            "pairs": {"workload": "pairs", "task_size": [1, 10]},
            "ensemble": {"workload": "pairs", "machines": 2, "draws": 2, "schedulers": ["cuda", "mps", "slate"]},
            "measured": {"workload": "measured"},
        }
    },
    "gpu_sharing": {
        "fairness": {"ensemble": {"curves": "ensemble", "members": 5}},
        "qos": {"chapter_5": {"members": 2}},
        "variation": {
            "pairs": {"applications": [2], "members": 2, "maps": 2},
            "three": {"applications": [3], "members": 1, "maps": 1},
        },
    },
    "gpu_partition": {
        "sweeps": {
            "paper": {"workload": "generated", "sets": 2, "utilisation": [34, 44], "forbidden": ["inactive", "act"]},
            "paper_200": {
                "workload": "generated",
                "tasks": [200],
                "sets": 1,
                "utilisation": [40],
                "schedulers": ["bf"],
            },
        }
    },
    "pim_graph": {
        "sweeps": {
            "bfs": GRAPH | {"graphs": ["amazon"], "scale": 0.003, "algorithms": ["bfs"]},
            "sssp": GRAPH | {"graphs": ["road"], "algorithms": ["sssp"], "stacks": [4]},
            "bc": GRAPH | {"graphs": ["pokec"], "algorithms": ["bc"]},
            "queues": GRAPH
            | {
                "graphs": ["amazon"],
                "scale": 0.003,
                "algorithms": ["bfs"],
                "stacks": [4],
                "schedulers": ["migration"],
                "queue": ["pim", "software"],
            },
        }
    },
}
BARE = {
    "hpc_memory": {"timeline": 0, "sweeps": {"phased": MEMORY | {"workload": "phased", "batches": 1, "jobs": 20}}},
    "pim_ranks": {"sweeps": {}},
    "gpu_corun": {"sweeps": {}},
    "gpu_sharing": {"fairness": {}, "qos": {}, "variation": {}},
    "gpu_partition": {"sweeps": {}},
    "pim_graph": {"sweeps": {}},
}
SCHEDULERS = ("unlimited", "aggregated", "priority", "oldest_first", "largest_first", "stochastic")


def _frame(schema, rows: list[dict]) -> pl.DataFrame:
    return tables.conform(pl.DataFrame(rows), schema)


def _ingested(folder: Path) -> None:
    """A drop as the ingest stage leaves it: a trace with memory, one without, and a drop that was refused."""
    jobs = [
        {"trace": trace, "job_id": str(j), "submit_s": 60.0 * j, "nodes": 1 + j % 4, "walltime_s": 4000.0,
         "runtime_s": 2000.0 + 10 * j}
        for trace in (HOSTILE, "bare")
        for j in range(12)
    ]  # fmt: skip
    phases = [
        {"trace": HOSTILE, "job_id": str(j), "phase": p, "duration_s": 1000.0 + 5 * j,
         "memory_gb": 20.0 + 40 * ((j + p) % 3), "origin": "given"}
        for j in range(12)
        for p in range(2)
    ]  # fmt: skip
    traces = [
        {"trace": name, "drop": "evil", "format": "canonical", "status": "read", "kind": "measured", "nodes": 8,
         "node_memory_gb": 128.0, "jobs": 12, "samples": 0, "rejected": 3, "note": f"note of {name}"}
        for name in (HOSTILE, "bare")
    ]  # fmt: skip
    traces.append(
        {"trace": "broken", "drop": "broken", "status": "refused", "kind": "measured", "jobs": 0, "samples": 0,
         "rejected": 0}
    )  # fmt: skip
    rejected = [
        {"drop": "evil", "trace": HOSTILE, "table_name": "jobs", "file": "jobs.csv", "row": row,
         "reason": "submit_s_negative", "detail": f"submit_s is -{row}; it is 0 or more"}
        for row in (7, 3, 9)
    ]  # fmt: skip
    rejected.append({"drop": "broken", "reason": "format_unknown", "detail": "no reader knows <b>this</b>"})
    read = [{"drop": "evil", "file": "jobs.csv", "bytes": 1234, "sha256": "0123456789ab" + "c" * 52, "rows": 12}]
    curve = {"trace": HOSTILE, "curve": HOSTILE, "app": HOSTILE, "chosen": True}
    speeds = [
        curve | {"ranks": r, "time_s": 1.0 + r, "perf": 2 / (1 + r), "is_best": r == 1, "source": "measured",
                 "method": "given"}
        for r in range(1, 9)
    ]  # fmt: skip
    curves = [curve | {"runs": 8, "points": 8, "least_ranks": 1, "most_ranks": 8, "max_ranks": 8, "method": "given",
                       "status": "determined", "best_ranks": 1}]  # fmt: skip
    written = {
        "perf_tables": _frame(tables.PerfTable, speeds),
        "pim_curves": _frame(tables.PimCurve, curves),
        "jobs": _frame(tables.Job, jobs),
        "phases": _frame(tables.Phase, phases),
        "traces": _frame(tables.Trace, traces),
        "rejected_rows": _frame(tables.RejectedRow, rejected),
        "provenance": _frame(tables.Provenance, read),
    }
    written |= characteristics.fit(written["jobs"], written["phases"])
    written |= _pairs_on_a_gpu()
    for name, frame in written.items():
        storage.write(frame, folder / f"{name}.parquet")
    manifest.seal(folder)


PROFILE = ("start_s", "span_s", "kernel_s", "copy_s", "gflops", "memory_gbps", "dram_gbps")


def _pairs_on_a_gpu() -> dict[str, pl.DataFrame]:
    """Measured pairs of ten applications, of which one is named by an attack, and slices that serve two."""
    rng = np.random.default_rng(1)
    apps = [HOSTILE, *"abcdefghi"]
    uses = {name: rng.uniform(0.1, 1.0, len(apps)) for name in PROFILE}
    profiles = pl.DataFrame({"app": apps, **uses}).with_columns(trace=pl.lit(HOSTILE), kernels=1)
    pairs = pl.DataFrame(
        [
            {"app_a": a, "app_b": b, "slowdown_a": rng.uniform(1, 2), "slowdown_b": rng.uniform(1, 2)}
            for a, b in combinations(apps, 2)
        ]
    ).with_columns(trace=pl.lit(HOSTILE))
    kernels = profiles.with_columns(kernel=pl.col("app"), time_s=pl.col("kernel_s"), origin=pl.lit("measured"))
    points = [{"app": app, "slices": size, "batch": 1, "processes": 1, "rate_per_s": 10.0 * size, "latency_s": 0.1}
              for app in (HOSTILE, "a") for size in (1, 3, 7)]  # fmt: skip
    demands = [{"demand": HOSTILE, "app": app, "rate_per_s": 50.0} for app in (HOSTILE, "a")]
    of_trace = {"trace": HOSTILE}
    written = {
        "gpu_apps": _frame(tables.GpuApp, profiles.to_dicts()),
        "corun_pairs": _frame(tables.CorunPair, pairs.to_dicts()),
        "kernels": _frame(tables.Kernel, kernels.to_dicts()),
        "slice_points": _frame(tables.SlicePoint, [of_trace | row for row in points]),
        "slice_demands": _frame(tables.SliceDemand, [of_trace | row for row in demands]),
    }
    given = {"sm_curves": tables.empty(tables.SmCurve)} | written
    return written | gpu.fit(*(given[name] for name in gpu.READ))


def _database(results: Path, settings: dict) -> None:
    """Run the stages of all studies under `results` and load the database."""
    parsed = config.parse(settings)
    (results / "settings").mkdir()
    (results / "settings" / "configuration.json").write_text(parsed.model_dump_json(), encoding="utf-8")
    for study in sources.studies():
        own = json.dumps(config.section(parsed, study))
        (results / "settings" / f"{study}.json").write_text(own, encoding="utf-8")
    folders = sorted((results / "ingest").glob("*"))
    for part, drop in {"synthetic": None, **{f"trace-{folder.name}": folder.name for folder in folders}}.items():
        scenarios = results / "scenarios" / "hpc_memory" / part
        stages.write_scenarios("hpc_memory", results / "settings" / "hpc_memory.json", folders, scenarios, drop)
        for scheduler in SCHEDULERS:
            target = results / "replay" / "hpc_memory" / scheduler / part / "0"
            stage.write_replay("hpc_memory", scheduler, 0, 1, scenarios, target)
    parts = dict.fromkeys(("pim_ranks", "gpu_corun", "gpu_sharing", "gpu_partition", "pim_graph"), (None,))
    parts["gpu_corun"] = (None, *(folder.name for folder in folders))
    for study, drop in ((study, drop) for study, drops in parts.items() for drop in drops):
        part = f"trace-{drop}" if drop else "synthetic"
        scenarios = results / "scenarios" / study / part
        stages.write_scenarios(study, results / "settings" / f"{study}.json", folders, scenarios, drop)
        for scheduler in sources.schedulers(study):
            stage.write_replay(study, scheduler, 0, 1, scenarios, results / "replay" / study / scheduler / part / "0")
    load.build(results, results / "apportion.duckdb")


@pytest.fixture(scope="session")
def hostile_database(once) -> Path:
    """Everything there can be, from a drop whose trace's name is an attack; tests read it."""

    def make(results: Path) -> None:
        _ingested(results / "ingest" / "evil")
        _database(results, FULL)

    return once("hostile", make) / "apportion.duckdb"


@pytest.fixture(scope="session")
def bare_database(once) -> Path:
    """No traces, no timeline, a single batch (no intervals); tests read it."""
    return once("bare", lambda results: _database(results, BARE)) / "apportion.duckdb"


@pytest.fixture(scope="session")
def pages(once, hostile_database, bare_database) -> dict[str, Path]:
    """The pages of both databases, `full` and `bare`, with their figures; tests read them."""
    databases = {"full": hostile_database, "bare": bare_database}

    def make(folder: Path) -> None:
        for name, database in databases.items():
            page.build(database, folder / name / "report" / "index.html", folder / name / "figures")

    folder = once("pages", make)
    return {name: folder / name / "report" / "index.html" for name in databases}


@pytest.fixture(scope="session")
def drawn(hostile_database) -> dict[str, Figure]:
    """The figures of the hostile drop by name; tests read them."""
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        connection.execute("SET threads = 1")  # as the page does: sums of several threads vary
        return figures.draw(connection)
