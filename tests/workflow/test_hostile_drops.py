"""Hostile drops beside good ones: each ends in a sentence, and the good ones keep their answers."""

import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
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


@pytest.mark.workflow
def test_all_hostile_drops_at_once_cost_no_other_drop_a_row(first, tmp_path):
    project = first.copied(tmp_path / "project")
    root = project.folder / "drops"
    for name in hostile_drops.NAMES:
        (root / name).mkdir()
        (root / name / "log.swf").write_text(hostile_drops.LOG)
    for name, (make, _) in hostile_drops.CASES.items():
        (root / name).mkdir()
        make(root / name)
    code, output = project.run(check=False)
    shutil.rmtree(root / "many_files")
    subprocess.run(["rm", "-rf", root / "nested_folders"], check=True)
    assert code == 3, output
    refused = {name for name, (_, code) in hostile_drops.CASES.items() if code == 2}
    keys = {folder.path.name: folder.key for folder in drops.discover([root])}
    for name in {*hostile_drops.NAMES, *refused} & keys.keys():
        assert f"refused  {keys[name]}" in output
    assert (project.results / "report" / "index.html").stat().st_mtime > (first.results / "report.done").stat().st_mtime
    with duckdb.connect(project.results / "apportion.duckdb", read_only=True) as connection:
        connection.execute(f"ATTACH '{first.results / 'apportion.duckdb'}' AS before (READ_ONLY)")
        for table in first.rows():
            # What was loaded is told by hashes of whole tables.
            if not table.startswith("measured") and table != "loaded":
                lost = f"FROM before.{table} EXCEPT ALL FROM apportion.{table}"
                assert connection.execute(lost).fetchall() == [], table
        said = dict(connection.execute("SELECT drop, status FROM trace").fetchall())
    assert {name: said[name] for name in hostile_drops.CASES} == {
        name: "refused" if name in refused else "read" for name in hostile_drops.CASES
    }
