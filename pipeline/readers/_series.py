"""Samples of a drop on their way to one sorted Parquet file, in bounded memory.

Samples arrive in any order. They are spilled with a number in place of their series (trace, job, node); only the list
of series is held in memory. At the end they are written in the order of series and time: straight from the spill where
they arrived so, else through DuckDB's external sort, which moves numbers instead of names.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import tables
from pipeline.readers._machine import MemorySeen
from pipeline.runtime.database import connect
from pipeline.runtime.storage import ROW_GROUP

INSTANT_S = 1e-6
"""Times that differ by less are one, as in replays."""
SERIES = ["trace", "job_id", "node"]
MEASURES = ["time_s", "used_gb"]
SORT_MEMORY = "1GB"

_SPILL = pa.schema(
    [
        ("series", pa.int32()),
        ("time_s", pa.float64()),
        ("used_gb", pa.float64()),
        ("file", pa.int32()),
        ("row", pa.int64()),
    ]
)

_WRITTEN = pa.schema(
    pa.field(field.name, pa.dictionary(pa.int32(), pa.large_string()) if field.name in SERIES else field.type)
    for field in tables.empty(tables.Sample).to_arrow().schema
)


def run_starts(frame: pl.DataFrame) -> pl.Series:
    """True where a row differs from the one before it (null equals null), and in the first row."""
    return frame.select(
        pl.any_horizontal(pl.all().ne_missing(pl.all().shift())) | (pl.int_range(pl.len()) == 0)
    ).to_series()


class SampleStore:
    """Collects valid samples and writes them sorted; `spill` is a folder for what does not belong in memory."""

    def __init__(self, spill: Path):
        self._folder = spill
        self._path = spill / "samples.spill.parquet"
        self._writer: pq.ParquetWriter | None = None
        self._series: dict[tuple[str, str, str | None], int] = {}
        self._last: tuple[int, float] = (-1, 0.0)
        self._runs = 0
        self._in_time_order = True

    def append(self, samples: pl.DataFrame, file: int) -> None:
        """Take samples (columns of tables.Sample and `row`) of the file with number `file`."""
        if samples.is_empty():
            return
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, _SPILL, compression="lz4", use_dictionary=False)
        frame = samples.select(
            self._number(samples), "time_s", "used_gb", pl.lit(file, dtype=pl.Int32).alias("file"), "row"
        )
        self._watch_order(frame)
        self._writer.write_table(frame.to_arrow().cast(_SPILL))

    def _number(self, samples: pl.DataFrame) -> pl.Series:
        starts = run_starts(samples.select(SERIES))
        heads = samples.select(SERIES).filter(starts)
        known = heads.unique(maintain_order=True)
        numbers = [self._series.setdefault(key, len(self._series)) for key in known.iter_rows()]
        known = known.with_columns(pl.Series("series", numbers, dtype=pl.Int32))
        of_head = heads.join(known, on=SERIES, how="left", nulls_equal=True, maintain_order="left")["series"]
        return of_head.gather(starts.cum_sum() - 1)

    def _watch_order(self, frame: pl.DataFrame) -> None:
        last_series, last_time = self._last
        before = frame.select(
            pl.col("series").shift(fill_value=last_series), pl.col("time_s").shift(fill_value=last_time)
        )
        same = frame["series"] == before["series"]
        self._runs += frame.height - same.sum()
        self._in_time_order &= not (same & (frame["time_s"] < before["time_s"])).any()
        self._last = frame["series"][-1], frame["time_s"][-1]

    def write(self, target: Path, on_duplicates: Callable[[pl.DataFrame], None], seen: MemorySeen) -> dict[str, int]:
        """Write the samples to `target` sorted by series and time; returns their count by trace.

        A series has one sample at a time: later ones (by file and row) go to `on_duplicates` with the columns of
        tables.Sample, `file` and `row`. Without samples nothing is written; `seen` takes what is. Uses the store up.
        """
        if self._writer is None:
            return {}
        self._writer.close()
        keys = pl.DataFrame(list(self._series), schema=dict.fromkeys(SERIES, pl.String), orient="row").with_row_index(
            "series"
        )
        keys = keys.sort(SERIES, nulls_last=False)
        # Series that arrive one after the other, each once, in the order of their names need no sort.
        in_order = self._in_time_order and self._runs == keys.height and keys["series"].is_sorted()
        rank = keys.with_row_index("rank").sort("series")["rank"].cast(pl.Int32)
        batches = self._ranked(rank) if in_order else self._sorted(rank)
        counts = [0] * keys.height
        with _GroupWriter(target, keys.select(SERIES)) as out:
            for batch in _distinct(batches, lambda twice: on_duplicates(_named(twice, keys))):
                out.write(batch)
                begins = np.diff(batch["rank"].to_numpy(), prepend=-1) != 0
                seen.add_series(batch["time_s"].to_numpy(), batch["used_gb"].to_numpy(), begins)
                for number, count in batch["rank"].rle().struct.unnest().select("value", "len").iter_rows():
                    counts[number] += count
        self.discard()
        per_trace = keys.with_columns(pl.Series("count", counts)).group_by("trace", maintain_order=True)
        return dict(per_trace.agg(pl.col("count").sum()).iter_rows())

    def discard(self) -> None:
        """Forget the samples."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._series.clear()
        self._path.unlink(missing_ok=True)
        shutil.rmtree(self._folder / "sort", ignore_errors=True)

    def _ranked(self, rank: pl.Series) -> Iterator[pl.DataFrame]:
        with pq.ParquetFile(self._path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=ROW_GROUP):
                frame = pl.DataFrame(pa.Table.from_batches([batch]))
                yield frame.select(rank.gather(frame["series"]).alias("rank"), pl.exclude("series"))

    def _sorted(self, rank: pl.Series) -> Iterator[pl.DataFrame]:
        ranks = pa.table({"series": pa.array(range(len(rank)), pa.int32()), "rank": rank.to_arrow()})
        scratch = str(self._folder / "sort")
        with connect(memory_limit=SORT_MEMORY, temp_directory=scratch, threads=1) as connection:
            connection.register("ranks", ranks)
            query = (
                "SELECT rank, time_s, used_gb, file, row FROM read_parquet(?) JOIN ranks USING (series) "
                "ORDER BY rank, time_s, file, row"
            )
            reader = connection.sql(query, params=[str(self._path)]).to_arrow_reader(ROW_GROUP)
            for batch in reader:
                yield pl.DataFrame(pa.Table.from_batches([batch]))


