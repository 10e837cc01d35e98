"""Whether there is memory enough to read a drop, asked before it is read.

A reader that holds what it reads offers `memory_bytes(drop, files)`: what it will have in memory at its peak, from the
sizes of the files and a constant a row that was measured (docs/guides/scale-out.md). Readers without one stream.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from pipeline.drops import Drop

PROC, CONTROL_GROUPS = Path("/proc"), Path("/sys/fs/cgroup")
# Limit, use, and the line of memory.stat with what of the use can be dropped, of both versions of control groups.
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
V2 = ("memory.max", "memory.current", "inactive_file")


class MemoryTooSmall(OSError):  # noqa: N818 - says what is so; nothing is wrong with the drop
    """Reading a drop would take more memory than there is; the message has both figures."""


def available_bytes(proc: Path = PROC, control_groups: Path = CONTROL_GROUPS) -> int | None:
    """Memory that this process may yet take: what the system has left, swap too, or less by its control groups.

    None where neither can be told, as on other systems than Linux.
    """
    known = [*_of_system(proc), *_of_groups(proc, control_groups)]
    return min(known) if known else None


def needed_bytes(module: ModuleType, drop: Drop, files: list[Path]) -> int | None:
    """Peak memory of reading these files of a drop; None where its reader streams, or a file cannot be looked into."""
    if not hasattr(module, "memory_bytes"):
        return None
    try:
        return module.memory_bytes(drop, files)
    except (OSError, EOFError, ValueError):
        # Reading will meet the same fault, and say what it is.
        return None


def shortage(module: ModuleType, drop: Drop, files: list[Path]) -> str | None:
    """A sentence where reading the files needs more memory than is available, else None."""
    needed, available = needed_bytes(module, drop, files), available_bytes()
    if needed is None or available is None or needed <= available:
        return None
    return (
        f"drop {drop.name} needs about {needed / 1e9:.2g} GB of memory to be read as {module.FORMAT} and "
        f"{available / 1e9:.2g} GB are available; end other programs, give the job more (mem_mb on a cluster), or "
        "split the files into several drops"
    )


def require(module: ModuleType, drop: Drop, files: list[Path]) -> None:
    """Raise MemoryTooSmall where reading the files needs more memory than is available."""
    sentence = shortage(module, drop, files)
    if sentence:
        raise MemoryTooSmall(sentence)


def _of_system(proc: Path) -> Iterator[int]:
    text = _read(proc / "meminfo")
    meminfo = {name: int(kilobytes) * 1024 for name, kilobytes in re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE)}
    if "MemAvailable" in meminfo:
        yield meminfo["MemAvailable"] + meminfo.get("SwapFree", 0)


def _of_groups(proc: Path, control_groups: Path) -> Iterator[int]:
    """What each of the control groups around this process leaves of its limit."""
    for line in _read(proc / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        names = V1 if controllers else V2
        root = control_groups / "memory" if controllers else control_groups
        # Inside a container the path is that outside of it, and the files lie at the root.
        for folder in [root, *(root.joinpath(*part) for part in _ancestors(path))]:
            left = _left(folder, *names)
            if left is not None:
                yield left


def _ancestors(path: str) -> Iterator[list[str]]:
    parts = [part for part in path.split("/") if part]
    for length in range(1, len(parts) + 1):
        yield parts[:length]


def _left(folder: Path, limit: str, use: str, droppable: str) -> int | None:
    """Bytes below the limit of a group; None where it has none, which version 2 calls max."""
    stated, used = _read(folder / limit).strip(), _read(folder / use).strip()
    if not stated.isdigit() or not used.isdigit():
        return None
    cache = re.search(rf"^{droppable} (\d+)$", _read(folder / "memory.stat"), re.MULTILINE)
    return max(int(stated) - int(used) + (int(cache[1]) if cache else 0), 0)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
