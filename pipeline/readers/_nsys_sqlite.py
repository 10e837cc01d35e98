"""SQLite exports of Nsight Systems (`nsys export --type sqlite`): launches and copies in batches, and the GPUs.

Source: Nsight Systems User Guide, "SQLite Schema Reference": tables CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY and _MEMSET
(times in ns since the start of the collection), StringIds and TARGET_INFO_GPU; copyKind as CUPTI's
CUpti_ActivityMemcpyKind. A table is there only where it has rows, and a value may be of any type. Nothing in the file
is trusted: it is opened for reading alone, views and virtual tables are not read, and work is bounded by its size.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from pipeline.drops import LONGEST_COMPLAINT, Refusal
from pipeline.readers._files import Reject
from pipeline.readers._gpu_profile import COPIES, LAUNCHES
from pipeline.readers._nsys_csv import Batch

MAGIC = b"SQLite format 3\x00"
FETCHED = 1 << 16
KERNELS, MEMCPY, MEMSET = (f"CUPTI_ACTIVITY_KIND_{name}" for name in ("KERNEL", "MEMCPY", "MEMSET"))
STRINGS, GPUS = "StringIds", "TARGET_INFO_GPU"
_NAMES = ("demangledName", "shortName")
_SHAPE = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")
_LAUNCH = ("registersPerThread", "staticSharedMemory", "dynamicSharedMemory")
_WITH_HOST = (1, 2, 3, 4)
"""Kinds of copies from host to device or array, and back."""
_LATEST_NS = 1 << 53
_LONGEST_TEXT = 1 << 16
_EVERY, _STEPS, _STEPS_A_BYTE = 100_000, 20_000_000, 100
"""Steps of SQLite's machine between two looks at how many there were, and how many a file may take."""


def recognises(file: Path) -> bool:
    """Whether a file is an SQLite database."""
    try:
        with file.open("rb") as content:
            return content.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


