"""ClusterCockpit job archives: `*meta.json` with `*data.json[.gz]` beside it, one pair a job.

Source: the job archive of ClusterCockpit (schemas job-meta and job-data); memory is `mem_used` of scope `node`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._columns import natural_order
from pipeline.readers._files import line_blocks, stem
from pipeline.readers._items import Note, Reading, Rows, Trace, Yields
from pipeline.runtime.wording import listing

FORMAT = "clustercockpit"
GIVES = ("jobs", "samples")
GB_PER_PREFIX = {
    "": 1e-9, "K": 1e-6, "M": 1e-3, "G": 1.0, "T": 1e3,
    "Ki": 1024e-9, "Mi": 1024**2 * 1e-9, "Gi": 1024**3 * 1e-9, "Ti": 1024**4 * 1e-9,
}  # fmt: skip
"""GB in a byte unit with the prefix."""

LARGEST = 2**53
"""Numbers up to here are whole as they are written."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_META = ("meta.json",)
_DATA = ("data.json", "data.json.gz")


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The meta and data files, if there are any of both kinds."""
    metas = [file for file in files if _key(file, _META) is not None]
    data = [file for file in files if _key(file, _DATA) is not None]
    return [*metas, *data] if metas and data else []


def _key(file: Path, endings: tuple[str, ...]) -> Path | None:
    """What the files of a job share: folder and beginning of the name. An archive calls them just `meta.json`."""
    if file.name in endings:
        return file.parent / "."
    start = stem(file, endings)
    return None if start is None else file.parent / start


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """A job row and its samples for each pair."""
    yield Trace(drop.name)
    metas: dict[Path, tuple[Path, dict[str, Any]]] = {}
    data = {key: file for file in files if (key := _key(file, _DATA)) is not None}
    for file in files:
        key = _key(file, _META)
        if key is not None:
            with Reading(file) as reading:
                if key not in data:
                    raise Refusal(
                        "data_missing", "there is no data.json for this meta.json; drop both files of the job"
                    )
                metas[key] = file, _meta(file)
            yield reading
    origin = min((meta["startTime"] for _, meta in metas.values()), default=0)
    if metas:
        yield Note(drop.name, f"Times count from the first start, Unix time {origin}.")
    # Files have no order of their jobs; names of jobs have one.
    place = {str(meta["jobId"]): 0 for _, meta in metas.values()}
    place = {name: number for number, name in enumerate(sorted(place, key=natural_order))}
    for key, file in data.items():
        complete = False
        with Reading(file) as reading:
            if key not in metas:
                raise Refusal(
                    "meta_missing", "there is no readable meta.json for this file; drop both files of the job"
                )
            meta_file, meta = metas[key]
            start = float(meta["startTime"] - origin)
            samples = _samples(_json(file), meta, start)
            yield Rows("jobs", (yield from _job(drop, meta, start, place[str(meta["jobId"])])), meta_file)
            yield Rows("samples", samples, file)
            complete = True
        yield reading
        if key in metas and not complete:
            with Reading(metas[key][0]) as reading:
                raise Refusal("data_missing", f"its {file.name} was refused, so the job is not used")
            yield reading


def _json(file: Path) -> dict[str, Any]:
    content = b"".join(block for _, block in line_blocks(file))
    try:
        parsed = json.loads(content)
        if _SURROGATE.search(content):
            json.dumps(parsed, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Refusal(
            "unreadable_json", "the file holds half of a character (an escape \\ud800 to \\udfff alone)"
        ) from None
    except (ValueError, RecursionError) as error:
        row = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise Refusal("unreadable_json", f"the file is not JSON: {error}", row=row) from None
    if not isinstance(parsed, dict):
        raise Refusal("unreadable_json", "the file must hold one JSON object")
    return parsed


def _meta(file: Path) -> dict[str, Any]:
    """The meta data, with the keys that are needed checked."""
    meta = _json(file)
    wrong = [k for k in ("startTime", "duration", "numNodes") if not _is_number(meta.get(k))]
    wrong += ["jobId"] if not isinstance(meta.get("jobId"), int | str) else []
    if wrong:
        raise Refusal(
            "columns_missing", f"{', '.join(wrong)} missing or of the wrong type; found {listing(list(meta))}"
        )
    if not (isinstance(meta["startTime"], int) and isinstance(meta["numNodes"], int)):
        raise Refusal("column_type", "startTime and numNodes must be whole numbers")
    return meta


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _job(drop: Drop, meta: dict[str, Any], start: float, place: int) -> Yields[pl.DataFrame]:
    """The job's row. The archive keeps no submission time, so a job counts as submitted when it started."""
    duration, walltime = float(meta["duration"]), meta.get("walltime")
    if not _is_number(walltime) or walltime < duration:
        problem = f"{walltime} s is shorter than the run" if _is_number(walltime) else "none"
        yield Note(drop.name, f"Requested time of job {meta['jobId']} not used: {problem}.")
        walltime = None
    row = {
        "job_id": str(meta["jobId"]),
        "submit_s": start,
        "nodes": meta["numNodes"],
        "walltime_s": None if walltime is None else float(walltime),
        "runtime_s": duration,
        "user": None if meta.get("user") is None else str(meta["user"]),
        "start_s": start,
        "end_s": start + duration,
        "position": place,
        "row": 1,
    }
    types = {"walltime_s": pl.Float64, "user": pl.String}
    return pl.DataFrame([row], schema_overrides=types)


