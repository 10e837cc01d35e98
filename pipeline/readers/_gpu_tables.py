"""Curves of GPU applications and pairs measured side by side, as CSV or Parquet; names of applications."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.drops import PERCENT, Drop, DropSettings, Refusal
from pipeline.gpus.mig import MIG_PARTS, MIG_SLICES
from pipeline.readers._items import Note, Observed, Reading, Rows, Warn, Yields
from pipeline.readers._queue import load_plain, without
from pipeline.readers._tables import WholeTable, named, one
from pipeline.runtime.wording import did_you_mean

PAIRS = "corun_pairs"
CURVES = "sm_curve"
KERNELS = "kernels"
_SIDES = ("a", "b")
_UNITS = ("_s", "_per_s")
"""Of times, and of rates."""
_SPEEDS = ("time_s", "throughput_per_s", "ipc")
"""Columns that say how fast an application is on so many SMs."""
_USELESS = {"profile": "predicted by no rule", "curve": "no task's conflicts follow from them"}
"""What pairs come to whose applications lack what the drop says of others."""
MOST_SHARE = 1.5
"""Rates side by side of at most this, in a file without rates alone, are speeds relative to running alone."""


def pair_files(files: list[Path], settings: DropSettings | None = None) -> list[Path]:
    """The files among those of a drop that hold pairs."""
    return named(files, PAIRS, settings.tables.get(PAIRS) if settings else None)


def curve_files(files: list[Path], settings: DropSettings) -> list[Path]:
    """The files among those of a drop that hold curves."""
    return named(files, CURVES, settings.tables.get(CURVES))


def kernel_files(files: list[Path], settings: DropSettings) -> list[Path]:
    """The files among those of a drop that hold kernels."""
    return named(files, KERNELS, settings.tables.get(KERNELS))


def read_curves(drop: Drop, files: list[Path]) -> Yields[set[str] | None]:
    """Curves that are there. Returns the applications that they are of, None where no file holds curves."""
    file = one(drop, curve_files(files, drop.settings), CURVES)
    if file is None:
        return None
    apps: set[str] = set()
    with Reading(file) as reading:
        curves = yield from _curves((yield from load_plain(drop, file, "sm_curves")), drop)
        yield Rows("sm_curves", curves, file)
        apps.update(curves["app"].drop_nulls())
    yield reading
    return apps


def read_pairs(drop: Drop, files: list[Path], apps: Collection[str] | None, of: str = "profile") -> Yields[None]:
    """Pairs that are there. apps: applications that have a profile, or curve; None where none can."""
    file = one(drop, pair_files(files, drop.settings), PAIRS)
    if file is not None:
        with Reading(file) as reading:
            yield Rows("corun_pairs", (yield from _pairs((yield from load_pairs(drop, file)), drop, apps, of)), file)
        yield reading


def renamed(frame: pl.DataFrame, drop: Drop, *columns: str) -> pl.DataFrame:
    """The frame with the drop's aliases of applications in place."""
    aliases = drop.settings.aliases
    return frame.with_columns(pl.col(column).replace(aliases) for column in columns) if aliases else frame


