"""The queue of a Slurm site, from its slurm.conf, as a sweep of hpc_memory says it.

Source: slurm.conf(5) of Slurm 22.05 for keywords, units and defaults, priority_multifactor.html of its documentation
for the factors.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pipeline.studies.hpc_memory.config import Queue

Entries = dict[str, tuple[int, str]]
"""Line and value of each keyword, in lower case; the last one counts."""

READ = {
    "bf_interval": 30,
    "bf_max_job_test": 500,
    "bf_resolution": 60,
    "bf_window": 1440,
    "bf_job_part_count_reserve": 0,
}
"""Options of SchedulerParameters that are read, with their defaults; bf_window is in minutes, the others that are times
in seconds."""
LEAST = {"bf_interval": -1, "bf_job_part_count_reserve": 0}
NOT_MODELLED = {
    "PreemptType": "jobs are not preempted",
    "PriorityWeightFairshare": "fair share needs users and their past",
    "PriorityWeightAssoc": "the association of a job is not in a log",
    "PriorityWeightPartition": "give jobs the weighted factor of their partition as `priority`",
    "PriorityWeightQOS": "give jobs the weighted factor of their QOS as `priority`",
    "PriorityWeightTRES": "a job has nodes only",
    "PriorityFlags": "flags change how priorities are computed",
    "PrioritySiteFactorPlugin": "a site factor is not in a log",
    "OverTimeLimit": "a job ends at its limit, at once",
    "SelectType": "jobs may share nodes; a replay gives whole ones",
    "Include": "the file is not read",
}
"""Keywords that change schedules, and why they are not replayed."""
NEUTRAL = {"PreemptType": "preempt/none", "SelectType": "select/linear"}
DAYS = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")


def read(path: Path) -> str:
    """The YAML of a slurm.conf, with a comment for each thing that changes schedules and is not modelled.

    Raises ValueError, with file and line, for a file that is none and for values that Slurm would not take.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start + 1} is no text; a slurm.conf would be right") from error
    entries, partitions = _keywords(path, text)
    if not entries and not partitions:
        raise ValueError(f"{path}: no line has a keyword and a value; SchedulerType=sched/backfill would be one")
    parameters, notes = _parameters(path, entries)
    queue = _passes(path, entries, parameters) | _order(path, entries)
    notes += [f"{name}={entries[name.lower()][1]}: {why}" for name, why in NOT_MODELLED.items() if _set(entries, name)]
    if len(partitions) > 1:
        notes.append(f"{len(partitions)} partitions ({', '.join(partitions)}): a replay has one, all nodes are its own")
    if entries.get("priorityfavorsmall", (0, "no"))[1].lower() in ("yes", "true", "1") and queue.get("size_weight"):
        notes.append("PriorityFavorSmall: large jobs are favoured")
    defaults = Queue()
    Queue(**queue)
    unusual = {name: value for name, value in queue.items() if value != getattr(defaults, name)}
    lines = ["# a sweep of hpc_memory; times in seconds", "backfilling: [reserve]", "queue:"]
    lines += [f"  {name}: {_yaml(value)}" for name, value in unusual.items()]
    return "\n".join([*lines, *(f"# not modelled: {note}" for note in notes)])


def _keywords(path: Path, text: str) -> tuple[Entries, list[str]]:
    """Keywords of the file, and names of its partitions; comments, continued lines and case as slurm.conf(5) says."""
    entries: Entries = {}
    partitions = []
    begun, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        rest = re.sub(r"(?<!\\)#.*", "", line).rstrip()
        first = first if begun else number
        begun += rest.removesuffix("\\")
        if rest.endswith("\\"):
            continue
        line, begun = begun.strip(), ""
        if not line:
            continue
        if line.lower().startswith("include "):
            entries["include"] = (first, line.split(maxsplit=1)[1])
            continue
        key, equals, value = line.partition("=")
        if not equals or not re.fullmatch(r"\w+", key.strip()):
            raise ValueError(f"{path}, line {first}: {line[:60]!r} is no Keyword=value")
        key, value = key.strip().lower(), value.strip().strip('"')
        if key == "partitionname":
            name = value.split(maxsplit=1)[0] if value else ""
            partitions += [name] if name.upper() != "DEFAULT" else []
        else:
            entries[key] = (first, value)
    return entries, partitions


