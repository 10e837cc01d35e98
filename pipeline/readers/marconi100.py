"""M100 ExaData (Marconi100): `year_month=YY-MM/plugin=*/metric=*/*.parquet`, job table and memory of the nodes.

Samples of nodes are joined to the jobs that had those nodes to themselves, and handed on job by job; they are not kept.
Source of the layout: Borghesi et al., "M100 ExaData", Scientific Data 10 (2023), and its published schema.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers import _exadata_jobs, _machine
from pipeline.readers._items import Note, Trace, Whole, Yields

FORMAT = "marconi100"
GIVES = ("jobs", "phases")

_PARTITION = re.compile(r"year_month=(\d\d-\d\d)/plugin=([^/]+)/metric=([^/]+)/[^/]+\.parquet$")
JOBS, FREE, TOTAL = "job_info_marconi100", "mem_free", "mem_total"
CACHE = ("mem_cached", "mem_buffers")
_GPU = re.compile(r"Gpu(\d+)_fb_used")


@dataclass(frozen=True)
class _Part:
    month: str
    metric: str
    file: Path


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The job table and the memory metrics, of all months."""
    wanted = {JOBS, FREE, TOTAL, *(() if settings.count_page_cache else CACHE)}
    parts = [part for file in files if (part := _part(file)) is not None]
    return [part.file for part in parts if part.metric in wanted or _GPU.fullmatch(part.metric)]


def _part(file: Path) -> _Part | None:
    match = _PARTITION.search(file.as_posix())
    if match is None:
        return None
    month, plugin, metric = match.groups()
    if plugin not in ("ganglia_pub", "job_table") or (plugin == "job_table") != (metric == JOBS):
        return None
    return _Part(month, metric, file)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Jobs, their samples and the memory of their GPUs."""
    # Compiled parts are loaded when they are used.
    from pipeline.readers import _exadata_metrics

    parts: dict[str, list[_Part]] = {}
    for part in sorted((_part(file) for file in files), key=lambda p: (p.month, p.file)):
        parts.setdefault(part.metric, []).append(part)
    yield Trace(drop.name)
    if JOBS not in parts:
        raise Refusal(
            "job_table_missing",
            f"no file under plugin=job_table/metric={JOBS}; samples of nodes tell nothing of jobs without it, "
            "so take months that have one",
        )
    jobs = yield from _exadata_jobs.read(drop, [part.file for part in parts[JOBS]])
    if jobs is None:
        return
    nodes = _exadata_metrics.NodeTable(jobs.nodes)
    notes = _months(parts)
    if FREE in parts:
        capacity = yield from _exadata_metrics.capacity(drop, [part.file for part in parts.get(TOTAL, [])], jobs)
        metrics = [FREE] if drop.settings.count_page_cache else [FREE, *(m for m in CACHE if m in parts)]
        taken = {metric: [part.file for part in parts[metric]] for metric in metrics}
        yield from _exadata_metrics.stream(drop, taken, jobs, nodes, capacity)
        notes += [_what_is_used(metrics), *_one_sided(nodes.seen, jobs.all_nodes)]
    else:
        capacity = None
        notes.append(f"There is no metric {FREE}: the jobs have no memory.")
    gpus = {int(match[1]): parts[m] for m in parts if (match := _GPU.fullmatch(m))}
    if gpus:
        by_gpu = {gpu: [part.file for part in of_gpu] for gpu, of_gpu in gpus.items()}
        yield Whole("gpu_memory", (yield from _exadata_metrics.gpu_memory(drop, by_gpu, jobs)))
    known = capacity.kib[np.isfinite(capacity.kib)] if capacity else np.empty(0)
    memory_gb = float(np.median(known)) * _exadata_metrics.KIB_GB if known.size else None
    yield Trace(
        drop.name,
        nodes=len(nodes.seen | jobs.all_nodes),
        nodes_origin=_machine.NODE_LISTS,
        node_memory_gb=memory_gb,
    )
    for note in [*jobs.notes, *notes]:
        yield Note(drop.name, note)


def _one_sided(sampled: set[str], with_jobs: set[str]) -> list[str]:
    """Nodes that occur in one plugin only."""
    sides = (
        (sampled - with_jobs, "have samples and ran no job of the table"),
        (with_jobs - sampled, "ran jobs and have no samples"),
    )
    return [
        f"{len(names)} nodes {what} ({', '.join(sorted(names, key=_natural)[:5])}{', …' if len(names) > 5 else ''})."
        for names, what in sides
        if names
    ]


def _natural(name: str) -> tuple[int, str]:
    return len(name), name


def _what_is_used(metrics: list[str]) -> str:
    if len(metrics) == 1:
        return f"Used memory is {TOTAL} - {FREE}, which counts page cache as used (count_page_cache: true)."
    return f"Used memory is {TOTAL} - {' - '.join(metrics)}, without page cache (count_page_cache: false)."


def _months(parts: dict[str, list[_Part]]) -> list[str]:
    """What a reader should know of months that lack something."""
    with_jobs = {part.month for part in parts[JOBS]}
    with_samples = {part.month for part in parts.get(FREE, [])}
    notes = []
    if FREE in parts and with_jobs - with_samples:
        notes.append(f"No memory samples of {', '.join(sorted(with_jobs - with_samples))}.")
    if with_samples - with_jobs:
        notes.append(f"No jobs of {', '.join(sorted(with_samples - with_jobs))}.")
    months = sorted(with_jobs | with_samples)
    missing = [m for m in _between(months[0], months[-1]) if m not in months]
    if missing:
        notes.append(f"Months missing in between: {', '.join(missing)}.")
    return notes


def _between(first: str, last: str) -> list[str]:
    """Months YY-MM from the first to the last."""
    low, high = (int(m[:2]) * 12 + int(m[3:]) - 1 for m in (first, last))
    return [f"{m // 12:02d}-{m % 12 + 1:02d}" for m in range(low, high + 1)]
