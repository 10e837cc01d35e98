"""What `make` says where something is missing, on a Makefile whose environment is this one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.config import Configuration

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def made(tmp_path):
    """Runs make in a folder that has an environment, and no more of the project than settings are read with."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    (tmp_path / "requirements.lock").write_text("")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / ".venv" / "bin" / "snakemake").write_text("#!/bin/sh\necho snakemake ran in cache $XDG_CACHE_HOME\n")
    (tmp_path / ".venv" / "bin" / "snakemake").chmod(0o755)
    (tmp_path / ".venv" / ".installed").write_text("")

    def run(*arguments, **environment):
        return subprocess.run(
            ["make", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False,
            # The tests themselves may be run by make, which hands its options on.
            env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")} | environment,
        )  # fmt: skip

    return run


@pytest.mark.parametrize("target", ["all", "quick", "status"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "my.yaml is not there"),
        ("hpc_memory:\n  sweeps: {phased: {load: [0.9}\n", "my.yaml line 2 is not YAML: expected ',' or ']'"),
        ("- seed\n", "my.yaml has to hold `key: value` lines, as `seed: 1`"),
        ("\tseed: 1\n", "my.yaml line 1 is not YAML: found character '\\t' that cannot start any token"),
    ],
)
def test_a_file_of_settings_that_is_none_is_one_sentence(made, tmp_path, target, content, said):
    if content is not None:
        (tmp_path / "my.yaml").write_text(content)
    run = made(target, "CONFIG=my.yaml")
    assert run.returncode != 0
    first, *rest = run.stderr.splitlines()
    assert first.startswith(said)
    assert [line.startswith("make: ***") for line in rest] == [True]
    assert "snakemake ran" not in run.stdout


def test_settings_that_can_be_read_are_handed_on(made, tmp_path):
    (tmp_path / "my.yaml").write_text("seed: 2\n")
    run = made("CONFIG=my.yaml")
    assert run.returncode == 0, run.stderr
    assert f"snakemake ran in cache {os.environ.get('XDG_CACHE_HOME', '')}".strip() in run.stdout


def test_results_of_another_configuration_are_replaced_when_asked_to(made, tmp_path, monkeypatch):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "quick.yaml").write_text("seed: 2\n")
    settings = tmp_path / "results" / "settings" / "configuration.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(Configuration(seed=2).model_dump_json())
    assert "snakemake ran" in made("quick", PYTHONPATH=str(ROOT)).stdout
    settings.write_text(Configuration().model_dump_json())
    refused = made("quick", PYTHONPATH=str(ROOT))
    assert "snakemake ran" not in refused.stdout
    assert refused.stderr.startswith(
        "results/ holds those of another configuration than config/quick.yaml, which would replace them; to replace "
    )
    assert "snakemake ran" in made("quick", "REPLACE=1").stdout


def test_a_home_that_cannot_be_written_is_done_without(made, tmp_path):
    run = made(HOME="/proc/none")
    assert run.stdout.endswith(f"snakemake ran in cache {tmp_path}/.snakemake/cache\n")


def test_help_lists_the_targets(made):
    run = made("help")
    assert run.returncode == 0
    for target in ("quick", "status", "doctor", "clean", "help"):
        assert f"make {target} " in run.stdout
    assert "#" not in run.stdout


def test_a_python_that_is_too_old_is_one_sentence(made, tmp_path):
    (tmp_path / "python3.9").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python3.9").chmod(0o755)
    (tmp_path / ".venv" / ".installed").unlink()
    run = made("PYTHON3=./python3.9")
    assert run.returncode != 0
    assert run.stdout == "./python3.9 is not Python 3.11 or later; name one that is: make PYTHON3=/path/to/python3\n"
    assert not (tmp_path / ".venv" / "pyvenv.cfg").exists()


def test_another_python_than_that_of_the_environment_is_one_sentence(tmp_path):
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError('No module named typer')\n")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    run = subprocess.run(
        [sys.executable, "-m", "pipeline", "status"], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 1
    assert len(run.stderr.splitlines()) == 1
    assert ".venv/bin/apportion" in run.stderr
