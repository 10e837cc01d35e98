"""Writing results: whole or not at all, and with the same bytes for the same rows."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP = 1 << 18


@contextmanager
def replacing_file(target: Path) -> Iterator[Path]:
    """A name beside `target` to write to; on success the file takes its place; otherwise it is deleted.

    Raises FileExistsError where `target` is there and is no file.
    """
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{target} is there and is no file; name another target or remove it")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    _remove_abandoned(target)
    try:
        yield part
        part.replace(target)
    finally:
        _remove_abandoned(target)


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """A new folder beside `target`: on success it takes its place; otherwise it is deleted.

    Raises NotADirectoryError where `target` is something else than a folder.
    """
    if os.path.lexists(target) and not target.is_dir():
        raise NotADirectoryError(f"{target} is there and is no folder; name another target or remove it")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    old = target.with_name(f".{target.name}.{os.getpid()}.old")
    _remove_abandoned(target)
    part.mkdir()
    try:
        yield part
        if target.exists():
            target.replace(old)
        part.replace(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _remove_abandoned(target: Path) -> None:
    """Remove what killed processes of this machine left beside `target`, and what this process would collide with.

    DuckDB's log of a database that it was writing (`.part.wal`) is among it: it would be replayed into the next one.
    """
    for path in target.parent.iterdir():
        match = re.fullmatch(rf"\.{re.escape(target.name)}\.(\d+)\.(part|old)(\.\w+)?", path.name)
        if match is None or (int(match[1]) != os.getpid() and _runs(int(match[1]))):
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as a Parquet file."""
    with replacing_file(path) as part:
        pq.write_table(_arrow(frame), part, compression="zstd", row_group_size=ROW_GROUP)


class TableWriter:
    """Writes a table piece by piece, with the bytes of `write` however it is cut into pieces."""

    def __init__(self, path: Path, schema: dict[str, pl.DataType]) -> None:
        self.rows = 0
        self._pending = pl.DataFrame(schema=schema)
        self._parquet = pq.ParquetWriter(path, _arrow(self._pending).schema, compression="zstd")

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is left and end the file."""
        if self._pending.height or not self.rows:
            self._parquet.write_table(_arrow(self._pending), row_group_size=ROW_GROUP)
        self._parquet.close()

    def append(self, frame: pl.DataFrame) -> None:
        """Add rows with the columns and dtypes of the schema, in its order."""
        self._pending = pl.concat([self._pending, frame])
        self.rows += frame.height
        while self._pending.height >= ROW_GROUP:
            self._parquet.write_table(_arrow(self._pending[:ROW_GROUP]), row_group_size=ROW_GROUP)
            self._pending = self._pending[ROW_GROUP:]


def _arrow(frame: pl.DataFrame) -> pa.Table:
    # One chunk: where a page ends depends on the chunks it is written from.
    return frame.rechunk().to_arrow().combine_chunks()
