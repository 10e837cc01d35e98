"""Small valid drops of every format to start from: folders under tests/fuzz/seeds, and Parquet files made here."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.runtime.sources import ROOT
from reliability.fuzzing import container
from reliability.fuzzing.container import Files

FOLDER = ROOT / "tests" / "fuzz" / "seeds"
"""A folder per format, in it a folder per drop; those that once did harm begin with `found-`."""

_START = datetime(2022, 5, 1, tzinfo=UTC)


def of(target: str) -> list[Files]:
    """Drops to start from, by the name of a format."""
    made = {
        "memory_samples": _samples,
        "canonical": _canonical,
        "pm100": _pm100,
        "fdata": _fdata,
        "marconi100": _marconi100,
    }
    return [
        *(container.read(path) for path in kept(target)),
        *([made[target]()] if target in made else []),
    ]


def kept(target: str, folder: Path = FOLDER) -> list[Path]:
    """Folders of the drops that are kept as files, by name."""
    return sorted(path for path in (folder / target).glob("*") if path.is_dir())


def parquet(frame: pl.DataFrame | pa.Table, **options: object) -> bytes:
    """A table as the bytes of a Parquet file."""
    out = io.BytesIO()
    pq.write_table(frame.to_arrow() if isinstance(frame, pl.DataFrame) else frame, out, **options)
    return out.getvalue()


def _samples() -> Files:
    frame = pl.DataFrame(
        {
            "job_id": ["a"] * 8 + ["b"] * 4,
            "node": ["n1"] * 4 + ["n2"] * 4 + [None] * 4,
            "time_s": [0.0, 60.0, 120.0, 180.0] * 3,
            "used_gb": [1.0, 1.1, 9.0, 9.2, 2.0, 2.0, 2.0, 5.0, 1.0, 1.0, 1.0, 1.0],
        }
    )
    jobs = pl.DataFrame({"job_id": ["a", "b"], "submit_s": [0, 5], "nodes": [2, 1]})
    return {"samples.parquet": parquet(frame), "jobs.parquet": parquet(jobs), "trace.yaml": b"nodes: 4\n"}


def _canonical() -> Files:
    jobs = pl.DataFrame({"job_id": [1, 2], "submit_s": [_START, _START + timedelta(seconds=9)], "nodes": [2, 1]})
    phases = pl.DataFrame(
        {"job_id": [1, 1, 2], "phase": [0, 1, 0], "duration_s": [9.0, 8, 7], "memory_gb": [1.0, 2, 3]}
    )
    return {"jobs.parquet": parquet(jobs), "phases.parquet": parquet(phases)}


def _pm100() -> Files:
    rows = range(3)
    times = {
        name: [_START + timedelta(minutes=minutes + row) for row in rows]
        for name, minutes in (("submit_time", 0), ("start_time", 2), ("end_time", 12))
    }
    numbers = {"run_time": 600, "time_limit": 1440, "num_nodes_alloc": 2, "mem_req": 460, "user_id": 17}
    frame = pl.DataFrame({"job_id": [7 + row for row in rows], **times, **{k: [v] * 3 for k, v in numbers.items()}})
    return {"job_table.parquet": parquet(frame)}


def _fdata() -> Files:
    frame = pl.DataFrame(
        {
            "jid": ["a", "b", "c"],
            "usr": ["u1", "u1", "u2"],
            "jnam": ["j1", "j2", "j1"],
            "adt": ["2021-04-01 10:00:00+09", "2021-04-01 10:01:00+09", "2021-04-01 10:02:00+09"],
            "sdt": ["2021-04-01 10:05:00+09", "2021-04-01 10:06:00+09", "1970-01-01 09:00:00+09"],
            "edt": ["2021-04-01 11:05:00+09", "2021-04-01 10:16:00+09", "1970-01-01 09:00:00+09"],
            "nnumr": [4, 1, 1],
            "nnuma": [4, 2, 0],
            "elpl": [7200.0, 3600.0, 60.0],
            "mszl": [3e10, 9.2e18, 1e9],
            "mmszu": [1.2e10, 2e9, 0.0],
        }
    )
    return {"21_04.parquet": parquet(frame, row_group_size=2)}


def _marconi100() -> Files:
    second = [timedelta(seconds=s) for s in (0, 20, 40, 60, 80, 100, 120)]
    values = {"mem_free": [3e8, 2e8, 2e8, 1e8, 1e8, 2e8, 3e8], "mem_total": [3.2e8] * 7, "Gpu0_fb_used": [1e3] * 7}
    instant = pl.Datetime("ms", "UTC")
    month = "year_month=22-05/plugin="
    files = {
        f"{month}ganglia_pub/metric={metric}/a_0.parquet": parquet(
            pl.DataFrame(
                {"timestamp": [_START + s for s in second] * 2, "value": value * 2, "node": ["680"] * 7 + ["681"] * 7},
                schema={"timestamp": instant, "value": pl.Float32, "node": pl.String},
            ),
            row_group_size=5,
        )
        for metric, value in values.items()
    }
    jobs = pl.DataFrame(
        {
            "job_id": [1, 2],
            "submit_time": [_START - timedelta(hours=1)] * 2,
            "start_time": [_START] * 2,
            "end_time": [_START + timedelta(seconds=s) for s in (100, 130)],
            "nodes": ["[680]", "[681]"],
            "time_limit": [10, 4294967295],
            "time_limit_str": ["00:10:00", None],
            "user_id": [5, 6],
            "tres_req_str": ["cpu=128,mem=237.50G,node=1", None],
        },
        schema_overrides={
            **{f"{name}_time": instant for name in ("submit", "start", "end")}, "time_limit": pl.UInt32,
        },
    )  # fmt: skip
    return files | {f"{month}job_table/metric=job_info_marconi100/a_0.parquet": parquet(jobs)}
