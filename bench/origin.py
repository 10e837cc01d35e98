"""Where figures come from: the day, the machine and the code's commit."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime

from pipeline.runtime.sources import ROOT


def day() -> str:
    """Today in UTC, ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def machine() -> str:
    """Cores this process may use, Python, system."""
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def commit() -> str:
    """Commit of the code, with a plus sign where it was changed since; empty outside a repository."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=9"], cwd=ROOT, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
