"""Texts of Slurm's accounting as columns: lists of nodes, time limits, sizes."""

from __future__ import annotations

import polars as pl

NODE_LIST = r"^\s*\[?\s*['\"]?[\w.-]+['\"]?(\s*,\s*['\"]?[\w.-]+['\"]?)*\s*\]?\s*$"
UNLIMITED_MIN = 4_294_967_290
"""Time limits from here on (32-bit minutes) stand for unlimited or not set."""

GIB_GB = 1024**3 * 1e-9
_SIZE_GB = {"K": 1024e-9, "M": 1024**2 * 1e-9, "G": GIB_GB, "T": 1024**4 * 1e-9, "P": 1024**5 * 1e-9}


def node_names(column: str) -> pl.Expr:
    """Names in a text such as `[680, 681]`; empty for null, blank and `[]`, null where it is no list."""
    text = pl.col(column).str.strip_chars()
    blank = text.is_null() | text.is_in(["", "[]", "None", "null"])
    names = text.str.extract_all(r"[\w.-]+")
    none = pl.lit([], dtype=pl.List(pl.String))
    return pl.when(blank).then(none).when(text.str.contains(NODE_LIST)).then(names).otherwise(None)


def limit_s(text: str) -> pl.Expr:
    """Seconds of a time limit: `days-hours:minutes:seconds`, `days-hours[:minutes]`, `hours:minutes:seconds`,
    `minutes:seconds`, `minutes`; null where it is none (UNLIMITED, Partition_Limit, blank).
    """
    limit = pl.col(text).str.strip_chars()
    days = limit.str.extract(r"^(\d+)-").cast(pl.Int64)
    fields = limit.str.replace(r"^\d+-", "")
    parts = fields.str.split(":").list.eval(pl.element().cast(pl.Int64, strict=False))
    count = parts.list.len()

    def part(position: int) -> pl.Expr:
        return parts.list.get(position, null_on_oob=True).fill_null(0)

    with_days = days * 86_400 + part(0) * 3600 + part(1) * 60 + part(2)
    without = (
        pl.when(count == 1)
        .then(part(0) * 60)
        .when(count == 2)
        .then(part(0) * 60 + part(1))
        .otherwise(part(0) * 3600 + part(1) * 60 + part(2))
    )
    seconds = pl.when(days.is_not_null()).then(with_days).otherwise(without)
    return pl.when(limit.str.contains(r"^(\d+-)?\d+(:\d+){0,2}$") & (seconds > 0)).then(seconds).cast(pl.Float64)


def limit_min_s(minutes: str) -> pl.Expr:
    """Seconds of a time limit in minutes; null for unlimited, unset and zero."""
    limit = pl.col(minutes).cast(pl.Int64)
    return pl.when((limit > 0) & (limit < UNLIMITED_MIN)).then(limit * 60).cast(pl.Float64)


def tres_memory_gb(column: str) -> pl.Expr:
    """Memory in a text of trackable resources (`cpu=128,mem=237.50G,node=1`), of the whole job; null without one."""
    number = pl.col(column).str.extract(r"(?:^|,)mem=([0-9.]+)[KMGTP]?").cast(pl.Float64, strict=False)
    unit = pl.col(column).str.extract(r"(?:^|,)mem=[0-9.]+([KMGTP]?)")
    # Slurm writes sizes without a letter in MiB.
    factor = unit.replace_strict({**_SIZE_GB, "": _SIZE_GB["M"]}, default=None, return_dtype=pl.Float64)
    return number * factor
