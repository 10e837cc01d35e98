"""Logs of PrIM host programs on UPMEM machines: `*dpus<N>*` below `<app>/profile`, or `<APP>`, `<APP>_<N>`.

Source: PrIM's run scripts, which append to `profile/{out,outs,outss}_tl<T>_bl<B>_dpus<N>`, and those of its forks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.drops import MOST_RANKS, Drop, DropSettings, Refusal
from pipeline.readers import _prim_log
from pipeline.readers._files import line_blocks
from pipeline.readers._items import Observed, Reading, Rejected, Rows, Trace, Whole, Yields
from pipeline.readers._prim_log import FAILED, INPUTS, OK, TRUNCATED, UNCHECKED, LoggedRun
from pipeline.readers._queue import queue_files, read_queue
from pipeline.tables.profiling import DPU, DPUS_PER_RANK, left_out_of_curves

FORMAT = "prim"
GIVES = ("pim_runs",)

APPS = (
    *("BFS", "BS", "GEMV", "HST-L", "HST-S", "MLP", "NW", "RED", "SCAN-RSS", "SCAN-SSA", "SEL", "SpMV", "TRNS", "TS"),
    *("UNI", "VA"),
)
EXPERIMENTS = {"out": "weak", "outs": "strong_rank", "outss": "strong_full"}

_BY_NAME = {app.lower(): app for app in APPS}
_APP = "|".join(sorted(map(re.escape, APPS), key=len, reverse=True))
_DPUS = re.compile(r"dpus(\d{1,18})(?!\d)", re.IGNORECASE)
_BARE = re.compile(rf"(?P<app>{_APP})(?:_(?P<variant>old))?(?:_(?P<dpus>\d{{1,18}}))?(?:\.(?:txt|log))?")
_APP_FOLDER = re.compile(rf"(?P<app>{_APP})(?:_(?P<variant>[a-z]+))?", re.IGNORECASE)
_EXPERIMENT = re.compile(r"(?:^|_)(outss|outs|out)_")
_SIZES = re.compile(r"_M(\d{1,18})_V(\d{1,18})(?!\d)")


@dataclass(frozen=True)
class Name:
    """What the path of a log tells: application, its variant, folder of the source, and parameters of the runs."""

    app: str
    variant: str | None
    folder: str
    experiment: str | None
    dpus: int | None
    tasklets: int | None
    block_size: int | None
    input: str | None


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The logs among the files, named after their DPUs or after a PrIM application alone, and a queue beside them."""
    logs = [file for file in files if _is_log(file)]
    return [*logs, *queue_files(files)] if logs else []


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The runs of all logs; each folder of logs is a trace of its own."""
    runs, timers = [], []
    declared: set[str] = set()
    for file in filter(_is_log, files):
        with Reading(file) as reading:
            name = name_of(file.relative_to(drop.path))
            trace_id = f"{drop.name}/{name.folder}" if name.folder else drop.name
            logged = _prim_log.parse(_lines(file), name.app)
            if not logged:
                raise Refusal("no_times", "the log holds no times of a run; it may end before the first one did")
            if name.dpus == 0:
                raise Refusal("ranks_zero", "the name says 0 DPUs, which is no rank; a run takes at least 1 DPU")
            most = max([name.dpus or 0, *(run.facts.get("dpus", 0) for run in logged)])
            if most > MOST_RANKS * (1 if drop.settings.pim_unit == DPU else DPUS_PER_RANK):
                units = "DPUs" if drop.settings.pim_unit == DPU else "ranks"
                raise Refusal(
                    "ranks_too_many", f"{most} DPUs are more than the {MOST_RANKS} {units} a machine may have"
                )
            if trace_id not in declared:
                yield Trace(trace_id)
                declared.add(trace_id)
            for number, run in enumerate(logged):
                if run.fault is not None:
                    bad = pl.DataFrame({"row": [run.line], "reason": [run.fault[0]], "detail": [run.fault[1]]})
                    yield Rejected(bad, file, "pim_runs", trace_id)
                    continue
                place = {"trace": trace_id, "app": name.app, "log": file.relative_to(drop.path).as_posix()}
                runs.append({**place, **_row(number, run, name, drop.settings.pim_unit), "path": file})
                timers += [
                    {**place, "run": number, "position": position, "label": label, "phase": phase, "time_s": time_s}
                    for position, (label, phase, time_s) in enumerate(run.timers)
                ]
                for label in run.unknown_labels:
                    yield Observed(trace_id, "pim_runs", "label_unknown", 1, f"timers as {label!r} are not counted")
        yield reading
    if drop.name not in declared and (queue_files(files) or not declared):
        yield Trace(drop.name)
    yield from read_queue(drop, files, (yield from _hand_over(drop, runs, timers)))


def _is_log(file: Path) -> bool:
    table = file.suffix.lower() in (".csv", ".parquet", ".gz")
    return not table and bool(_DPUS.search(file.name) or _BARE.fullmatch(file.name))


def name_of(path: Path) -> Name:
    """What the path of a log inside its drop tells. Raises Refusal where it names no application."""
    dpus = _DPUS.search(path.name)
    bare = _BARE.fullmatch(path.name)
    parts = list(path.parts[:-1])
    variant = None
    if bare:
        app, variant, count = bare["app"], bare["variant"], bare["dpus"]
    else:
        count = dpus[1] if dpus else None
        app, variant, parts = _app_of(path, parts)
    sizes, experiment = _SIZES.search(path.name), _EXPERIMENT.search(path.name)
    return Name(
        app=_BY_NAME.get(app.lower(), app),
        variant=variant,
        folder="/".join(parts),
        # A name that states the size of the input is that of a sweep over sizes, whatever its first word.
        experiment=EXPERIMENTS[experiment[1]] if experiment and not sizes else None,
        dpus=int(count) if count else None,
        tasklets=_number(r"tl(\d{1,18})(?!\d)", path.name),
        block_size=_number(r"bl(\d{1,18})(?!\d)", path.name),
        input=f"m={sizes[1]};n={sizes[2]}" if sizes else None,
    )


def _app_of(path: Path, parts: list[str]) -> tuple[str, str | None, list[str]]:
    """Application and variant of a log, and the folders that its source is named by."""
    before = re.match(rf"({_APP})_", path.name, re.IGNORECASE)
    if before:
        return before[1], None, parts
    if parts and parts[-1] == "profile":
        parts = parts[:-1]
    for depth in range(len(parts) - 1, -1, -1):
        folder = _APP_FOLDER.fullmatch(parts[depth])
        if folder:
            return folder["app"], folder["variant"], parts[:depth] + parts[depth + 1 :]
    if parts and len(parts) < len(path.parts) - 1:
        # <application>/profile: one of the user's own, in PrIM's layout.
        return parts[-1], None, parts[:-1]
    raise Refusal(
        "app_unknown",
        f"the path names no application; put the log into <app>/profile/ or begin its name with <app>_. PrIM's are "
        f"{', '.join(APPS)}",
    )


def _number(pattern: str, name: str) -> int | None:
    match = re.search(rf"(?<![A-Za-z]){pattern}", name)
    return int(match[1]) if match else None


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    for first, block in line_blocks(file):
        for offset, line in enumerate(block.decode(errors="replace").split("\n")):
            if line:
                yield first + offset, line.rstrip("\r") + "\n" if _ended(block, offset) else line


def _ended(block: bytes, offset: int) -> bool:
    """Whether a line of a block has a line end."""
    return block.endswith(b"\n") or offset < block.count(b"\n")


def _row(number: int, run: LoggedRun, name: Name, unit: str) -> dict:
    """A run as a row of pim_runs."""
    times = run.times_s()
    notes = list(run.notes)
    allocated = run.facts.get("dpus")
    dpus = name.dpus if name.dpus is not None else allocated
    if name.dpus is not None and allocated is not None and allocated != name.dpus:
        notes.append(f"The log allocated {allocated} DPUs, its name says {name.dpus}; the name counts.")
    if dpus is None:
        notes.append("Neither name nor log tells the number of DPUs.")
    printed = next((f"{fact}={run.facts[fact]}" for fact in INPUTS if fact in run.facts), None)
    ranks = math.ceil(dpus / (1 if unit == DPU else DPUS_PER_RANK)) if dpus else None
    size = name.input or printed
    return {
        "run": number,
        "line": run.line,
        "variant": name.variant,
        "experiment": name.experiment,
        "dpus": dpus,
        "ranks": ranks,
        "unit": unit,
        "dpus_per_rank": dpus / ranks if dpus else None,
        "tasklets": name.tasklets or run.facts.get("tasklets"),
        "block_size": name.block_size if name.block_size is not None else run.facts.get("block_size"),
        "input": size,
        "time_s": math.fsum(seconds for phase, seconds in times.items() if phase != "cpu"),
        **{f"{phase}_s": times.get(phase) for phase in _prim_log.PHASES},
        "outputs": run.check,
        "verified": run.check == OK,
        "excluded": _excluded(run, name, dpus, size),
        "note": " ".join(notes) or None,
    }


def _excluded(run: LoggedRun, name: Name, dpus: int | None, size: str | None) -> str | None:
    """Why a run stands on no curve; None where it may."""
    if dpus is None:
        return "dpus_unknown"
    if run.check == FAILED:
        return "check_failed"
    if run.check == TRUNCATED:
        return "truncated"
    if run.check != OK and name.app not in UNCHECKED:
        return "check_absent"
    # Weak scaling: the input grows with the DPUs, and by how much only the log could tell.
    return "weak_scaling" if name.experiment == "weak" and size is None else None


def _hand_over(drop: Drop, runs: list[dict], timers: list[dict]) -> Yields[set[str]]:
    """Runs and their timers. Returns the applications of the drop's own trace that have a curve."""
    if not runs:
        return set()
    schema = tables.polars_schema(tables.PimRun)
    frame = pl.DataFrame([{key: run[key] for key in schema} for run in runs], schema=schema)
    frame = _mark_copies(frame)
    frame = frame.with_columns(left_out_of_curves(frame, drop.settings.ranks), row=pl.col("line"))
    paths = [run["path"] for run in runs]
    # One file at a time, so that a rejected row is told by its file.
    start = 0
    for stop in range(1, len(paths) + 1):
        if stop == len(paths) or paths[stop] != paths[start]:
            yield Rows("pim_runs", frame[start:stop], paths[start])
            start = stop
    usable = frame.filter(pl.col("time_s") > 0).select("trace", "log", "run")
    phases = pl.DataFrame(timers, schema=tables.polars_schema(tables.PimPhase))
    key = ["trace", "app", "log", "run", "position"]
    yield Whole("pim_phases", phases.join(usable, on=["trace", "log", "run"], how="semi").sort(key))
    of_curves = frame.filter(pl.col("excluded").is_null() & (pl.col("time_s") > 0), trace=drop.name)
    return set(of_curves["app"])


def _mark_copies(runs: pl.DataFrame) -> pl.DataFrame:
    """Runs with all times alike under different numbers of DPUs are copies of one log, of which it is not told."""
    same = ["trace", "app", "variant", *(f"{phase}_s" for phase in _prim_log.PHASES)]
    copied = pl.col("dpus").n_unique().over(same) > 1
    sentence = "The same times stand under another number of DPUs: a copied log."
    return runs.with_columns(copied=copied).with_columns(
        excluded=pl.when("copied").then(pl.lit("copied_log")).otherwise("excluded"),
        note=pl.when("copied").then(pl.concat_str("note", pl.lit(sentence), separator=" ", ignore_nulls=True))
        .otherwise("note"),
    ).drop("copied")  # fmt: skip
