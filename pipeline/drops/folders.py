"""Drops and the folders that hold them: found below the trace roots, and known by their content."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.drops.files import SETTINGS_FILE, Refusal, entry_refusal, readable, unreadable_entry
from pipeline.drops.settings import DropSettings, settings_of
from pipeline.runtime.wording import did_you_mean

ENDINGS = (
    *(".gz", ".csv", ".tsv", ".parquet", ".txt", ".log", ".json", ".swf", ".sacct", ".psv", ".edges"),
    *(".mtx", ".el", ".dat", ".out"),
)
"""Ends of file names that say what the file is, and not what it is about."""
SMALL_BYTES = 4 << 20
"""Of drops up to this size starting a job for each scheduler takes longer than its replay (configuration: together)."""
MOST_FILES = 200_000
"""Files and folders of a drop: to look at them all takes seconds, each time that a run begins."""
LONGEST_NAME, LONGEST_SHORT = 128, 100
"""Characters of a drop's name, and of one that is made from another."""
DROP_NAME = re.compile(rf"(?!.*(.+)\1{{19}}$)[A-Za-z0-9_][A-Za-z0-9_-]{{0,{LONGEST_NAME - 1}}}")
"""Safe in commands, paths and patterns of Snakemake; with a dash in front it would be an option of a command.

Snakemake refuses names that end in 20 or more repeats, for all of a run (PeriodicWildcardError)."""


@dataclass(frozen=True)
class Drop:
    """A data drop: folder name, path and the settings of its `trace.yaml`.

    scratch: a folder in which its reader may keep for a while what does not fit into memory.
    """

    name: str
    path: Path
    settings: DropSettings = field(default_factory=DropSettings)
    scratch: Path | None = None


@dataclass(frozen=True)
class Folder:
    """A sub-folder of a trace root.

    `key` is unique and safe in file names: the folder's name, or for a folder refused by its name one made from it.
    """

    key: str
    path: Path
    refusal: Refusal | None = None


def discover(roots: Sequence[Path]) -> list[Folder]:
    """Sub-folders of the trace roots, by name; hidden ones are left out.

    A folder with a name that cannot serve as a drop's, or with the name of a drop in an earlier root, carries its
    refusal and leaves the others alone. Raises FileNotFoundError for a root that is not a folder.
    """
    folders: dict[str, Folder] = {}
    for root in roots:
        if not root.is_dir():
            raise FileNotFoundError(f"trace root {root} is not a folder; create it or take it out of trace_roots")
        for path in sorted(p for p in root.iterdir() if p.is_dir() and not p.name.startswith(".")):
            refusal = _name_refusal(path.name)
            key = path.name if refusal is None else _safe_key(path.name)
            if key in folders:
                first = folders[key].path.parent.name
                refusal = Refusal(
                    "drop_duplicate",
                    f"a drop named {path.name!r} was already found in trace root {first!r}; rename one of the two",
                )
                key = next(k for n in range(2, len(folders) + 3) if (k := f"{key}-{n}") not in folders)
            folders[key] = Folder(key, path, refusal)
    return sorted(folders.values(), key=lambda folder: folder.key)


def _name_refusal(name: str) -> Refusal | None:
    if DROP_NAME.fullmatch(name):
        return None
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") or "trace"
    if plain == name:
        wrong, plain = f"has more than {LONGEST_NAME} characters or ends in 20 or more repeats", _ending(plain)
    else:
        wrong = "begins with '-' or holds characters other than letters, digits, '_' and '-'"
    return Refusal("drop_name", f"folder name {name!r} {wrong}; rename the folder, for example to {plain!r}")


def _ending(name: str) -> str:
    """The name without what is too long, and without what repeats itself at its end."""
    return re.sub(r"(.+?)\1{18,}$", r"\1", name[:LONGEST_SHORT])


def _safe_key(name: str) -> str:
    # The digest keeps names apart that differ only in the characters replaced.
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:LONGEST_SHORT] or "trace"
    return f"{plain}-{digest}"


