"""Batsim's workloads (JSON), whose jobs wait for a given time, and its table of results (`*jobs.csv`).

Source: Batsim 3 to 5, "Workload" and "Output" of its documentation. A job's run time is that of its profile: a delay,
or a sequence of delays. Other profiles are amounts of work, whose time depends on a platform.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers._files import beginning, byte_blocks, first_line
from pipeline.readers._items import LeftOut, Reading, Rejected, Rows, Trace, Yields
from pipeline.readers._tables import held_bytes, load_table, one

FORMAT = "batsim"
GIVES = ("jobs",)
MOST_BYTES = 1 << 26
"""Of a workload, which is read as a whole, since its profiles stand behind its jobs."""

_SIGN = re.compile(rb'\A\s*\{(?=.*"(?:nb_res|subtime)"\s*:)', re.DOTALL)
_COLUMNS = {
    "job_id": ["workload_name", "job_id"], "submit_s": ["submission_time"], "nodes": ["requested_number_of_resources"],
    "walltime_s": ["requested_time"], "runtime_s": ["execution_time"], "start_s": ["starting_time"],
    "end_s": ["finish_time"],
}  # fmt: skip
_NEEDED = ["job_id", "submit_s", "nodes", "runtime_s", "start_s"]
_SEQUENCES = ("composed", "sequence", "sequential_composition")
_DEEPEST = 16
"""Sequences in sequences."""
_LARGEST = 2.0**53


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """Workloads by how they begin, tables of results by their header, unless trace.yaml maps columns."""
    stated = settings.format == FORMAT
    return [file for file in files if (is_results(file) and (stated or not settings.columns)) or _is_workload(file)]


def is_results(file: Path) -> bool:
    """Whether a file is Batsim's table of jobs."""
    if not file.name.lower().endswith((".csv", ".csv.gz")):
        return False
    return {name for names in _COLUMNS.values() for name in names} <= set(first_line(file).split(","))


def _is_workload(file: Path) -> bool:
    return file.name.lower().endswith((".json", ".json.gz")) and bool(_SIGN.match(beginning(file)))


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the file; Python holds some ten times a document."""
    taken = recognises(files, drop.settings)
    return held_bytes(taken) + sum(10 * min(file.stat().st_size, MOST_BYTES) for file in taken)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs, as trace `<drop>`."""
    file = one(drop, files, "jobs")
    if file is None:
        return
    with Reading(file) as reading:
        yield from _workload(drop, file) if _is_workload(file) else _results(drop, file)
    yield reading


def _results(drop: Drop, file: Path) -> Yields[None]:
    yield Trace(drop.name)
    columns = {column: ColumnSource(**{"from": names}) for column, names in _COLUMNS.items()}
    settings = drop.settings.model_copy(update={"columns": columns | drop.settings.columns})
    table = yield from load_table(replace(drop, settings=settings), file, "jobs", _NEEDED)
    started = (pl.col("start_s") >= 0).fill_null(False)
    what = "jobs that Batsim rejected, or that did not start before its end"
    yield LeftOut(drop.name, "jobs", "never_started", table.frame.filter(~started).height, what, file)
    limit = pl.when(pl.col("walltime_s") > 0).then("walltime_s").alias("walltime_s")
    yield from replace(table, frame=table.frame.filter(started).with_columns(limit)).hand_over(None)


def _workload(drop: Drop, file: Path) -> Yields[None]:
    told = _document(file)
    jobs, profiles = told.get("jobs"), told.get("profiles")
    if not isinstance(jobs, list) or not isinstance(profiles, dict):
        raise Refusal("unreadable_json", "a workload has an array `jobs` and an object `profiles`; one is missing")
    size = _number(told.get("nb_res"))
    yield Trace(drop.name, int(size) if size else None)
    good, bad, without = [], [], 0
    for row, job in enumerate(jobs, start=1):
        fault = _fault(job, profiles)
        if fault:
            bad.append({"row": row, "reason": fault[0], "detail": fault[1]})
            continue
        run_s, limit_s = _run_s(job["profile"], profiles), _number(job.get("walltime"))
        if run_s is None:
            without += 1
            continue
        job_id, name = (str(job[key]).encode(errors="replace").decode() for key in ("id", "profile"))
        times = {"submit_s": float(job["subtime"]), "runtime_s": min(run_s, limit_s or math.inf), "walltime_s": limit_s}
        good.append({"row": row, "job_id": job_id, "nodes": int(job["res"]), "name": name, **times})
    schema = {"row": pl.Int64, "reason": pl.String, "detail": pl.String}
    yield Rejected(pl.DataFrame(bad, schema=schema), file, "jobs")
    what = "jobs of amounts of work, whose run time depends on a platform; run Batsim and drop its jobs.csv"
    if without and not good:
        raise Refusal("no_jobs", f"the workload has {what}")
    yield LeftOut(drop.name, "jobs", "run_time_unknown", without, what, file)
    of_texts = dict.fromkeys(("job_id", "name"), pl.String)
    of_times = dict.fromkeys(("submit_s", "runtime_s", "walltime_s"), pl.Float64)
    yield Rows("jobs", pl.DataFrame(good, schema={"row": pl.Int64, "nodes": pl.Int64} | of_texts | of_times), file)


def _document(file: Path) -> dict[str, Any]:
    data = b""
    for block, failure in byte_blocks(file):
        data += block
        if failure:
            raise Refusal(failure[0], f"{failure[1]}; get the file anew")
        if len(data) > MOST_BYTES:
            raise Refusal("document_too_large", "a workload may have 64 MiB, since it is read as a whole; split it")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refusal("unreadable_json", f"the workload is not JSON ({error}); it may be cut, get it anew") from None


def _fault(job: object, profiles: dict[str, Any]) -> tuple[str, str] | None:
    """Why a job cannot be read: reason and detail."""
    if not isinstance(job, dict) or not isinstance(job.get("id"), str | int):
        return "job_id_missing", "a job has an `id`, a number or a text"
    which = f"job {str(job['id'])[:40]!r}"
    for key, column in (("subtime", "submit_s"), ("res", "nodes")):
        number = _number(job.get(key), least=0.0)
        if number is None or (key == "res" and number != int(number)):
            return f"{column}_unreadable", f"{which}: {key} = {str(job.get(key))[:40]} is no number that it may be"
    if not isinstance(job.get("profile"), str) or job["profile"] not in profiles:
        return "profile_unknown", f"{which} has no profile that the workload describes"
    return None


def _run_s(name: object, profiles: dict[str, Any], depth: int = 0) -> float | None:
    """Seconds that a profile takes; None where a platform decides it."""
    profile = profiles.get(name) if isinstance(name, str) else None
    if not isinstance(profile, dict) or depth > _DEEPEST:
        return None
    if profile.get("type") == "delay":
        return _number(profile.get("delay"))
    parts = profile.get("seq") if profile.get("type") in _SEQUENCES else None
    times = [_run_s(part, profiles, depth + 1) for part in parts] if isinstance(parts, list) else []
    repeat = _number(profile.get("repeat", profile.get("nb", 1)))
    return None if not times or None in times or repeat is None else repeat * sum(times)


def _number(value: object, least: float = 1e-9) -> float | None:
    """A number from `least` on; None for others. A limit of -1 is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and least <= value <= _LARGEST else None
