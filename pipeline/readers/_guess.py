"""What columns of tables nobody has seen before may be: a proposal for `trace.yaml`, never a reading by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

UNITS = {
    "bytes": "B", "byte": "B", "b": "B", "kb": "kB", "kib": "KiB", "mb": "MB", "mib": "MiB", "gb": "GB", "gib": "GiB",
    "ms": "ms", "msec": "ms", "s": "s", "sec": "s", "secs": "s", "seconds": "s", "min": "min", "mins": "min",
    "minutes": "min", "h": "h", "hr": "h", "hours": "h",
}  # fmt: skip
"""Last words of names that are units."""
WORDS = {
    "job_id": "jobid jobnumber jobnum jobno job id jobidraw jobs",
    "submit_s": "submit submitted submittime submission submissiontime queued queuetime queuedat qtime arrival "
    "arrivaltime created createdat ctime submitat submitts",
    "start_s": "start started starttime begin began begintime startedat startts",
    "end_s": "end ended endtime finish finished finishtime completed completiontime stop stoptime endts",
    "nodes": "nodes nodecount nnodes numnodes nodesalloc numnodesalloc nodesrequested allocnodes nodect nnode numnode",
    "runtime_s": "runtime elapsed duration runningtime elapsedtime walltimeused",
    "walltime_s": "walltime limit timelimit walllimit requestedtime requestedwalltime timelimitraw reqtime walltimereq",
    "requested_memory_gb": "reqmem memreq requestedmemory memoryrequested memrequested requestedmem memlimit",
    "used_memory_gb": "usedmem memused usedmemory memoryused peakmem peakmemory maxrss maxmem mempeak maxmemory",
    "user": "user username userid uid owner",
    "name": "jobname",
    "used_gb": "usedmem memused usedmemory memoryused used rss mem memory memusage",
    "time_s": "time timestamp ts t times datetime date",
    "node": "node host hostname nodename instance",
}
"""Names of what a canonical column holds, without blanks, marks and units."""
JOBS = (
    *("job_id", "submit_s", "start_s", "end_s", "nodes", "runtime_s", "walltime_s", "requested_memory_gb"),
    *("used_memory_gb", "user", "name"),
)
SAMPLES = ("job_id", "node", "time_s", "used_gb")
CORES = "cpus ncpus cores ncores numcores numcpus cpucount corecount procs nprocs processors slots alloccpus"


def columns(names: Sequence[str], wanted: Iterable[str]) -> dict[str, str]:
    """Which of the names may be each wanted canonical column; those that nothing points to are not there."""
    found: dict[str, str] = {}
    for column in wanted:
        words = WORDS.get(column, "").split()
        mine = [name for name in names if name not in found.values()]
        exact = [name for name in mine if name == column]
        near = sorted((words.index(word), mine.index(n)) for n in mine if (word := _bare(n, column)) in words)
        if exact or near:
            found[column] = exact[0] if exact else mine[near[0][1]]
    return found


def cores(names: Sequence[str]) -> str | None:
    """The column that may count cores."""
    return next((name for name in names if _bare(name, "") in CORES.split()), None)


def mapping(found: dict[str, str]) -> str:
    """The columns as `columns:` in trace.yaml takes them, with the units that their names have."""
    sources = []
    for column, name in found.items():
        unit = _unit(name, column)
        source = _quoted(name) if unit is None else f"{{from: {_quoted(name)}, unit: {unit}}}"
        sources += [f"{column}: {source}"] if source != column else []
    return f"{{{', '.join(sources)}}}"


def _parts(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name)
    return [part.lower() for part in re.split(r"[^A-Za-z0-9]+", spaced) if part]


def _bare(name: str, column: str) -> str:
    parts = _parts(name)
    if len(parts) > 1 and (parts[-1] in UNITS or parts[-1] == "utc") and _fits(parts[-1], column):
        parts = parts[:-1]
    return "".join(parts)


def _unit(name: str, column: str) -> str | None:
    parts = _parts(name)
    unit = UNITS.get(parts[-1]) if len(parts) > 1 else None
    if unit is None or not _fits(parts[-1], column) or unit == {"_s": "s", "gb": "GB"}.get(column[-2:]):
        return None
    return unit


def _fits(word: str, column: str) -> bool:
    """Whether a unit is one of time for a time, or of memory for memory."""
    of_time = UNITS.get(word, "s") in ("s", "ms", "min", "h")
    return of_time if column.endswith("_s") else not of_time if column.endswith("_gb") else False


def _quoted(name: str) -> str:
    plain = re.fullmatch(r"[A-Za-z_][\w-]*", name) and name.lower() not in ("y", "n", "yes", "no", "on", "off", "null")
    return name if plain else json.dumps(name, ensure_ascii=False)


def proposal(file: str, names: Sequence[str]) -> str | None:
    """What a table with these columns looks like, what it lacks, and a trace.yaml to try; None where nothing fits."""
    of_jobs = columns(names, JOBS)
    share = ""
    if "nodes" not in of_jobs and (column := cores(names)):
        of_jobs["nodes"], share = column, "share: cores\n"
    timed = "runtime_s" in of_jobs or {"start_s", "end_s"} <= of_jobs.keys()
    if {"job_id", "submit_s", "nodes"} <= of_jobs.keys() and timed:
        what, found, head = "jobs", of_jobs, f"format: jobs\njobs: {_quoted(file)}\n{share}"
    else:
        of_samples = columns(names, SAMPLES)
        if not ({"time_s", "used_gb"} <= of_samples.keys() and of_samples.keys() & {"job_id", "node"}):
            return _incomplete(file, of_jobs, timed)
        what, found, head = "memory samples", of_samples, f"format: memory_samples\nsamples: {_quoted(file)}\n"
    maybe = ", ".join(f"{column} maybe {name!r}" for column, name in found.items() if column != name)
    return (
        f"{file} looks like {what} ({maybe}). If it is, and memory is per node, put this into trace.yaml:\n"
        f"{head}columns: {mapping(found)}"
    )


def _incomplete(file: str, of_jobs: dict[str, str], timed: bool) -> str | None:
    """What a table that may be one of jobs lacks."""
    needed = [column for column in ("job_id", "submit_s", "nodes") if column not in of_jobs]
    needed += [] if timed else ["runtime_s (or start_s and end_s)"]
    if len(needed) > 2 or not of_jobs:
        return None
    found = ", ".join(f"{column} maybe {name!r}" for column, name in of_jobs.items() if column != name)
    return (
        f"{file} may be a table of jobs ({found or 'by its columns'}), but no column looks like {' and '.join(needed)}."
    )
