"""Programs of others from the package index, in environments of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from pipeline.runtime.sources import ROOT

FOLDER = ROOT / ".bench"


class Unavailable(Exception):  # noqa: N818 - an outcome that is shown as a row, not a fault
    """A program cannot be had or does not run here; the message says why."""


def environment(folder: Path, name: str, requirements: Sequence[str]) -> Path:
    """The interpreter of an environment in `folder` with these packages, which is made on first use and kept.

    `name` says to a reader what is in it. Raises Unavailable where it cannot be installed.
    """
    python = folder / "bin" / "python"
    complete = folder / f"{'+'.join(requirements)}.installed"
    if complete.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"]
    for command in ([sys.executable, "-m", "venv", folder], [*pip, *requirements]):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
            raise Unavailable(f"{name} could not be installed: {lines[-1]}")
    complete.touch()
    return python