def _samples(data: dict[str, Any], meta: dict[str, Any], start: float) -> pl.DataFrame:
    """Samples of every host, in GB; `row` counts them through the file. Missing ones are null."""
    metric = data.get("mem_used", {})
    metric = metric.get("node") if isinstance(metric, dict) else None
    if not isinstance(metric, dict):
        raise Refusal("columns_missing", f"no mem_used of scope node; found metrics {listing(list(data))}")
    scale, step = _scale(metric, meta), metric.get("timestep")
    if not _is_number(step) or step <= 0:
        raise Refusal("column_type", f"timestep of mem_used is {str(step)[:80]}, where seconds > 0 would be right")
    frames, row = [], 1
    series_of_hosts = metric.get("series")
    for series in series_of_hosts if isinstance(series_of_hosts, list) else []:
        if not isinstance(series, dict) or not isinstance(series.get("data"), list):
            raise Refusal("columns_missing", "a series of mem_used holds no data")
        try:
            used = pl.Series("used_gb", series["data"], dtype=pl.Float64, strict=True)
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            raise Refusal("column_type", f"data of {str(series.get('hostname'))[:80]} are not numbers") from None
        times = pl.int_range(len(used), eager=True).cast(pl.Float64) * step + start
        rows = pl.int_range(row, row + len(used), eager=True)
        frame = pl.DataFrame([used * scale, times.alias("time_s"), rows.alias("row")])
        host = series.get("hostname")
        frames.append(frame.with_columns(node=pl.lit(None if host is None else str(host), dtype=pl.String)))
        row += len(used)
    if not frames:
        raise Refusal("file_empty", "mem_used holds no series")
    return pl.concat(frames).with_columns(job_id=pl.lit(str(meta["jobId"])))


def _scale(metric: dict[str, Any], meta: dict[str, Any]) -> float:
    """GB in the unit of mem_used. Only the prefix counts: archives are known to name the base unit B/s."""
    statistics = meta.get("statistics")
    of_meta = statistics.get("mem_used") if isinstance(statistics, dict) else None
    for holder in (metric, of_meta):
        unit = holder.get("unit") if isinstance(holder, dict) else None
        if isinstance(unit, dict):
            prefix = unit.get("prefix") or ""
            if not isinstance(prefix, str) or prefix not in GB_PER_PREFIX:
                known = ", ".join(p for p in GB_PER_PREFIX if p)
                raise Refusal("unit_unknown", f"prefix {str(prefix)[:80]!r} of mem_used is not known; known: {known}")
            return GB_PER_PREFIX[prefix]
    raise Refusal("unit_unknown", "mem_used has no unit, neither in data.json nor in meta.json")