class Export:
    """An open export: `tables` are the names of its plain tables with their columns."""

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        plain = self._all(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE %' AND name IN "
            f"('{KERNELS}', '{MEMCPY}', '{MEMSET}', '{STRINGS}', '{GPUS}')"
        )
        columns = {name: self._all(f'PRAGMA table_xinfo("{name}")') for (name,) in plain}
        for name, rows in columns.items():
            computed = next((row[1] for row in rows if row[6]), None)
            if computed is not None:
                raise _damaged(f"column {computed} of {name} is computed, as in no export")
        self.tables = {name: [row[1] for row in rows] for name, rows in columns.items()}

    def gpus(self) -> dict[int, dict[str, str | int | None]]:
        """Of each CUDA device: name, sms, capability, bandwidth (B/s), clock (Hz); null where it is not told.

        Devices are numbered by `cuDevice`, where a version has it, else by `id`.
        """
        if GPUS not in self.tables:
            return {}
        number = "cuDevice" if "cuDevice" in self.tables[GPUS] else "id"
        columns = [
            self._whole(GPUS, c)
            for c in (number, "smCount", "computeMajor", "computeMinor", "memoryBandwidth", "clockRate")
        ]
        name = "name" if "name" in self.tables[GPUS] else "NULL"
        rows = self._all(f"SELECT {', '.join(columns)}, CASE typeof({name}) WHEN 'text' THEN {name} END FROM {GPUS}")
        return {
            device: {
                "name": text,
                "sms": sms if sms and sms > 0 else None,
                "capability": None if major is None or minor is None else f"{major}.{minor}",
                "bandwidth": bandwidth,
                "clock": clock,
            }
            for device, sms, major, minor, bandwidth, clock, text in rows
            if device is not None
        }

    def launches(self, app: str, reject: Reject) -> Iterator[Batch]:
        """Launches by their start; `device` is the number of the device. Raises Refusal where there are none."""
        name = next((name for name in _NAMES if name in self.tables.get(KERNELS, ())), None)
        if name is None or STRINGS not in self.tables or not {"start", "end"} <= set(self.tables[KERNELS]):
            raise Refusal(
                "columns_missing",
                f"the database has no table {KERNELS} with start, end and {_NAMES[0]}, and {STRINGS} beside it, so it "
                "holds no kernels: profile with `nsys profile --trace=cuda`, export with `nsys export --type sqlite`",
            )
        names = self._names(name)
        for rows in self._activity(KERNELS, (name, "deviceId", *_SHAPE, *_LAUNCH), reject):
            kernels = rows.with_columns(kernel=pl.col(name).replace_strict(names, default=None, return_dtype=pl.String))
            nameless = kernels.filter(pl.col("kernel").is_null())
            if nameless.height:
                detail = pl.format("{} = {} is no text of " + STRINGS, pl.lit(name), pl.col(name).fill_null(0))
                reject(nameless.select("row", reason=pl.lit("kernel_missing"), detail=detail))
            numbers = [pl.col(c).cast(pl.Float64) for c in (*_SHAPE, *_LAUNCH)]
            x, y, z, a, b, c, registers, static, dynamic = numbers
            given = {
                "app": pl.lit(app), "kernel": pl.col("kernel"), "calls": pl.lit(1, pl.Int64),
                "start_s": pl.col("start") * 1e-9, "time_s": pl.col("end").sub(pl.col("start")) * 1e-9,
                "blocks": x * y * z, "threads": a * b * c, "registers": registers, "shared_b": static + dynamic,
                "device": pl.col("deviceId").cast(pl.String), "capability": pl.lit(None, pl.String),
            }  # fmt: skip
            launch_rows = kernels.drop_nulls("kernel").select(given[column].alias(column) for column in LAUNCHES)
            yield Batch(launch_rows, pl.DataFrame(schema=COPIES))

    def copies(self, app: str, reject: Reject) -> Iterator[Batch]:
        """Copies, and fillings of memory."""
        for table in (MEMCPY, MEMSET):
            if not {"start", "end"} <= set(self.tables.get(table, ())):
                continue
            for rows in self._activity(table, ("bytes", "copyKind"), reject):
                copies = rows.select(
                    pl.lit(app).alias("app"),
                    pl.col("start") * 1e-9,
                    (pl.col("end") - pl.col("start")) * 1e-9,
                    pl.when(pl.col("bytes") >= 0).then(pl.col("bytes").cast(pl.Float64)),
                    pl.col("copyKind").is_in(_WITH_HOST).fill_null(False),
                )
                copies.columns = list(COPIES)
                yield Batch(pl.DataFrame(schema=LAUNCHES), copies)

    def _names(self, column: str) -> dict[int, str]:
        """Texts of the numbers in a column of kernels."""
        texts = self._all(
            f"SELECT id, value FROM {STRINGS} WHERE typeof(id) = 'integer' AND typeof(value) = 'text' AND value <> '' "
            f"AND id IN (SELECT {column} FROM {KERNELS})"
        )
        return dict(texts)

    def _activity(self, table: str, columns: tuple[str, ...], reject: Reject) -> Iterator[pl.DataFrame]:
        """Rows of a table by their start: row, start, end (ns) and columns, whole numbers or null.

        Rows whose times are none, or in no order, go to `reject`.
        """
        names = ("row", "start", "end", *columns)
        query = ", ".join(["rowid", *(self._whole(table, name) for name in names[1:])])
        for rows in self._batches(f"SELECT {query} FROM {table} ORDER BY start, rowid"):
            frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row")
            ordered = (pl.col("start") >= 0) & (pl.col("end") >= pl.col("start")) & (pl.col("end") < _LATEST_NS)
            ordered = ordered.fill_null(False)
            bad = frame.filter(~ordered)
            if bad.height:
                shown = (pl.col(name).cast(pl.String).fill_null("no whole number") for name in ("start", "end"))
                detail = pl.format(table + ": start = {}, end = {}; right are ns with 0 <= start <= end", *shown)
                reject(bad.select("row", reason=pl.lit("time_unreadable"), detail=detail))
            yield frame.filter(ordered)

    def _whole(self, table: str, column: str) -> str:
        """SQL for a column as whole numbers, null where a value is none or the table lacks the column."""
        if column not in self.tables[table]:
            return "NULL"
        return f'CASE typeof("{column}") WHEN \'integer\' THEN "{column}" END'

    def _all(self, query: str) -> list[tuple]:
        return [row for rows in self._batches(query) for row in rows]

    def _batches(self, query: str) -> Iterator[list[tuple]]:
        try:
            cursor = self._connection.execute(query)
            while rows := cursor.fetchmany(FETCHED):
                yield rows
        except (sqlite3.Error, OverflowError) as error:
            raise _damaged(error) from None


def _damaged(error: Exception | str) -> Refusal:
    return Refusal(
        "unreadable_sqlite",
        f"the SQLite database cannot be read ({str(error)[:LONGEST_COMPLAINT]}); export it anew with "
        "`nsys export --type sqlite --force-overwrite true`",
    )


@contextmanager
def opened(file: Path) -> Iterator[Export]:
    """The export in a file, closed in the end; raises Refusal where it is damaged, or takes more work than its size."""
    try:
        connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        raise _damaged(error) from None
    most, steps = _STEPS + _STEPS_A_BYTE * file.stat().st_size, 0

    def stop() -> bool:
        nonlocal steps
        steps += _EVERY
        return steps > most

    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_TEXT)
        connection.text_factory = lambda text: text.decode(errors="replace")
        connection.set_progress_handler(stop, _EVERY)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
            connection.execute(f"PRAGMA {pragma}")
        yield Export(connection)
    except sqlite3.Error as error:
        raise _damaged(error) from None
    finally:
        connection.close()
