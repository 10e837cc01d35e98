"""Puts somebody's files among the traces: the verb `add`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pipeline import drops
from pipeline.runtime import storage
from pipeline.runtime.bounded import Bounds
from pipeline.stages import one_drop


def add(
    source: Path,
    root: Path,
    name: str | None = None,
    *,
    copy: bool = False,
    write: bool = False,
    **bounds: Bounds,
) -> tuple[str, int]:
    """Make a drop of a file or a folder, if it can be read: what `check` says of it, and the exit code.

    A file is linked (a second name of the same file) or, where that cannot be, copied into the folder
    `<root>/<name>`; a folder is linked as a whole. copy: both are copied. name: by default that of the source. write:
    where a trace.yaml is needed and can be proposed, put it into the drop. bounds: see one_drop.check. Nothing is left
    of a drop that would be refused. Raises ValueError for a name that is taken or cannot be one, and FileNotFoundError
    where there is no such source or root.
    """
    if not source.exists():
        raise FileNotFoundError(f"{source} does not exist")
    if not root.is_dir():
        raise FileNotFoundError(f"{root} is no folder of traces here; name yours with --root, or go to the project's")
    source = source.resolve()
    name = drops.name_for(source) if name is None else name
    if not drops.DROP_NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} cannot be the name of a drop: letters, digits, '_' and '-', not in front, "
            "128 at most, and no 20 repeats at the end"
        )
    target = root / name
    if os.path.lexists(target):
        same = target.resolve() == source
        raise ValueError(
            f"{target} is there already" + ("" if same else f"; name the new one with --name, as {target.name}-2")
        )
    if target.resolve().is_relative_to(source):
        raise ValueError(f"{target} would lie inside {source}; move the folder, or add a part of it")
    try:
        place(source, target, copy)
        text, code = one_drop.check(target, full=False, write=write, **bounds)
        if write and code == 2:
            text, code = one_drop.check(target, full=False, write=False, **bounds)
    except BaseException:
        _remove(target)
        raise
    if code == 2:
        _remove(target)
        hint = "" if write else "; where a trace.yaml is proposed and right, --write takes it"
        return f"{text}\nnothing was added{hint}", code
    return f"{text}\nadded as {target}; `make` reads it, `apportion answer {target.name}` then gives its answers", code


def place(source: Path, target: Path, copy: bool) -> None:
    """Put a file or folder at `target`, as a drop: linked, or copied where asked or where it cannot be linked."""
    if source.is_dir() and not copy:
        target.symlink_to(source, target_is_directory=True)
    elif source.is_dir():
        with storage.replacing_folder(target) as part:
            shutil.copytree(source, part, dirs_exist_ok=True)
    else:
        with storage.replacing_folder(target) as part:
            try:
                if copy:
                    raise OSError
                os.link(source, part / source.name)
            except OSError:
                shutil.copy2(source, part / source.name)


def _remove(target: Path) -> None:
    """Remove what was put there, and nothing that it links to."""
    if target.is_symlink():
        target.unlink()
    elif target.is_dir():
        shutil.rmtree(target)
