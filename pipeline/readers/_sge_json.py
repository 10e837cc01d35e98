"""Records of Open Cluster Scheduler's accounting, a JSON object a line, as the fields of Grid Engine's own lines.

Source: man page sge_accounting(5) of Open Cluster Scheduler and Gridware Cluster Scheduler 9. Times are microseconds.
"""

from __future__ import annotations

import json

import polars as pl

SIGN = r'^\{.*"job_number"\s*:'
_KEYS = {
    "queue": "qname", "host": "hostname", "user": "owner", "name": "job_name", "number": "job_number",
    "submit": "submission_time", "start": "start_time", "end": "end_time", "failed": "failed", "pe": "granted_pe",
    "slots": "slots", "task": "task_number", "category": "category", "pe_task": "pe_taskid", "maxvmem": "maxvmem",
}  # fmt: skip
_INSTEAD = {"failed": "0", "task": "0", "category": "", "pe_task": "NONE", "maxvmem": "0"}
"""What Grid Engine's lines have where a record lacks the key."""
_NEEDED = ("number", "submit", "start", "end", "slots")
_MICROSECONDS_FROM = 10**14
_NOTHING: dict[str, str | None] = dict.fromkeys(_KEYS)


def parts(lines: pl.DataFrame) -> pl.DataFrame:
    """Row, text and fields of lines (row, text) as texts; the fields of a line that is no record are null."""
    fields = pl.DataFrame([_fields(text) for text in lines["text"]], schema=dict.fromkeys(_KEYS, pl.String))
    return pl.concat([lines.select("row", "text"), fields], how="horizontal")


def _fields(text: str) -> dict[str, str | None]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING
    if not isinstance(record, dict):
        return _NOTHING
    usage = record.get("usage")
    usage = usage.get("usage", usage) if isinstance(usage, dict) else {}
    known = {**usage, **record} if isinstance(usage, dict) else record
    values = {field: _text(known.get(key)) or _INSTEAD.get(field) for field, key in _KEYS.items()}
    times = {field: _seconds(values[field]) for field in ("submit", "start", "end")}
    values |= times
    return values if all(_is_number(values[field]) for field in _NEEDED) else _NOTHING


def _text(value: object) -> str | None:
    # Half of a character (an escape \\ud800 alone) can be written nowhere.
    return str(value).encode(errors="replace").decode() if isinstance(value, str | int | float) else None


def _is_number(text: str | None) -> bool:
    return text is not None and text.replace(".", "", 1).isdecimal()


def _seconds(text: str | None) -> str | None:
    microseconds = text is not None and text.isdecimal() and len(text) < 19 and int(text) >= _MICROSECONDS_FROM
    return f"{int(text) // 10**6}.{int(text) % 10**6:06d}" if microseconds else text