def load_pairs(drop: Drop, file: Path) -> Yields[WholeTable]:
    """Read the pairs: slowdowns as given, or as times side by side over times alone, or as rates.

    A row that has none of these is rejected, unless it says that the two do not fit: `fits` of 0, or both rates 0.
    """
    # Slowdowns are required of the table, not of the file: times may stand in for them.
    table = yield from load_plain(drop, file, "corun_pairs", needed=["app_a", "app_b"])
    frame = table.frame
    if "fits" not in frame.columns:
        frame = frame.with_columns(pl.lit(None, pl.Float64).alias("fits"))
    for side in _SIDES:
        for name in (f"slowdown_{side}", *(f"{when}_{side}{unit}" for when in ("alone", "corun") for unit in _UNITS)):
            if name not in frame.columns:
                frame = frame.with_columns(pl.lit(None, pl.Float64).alias(name))
    frame = yield from _relative(frame, drop.name)
    for side in _SIDES:
        ratio = pl.col(f"corun_{side}_s") / pl.col(f"alone_{side}_s")
        of_rates = pl.col(f"alone_{side}_per_s") / pl.col(f"corun_{side}_per_s")
        frame = frame.with_columns(pl.coalesce(f"slowdown_{side}", ratio, of_rates).alias(f"slowdown_{side}"))
    corun_rates = [f"corun_{side}_per_s" for side in _SIDES]
    stuck = pl.all_horizontal(pl.col(name) == 0 for name in corun_rates).fill_null(False)
    frame = frame.with_columns(
        pl.when(stuck).then(0.0).otherwise("fits").alias("fits"),
        *(pl.when(~stuck).then(name).alias(name) for name in (*corun_rates, "slowdown_a", "slowdown_b")),
    )
    apart = pl.col("fits").fill_null(1) == 0
    neither = pl.col("slowdown_a").is_null() | pl.col("slowdown_b").is_null()
    detail = pl.format(
        "pair {} and {} has neither slowdowns nor times, or rates, alone and side by side", "app_a", "app_b"
    )
    frame = yield from without(frame, table, neither & ~apart, "slowdown_missing", detail)
    yield from _warn_of_speeds(frame, drop.name)
    return WholeTable(table.name, file, frame, table.binding)


def _relative(frame: pl.DataFrame, trace: str) -> Yields[pl.DataFrame]:
    """The frame with rates alone of 1 where only rates side by side are there, all shares of the speed alone."""
    corun, alone = ([f"{when}_{side}_per_s" for side in _SIDES] for when in ("corun", "alone"))
    rates = pl.concat([frame[name] for name in corun]).drop_nulls()
    if not len(rates) or rates.max() > MOST_SHARE or any(frame[name].count() for name in alone):
        return frame
    yield Note(trace, "Rates side by side are taken as shares of the speed alone, as none is above 1.5.")
    return frame.with_columns(pl.lit(1.0).alias(name) for name in alone)


def _warn_of_speeds(frame: pl.DataFrame, trace: str) -> Yields[None]:
    """Warn where most pairs would both run faster side by side than alone: such slowdowns look like speeds."""
    ran = frame.drop_nulls(["slowdown_a", "slowdown_b"])
    faster = ran.filter(pl.max_horizontal("slowdown_a", "slowdown_b") < 1).height
    if 2 * faster > ran.height:
        yield Warn(
            trace,
            f"In {faster} of {ran.height} pairs both slowdowns are below 1, so they look like speeds. Map speeds as "
            "corun_a_per_s and corun_b_per_s, and speeds alone as alone_a_per_s and alone_b_per_s.",
        )


def _pairs(table: WholeTable, drop: Drop, apps: Collection[str] | None, of: str) -> Yields[pl.DataFrame]:
    """Pairs by the applications' names; those of applications without a profile, or curve, are remarked on."""
    frame = renamed(table.frame, drop, "app_a", "app_b")
    if apps is not None:
        known = sorted(apps)
        strange = pl.concat([frame["app_a"], frame["app_b"]]).drop_nulls().unique().sort().to_list()
        strange = [app for app in strange if app not in apps]
        if strange:
            rows = frame.filter(pl.col("app_a").is_in(strange) | pl.col("app_b").is_in(strange)).height
            hints = ", ".join(f"{app}{did_you_mean(app, known).rstrip('?')}" for app in strange[:5])
            sentence = f"pairs of applications without a {of} ({hints}); {_USELESS[of]}. Name them in aliases."
            yield Observed(drop.name, "corun_pairs", f"{of}_absent", rows, sentence)
    return frame


