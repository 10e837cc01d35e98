"""Models measured on slices of a partitioned GPU, and what sets of models have to serve: two tables, CSV or Parquet.

The points have the columns model, mig_slices, batch, processes, throughput_per_s and latency_s: those of ParvaGPU's
profiles (Lee et al., SC 2024; `prof_data/*.csv`) with the model beside them. A rate of 0 says that they do not fit. The
demands, which may be absent, have demand, model, rate_per_s and latency_s.
"""

from __future__ import annotations

from pathlib import Path

import dataframely as dy
import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._files import first_line, open_table, stem
from pipeline.readers._items import Note, Reading, Rows, Trace, Yields
from pipeline.readers._queue import without
from pipeline.readers._tables import WholeTable, load_table, one
from pipeline.tables.columns import count, number, text

FORMAT = "mig_slices"
GIVES = ("slice_points", "slice_demands")
BYTES_A_CHARACTER = 60
"""Peak memory of reading a table, for each byte of its text; a packed one has ten times as much text."""


class _Point(dy.Schema):
    """A row of the points as the file has it."""

    model = text("model", nullable=True)
    mig_slices = count("sevenths of the GPU", nullable=True)
    batch = count("requests of a batch", nullable=True)
    processes = count("processes", nullable=True)
    throughput_per_s = number("requests a second, of each process or of all", "1/s", nullable=True)
    latency_s = number("time of a batch", "s", nullable=True)


class _Demand(dy.Schema):
    """A row of the demands as the file has it."""

    demand = text("set of models", nullable=True)
    model = text("model", nullable=True)
    rate_per_s = number("requests a second", "1/s", nullable=True)
    latency_s = number("longest time", "s", nullable=True)


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """Points by their header, and demands beside them."""
    points = _with_columns(files, _Point)
    return [*points, *_with_columns(files, _Demand)] if points else []


def _with_columns(files: list[Path], schema: type[dy.Schema]) -> list[Path]:
    return [file for file in files if stem(file) and set(schema.columns()) <= set(_names(file))]


def _names(file: Path) -> list[str]:
    if file.name.lower().endswith(".parquet"):
        try:
            return open_table(file).names
        except Refusal:
            return []
    return [name.strip(' "') for name in first_line(file).split(",")]


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the tables."""
    table_files = recognises(files, drop.settings)
    return BYTES_A_CHARACTER * sum(file.stat().st_size * (1 if file.suffix == ".csv" else 10) for file in table_files)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Points and demands; a demand for a model without points is rejected."""
    yield Trace(drop.name)
    file = one(drop, _with_columns(files, _Point), "points")
    if file is None:
        return
    apps: list[str] = []
    with Reading(file) as reading:
        frame = yield from _points((yield from load_table(drop, file, "slice_points", schema=_Point)), drop)
        yield Rows("slice_points", frame, file)
        apps = frame["app"].drop_nulls().unique().to_list()
    yield reading
    asked = one(drop, _with_columns(files, _Demand), "demands")
    if asked is not None:
        with Reading(asked) as reading:
            table = yield from load_table(drop, asked, "slice_demands", schema=_Demand)
            frame = table.frame.rename({"model": "app"})
            detail = pl.format("model {} was measured on no slice", "app")
            frame = yield from without(frame, table, ~pl.col("app").is_in(apps), "model_unknown", detail)
            yield Rows("slice_demands", frame, asked)
        yield reading


def _points(table: WholeTable, drop: Drop) -> Yields[pl.DataFrame]:
    """Points with the rate of all processes together, and none where they do not fit.

    Whether the file's rates are those of each process or of all follows from Little's law: the requests in service are
    rate times latency, and a batch in each process.
    """
    unsound = ~((pl.col("throughput_per_s") >= 0) & (pl.col("latency_s") >= 0)).fill_null(False)
    detail = pl.format("model {} on {} sevenths: rate and latency from 0 would be right", "model", "mig_slices")
    frame = yield from without(table.frame, table, unsound, "rate_unsound", detail)
    one_sided = (pl.col("throughput_per_s") == 0) != (pl.col("latency_s") == 0)
    detail = pl.format("model {} on {} sevenths has a rate or a latency of 0, not both", "model", "mig_slices")
    frame = yield from without(frame, table, one_sided, "one_zero", detail)
    shared = frame.filter(pl.col("throughput_per_s") > 0, pl.col("processes") > 1)
    in_service = pl.col("throughput_per_s") * pl.col("latency_s") / pl.col("batch")
    off = shared.select(
        each=in_service.log().abs().median(), whole=(in_service / pl.col("processes")).log().abs().median()
    )
    each = bool(shared.height) and off["each"].item() < off["whole"].item()
    if each:
        yield Note(drop.name, "Rates of the file are those of each process, as rate times latency shows; here of all.")
    fits = pl.col("throughput_per_s") > 0
    return frame.select(
        "row", "batch", "processes", app="model", slices="mig_slices",
        rate_per_s=pl.when(fits).then(pl.col("throughput_per_s") * (pl.col("processes") if each else 1)),
        latency_s=pl.when(fits).then("latency_s"),
    )  # fmt: skip
