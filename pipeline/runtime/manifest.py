"""Whether results are still what a stage left: a manifest in each of their folders, written last, and beside a file.

A manifest names each file with its bytes, its SHA-256 and, of Parquet, its rows. The same files have the same manifest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from pipeline.runtime import storage

FILE = "manifest.json"
STAMP = ".built"
"""What the name of the manifest of a single file ends in."""
DEPTHS = {"ingest": 1, "fit": 1, "fidelity": 2, "scenarios": 2, "replay": 4}
"""Stages whose folders of results have manifests, with how deep they lie below the stage's own folder."""


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """`storage.replacing_folder` for results: what was written gets its manifest before it takes its place."""
    with storage.replacing_folder(target) as part:
        yield part
        seal(part)


def seal(folder: Path) -> None:
    """Write the manifest of the files that are in a folder."""
    _write({path.name: _entry(path) for path in _files(folder)}, folder / FILE)


def seal_file(path: Path) -> None:
    """Write the manifest of a single file beside it."""
    _write({path.name: _entry(path)}, stamp(path))


def stamp(path: Path) -> Path:
    """The manifest of a single file."""
    return path.with_name(path.name + STAMP)


def sha256(path: Path) -> str:
    """Hash of a file of a folder, as the folder's manifest has it."""
    return _read(path.parent / FILE)[path.name]["sha256"]


def require_whole(*folders: Path) -> None:
    """Raise ValueError with a sentence where a file of the folders is missing, damaged, changed, or one too many.

    Folders that are not there are not looked at.
    """
    for folder in folders:
        damage = fault(folder) if folder.is_dir() else None
        if damage:
            raise ValueError(f"{damage}; remove the folder and run again: rm -rf {folder}")


def fault(folder: Path, *, quick: bool = False) -> str | None:
    """What a file of the folder is otherwise than its manifest says, in words; None where all are as they were.

    quick: a file that is no newer than the manifest is told by its size alone.
    """
    listed = _read(folder / FILE)
    if listed is None:
        return f"{folder / FILE} is damaged" if (folder / FILE).exists() else f"{folder / FILE} is missing"
    more = [path for path in _files(folder) if path.name not in listed]
    if more:
        return f"{more[0]} is none of the files that were written"
    faults = (_fault(folder / name, entry, folder / FILE, quick) for name, entry in listed.items())
    return next(filter(None, faults), None)


def fault_of_file(path: Path, *, quick: bool = False) -> str | None:
    """What a single file is otherwise than the manifest beside it says, in words; None where it is as it was."""
    listed = _read(stamp(path))
    if listed is None or path.name not in listed:
        return f"{stamp(path)} is missing or damaged"
    return _fault(path, listed[path.name], stamp(path), quick)


def damaged(results: Path) -> dict[Path, str]:
    """Folders of results that are not what the stages left, each with what is wrong with it (fault, quick)."""
    faults = {}
    for stage, depth in DEPTHS.items():
        folders = results.glob("/".join([stage, *["[!.]*"] * depth]))
        faults |= {folder: fault(folder, quick=True) for folder in folders if folder.is_dir()}
    return {folder: text for folder, text in sorted(faults.items()) if text}


def _files(folder: Path) -> list[Path]:
    """The files of a folder that a stage wrote; what Snakemake adds begins with a dot."""
    return sorted(path for path in folder.glob("[!.]*") if path.name != FILE)


def _entry(path: Path) -> dict[str, Any]:
    entry = {"bytes": path.stat().st_size, "sha256": _sha256(path)}
    return entry | ({"rows": pq.read_metadata(path).num_rows} if path.suffix == ".parquet" else {})


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _fault(path: Path, entry: dict[str, Any], manifest: Path, quick: bool) -> str | None:
    if not path.is_file():
        return f"{path} is missing" + (f", with {entry['rows']:,} rows" if "rows" in entry else "")
    state = path.stat()
    if state.st_size != entry["bytes"]:
        return f"{path} is damaged, it has {state.st_size:,} bytes and was written with {entry['bytes']:,}"
    if quick and state.st_mtime_ns <= manifest.stat().st_mtime_ns:
        return None
    return None if _sha256(path) == entry["sha256"] else f"{path} was changed after it was written"


def _write(listed: dict[str, dict[str, Any]], target: Path) -> None:
    with storage.replacing_file(target) as part:
        part.write_text(json.dumps(listed, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _read(manifest: Path) -> dict[str, dict[str, Any]] | None:
    """What a manifest lists; None where it is missing or damaged."""
    try:
        listed = json.loads(manifest.read_text(encoding="utf-8"))
        whole = all({"bytes", "sha256"} <= entry.keys() for entry in listed.values())
    except (FileNotFoundError, ValueError, AttributeError):
        return None
    return listed if whole else None
