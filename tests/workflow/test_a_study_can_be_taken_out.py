"""Without the folder of any one study everything else runs: workflow, page, answers and generated traces."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import projects
import pytest
from examples import cases

from pipeline.runtime import sources

CURVES = "app,sms,time_s\na,1,4\na,2,2\na,4,1.5\nb,1,4\nb,2,3\nb,4,3\n"


def verb(folder: Path, *words: str) -> str:
    """What a verb of the package in a folder says; nothing is compiled, and nothing kept outside of the folder."""
    environment = {name: value for name, value in os.environ.items() if name not in projects.OURS}
    environment |= {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "kernels")}
    command = [sys.executable, "-m", "pipeline", *words]
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


ALWAYS = ("pim_ranks", "memory_tiers")
"""Studies that are taken out at each landing: one with synthetic workloads, and one without."""


@pytest.mark.slow
@pytest.mark.parametrize("study", cases(sources.studies(), ALWAYS))
def test_the_package_without_a_study_judges_claims_answers_and_shows(study, tmp_path):
    left_out = shutil.ignore_patterns("__pycache__", study)
    shutil.copytree(sources.PACKAGE, tmp_path / "pipeline", ignore=left_out)
    shutil.copy(sources.ROOT / "requirements.lock", tmp_path)
    shutil.copytree(sources.ROOT / "traces" / "automotive_like", tmp_path / "tasks")
    (tmp_path / "curves.csv").write_text(CURVES, encoding="utf-8")
    source, other = ("curves.csv", "gpu_sharing") if study == "gpu_partition" else ("tasks", "gpu_partition")
    assert f"  {other}: " in verb(tmp_path, "answer", source, "--keep", "kept")
    # Claims are judged as well, in the database that is there.
    verb(tmp_path, "warehouse", "--results", "kept", "--target", "kept/apportion.duckdb")
    shown = ("--target", "index.html", "--figures", "figures")
    verb(tmp_path, "report", "--database", "kept/apportion.duckdb", *shown)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert other in page
    assert study not in page


@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_workflow_runs_without_a_study(tmp_path):
    project = projects.Project(tmp_path).create()
    shutil.rmtree(tmp_path / "pipeline" / "studies" / "hpc_memory")
    project.set({name: value for name, value in projects.smallest().items() if name != "hpc_memory"})
    verb(tmp_path, "generate")
    project.run()
    assert "  gpu_partition: " in verb(tmp_path, "answer", "automotive_like")
