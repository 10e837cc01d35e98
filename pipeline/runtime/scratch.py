"""Rows that wait on disk in parts: what is sorted or grouped as a whole without ever being held as a whole."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import numpy as np
import polars as pl


class _Pieces:
    """A temporary file of pieces of bytes, each belonging to a part.

    folder: where the file lies (no name of it is ever seen); beside the results rather than where the system puts
    temporary files, which may be memory.
    """

    def __init__(self, folder: Path | None = None):
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed with the object)
        self._pieces: dict[int, list[tuple[int, int]]] = {}
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _append(self, part: int, content: memoryview) -> None:
        self._file.seek(self._end)
        self._file.write(content)
        self._pieces.setdefault(part, []).append((self._end, content.nbytes))
        self._end += content.nbytes

    def _read_into(self, begin: int, room: memoryview) -> None:
        self._file.seek(begin)
        self._file.readinto(room)


class Scratch(_Pieces):
    """Rows of one dtype in a temporary file, written piece by piece to any part, read back a part at a time."""

    def __init__(self, dtype: np.dtype, folder: Path | None = None):
        super().__init__(folder)
        self._dtype = np.dtype(dtype)

    def write(self, part: int, rows: np.ndarray) -> None:
        """Add rows to a part."""
        self._append(part, np.ascontiguousarray(rows, self._dtype).data)

    def read(self, part: int) -> np.ndarray:
        """The rows of a part in the order in which they were written."""
        pieces = self._pieces.get(part, [])
        rows = np.empty(sum(size for _, size in pieces) // self._dtype.itemsize, self._dtype)
        filled = 0
        for begin, size in pieces:
            past = filled + size // self._dtype.itemsize
            self._read_into(begin, rows[filled:past].data)
            filled = past
        return rows


class FrameScratch(_Pieces):
    """Frames in a temporary file, written to any part, read back a part at a time."""

    def write(self, part: int, frame: pl.DataFrame) -> None:
        """Add a frame to a part."""
        content = io.BytesIO()
        frame.write_ipc_stream(content)
        self._append(part, content.getbuffer())

    def read(self, part: int) -> Iterator[pl.DataFrame]:
        """The frames of a part in the order in which they were written."""
        for begin, size in self._pieces.get(part, []):
            content = bytearray(size)
            self._read_into(begin, memoryview(content))
            yield pl.read_ipc_stream(io.BytesIO(content))
