"""What columns may be by their names: the words that files use for canonical columns, and units in names."""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence

from pipeline.drops import TIME_UNITS, ColumnSource
from pipeline.runtime.wording import CONTROL

UNITS = {
    "bytes": "B", "byte": "B", "b": "B", "kb": "kB", "kib": "KiB", "mb": "MB", "mib": "MiB", "gb": "GB", "gib": "GiB",
    "ms": "ms", "msec": "ms", "s": "s", "sec": "s", "secs": "s", "seconds": "s", "min": "min", "mins": "min",
    "minutes": "min", "h": "h", "hr": "h", "hrs": "h", "hours": "h", "ns": "ns", "nsec": "ns", "us": "us", "usec": "us",
    "µs": "us", "μs": "us", "kbytes": "kB", "mbytes": "MB", "gbytes": "GB",
}  # fmt: skip
"""Last words of names that are units."""
_APP = "app application model benchmark program workload appname kernel kernelname name"
_DURATION = "time runtime duration elapsed latency itertime iteration iterationtime exectime executiontime kerneltime"
WORDS = {
    "job_id": "jobid jobnumber jobnum jobno job id jobidraw jobs",
    "submit_s": "submit submitted submittime submission submissiontime queued queuetime queuedat qtime arrival "
    "arrivaltime created createdat ctime submitat submitts",
    "start_s": "start started starttime begin began begintime startedat startts",
    "end_s": "end ended endtime finish finished finishtime completed completiontime stop stoptime endts",
    "nodes": "nodes nodecount nnodes numnodes nodesalloc numnodesalloc nodesrequested allocnodes nodect nnode numnode "
    "numberofnodes nodescount nodesused",
    "runtime_s": "runtime elapsed duration runningtime elapsedtime walltimeused",
    "walltime_s": "walltime limit timelimit walllimit requestedtime requestedwalltime timelimitraw reqtime walltimereq "
    "walltimelimit wallclocklimit runtimelimit",
    "requested_memory_gb": "reqmem memreq requestedmemory memoryrequested memrequested requestedmem memlimit "
    "memorylimit",
    "used_memory_gb": "usedmem memused usedmemory memoryused peakmem peakmemory maxrss maxmem mempeak maxmemory "
    "memorypeak memorypernode mempernode",
    "user": "user username userid uid owner",
    "name": "jobname",
    "used_gb": "usedmem memused usedmemory memoryused used rss mem memory memusage",
    "time_s": "time timestamp ts t times datetime date when",
    "node": "node host hostname nodename instance",
    "app": _APP,
    "sms": "sms sm numsms smcount nsms smused",
    "throughput_per_s": "throughput throughputpers throughputpersecond",
    "ipc": "ipc",
    "kernel": "kernel kernelname",
    "gflops": "gflops gflopss gflopspers gflopspersecond",
    "memory_gbps": "memorygbps bandwidthgbps membandwidthgbps memgbps bandwidthgbs memorybandwidthgbs memorygbs",
    "dram_gbps": "drambandwidthgbps drambandwidthgbs dramgbs",
    "ranks": "ranks nranks numranks rankcount",
    "task_id": "taskid task taskname",
    "period": "period t",
    "deadline": "deadline d relativedeadline",
    "work": "work wcet wcetonesm executiontime",
    "kind": "kind bound boundby",
}
"""Names of what a canonical column holds, without blanks, marks and units."""
_SIDES = {"a": ("a", "1", "first"), "b": ("b", "2", "second")}
_OF_A_SIDE = {"alone": ("alone", "solo"), "corun": ("corun", "together")}
_RATES = ("throughput", "speed", "rate")


def _orders(*parts: Iterable[str]) -> list[str]:
    """One word of each part, joined in every order."""
    return ["".join(words) for chosen in itertools.product(*parts) for words in itertools.permutations(chosen)]


