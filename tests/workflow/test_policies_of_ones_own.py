"""Rules of one's own, one file for each study that has workloads of its own, go through the whole workflow."""

import shutil
from pathlib import Path

import duckdb
import pytest
import yaml

from pipeline.runtime.study import declared
from reliability.runs import Project, smallest

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

OWN = {file.parents[1].name: file for file in sorted(Path(__file__).parents[1].glob("studies/*/own/*.py"))}
GRAPHS = {"workload": "stand_in", "graphs": ["amazon"], "scale": 0.002, "algorithms": ["bfs"], "batches": 1}
SWEEPS = {
    "hpc_memory": {"sweeps": {"own": {"workload": "phased", "batches": 2, "jobs": 15, "memory_per_node_gb": [105]}}},
    "pim_ranks": {"sweeps": {"own": {"workload": "sets", "sets": ["3"], "jobs": [12], "batches": 2, "members": 1}}},
    "gpu_corun": {"sweeps": {"own": {"workload": "pairs"}}},
    "gpu_partition": {"sweeps": {"own": {
        "workload": "generated", "tasks": [8], "sets": 2, "utilisation": [4.0], "sms": [12], "stop": ["exhaust"]
    }}},
    "gpu_sharing": {"fairness": {"own": {"curves": "ensemble", "members": 2}}},
    "pim_graph": {"sweeps": {"own": GRAPHS | {"stacks": [4], "qr": [64]}}},
}  # fmt: skip
"""Sweeps that name no scheduler."""
SCORES = {"hpc_memory": "hpc_memory_result WHERE loss IS NOT NULL", "gpu_sharing": "gpu_sharing_speedup"}
"""Scores of a study without a view of them, and of one whose view leaves out who slows an application down."""


@pytest.fixture(scope="module")
def project(once) -> Project:
    """A project with the files in their folders, run once, as plain Python."""

    def make(folder: Path) -> None:
        project = Project(folder)
        project.create()
        for study, file in OWN.items():
            shutil.copy(file, folder / "pipeline" / "studies" / study / "schedulers")
        settings = smallest()
        for study, parts in SWEEPS.items():
            for part, sweeps in parts.items():
                settings[study][part] |= sweeps
        (folder / "tiny.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        project.run()

    return Project(once("own_policies", make))


def test_there_is_one_for_each_study_with_workloads_of_its_own():
    assert set(OWN) == set(SWEEPS) == {name for name, study in declared().items() if study.synthetic}


@pytest.mark.parametrize("study", SWEEPS)
def test_it_is_replayed_and_scored_beside_those_that_ship(project, study):
    with duckdb.connect(str(project.results / "apportion.duckdb"), read_only=True) as connection:
        asked = connection.execute("SELECT DISTINCT scheduler FROM scenario WHERE study = ?", [study]).fetchall()
        scored = connection.execute(f"SELECT DISTINCT scheduler FROM {SCORES.get(study, f'score_{study}')}").fetchall()
    assert (OWN[study].stem,) in asked
    assert (OWN[study].stem,) in scored
    assert len(scored) > 1


@pytest.mark.parametrize("study", SWEEPS)
def test_it_is_on_the_page(project, study):
    assert OWN[study].stem in (project.results / "report" / "index.html").read_text(encoding="utf-8")
