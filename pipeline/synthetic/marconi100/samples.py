"""The files of ganglia_pub: one a metric and month, rows in blocks of one local day and node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.synthetic.marconi100 import memory, sample_faults
from pipeline.synthetic.marconi100.days import Day

ROW_GROUP = 400_000


@dataclass(frozen=True)
class Metric:
    """A metric as the monitoring names it."""

    name: str
    code: int
    dtype: pa.DataType
    period_s: int = 40
    gpu: int = 0


MEMORY = (
    Metric("mem_free", memory.FREE, pa.float32()),
    Metric("mem_cached", memory.CACHED, pa.float32()),
    Metric("mem_buffers", memory.BUFFERS, pa.int32()),
    Metric("mem_total", memory.TOTAL, pa.float32(), period_s=60),
)
GPU = tuple(
    Metric(f"Gpu{gpu}_fb_{what}", code, pa.int32(), period_s=20, gpu=gpu)
    for gpu in range(4)
    for what, code in (("used", memory.GPU_USED), ("total", memory.GPU_TOTAL))
)


@dataclass(frozen=True)
class Sampler:
    """Samples the nodes of a machine with the jobs on it; `present` is the share of the full grid that is there."""

    seed: int
    runs: memory.Runs
    present: float

    @property
    def nodes(self) -> int:
        """Nodes that are sampled."""
        return self.runs.first_of.size - 1

    def days(self, metric: Metric, days: list[Day]) -> Iterator[sample_faults.Samples]:
        """Samples of one metric, a frame of arrays a day."""
        period_s = metric.period_s
        begin_s = days[0].start_s
        staggered = [memory.uniform(self.seed, 9, node, period_s) for node in range(self.nodes)]
        next_s = begin_s + (np.array(staggered) * period_s).astype(np.int64)
        cursor = self.runs.first_of[:-1].copy()
        full, one_missing = memory.gap_law(self.present)
        rows = self.nodes * max(-(-(day.end_s - day.start_s) // period_s) for day in days)
        times, values = np.empty(rows, np.int64), np.empty(rows, np.float64)
        row_of = np.empty(self.nodes + 1, np.int64)
        for day in days:
            filled = memory.sample_day(
                self.seed, self.runs, metric.code, metric.gpu, period_s, full, one_missing, day.end_s, next_s, cursor,
                times, values, row_of,
            )  # fmt: skip
            node = np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(row_of))
            yield sample_faults.Samples(times[:filled].copy(), values[:filled].copy(), node, row_of.copy())


def write_metric(
    folder: Path, metric: Metric, days: list[Day], samples: Iterator[sample_faults.Samples], names: pa.Array, parts: int
) -> int:
    """Write the days of one month as a_0.parquet ... in `parts` files; returns the rows."""
    schema = pa.schema(
        [
            ("timestamp", pa.timestamp("ms", "UTC")),
            ("value", metric.dtype),
            ("node", pa.dictionary(pa.int32(), pa.string())),
        ]
    )
    rows = 0
    for part, several in enumerate(np.array_split(np.arange(len(days)), parts)):
        with parquet_writer(folder / f"a_{part}.parquet", schema) as writer:
            pending = schema.empty_table()
            for _ in several:
                pending = pa.concat_tables([pending, _table(next(samples), schema, names)])
                whole = pending.num_rows // ROW_GROUP * ROW_GROUP
                for at in range(0, whole, ROW_GROUP):
                    writer.write_table(pending.slice(at, ROW_GROUP).combine_chunks(), row_group_size=ROW_GROUP)
                rows += whole
                pending = pending.slice(whole)
            if pending.num_rows:
                writer.write_table(pending.combine_chunks(), row_group_size=ROW_GROUP)
                rows += pending.num_rows
    return rows


@contextmanager
def parquet_writer(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """A Parquet file with the settings of the data set; dictionaries of the schema are read as what they hold."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(
        path,
        schema,
        version="2.6",
        compression="zstd",
        compression_level=9,
        data_page_version="2.0",
        data_page_size=2 << 20,
        store_schema=False,
    ) as writer:
        yield writer


def _table(samples: sample_faults.Samples, schema: pa.Schema, names: pa.Array) -> pa.Table:
    values = samples.values.astype(schema.field("value").type.to_pandas_dtype())
    columns = [
        pa.array(samples.times * 1000).cast(schema.field("timestamp").type),
        pa.array(values, mask=samples.missing, from_pandas=False),
        pa.DictionaryArray.from_arrays(pa.array(samples.node), names),
    ]
    return pa.Table.from_arrays(columns, schema=schema)