def _parameters(path: Path, entries: Entries) -> tuple[dict[str, int], list[str]]:
    """The options of SchedulerParameters that are read, and notes of the others."""
    line, value = entries.get("schedulerparameters", (0, ""))
    options, notes = dict(READ), []
    for option in filter(None, (part.strip() for part in value.split(","))):
        name, _, given = option.partition("=")
        name = name.strip().lower()
        if name in READ:
            options[name] = _whole(path, line, name, given, LEAST.get(name, 1))
        else:
            notes.append(f"SchedulerParameters {option}")
    return options, notes


def _passes(path: Path, entries: Entries, parameters: dict[str, int]) -> dict[str, Any]:
    """What SchedulerType and its parameters make of the queue."""
    line, value = entries.get("schedulertype", (0, "sched/backfill"))
    kind = value.lower()
    if kind not in ("sched/backfill", "sched/builtin"):
        raise ValueError(
            f"{path}, line {line}: SchedulerType is {value!r}; sched/backfill or sched/builtin would be right"
        )
    if kind == "sched/builtin" or parameters["bf_interval"] == -1:
        return {"backfill_depth": 0, "kill_at_limit": True}
    return {
        "reserve_depth": parameters["bf_job_part_count_reserve"] or -1,
        "backfill_interval_s": float(parameters["bf_interval"]),
        "backfill_depth": parameters["bf_max_job_test"],
        "backfill_resolution_s": float(parameters["bf_resolution"]),
        "backfill_window_s": 60.0 * parameters["bf_window"],
        "kill_at_limit": True,
    }


def _order(path: Path, entries: Entries) -> dict[str, Any]:
    """The order of the queue."""
    line, kind = entries.get("prioritytype", (0, "priority/basic"))
    if kind.lower() == "priority/basic":
        return {}
    if kind.lower() != "priority/multifactor":
        raise ValueError(
            f"{path}, line {line}: PriorityType is {kind!r}; priority/basic or priority/multifactor would be right"
        )
    weights = {"age_weight": "PriorityWeightAge", "size_weight": "PriorityWeightJobSize"}
    order: dict[str, Any] = {"queue_order": "multifactor"}
    for name, keyword in weights.items():
        at, value = entries.get(keyword.lower(), (0, "0"))
        order[name] = float(_whole(path, at, keyword, value, 0))
    at, value = entries.get("prioritymaxage", (0, "7-0"))
    order["age_max_s"] = _seconds(path, at, value)
    return order


def _set(entries: Entries, name: str) -> bool:
    """Whether a keyword says anything."""
    _, value = entries.get(name.lower(), (0, ""))
    return value.lower() not in ("", "0", "none", NEUTRAL.get(name))


def _whole(path: Path, line: int, name: str, value: str, least: int) -> int:
    if not re.fullmatch(r"-?\d+", value.strip()) or int(value) < least:
        raise ValueError(f"{path}, line {line}: {name} is {value!r}; a whole number of at least {least} would be right")
    return int(value)


def _seconds(path: Path, line: int, value: str) -> float:
    """A time as minutes, minutes:seconds, hours:minutes:seconds, or days-hours with the same after a colon."""
    match = DAYS.fullmatch(value)
    if not match or not any(int(part or 0) for part in match.groups()):
        raise ValueError(
            f"{path}, line {line}: PriorityMaxAge is {value!r}; a time such as 7-0 (days-hours) would be right"
        )
    days, *rest = match.groups()
    parts = [int(part) for part in rest if part is not None]
    units = (3600, 60, 1) if days is not None or len(parts) == 3 else (60, 1)
    return float(86400 * int(days or 0) + sum(part * unit for part, unit in zip(parts, units, strict=False)))


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
