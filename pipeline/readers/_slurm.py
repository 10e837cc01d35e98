"""Texts and numbers as Slurm writes them: durations, time limits, sizes, counts; expressions of polars.

All of them give null for a text that cannot be read, as for one that is missing.

Source: man pages sacct(1) and squeue(1), and the way Slurm prints numbers: multiples of 1024 get a suffix.
"""

from __future__ import annotations

import re

import polars as pl

from pipeline.readers._numbers import GB_PER_BYTE

NO_LIMIT_FROM = 4_294_967_294
"""A time limit in minutes from here on is a code: 0xfffffffe means unset, 0xffffffff unlimited."""

_BYTES = {suffix: 1024**power for power, suffix in enumerate(["B", "K", "M", "G", "T", "P"])}
_LARGEST_COUNT = 2**53
_MOST_NAMES = 1 << 17
_MOST_BRACKETS = 8
"""Pairs of brackets in a name; Slurm takes five (HIGHEST_DIMENSIONS)."""
_MEMBER = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*+\])++")
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_SECONDS_PER_PART = (86400, 3600, 60, 1)


def duration_s(text: pl.Expr) -> pl.Expr:
    """Seconds (Float64) in `[[days-]hours:]minutes:seconds[.fraction]`."""
    parts = text.str.strip_chars().str.extract_groups(r"^(?:(?:(\d{1,7})-)?(\d{1,7}):)?(\d{1,7}):(\d{1,7}(?:\.\d+)?)$")
    days, hours, minutes, seconds = (
        parts.struct.field(str(number)).cast(pl.Float64) * scale
        for number, scale in enumerate(_SECONDS_PER_PART, start=1)
    )
    return days.fill_null(0) + hours.fill_null(0) + minutes + seconds


def without_limit(text: pl.Expr) -> pl.Expr:
    """Whether a time limit says that there is none, or none yet (`UNLIMITED`, `Partition_Limit`)."""
    return text.str.strip_chars().str.to_lowercase().is_in(["unlimited", "partition_limit", "infinite"])


def without_time(text: pl.Expr) -> pl.Expr:
    """Whether a time says that there is none (`Unknown`, `None`)."""
    return text.str.strip_chars().str.to_lowercase().is_in(["", "unknown", "none", "n/a"])


def count(text: pl.Expr) -> pl.Expr:
    """A whole number (Int64) such as `128`, or `2K` for 2048."""
    number = _with_suffix(text, "B")
    return pl.when(number == number.floor(), number <= _LARGEST_COUNT).then(number).cast(pl.Int64, strict=False)


def size_gb(text: pl.Expr, bare: str) -> pl.Expr:
    """GB (10^9 bytes, Float64) in a size such as `1.50G` (2^30 bytes each); without suffix its unit is `bare`."""
    return _with_suffix(text, bare) * GB_PER_BYTE


def tres_memory_gb(text: pl.Expr) -> pl.Expr:
    """GB of memory in a list of trackable resources such as `cpu=128,mem=237.50G,node=1`, of the whole job."""
    return size_gb(text.str.extract(r"(?:^|,)mem=([^,]*)"), bare="M")


def _with_suffix(text: pl.Expr, bare: str) -> pl.Expr:
    parts = text.str.strip_chars().str.extract_groups(r"^(\d{1,18}(?:\.\d+)?)([KMGTP]?)$")
    suffix = parts.struct.field("2").replace("", bare)
    return parts.struct.field("1").cast(pl.Float64) * suffix.replace_strict(
        _BYTES, default=None, return_dtype=pl.Float64
    )


def node_names(text: str) -> list[str] | None:
    """Names in a list of nodes such as `n[1-3,07],gpu5`; None where it is no such list, or names too many."""
    names: list[str] = []
    for member in _MEMBER.findall(text):
        first, *rest = _BRACKETS.split(member)
        if len(rest) > 2 * _MOST_BRACKETS:
            return None
        expanded = [first.strip()]
        for inside, after in zip(rest[::2], rest[1::2], strict=True):
            numbers = _numbers(inside) if inside else [""]
            if numbers is None or len(names) + len(expanded) * len(numbers) > _MOST_NAMES:
                return None
            expanded = [f"{name}{number}{after.strip()}" for name in expanded for number in numbers]
        names += expanded
        if len(names) > _MOST_NAMES:
            return None
    return names or None


def _numbers(text: str) -> list[str] | None:
    """Numbers in `1-3,07`, as wide as they are written."""
    numbers: list[str] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:-(\d{1,9}))?\s*", part)
        if match is None:
            return None
        low, high = int(match[1]), int(match[2] or match[1])
        if high - low >= _MOST_NAMES:
            return None
        numbers += [f"{number:0{len(match[1])}d}" for number in range(low, high + 1)]
        if len(numbers) > _MOST_NAMES:
            return None
    return numbers


def superseded() -> pl.Expr:
    """Whether a later row has the same job: of the rows of a job that was requeued the last counts.

    Reads the columns job_id (null is no job) and row.
    """
    return pl.col("job_id").is_not_null() & (pl.col("row") < pl.col("row").max().over("job_id"))