def _curves(table: WholeTable, drop: Drop) -> Yields[pl.DataFrame]:
    """Points of curves that have two or more; others are rejected, falling speeds remarked on."""
    yield from _require_sms(table, drop)
    frame = renamed(table.frame, drop, "app")
    for column in ("beside", *_SPEEDS):
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, pl.String if column == "beside" else pl.Float64).alias(column))
    frame = renamed(frame, drop, "beside").with_columns(origin=pl.lit(tables.GIVEN))
    machine = drop.settings.gpu_sms
    if machine:
        too_large = pl.format("app {} on {} SMs, the GPU has " + str(machine), "app", "sms")
        frame = yield from without(frame, table, pl.col("sms") > machine, "larger_than_machine", too_large)
    parts = _parts(frame, drop)
    for column in _SPEEDS:
        detail = pl.format(
            f"app {{}} on {{}} {parts} has {column} = {{}}; more than 0 would be right", "app", "sms", column
        )
        frame = yield from without(frame, table, pl.col(column) <= 0, f"{column}_not_positive", detail)
    frame = yield from _slices(frame, table, drop)
    frame = frame.with_columns(time_s=pl.coalesce("time_s", 1 / pl.col("throughput_per_s")))
    of_curve = ["app", "beside"]
    sizes = pl.col("sms").n_unique().over(of_curve)
    frame = frame.with_columns(sizes=sizes)
    detail = pl.format(f"app {{}} has a point at {{}} {parts} only, which makes no curve; give more", "app", "sms")
    frame = (yield from without(frame, table, pl.col("sizes") == 1, "one_measurement", detail)).drop("sizes")
    # A point that stands twice is for the table's own rule to reject; it makes no curve fall.
    rate = pl.coalesce("ipc", 1 / pl.col("time_s"))
    points = frame.unique([*of_curve, "sms"], keep="first", maintain_order=True).sort(*of_curve, "sms")
    falling = points.filter((rate.diff() < 0).over(of_curve)).height
    yield Observed(drop.name, "sm_curves", "speed_falls", falling, "points slower than one with fewer SMs; kept")
    return frame


def _slices(frame: pl.DataFrame, table: WholeTable, drop: Drop) -> Yields[pl.DataFrame]:
    """The points with `mig_slices`; where the drop states slices, points on other numbers of SMs are rejected."""
    if drop.settings.sizes != "mig":
        return frame.with_columns(mig_slices=pl.lit(None, pl.Int64))
    parts = _parts(frame, drop)
    whole = MIG_PARTS if parts == "slices" else drop.settings.sms or frame["sms"].max()
    if whole is not None and whole % MIG_PARTS:
        raise Refusal(
            "no_sevenths",
            f"sizes are mig and the GPU has {whole} SMs, which have no sevenths; put the slices (1, 2, 3, 4, 7) in "
            "place of SMs",
        )
    sizes = [] if whole is None else [whole // MIG_PARTS * size for size in MIG_SLICES]
    of = ", ".join(map(str, sizes))
    detail = pl.format(f"app {{}} on {{}} {parts}; MIG slices are of {of}", "app", "sms")
    frame = yield from without(frame, table, ~pl.col("sms").is_in(sizes), "no_mig_slice", detail)
    return frame.with_columns(mig_slices=pl.col("sms") * MIG_PARTS // pl.lit(whole, pl.Int64))


def _parts(frame: pl.DataFrame, drop: Drop) -> str:
    """What numbers of SMs count: slices where the drop states them and none is above the seven that a GPU has."""
    largest = frame["sms"].max()
    return "slices" if drop.settings.sizes == "mig" and largest is not None and largest <= MIG_PARTS else "SMs"


def _require_sms(table: WholeTable, drop: Drop) -> Yields[None]:
    """Raise Refusal where numbers of SMs are percentages by their name or values, and no unit says which they are."""
    source = table.binding.sources["sms"]
    name, machine = source.names[0], drop.settings.gpu_sms
    if source.unit == PERCENT:
        yield Note(drop.name, f"{name} is a percentage of {machine} SMs, rounded to whole ones.")
        return
    if source.unit is not None:
        return
    remedy = (
        f'state `columns: {{sms: {{from: {name}, unit: "%"}}}}` and `sms:` of the GPU, or `unit: SMs` where they are '
        "numbers of SMs"
    )
    if re.search(r"pct|percent|%", name, re.IGNORECASE):
        raise Refusal("percent_of_sms", f"{name} are percentages by their name, not SMs; {remedy}")
    points = table.frame["sms"].drop_nulls()
    if len(points) and points.max() == 100 != machine and (points % 5 == 0).all():
        of = f"a GPU of {machine} SMs" if machine else "a GPU whose size is not stated"
        raise Refusal("percent_of_sms", f"{name} goes up to 100 in steps of 5 on {of}, as percentages do; {remedy}")
