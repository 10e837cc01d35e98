"""Why a drop, or a file of one, is not used; and which files of a drop may be read at all."""

from __future__ import annotations

import os
from pathlib import Path

SETTINGS_FILE = "trace.yaml"


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
    if not path.is_file() and not path.is_dir():
        return Refusal("not_a_file", f"{name} is neither a file nor a folder", file=name)
    return None