for _column, _sides in _SIDES.items():
    _apps = ("app", "application", "model", "kernel", "job", "workload", "benchmark", "program")
    WORDS[f"app_{_column}"] = " ".join([*_orders(_apps, _sides), _sides[-1]])
    WORDS[f"slowdown_{_column}"] = " ".join(_orders(("slowdown",), _sides))
    for _when, _words in _OF_A_SIDE.items():
        _times = [*_orders(_words, _sides), *_orders(_words, _sides, ("time", "runtime", "duration", "latency"))]
        _rates = _orders(_words, _sides, _RATES)
        if _when == "corun":
            _others = _SIDES["b" if _column == "a" else "a"]
            _times += [f"pair{_column}", *(f"{one}with{other}" for one, other in zip(_sides, _others, strict=True))]
            _rates += _orders(("speed", "relativespeed", "throughput"), _sides)
        WORDS[f"{_when}_{_column}_s"] = " ".join(_times)
        WORDS[f"{_when}_{_column}_per_s"] = " ".join(f"{name}{per}" for name in _rates for per in ("", "pers"))
COUNTED = {
    "sms": ("gpcs gpc slices mig migslices migprofile gpuslices numgpcs nslices", "sizes", "mig", "MIG slices"),
    "ranks": ("dpus ndpus numdpus nrdpus nrofdpus dpucount numberofdpus", "pim_unit", "dpu", "single DPUs"),
}
"""Names of columns that count something else than a canonical column does: key and value of trace.yaml that say so, and
what is counted."""
DURATIONS = {"time_s": _DURATION}
"""Names of time_s where it is how long something takes, not when it was."""
JOBS = (
    *("job_id", "submit_s", "start_s", "end_s", "nodes", "runtime_s", "walltime_s", "requested_memory_gb"),
    *("used_memory_gb", "user", "name"),
)
CORES = "cpus ncpus cores ncores numcores numcpus cpucount corecount procs nprocs processors slots alloccpus"
NOT_PLAIN = ("y", "n", "yes", "no", "on", "off", "null", "true", "false")
"""Words that YAML takes for something else than text."""
SAYS_MEMORY = re.compile(r"mem|memory|ram|\w*rss|v?mem\w{3,}|\w+mem")
NO_AMOUNT = re.compile(
    r"avail\w*|free|bandwidth|bw|util\w*|usage[_ ]?percent|percent|pct|share|ratio|clock|freq\w*|type|member\w*|memo"
)
"""Words by which a name says memory, and those by which it is no amount that a job asked for or used."""
LIMITS = ("limit", "max", "maximum", "wall", "wallclock", "walltime")
SAYS_LIMIT = (*LIMITS, "time", "clock", "run", "runtime", "job", "user", "requested", "req", "estimated", "duration")
"""Words of which names of the limit of a run time consist, one of LIMITS among them."""


def candidates(names: Iterable[str], column: str, words: Mapping[str, str] = WORDS) -> list[str]:
    """The names that may be the canonical column, the likeliest first; its own name alone where it is among them."""
    names = list(names)
    if column in names:
        return [column]
    known = [bare(column, column), *words.get(column, "").split()]
    known += [f"{word}pernode" for word in known] if column.endswith("memory_gb") else []
    near = sorted((known.index(word), n) for n, name in enumerate(names) if (word := bare(name, column)) in known)
    return [names[n] for _, n in near]


def columns(names: Sequence[str], wanted: Iterable[str]) -> dict[str, str]:
    """Which of the names may be each wanted canonical column; those that nothing points to are not there."""
    chosen: dict[str, str] = {}
    for column in wanted:
        matching = candidates([name for name in names if name not in chosen.values()], column)
        if matching:
            chosen[column] = matching[0]
    return chosen


def nearest(names: Iterable[str], column: str, words: Mapping[str, str] = WORDS) -> str | None:
    """The name most like one of the column's words, though it is none; None where none is like one."""
    known = [word for word in [bare(column, column), *words.get(column, "").split()] if len(word) > 2]
    for name in names:
        own = bare(name, column)
        if any(word in own or (len(own) > 2 and own in word) for word in known):
            return name
        if difflib.get_close_matches(own, known, n=1, cutoff=0.75):
            return name
    return None


