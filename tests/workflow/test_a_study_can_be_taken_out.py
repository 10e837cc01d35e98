"""Without the folder of any one study everything else runs: workflow, page, answers and generated traces."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pipeline.runtime import sources
from reliability import runs

CURVES = "app,sms,time_s\na,1,4\na,2,2\na,4,1.5\nb,1,4\nb,2,3\nb,4,3\n"


def verb(folder: Path, *words: str) -> str:
    """What a verb of the package in a folder says; nothing is compiled, and nothing kept outside of the folder."""
    environment = {name: value for name, value in os.environ.items() if name not in runs.OURS}
    environment |= runs.UNCOMPILED | {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "kernels")}
    command = [sys.executable, "-m", "pipeline", *words]
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("study", sources.studies())
def test_the_package_without_a_study_judges_claims_answers_and_shows(study, tmp_path):
    left_out = shutil.ignore_patterns("__pycache__", study)
    shutil.copytree(sources.PACKAGE, tmp_path / "pipeline", ignore=left_out)
    shutil.copy(sources.ROOT / "requirements.lock", tmp_path)
    # The verb loads the generators of all kinds.
    verb(tmp_path, "make-trace", "tasks", "tasks")
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
def test_the_workflow_runs_without_a_study(tmp_path):
    project = runs.Project(tmp_path).create()
    shutil.rmtree(tmp_path / "pipeline" / "studies" / "hpc_memory")
    settings = yaml.safe_load((tmp_path / "tiny.yaml").read_text(encoding="utf-8"))
    del settings["hpc_memory"]
    settings["studies"] = ["gpu_partition"]
    (tmp_path / "tiny.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    verb(tmp_path, "generate")
    project.run()
    assert "  gpu_partition: " in verb(tmp_path, "answer", runs.DROP)
