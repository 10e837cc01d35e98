"""Rates of jobs alone and in pairs on one or several cards: CSV or Parquet, a row for each job, or pair.

Columns: gpu (card), job, gpus, other_job and other_gpus (empty and 0: the job alone), throughput_per_s and
other_throughput_per_s. A rate of 0 says that the jobs do not fit into the card's memory. This is the table of
throughputs that Gavel's simulator replays (Narayanan et al., OSDI 2020; `throughputs.json`) as rows. A batch size
stands behind the model in the name of a job: `ResNet-18 (batch size 16)`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import dataframely as dy
import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._files import first_line, open_table, stem
from pipeline.readers._items import LeftOut, Reading, Rows, Trace, Yields
from pipeline.readers._queue import without
from pipeline.readers._tables import WholeTable, load_table, one
from pipeline.tables.columns import count, number, text

FORMAT = "pair_rates"
GIVES = ("corun_pairs", "solo_rates")
BATCH = r"^\s*(.*?)\s*\(batch size (\d+)\)\s*$"
BYTES_A_ROW = 1000
"""Peak memory of a row, text and numbers together."""


class _Row(dy.Schema):
    """A row of the file: a job alone, or beside another."""

    gpu = text("card")
    job = text("job")
    gpus = count("GPUs of the job")
    other_job = text("job beside it; null = it is alone", nullable=True)
    other_gpus = count("GPUs of the other; 0 = it is alone", nullable=True)
    throughput_per_s = number("steps of the job a second; 0 = does not fit", "1/s", nullable=True)
    other_throughput_per_s = number("steps of the other a second", "1/s", nullable=True)


_NEEDED = ["gpu", "job", "gpus", "other_job", "throughput_per_s", "other_throughput_per_s"]


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """Tables whose header has the columns."""
    return [file for file in files if stem(file) and set(_NEEDED) <= set(_names(file))]


def _names(file: Path) -> list[str]:
    if file.name.lower().endswith(".parquet"):
        try:
            return open_table(file).names
        except Refusal:
            return []
    return [name.strip(' "') for name in first_line(file).split(",")]


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the table: a row has at least 20 characters, and repeats may be packed to a tenth."""
    table_files = recognises(files, drop.settings)
    return sum(file.stat().st_size * (10 if file.suffix in (".gz", ".parquet") else 1) for file in table_files) * (
        BYTES_A_ROW // 20
    )


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Rates of jobs alone, and pairs on one GPU."""
    yield Trace(drop.name)
    file = one(drop, recognises(files, drop.settings), FORMAT)
    if file is None:
        return
    with Reading(file) as reading:
        table = yield from _loaded(drop, file)
        alone = pl.col("other_job").is_null()
        solo = table.frame.filter(alone).select(
            "row",
            "gpu",
            "gpus",
            app="job",
            model=pl.coalesce(pl.col("job").str.extract(BATCH, 1), "job"),
            batch=pl.col("job").str.extract(BATCH, 2).cast(pl.Int64, strict=False),
            rate_per_s=_positive("throughput_per_s"),
        )
        yield Rows("solo_rates", solo, file)
        yield Rows("corun_pairs", (yield from _pairs(table, solo, drop.name)), file)
    yield reading


def _positive(column: str) -> pl.Expr:
    return pl.when(pl.col(column) > 0).then(column)


def _loaded(drop: Drop, file: Path) -> Yields[WholeTable]:
    """The rows that can be read; a negative rate, or none beside another that is there, is a row's fault."""
    table = yield from load_table(drop, file, "corun_pairs", _NEEDED, _Row)
    frame = table.frame
    pair = pl.col("other_job").is_not_null()
    unnamed = pl.col("job").is_null() | pl.col("gpu").is_null() | pl.col("gpus").is_null()
    frame = yield from without(frame, table, unnamed, "job_missing", pl.lit("job, gpu and gpus are required"))
    no_rate = pl.col("throughput_per_s").is_null() | (pair & pl.col("other_throughput_per_s").is_null())
    detail = pl.format("job {} on {} has no rate; 0 says that it does not fit", "job", "gpu")
    frame = yield from without(frame, table, no_rate, "rate_missing", detail)
    unsound = ~pl.all_horizontal((pl.col(name) >= 0) & pl.col(name).is_finite() for name in ("throughput_per_s",)) | (
        pair & ~((pl.col("other_throughput_per_s") >= 0) & pl.col("other_throughput_per_s").is_finite())
    )
    detail = pl.format("rate of job {} on {}: a number from 0 would be right", "job", "gpu")
    frame = yield from without(frame, table, unsound, "rate_unsound", detail)
    one_sided = pair & ((pl.col("throughput_per_s") == 0) != (pl.col("other_throughput_per_s") == 0))
    detail = pl.format("of {} and {} one runs and the other does not; a pair fits or not", "job", "other_job")
    frame = yield from without(frame, table, one_sided, "one_rate_zero", detail)
    return replace(table, frame=frame)


def _pairs(table: WholeTable, solo: pl.DataFrame, trace: str) -> Yields[pl.DataFrame]:
    """Pairs on one GPU with the rates of both alone; those on several GPUs and mirror images are left out."""
    frame = table.frame.filter(pl.col("other_job").is_not_null())
    several = (pl.col("gpus") != 1) | (pl.col("other_gpus").fill_null(1) != 1)
    sentence = "pairs on several GPUs; a pair here shares one"
    yield LeftOut(trace, "corun_pairs", "several_gpus", frame.filter(several).height, sentence, table.file)
    frame = frame.filter(~several)
    turned = pl.col("job") > pl.col("other_job")
    rates = "throughput_per_s", "other_throughput_per_s"
    frame = frame.select(
        "row",
        "gpu",
        app_a=pl.when(turned).then("other_job").otherwise("job"),
        app_b=pl.when(turned).then("job").otherwise("other_job"),
        corun_a_per_s=pl.when(turned).then(rates[1]).otherwise(rates[0]),
        corun_b_per_s=pl.when(turned).then(rates[0]).otherwise(rates[1]),
    )
    again = ~pl.struct("gpu", "app_a", "app_b", "corun_a_per_s", "corun_b_per_s").is_first_distinct()
    mirrored = frame.filter(again).height
    yield LeftOut(
        trace, "corun_pairs", "mirrored", mirrored, "the same pair in the other order, equal rates", table.file
    )
    frame = frame.filter(~again)
    alone = solo.filter(gpus=1).unique(["gpu", "app"], keep="first", maintain_order=True)
    for side in "ab":
        side_rates = alone.select("gpu", **{f"app_{side}": "app", f"alone_{side}_per_s": "rate_per_s"})
        frame = frame.join(side_rates, on=["gpu", f"app_{side}"], how="left", maintain_order="left")
    detail = pl.format("{} or {} runs beside the other on {} and has no rate alone there", "app_a", "app_b", "gpu")
    frame = frame.with_columns(fits=pl.col("corun_a_per_s") > 0)
    no_rate = pl.any_horizontal(pl.col(f"alone_{side}_per_s").is_null() for side in "ab") & pl.col("fits")
    frame = yield from without(frame, table, no_rate, "alone_missing", detail)
    return frame.with_columns(
        **{f"corun_{side}_per_s": _positive(f"corun_{side}_per_s") for side in "ab"}
    ).with_columns(
        **{f"slowdown_{side}": pl.col(f"alone_{side}_per_s") / pl.col(f"corun_{side}_per_s") for side in "ab"}
    )
