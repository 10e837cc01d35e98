"""Why a drop, or a file of one, is not used; and which files of a drop may be read at all."""

from __future__ import annotations

import errno
import os
import traceback
from pathlib import Path

SETTINGS_FILE = "trace.yaml"
LONGEST_ERROR = 300


class Refusal(Exception):  # noqa: N818 - a refusal is an outcome, kept as a result
    """A drop, or a file of one, that is not used.

    `reason` is the code kept in `rejected_rows`, `detail` the sentence beside it, `file` the file inside the drop
    (None: the drop as a whole) and `row` the line or row, from 1. `proposed` is the text of a `trace.yaml` to try.
    """

    def __init__(
        self, reason: str, detail: str, *, file: str | None = None, row: int | None = None, proposed: str | None = None
    ):
        super().__init__(detail)
        self.reason, self.detail, self.file, self.row, self.proposed = reason, detail, file, row, proposed


MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Errors of a system that has no room, and of nothing that lies in a drop."""


def failed(error: BaseException, folder: Path) -> Refusal | None:
    """The refusal of a drop over which recognition or reading failed; None where what failed is the machine.

    Of an OSError the drop is to blame where it names a file of the drop; memory that runs out is the machine's.
    """
    if isinstance(error, (MemoryError, KeyboardInterrupt, SystemExit, GeneratorExit)):
        return None
    if isinstance(error, OSError):
        named = Path(os.fsdecode(error.filename)) if isinstance(error.filename, (str, bytes)) else None
        if error.errno in MACHINE or named is None or not named.is_relative_to(folder):
            return None
    file = _last_file(error, folder)
    where = f" over {file}" if file else ""
    what = str(error)[:LONGEST_ERROR] or "no message"
    return Refusal(
        "reader_failed",
        f"reading failed{where} ({type(error).__name__}: {what}), so nothing of the drop is used",
        file=file,
    )


def _last_file(error: BaseException, folder: Path) -> str | None:
    """The file of the drop that the innermost call with one was about."""
    file = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            if isinstance(value, Path) and value != folder and value.is_relative_to(folder):
                file = value.relative_to(folder).as_posix()
    return file


def readable(path: Path, folder: Path) -> bool:
    """Whether `path` is a file of the drop in `folder`, and not a link out of it."""
    return path.is_file() and entry_refusal(path, folder) is None


def entry_refusal(path: Path, folder: Path) -> Refusal | None:
    """Why an entry of a drop may not be read; None where it may."""
    name = path.relative_to(folder).as_posix()
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(name).decode(errors="backslashreplace")
        return Refusal(
            "name_not_utf8", f"the name {shown} is not UTF-8, so no table can hold it; rename the file", file=shown
        )
    try:
        return _kind_refusal(path, folder, name)
    except OSError as error:
        return unreadable_entry(name, error)


def _kind_refusal(path: Path, folder: Path, name: str) -> Refusal | None:
    """Why an entry that is what it is may not be read; raises OSError where the system does not tell."""
    if path.is_symlink():
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return Refusal("link_broken", f"{name} is a link to nothing; replace it by the file itself", file=name)
        if not target.is_relative_to(folder.resolve()):
            return Refusal(
                "link_outside",
                f"{name} is a link that leads out of the drop and is not followed; copy the file into the drop",
                file=name,
            )
    is_folder = path.is_dir()
    if not is_folder and not path.is_file():
        return Refusal("not_a_file", f"{name} is neither a file nor a folder", file=name)
    needed = os.R_OK | os.X_OK if is_folder else os.R_OK
    if not os.access(path, needed, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return None


def unreadable_entry(name: str, error: OSError) -> Refusal:
    """The refusal of a file or folder of a drop that the system does not let this user read."""
    what = error.strerror or type(error).__name__
    shown = name if len(name) <= LONGEST_ERROR else f"{name[:LONGEST_ERROR]}…"
    return Refusal("entry_unreadable", f"{shown} cannot be read ({what.lower()}) and is left out", file=shown)