def cores(names: Sequence[str]) -> list[str]:
    """The columns that may count cores."""
    return [name for name in names if bare(name, "") in CORES.split()]


def counted(column: str, name: str) -> tuple[str, str, str] | None:
    """Key and value of trace.yaml by which a column counts something else, and what; None where it does not."""
    names, *means = COUNTED.get(column, ("",))
    return tuple(means) if bare(name, "") in names.split() else None


def words_of(name: str) -> list[str]:
    """The words of a name in lower case, without a unit at its end."""
    parts = _parts(name)
    return parts[:-1] if len(parts) > 1 and parts[-1] in UNITS else parts


def says_memory(name: str) -> bool:
    """Whether a name says that its column is an amount of memory."""
    parts = _parts(name)
    return any(map(SAYS_MEMORY.fullmatch, parts)) and not any(map(NO_AMOUNT.fullmatch, parts)) and "%" not in name


def says_limit(name: str) -> bool:
    """Whether a name says that its column limits run times, as `max wall clock time`."""
    parts = set(_parts(name)) - UNITS.keys()
    return parts <= set(SAYS_LIMIT) and bool(parts & set(LIMITS))


def mapping(column_sources: Mapping[str, str | ColumnSource]) -> str:
    """The columns as `columns:` in trace.yaml takes them; names alone bring the units that they have."""
    sources = []
    for column, source in column_sources.items():
        if isinstance(source, str):
            unit = unit_of(source, column)
            names, unit = [source], None if unit == canonical_unit(column) else unit
        else:
            names, unit = source.names, source.unit
        text = quoted(names[0]) if len(names) == 1 else f"[{', '.join(map(quoted, names))}]"
        text = text if unit is None else f"{{from: {text}, unit: {quoted(unit)}}}"
        sources += [f"{column}: {text}"] if text != column else []
    return f"{{{', '.join(sources)}}}"


def unit_of(name: str, column: str) -> str | None:
    """The unit that a name ends in and that fits the column, as `MB` in `PeakMem_MB` or `reqmem (MB)`."""
    parts = _parts(name)[1:]
    # Sizes are also told by a unit in the midst, as in `memory_MB_total`.
    places = [*parts[-1:], *(part for part in parts if len(part) > 1 and column.endswith("_gb"))]
    return next((UNITS[part] for part in places if part in UNITS and _fits(part, column)), None)


def canonical_unit(column: str) -> str | None:
    """Unit of a canonical column by its name; None where it has none."""
    return "GB" if column.endswith("_gb") else "s" if _of_time(column) else None


def bare(name: str, column: str) -> str:
    """The words of a name in lower case, joined, without a unit that fits the column."""
    parts = _parts(name)
    if len(parts) > 1 and (parts[-1] in UNITS or parts[-1] == "utc") and _fits(parts[-1], column):
        parts = parts[:-1]
    return "".join(parts)


def _parts(name: str) -> list[str]:
    words = [word for word in re.split(r"[\W_]+", name) if word]
    # `kB` and `GiB` are one word, `PeakMem` and `limitMin` are two.
    split = [[word] if word.lower() in UNITS else re.split(r"(?<=[a-z])(?=[A-Z])", word) for word in words]
    parts = [part.lower() for parts in split for part in parts]
    # `mem (GB per node)` is the same as `mem per node (GB)`.
    return [*parts[:-3], *parts[-2:], parts[-3]] if parts[-2:] == ["per", "node"] and parts[-3:][0] in UNITS else parts


def _fits(word: str, column: str) -> bool:
    """Whether a unit is one of time for a time, or of memory for memory."""
    of_time = UNITS.get(word, "s") in TIME_UNITS
    return of_time if _of_time(column) else not of_time if column.endswith("_gb") else False


def _of_time(column: str) -> bool:
    return column.endswith("_s") and not column.endswith("_per_s")


def quoted(name: str) -> str:
    """A name as YAML takes it."""
    plain = re.fullmatch(r"[A-Za-z_][\w-]*", name) and name.lower() not in NOT_PLAIN
    return name if plain else json.dumps(name, ensure_ascii=bool(re.search(CONTROL, name)))