def name_for(source: Path) -> str:
    """A name for a drop of a file or folder: its own, with what cannot be in a drop's name replaced."""
    plain = source.name
    while source.is_file() and plain.lower().endswith(ENDINGS):
        plain = plain.rpartition(".")[0]
    return _ending(re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-")) or "trace"


def load(path: Path, name: str | None = None) -> Drop:
    """The drop in folder `path`, with its name or another one; raises Refusal for the name or its `trace.yaml`."""
    refusal = _name_refusal(name or path.name)
    if refusal:
        raise refusal
    return Drop(name or path.name, path, settings_of(path))


def of_file(path: Path) -> Drop:
    """A drop of one file, named after it, with default settings; raises Refusal for what may not be read."""
    refusal = entry_refusal(path, path.parent)
    if refusal:
        raise refusal
    return Drop(name_for(path), path.parent)


def contents(drop: Drop) -> tuple[list[Path], list[Refusal]]:
    """Files of the drop that may be read, by path, and the entries that may not.

    Hidden files and `trace.yaml` are left out. Linked folders are not entered: one that lies inside the drop is seen
    where it lies, one outside is refused, like every link to a file outside. Raises Refusal where they are more than
    MOST_FILES.
    """
    files, refusals, seen = [], [], 0
    waiting = [drop.path]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                there = itertools.islice(entries, MOST_FILES + 1 - seen)
                names = sorted(entry.name for entry in there if not entry.name.startswith("."))
        except OSError as error:
            # The drop's own folder has no other name than its own.
            refusals.append(unreadable_entry((folder.relative_to(drop.path)).as_posix(), error))
            continue
        seen += len(names)
        if seen > MOST_FILES:
            raise Refusal("files_too_many", f"more than {MOST_FILES:,} files and folders; pack them into fewer files")
        for path in (folder / name for name in names):
            refusal = entry_refusal(path, drop.path)
            if refusal:
                refusals.append(refusal)
            elif path.is_dir() and not path.is_symlink():
                waiting.append(path)
            elif not path.is_dir() and path != drop.path / SETTINGS_FILE:
                files.append(path)
    return sorted(files), sorted(refusals, key=lambda refusal: refusal.file)


def fingerprint(folder: Path) -> str:
    """Hash of what ingest would see of a drop: names, sizes and times of its entries, down to the refused ones."""
    return _digest(folder, lambda _, state: f"{state.st_size}\0{state.st_mtime_ns}")


def content(folder: Path) -> str:
    """Hash by which the workflow sees that a drop has changed and has to be read again, replaced by older files or not.

    It is of names and contents; where these are more than SMALL_BYTES, of names, sizes and times in seconds. Archives
    keep no more of a time, so a copy of a finished project has nothing to do.
    """
    if size(folder) <= SMALL_BYTES:
        return _digest(folder, lambda path, _: hashlib.sha256(path.read_bytes()).hexdigest())
    return _digest(folder, lambda _, state: f"{state.st_size}\0{int(state.st_mtime)}")


def _digest(folder: Path, state_of: Callable[[Path, os.stat_result], str]) -> str:
    drop = Drop(folder.name, folder, DropSettings())
    try:
        files, refusals = contents(drop)
    except Refusal as refusal:
        return f"{refusal.reason}\0{folder.stat().st_mtime_ns}"
    digest = hashlib.sha256()
    settings = folder / SETTINGS_FILE
    # A named pipe of that name would be waited for.
    for path in [settings, *files] if readable(settings, folder) else files:
        try:
            state = state_of(path, path.stat())
        except OSError:
            continue
        digest.update(f"{path.relative_to(folder)}\0{state}\n".encode(errors="replace"))
    for refusal in refusals:
        digest.update(f"{refusal.reason}\0{refusal.file}\n".encode(errors="replace"))
    return digest.hexdigest()


def size(folder: Path) -> int:
    """Bytes of the files that ingest would see of a drop; one that has gone in the meantime has none."""
    total_bytes = 0
    with contextlib.suppress(Refusal):
        for path in contents(Drop(folder.name, folder, DropSettings()))[0]:
            with contextlib.suppress(FileNotFoundError):
                total_bytes += path.stat().st_size
    return total_bytes


def require(names: Iterable[str], known: Iterable[str]) -> None:
    """Raise ValueError for a drop that the configuration names and nobody has dropped."""
    known = list(known)
    for name in names:
        if name not in known:
            raise ValueError(f"no drop {name!r} under the trace roots{did_you_mean(name, known)}")
