"""Checks the machine and the folder before a run: what is there, what is missing, and how to fix it.

Only the standard library is imported at the top, so that a broken environment can be examined, too.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from pipeline.runtime import one_run, sources

OLDEST_PYTHON = (3, 11)
DISK_GB, MEMORY_GB = 2.0, 2.0
"""What the default run needs: its results take 0.6 GB, and its largest job 0.8 GB beside the one of the other core."""
MOST_NAMED = 5

OK, NOTE, BAD = "ok", "note", "BAD"


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `state`: OK, NOTE (good to know, nothing stops) or BAD (a run would fail)."""

    state: str
    topic: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.state:<5}{self.topic:<10}{self.sentence}"


def examine(results: Path, roots: Sequence[Path], lock: Path | None = None) -> list[Finding]:
    """All findings, in the order of a setup. `lock`: the file of pinned versions (default: the project's)."""
    looks: list[Callable[[], Iterator[Finding]]] = [
        _python,
        lambda: _packages(lock or sources.ROOT / "requirements.lock"),
        _cores,
        _memory,
        lambda: _disk(results),
        lambda: _writable(results),
        _kernels,
        lambda: _under_way(Path.cwd()),
        lambda: _drops(roots),
        lambda: _database(results),
        _chromium,
    ]
    return [finding for look in looks for finding in look()]