def _distinct(batches: Iterator[pl.DataFrame], on_duplicates: Callable[[pl.DataFrame], None]) -> Iterator[pl.DataFrame]:
    """Batches without the samples that are of the series and instant of the one before."""
    last: tuple[int, float | None] = (-1, None)
    for batch in batches:
        later_s = pl.col("time_s") - pl.col("time_s").shift(fill_value=last[1])
        repeated = (pl.col("rank") == pl.col("rank").shift(fill_value=last[0])) & (later_s < INSTANT_S)
        mask = batch.select(repeated.fill_null(False)).to_series()
        last = batch["rank"][-1], batch["time_s"][-1]
        if mask.any():
            on_duplicates(batch.filter(mask))
            batch = batch.filter(~mask)
        yield batch


def _named(batch: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    return pl.concat([keys[batch["rank"]].select(SERIES), batch.drop("rank")], how="horizontal")


class _GroupWriter:
    """Writes ranked batches as row groups of one size, whatever the size of the batches."""

    def __init__(self, path: Path, keys: pl.DataFrame):
        self._keys = keys
        # Names are handed over as dictionaries; without the stored schema readers see plain texts.
        self._writer = pq.ParquetWriter(
            path,
            _WRITTEN,
            compression="zstd",
            store_schema=False,
            use_dictionary=SERIES,
            column_encoding=dict.fromkeys(MEASURES, "BYTE_STREAM_SPLIT"),
        )
        self._rest: list[pl.DataFrame] = []

    def __enter__(self) -> _GroupWriter:
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        for rows in self._rest if kind is None else ():
            self._write(rows)
        self._writer.close()

    def write(self, batch: pl.DataFrame) -> None:
        rows = pl.concat([*self._rest, batch.select("rank", *MEASURES)])
        whole = rows.height - rows.height % ROW_GROUP
        for start in range(0, whole, ROW_GROUP):
            self._write(rows[start : start + ROW_GROUP])
        self._rest = [rows[whole:]] if whole < rows.height else []

    def _write(self, rows: pl.DataFrame) -> None:
        first, last = rows["rank"][0], rows["rank"][-1]
        position = (rows["rank"] - first).to_arrow()
        arrays = []
        for field in _WRITTEN:
            if field.name in SERIES:
                names = self._keys[field.name][first : last + 1].to_arrow().cast(pa.large_string()).dictionary_encode()
                arrays.append(pa.DictionaryArray.from_arrays(names.indices.take(position), names.dictionary))
            else:
                arrays.append(rows[field.name].rechunk().to_arrow())
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=_WRITTEN), row_group_size=ROW_GROUP)
