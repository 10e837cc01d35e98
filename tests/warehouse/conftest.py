"""A small database, built through the real stages from the example drops."""

import json
from pathlib import Path

import pytest

from pipeline import config, ingest, refine, sources, stages
from pipeline.fit import drop as fit_drop
from pipeline.replay import stage
from pipeline.warehouse import load

SMALL = {
    "phased": {"workload": "phased", "batches": 2, "jobs": 60, "memory_per_node_gb": [105, 150]},
    "dynamic": {"workload": "dynamic", "batches": 2, "jobs": 30, "memory_per_node_gb": [105, 150]},
    "alpha": {"workload": "phased", "batches": 1, "jobs": 60, "memory_per_node_gb": [105, 150], "alpha": [0.1]},
    "reconfiguration_time": {
        "workload": "phased", "batches": 1, "jobs": 60, "memory_per_node_gb": [105, 150], "tau_s": [40],
    },
    "nodes": {
        "workload": "phased", "batches": 1, "jobs": 60, "memory_per_node_gb": [105], "load": [0.8],
        "job_nodes": "marconi100",
    },
    "options": {
        "workload": "phased", "batches": 1, "jobs": 60, "memory_per_node_gb": [105], "memory_law": "normal",
        "reconfiguration": ["incremental"], "free_start": [True], "largest_by": ["nodes"],
    },
    "fitted": {"workload": "phased", "laws": "fitted", "batches": 2, "jobs": 30, "memory_over_mean": [1.0, 1.5]},
    "replayed": {"workload": "replayed", "batches": 1, "jobs": 30, "memory_over_mean": [1.0, 1.5]},
    "composed": {"workload": "composed", "batches": 2, "jobs": 40, "memory_over_mean": [1.0, 1.5]},
}  # fmt: skip

SMALL_PIM = {
    "sets": {"workload": "sets", "jobs": [12, 24, 36], "batches": 2, "members": 2},
    "small": {"workload": "sets", "sets": ["3"], "jobs": [3], "batches": 1, "members": 1},
    "windows": {"workload": "sets", "batches": 1, "members": 1, "window": [3]},
    "virtual_pim": {"workload": "virtual_pim", "batches": 2, "members": 2, "ranks": [14]},
    "dropped": {"workload": "sets", "tables": "dropped", "batches": 2},
}


@pytest.fixture(scope="session")
def small_results(tmp_path_factory) -> Path:
    """Results folder with the database of a small configuration."""
    results = tmp_path_factory.mktemp("results")
    names = []
    for drop in sorted(path for path in (sources.ROOT / "traces").iterdir() if path.is_dir()):
        names.append(drop.name)
        ingest.ingest(drop, results / "ingest" / drop.name)
        fit_drop.fit(results / "ingest" / drop.name, results / "fit" / drop.name)
    settings = results / "settings" / "hpc_memory.json"
    settings.parent.mkdir()
    parsed = config.parse(
        {"hpc_memory": {"sweeps": SMALL, "timeline": 20, "refine": 2}, "pim_ranks": {"sweeps": SMALL_PIM}}
    )
    settings.write_text(json.dumps(config.section(parsed, "hpc_memory")))
    settings.with_suffix(".refined.json").write_text(json.dumps(config.second_round(parsed, "hpc_memory")))
    folders = [results / step / name for step in ("ingest", "fit") for name in names]
    for part, drop in {"synthetic": None, **{f"trace-{name}": name for name in names}}.items():
        source = results / "scenarios" / "hpc_memory" / part
        stages.write_scenarios("hpc_memory", settings, folders, source, drop)
        for scheduler in sources.schedulers("hpc_memory"):
            for chunk in range(2):
                target = results / "replay" / "hpc_memory" / scheduler / part / str(chunk)
                stage.write_replay("hpc_memory", scheduler, chunk, 2, source, target)
        refined = source.with_name(f"{part}{sources.REFINED}")
        for scheduler in sources.schedulers("hpc_memory"):
            if scheduler != "unlimited":
                _second_round(results, scheduler, source, refined)
    _pim_ranks(results, parsed, folders)
    (results / "settings" / "configuration.json").write_text(parsed.model_dump_json())
    load.build(results, results / "apportion.duckdb")
    return results


def _pim_ranks(results: Path, parsed: config.Configuration, folders: list[Path]) -> None:
    """Scenarios and replays of pim_ranks."""
    settings = results / "settings" / "pim_ranks.json"
    settings.write_text(json.dumps(config.section(parsed, "pim_ranks")))
    for part, drop in {"synthetic": None, "trace-prim_like": "prim_like"}.items():
        source = results / "scenarios" / "pim_ranks" / part
        stages.write_scenarios("pim_ranks", settings, folders, source, drop)
        for scheduler in sources.schedulers("pim_ranks"):
            target = results / "replay" / "pim_ranks" / scheduler / part / "0"
            stage.write_replay("pim_ranks", scheduler, 0, 1, source, target)


def _second_round(results: Path, scheduler: str, source: Path, refined: Path) -> None:
    """Scenarios between the sizes of the first round, and their replays, of one scheduler on one part."""
    ran = [results / "replay" / "hpc_memory" / name / source.name for name in (scheduler, "unlimited")]
    replays = [folder / chunk for folder in ran for chunk in "01"]
    settings = results / "settings" / "hpc_memory.refined.json"
    refine.write_refinement("hpc_memory", settings, source, replays, refined / scheduler)
    for chunk in range(2):
        target = results / "replay" / "hpc_memory" / scheduler / refined.name / str(chunk)
        stage.write_replay("hpc_memory", scheduler, chunk, 2, refined / scheduler, target, workloads=source)


@pytest.fixture(scope="session")
def small_database(small_results) -> Path:
    """The database of the small configuration."""
    return small_results / "apportion.duckdb"
