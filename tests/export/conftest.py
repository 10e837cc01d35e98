"""A database with schedules, partitions and graphs, made by the real stages; programs that read what is exported."""

import json
import subprocess
from pathlib import Path

import examples
import pytest

from bench.peers import Unavailable, environments
from bench.settings import Settings
from pipeline import config
from pipeline.export import Source
from pipeline.stages import ingest
from pipeline.stages import replay as stage
from pipeline.stages import scenarios as stages
from pipeline.warehouse import load

DROPS = ("lublin_like", "automotive_like", "amazon_like")
SETTINGS = {
    "hpc_memory": {
        "refine": 0,
        "sweeps": {"phased": {"workload": "phased", "batches": 1, "jobs": 60, "memory_per_node_gb": [105, 150]}},
    },
    "gpu_partition": {
        "sweeps": {
            "dropped": {"workload": "dropped"},
            "full": {"workload": "generated", "sets": 1, "utilisation": [68], "schedulers": ["bf"]},
            "dm": {"workload": "dropped", "priority": ["dm"], "schedulers": ["bf"]},
        }
    },
    "pim_graph": {
        "sweeps": {
            "bfs": {"workload": "stand_in", "graphs": ["amazon"], "scale": 0.003, "batches": 1, "qr": [64]},
            "dropped": {"workload": "dropped", "batches": 1, "qr": [64]},
        }
    },
}
RUN = {"hpc_memory": ("unlimited", "priority"), "gpu_partition": ("bf",), "pim_graph": ("baseline",)}
# Some records of a log that says all that SWF can: waits, memory, users, a job that was given up before it ran.
LOG = """\
; MaxProcs: 64
; MaxNodes: 64
1 0 5 100 4 -1 2000000 4 200 3000000 1 3 1 7 1 1 -1 -1
2 10 0 50 64 -1 1000000 64 60 1500000 1 4 1 8 1 1 -1 -1
4 20 90 1000 1 -1 500000 1 900 -1 0 3 1 7 1 1 -1 -1
"""


@pytest.fixture(scope="session")
def source(once) -> Source:
    """Results of a small configuration on three example drops and a log of three jobs; tests read them."""
    results = once("exported", _run)
    return Source(results / "apportion.duckdb", results)


def _run(results: Path) -> None:
    log = results / "traces" / "told"
    log.mkdir(parents=True)
    (log / "told.swf").write_text(LOG)
    for path in (*(examples.trace(name) for name in DROPS), log):
        ingest.ingest(path, results / "ingest" / path.name)
    folders = sorted((results / "ingest").iterdir())
    parsed = config.parse(SETTINGS | {"gpu_corun": {"sweeps": {}}, "pim_ranks": {"sweeps": {}}})
    (results / "settings").mkdir()
    (results / "settings" / "configuration.json").write_text(parsed.model_dump_json())
    parts = {"hpc_memory": [None], "gpu_partition": [None, "automotive_like"], "pim_graph": [None, "amazon_like"]}
    for study, schedulers in RUN.items():
        settings = results / "settings" / f"{study}.json"
        settings.write_text(json.dumps(config.section(parsed, study)))
        for drop in parts[study]:
            part = "synthetic" if drop is None else f"trace-{drop}"
            scenarios = results / "scenarios" / study / part
            stages.write_scenarios(study, settings, folders, scenarios, drop)
            for scheduler in schedulers:
                target = results / "replay" / study / scheduler / part / "0"
                stage.write_replay(study, scheduler, 0, 1, scenarios, target)
    load.build(results, results / "apportion.duckdb")


@pytest.fixture(scope="session")
def scenario(source):
    """A function to the first scenario of a study that meets a condition."""

    def first(study: str, condition: str = "true") -> str:
        sql = f"SELECT scenario_id FROM scenario WHERE study = '{study}' AND ({condition}) ORDER BY ALL LIMIT 1"
        return source.rows(sql)["scenario_id"][0]

    return first


@pytest.fixture(scope="session")
def peer():
    """A function that runs a script in an environment with packages of others; skips where they cannot be had."""

    def run(name: str, requirements: list[str], script: Path, *arguments: Path) -> str:
        try:
            python = environments.environment(Settings(1, Path()).environments / name, name, requirements)
        except Unavailable as reason:
            pytest.skip(str(reason))
        command = [python, "-I", "-W", "ignore", script, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
