"""What is missing for a run: Python, packages of the lock, free space, folders that can be written, nvcc for the probe.

Only the standard library is imported at the top, so that a broken environment can be examined, too.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from pipeline.runtime import sources

OLDEST_PYTHON = (3, 11)
DISK_GB = 2.0
"""What the default run needs: its results take 0.6 GB."""


def missing(results: Path, lock: Path | None = None, *, probe: bool = False) -> list[str]:
    """A sentence for each thing that is missing. `lock`: the file of pinned versions (default: the project's)."""
    found = [*_python(), *_packages(lock or sources.ROOT / "requirements.lock"), *_disk(results), *_writable(results)]
    if probe and shutil.which("nvcc") is None:
        found.append("nvcc is not there, and the probe is compiled with it: make probe NVCC=/path/to/nvcc")
    return found


def pinned(lock: Path) -> list[tuple[str, str]]:
    """Name and environment marker ("" for none) of each line of a file of pinned versions."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    matches = (re.match(r"([A-Za-z0-9._-]+)==[^\s;\\]+(?:\s*;\s*([^\\]+))?", line) for line in lines)
    return [(match[1], (match[2] or "").strip()) for match in matches if match]


def _needed(project: Path) -> set[str]:
    """Packages that the project's pyproject.toml asks for to run the workflow, and what these ask for here."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    settings = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    waiting, needed = settings["dependencies"] + settings["optional-dependencies"]["workflow"], set()
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and name not in needed:
            needed.add(name)
            with contextlib.suppress(metadata.PackageNotFoundError):
                waiting += metadata.requires(name) or []
    return needed


def _python() -> Iterator[str]:
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        yield f"Python is {sys.version.split()[0]}; {oldest} or later is needed: make PYTHON3=/path/to/python3"


def _packages(lock: Path) -> Iterator[str]:
    try:
        from packaging.markers import Marker
    except ImportError:
        yield "packaging is not there, so the environment is not whole; remove .venv, run make"
        return
    needed = _needed(sources.ROOT / "pyproject.toml")
    absent = []
    for name, marker in pinned(lock):
        if name in needed and (not marker or Marker(marker).evaluate()):
            try:
                metadata.version(name)
            except metadata.PackageNotFoundError:
                absent.append(name)
    if absent:
        yield f"packages are missing: {', '.join(absent)}; remove .venv and run make"


def _disk(results: Path) -> Iterator[str]:
    folder = next(parent for parent in (results.absolute(), *results.absolute().parents) if parent.is_dir())
    free_gb = shutil.disk_usage(folder).free / 1e9
    if free_gb < DISK_GB:
        yield f"{free_gb:.1f} GB are free at {folder}; the default run needs {DISK_GB:.0f} GB"


def _writable(results: Path) -> Iterator[str]:
    for folder in (results.absolute(), Path.cwd() / ".snakemake"):
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        if not there.is_dir():
            yield f"{there} is a file and has to be a folder; move it away"
        elif not os.access(there, os.W_OK):
            yield f"{there} may not be written to; run in a folder of your own"
