"""The page on adding a scheduler, followed literally in a copy of the package."""

import os
import shlex
import shutil
import subprocess
import sys

from documented import DOCS, commands, write_files

from pipeline.sources import ROOT

PAGE = DOCS / "add-a-scheduler.md"


def test_the_scheduler_of_the_page_is_found_replayed_and_in_the_results(tmp_path):
    shutil.copytree(ROOT / "pipeline", tmp_path / "pipeline", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    write_files(PAGE, tmp_path)
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {"PYTHONPATH": str(tmp_path)}
    followed = list(commands(PAGE))
    for command in followed:
        words = [sys.executable, *shlex.split(command.line)[1:]]
        run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout.rstrip() == command.output
    assert "least_left" in followed[-1].output
