"""Names of drops reach no shell, and ingest reaches no network; what a run of all bad drops does: test_workflow.py."""

import shutil
import subprocess
import sys
from pathlib import Path

import hostile_drops
import polars as pl
import pytest
import yaml

from pipeline import drops
from pipeline.runtime.sources import ROOT


def _without_network() -> list[str]:
    """The command that runs another one without a network; nothing where that is not permitted."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True).returncode == 0:
        return command
    return []


@pytest.mark.workflow
@pytest.mark.exhaustive
def test_names_of_drops_and_roots_reach_no_shell_and_ingest_reaches_no_network(tmp_path):
    root = tmp_path / "tr'aces; touch x {rule}"
    for name in (*hostile_drops.NAMES, "good"):
        (root / name).mkdir(parents=True)
        (root / name / "log.swf").write_text(hostile_drops.LOG)
    (tmp_path / "settings.yaml").write_text(yaml.safe_dump({"trace_roots": [root.name]}))
    keys = {folder.path.name: folder.key for folder in drops.discover([root])}
    snakemake = str(Path(sys.executable).with_name("snakemake"))
    done = subprocess.run(
        [
            *_without_network(), snakemake, "--snakefile", ROOT / "Snakefile", "--directory", tmp_path, "--cores", "1",
            "--configfile", tmp_path / "settings.yaml", "--workflow-profile", "none", "--",
            "results/settings/configuration.json", *(f"results/ingest/{key}" for key in keys.values()),
        ],
        cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert not list(tmp_path.rglob("x"))
    for name, key in keys.items():
        rejected = pl.read_parquet(tmp_path / "results" / "ingest" / key / "rejected_rows.parquet")
        assert rejected["reason"].to_list() == ([] if name == "good" else ["drop_name"])
