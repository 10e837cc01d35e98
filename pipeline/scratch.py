"""Rows that wait on disk in parts: what is sorted or grouped as a whole without ever being held as a whole."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np


class Scratch:
    """Rows of one dtype in a temporary file, written piece by piece to any part, read back a part at a time.

    folder: where the file lies (no name of it is ever seen); beside the results rather than where the system puts
    temporary files, which may be memory.
    """

    def __init__(self, dtype: np.dtype, folder: Path | None = None):
        self._dtype = np.dtype(dtype)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed with the object)
        self._pieces: dict[int, list[tuple[int, int]]] = {}
        self._end = 0

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, part: int, rows: np.ndarray) -> None:
        """Add rows to a part."""
        self._file.seek(self._end)
        self._file.write(np.ascontiguousarray(rows, self._dtype).data)
        self._pieces.setdefault(part, []).append((self._end, len(rows)))
        self._end += len(rows) * self._dtype.itemsize

    def read(self, part: int) -> np.ndarray:
        """The rows of a part in the order in which they were written."""
        pieces = self._pieces.get(part, [])
        rows = np.empty(sum(count for _, count in pieces), self._dtype)
        filled = 0
        for begin, count in pieces:
            self._file.seek(begin)
            self._file.readinto(rows[filled : filled + count].data)
            filled += count
        return rows