def trace_roots(settings: Path | None) -> list[Path]:
    """The trace roots that a configuration file names; the default's without a file, or where it names none.

    Raises OSError where the file cannot be read and ValueError where it is no configuration.
    """
    if settings is None:
        return [Path("traces")]
    import yaml

    from pipeline import config

    try:
        content = yaml.safe_load(settings.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{settings} is not YAML: {error}") from None
    return [Path(root) for root in config.parse(content or {}).trace_roots]


def text(findings: Sequence[Finding]) -> str:
    """The findings, a line each, and what they come to."""
    bad = sum(finding.state == BAD for finding in findings)
    verdict = "ready: make" if not bad else f"{bad} of {len(findings)} findings would stop a run"
    return "\n".join([*map(str, findings), verdict])


def code(findings: Sequence[Finding]) -> int:
    """Exit code: 1 where something would stop a run, else 0."""
    return int(any(finding.state == BAD for finding in findings))


def pinned(lock: Path) -> list[tuple[str, str, str]]:
    """Name, version and environment marker ("" for none) of each line of a file of pinned versions."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    matches = (re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*([^\\]+))?", line) for line in lines)
    return [(match[1], match[2], (match[3] or "").strip()) for match in matches if match]


def needed_for_a_run(project: Path) -> set[str]:
    """Packages that the project's pyproject.toml asks for without its extras, and what these ask for here."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    settings = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    waiting, needed = list(settings["dependencies"]), set()
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if applies and name not in needed:
            needed.add(name)
            with contextlib.suppress(metadata.PackageNotFoundError):
                waiting += metadata.requires(name) or []
    return needed


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        yield Finding(BAD, "python", f"{version}; {oldest} or later is needed: make PYTHON3=/path/to/python3")
    else:
        yield Finding(OK, "python", f"{version}, {sys.executable}")


def _packages(lock: Path) -> Iterator[Finding]:
    try:
        from packaging.markers import Marker

        needed = needed_for_a_run(sources.ROOT / "pyproject.toml")
        pins = [(name, version) for name, version, marker in pinned(lock) if not marker or Marker(marker).evaluate()]
    except ImportError:
        yield Finding(
            BAD, "packages", "packaging is not there, so the environment is not whole; remove .venv, run make"
        )
        return
    except OSError as error:
        yield Finding(NOTE, "packages", f"versions are not compared with those of the lock: {error}")
        return
    missing, other, same = [], [], 0
    for name, wanted in pins:
        try:
            installed = metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
            continue
        if installed == wanted:
            same += 1
        else:
            other.append(f"{name} {installed} in place of {wanted}")
    stopping, others = ([name for name in missing if (name in needed) is stops] for stops in (True, False))
    if stopping:
        yield Finding(BAD, "packages", f"missing: {_listing(stopping)}; remove .venv and run make")
    if others:
        yield Finding(NOTE, "packages", f"missing for tests, style or documentation: {_listing(others)}")
    if other:
        yield Finding(NOTE, "packages", f"not the versions of {lock.name}: {_listing(other)}")
    if same and not stopping:
        yield Finding(OK, "packages", f"{same} as in {lock.name}")


def _cores() -> Iterator[Finding]:
    count = len(os.sched_getaffinity(0))
    yield Finding(OK, "cores", f"{count}; a job takes one, make uses all of them (make CORES=1: one)")


def _memory() -> Iterator[Finding]:
    page = os.sysconf("SC_PAGE_SIZE")
    total_gb, free_gb = (os.sysconf(name) * page / 1e9 for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES"))
    available = re.search(r"^MemAvailable:\s+(\d+) kB", _read("/proc/meminfo"), re.MULTILINE)
    free_gb = int(available[1]) * 1024 / 1e9 if available else free_gb
    sentence = f"{free_gb:.1f} of {total_gb:.1f} GB available"
    if free_gb < MEMORY_GB:
        yield Finding(
            NOTE, "memory", f"{sentence}; the default run wants {MEMORY_GB:.0f} GB on two cores: make CORES=1"
        )
    else:
        yield Finding(OK, "memory", sentence)


def _disk(results: Path) -> Iterator[Finding]:
    folder = next(parent for parent in (results.absolute(), *results.absolute().parents) if parent.is_dir())
    free_gb = shutil.disk_usage(folder).free / 1e9
    if free_gb < DISK_GB:
        yield Finding(BAD, "disk", f"{free_gb:.1f} GB free at {folder}; the default run wants {DISK_GB:.0f} GB")
    else:
        yield Finding(OK, "disk", f"{free_gb:.1f} GB free at {folder}")


def _writable(results: Path) -> Iterator[Finding]:
    for folder in (results.absolute(), Path.cwd() / ".snakemake"):
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        if not there.is_dir():
            yield Finding(BAD, "writing", f"{there} is a file and has to be a folder; move it away")
        elif not os.access(there, os.W_OK):
            yield Finding(BAD, "writing", f"{there} may not be written to; run in a folder of your own")
        else:
            yield Finding(OK, "writing", f"{folder} may be written to")


def _kernels() -> Iterator[Finding]:
    folder = sources.kernel_folder()
    compiled = sum(1 for _ in folder.rglob("*.nbc")) if folder.is_dir() else 0
    if not os.access(folder, os.W_OK):
        yield Finding(
            NOTE, "kernels", f"{folder} may not be written to, so each process compiles; set NUMBA_CACHE_DIR to another"
        )
    elif compiled:
        yield Finding(OK, "kernels", f"{compiled} compiled ones in {folder}")
    else:
        yield Finding(NOTE, "kernels", f"none compiled in {folder}; the first run takes a few minutes more")


def _under_way(project: Path) -> Iterator[Finding]:
    if one_run.held(project / one_run.LOCK):
        yield Finding(NOTE, "lock", "a run is under way in this folder; a second one will not start before it ends")
    else:
        yield Finding(OK, "lock", "no run is under way in this folder")


def _drops(roots: Sequence[Path]) -> Iterator[Finding]:
    try:
        from pipeline import drops
        from pipeline.drops import memory
        from pipeline.readers import _recognise
    except ImportError as error:
        yield Finding(BAD, "drops", f"cannot be looked at: {error}")
        return
    try:
        folders = drops.discover(roots)
    except FileNotFoundError as error:
        yield Finding(BAD, "drops", str(error))
        return
    if not folders:
        yield Finding(NOTE, "drops", f"none below {', '.join(map(str, roots))}; synthetic workloads run all the same")
    for folder in folders:
        try:
            if folder.refusal:
                raise folder.refusal
            drop = drops.load(folder.path)
            files, _ = drops.contents(drop)
            known = _recognise.identify(drop, files)
            module, drop = known.module, known.drop
            shortage = memory.shortage(module, drop, module.recognises(files, drop.settings))
            if shortage:
                yield Finding(BAD, "drop", shortage)
            else:
                yield Finding(OK, "drop", f"{folder.key}: {module.FORMAT}")
        except drops.Refusal as refusal:
            yield Finding(NOTE, "drop", f"{folder.key} will be refused: {refusal.detail}")


def _database(results: Path) -> Iterator[Finding]:
    database = results / "apportion.duckdb"
    if database.is_file():
        yield Finding(OK, "database", f"{database}, {database.stat().st_size / 1e6:.0f} MB: apportion status")
    else:
        yield Finding(NOTE, "database", f"{database} is not there yet; make builds it")


def _chromium() -> Iterator[Finding]:
    browser = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if browser:
        yield Finding(OK, "chromium", f"{browser}, for the tests of the page")
    else:
        yield Finding(NOTE, "chromium", "not there; the tests that try the page in a browser will be skipped")


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def _listing(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
