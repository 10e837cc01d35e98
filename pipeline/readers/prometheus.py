"""Prometheus: range queries of memory per job or node, JSON (`*.json[.gz]`) or CSV as Grafana exports it.

Source: HTTP API of Prometheus (query_range); metrics of node_exporter, cgroup_exporter (treydock) and
slurm-job-exporter (guilbaults), which are bytes. Used memory of a node is its total less what is available.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers._columns import MICROSECONDS, Binding, to_canonical
from pipeline.readers._files import beginning, stem
from pipeline.readers._range_query import NAME, Part, is_csv, is_json, parts
from pipeline.readers._sink import Sink
from pipeline.runtime.wording import listing
from pipeline.tables import Sample

FORMAT = "prometheus"
GIVES = ("samples",)
USED = (
    "cgroup_memory_rss_bytes",
    "slurm_job_memory_rss",
    "cgroup_memory_used_bytes",
    "slurm_job_memory_usage",
    "slurm_job_memory_usage_bytes",
)
"""Metrics that are memory used, from the one that is taken first; the resident set leaves page cache out."""
LEFT = ("node_memory_MemAvailable_bytes", "node_memory_MemFree_bytes")
"""Metrics that are memory left of TOTAL, likewise."""
TOTAL = "node_memory_MemTotal_bytes"
JOB_LABELS = ("jobid", "job_id", "slurmjobid", "slurm_jobid", "slurm_job_id", "SLURM_JOBID")
"""Labels of a job of the batch system. `job` is none: it names what Prometheus scrapes."""
NODE_LABELS = ("node", "nodename", "hostname", "host", "instance")
LONG_GAP = 5
"""Steps without a sample that are told."""

_CGROUP_JOB = re.compile(r"/job_(\d+)(/step_[^/]+)?")
_PORT = re.compile(r":\d+$")
_JSON = (".json", ".json.gz")


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """Answers of Prometheus by how they begin, tables by their header; with the format stated, all JSON and CSV."""
    stated = settings.format == FORMAT
    jsons = [file for file in files if stem(file, _JSON) is not None]
    tables = [file for file in files if stem(file, (".csv", ".csv.gz")) is not None]
    return [
        *(file for file in jsons if stated or is_json(beginning(file))),
        *(file for file in tables if stated or is_csv(file)),
    ]


@dataclass
class _Seen:
    """What a first look at all series shows: names of metrics, the first time (us) and what nodes have."""

    metrics: dict[str, None] = field(default_factory=dict)
    first_us: int | None = None
    totals: dict[str, list[pl.DataFrame]] = field(default_factory=dict)


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the samples of the metric that is used memory to the sink, and count those of the others."""
    sink.trace(drop.name)
    seen = _look(drop, files)
    metric = _used_metric(drop, seen)
    if seen.first_us is not None:
        sink.note(drop.name, f"Times count from the first sample, Unix time {seen.first_us / MICROSECONDS:.0f}.")
    left = metric in LEFT
    capacity = f"{TOTAL} - " if left and seen.totals else "node_memory_gb - " if left else ""
    sink.note(drop.name, f"Used memory is {capacity}{metric or 'the value of the query, taken as bytes'}.")
    totals = {node: _changes(pl.concat(frames).sort("timestamp")) for node, frames in seen.totals.items()}
    for file in files:
        with sink.reading(file):
            for part in parts(file, lambda rows, file=file: sink.reject_rows(rows, file, table="samples")):
                _take(drop, part, metric, totals, seen.first_us or 0, file, sink)


def _look(drop: Drop, files: list[Path]) -> _Seen:
    seen = _Seen()
    for file in files:
        try:
            for part in parts(file, lambda _: None):
                name = part.labels.get(NAME, "")
                seen.metrics[name] = None
                frame, _ = _numbers(drop, part)
                first = frame["timestamp"].min()
                seen.first_us = min((t for t in (first, seen.first_us) if t is not None), default=None)
                if name == TOTAL:
                    known = frame.filter(pl.col("used_gb").is_finite()).select("timestamp", total_gb="used_gb")
                    seen.totals.setdefault(_node(drop, part.labels), []).append(_changes(known))
        except Refusal:
            # The file is cut off or damaged; the reading proper says so and keeps what stands before.
            continue
    return seen


def _changes(totals: pl.DataFrame) -> pl.DataFrame:
    """Rows at which the memory of a node is another than before."""
    return totals.filter(pl.col("total_gb").ne_missing(pl.col("total_gb").shift()))


def _used_metric(drop: Drop, seen: _Seen) -> str:
    """The metric that is used memory, or left of it; raises Refusal where none is known to be."""
    stated = drop.settings.columns.get("used_gb")
    known = (*USED, *LEFT, "") if stated is None else (stated.names[0],)
    found = next((metric for metric in known if metric in seen.metrics), None)
    if found is None and seen.metrics:
        raise Refusal(
            "metric_unknown",
            f"no metric of used memory in {listing(list(seen.metrics))}; known are {listing([*USED, *LEFT])}. State "
            "another in trace.yaml as `columns: {used_gb: its_name}`",
        )
    if found and found.endswith("_total"):
        raise Refusal("metric_is_counter", f"{found} is a counter, which only grows; used memory is a gauge")
    return found or ""


def _numbers(drop: Drop, part: Part) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Row, timestamp (us since 1970) and value (GB), and the rows that cannot be read."""
    stated = drop.settings.columns.get("used_gb")
    unit = stated.unit if stated is not None and stated.unit else "B"
    sources = {
        "timestamp": ColumnSource(**{"from": ["time"], "unit": "ms" if part.milliseconds else "s"}),
        "used_gb": ColumnSource(**{"from": ["value"], "unit": unit}),
    }
    binding = Binding(sources, (), absolute=frozenset({"timestamp"}))
    return to_canonical(part.samples, binding, Sample, drop.settings.time_zone)


def _take(
    drop: Drop,
    part: Part,
    metric: str,
    totals: dict[str, pl.DataFrame],
    origin_us: int,
    file: Path,
    sink: Sink,
) -> None:
    """Hand the samples of one series over, or say why they are left out."""
    name, rows = part.labels.get(NAME, ""), part.samples.height
    node, (job, step) = _node(drop, part.labels), _job(drop, part.labels)

    def left_out(reason: str, why: str) -> None:
        sink.left_out(drop.name, "samples", reason, rows, why, file)

    if name == TOTAL and metric in LEFT:
        return left_out("capacity", "they tell the memory of nodes, of which used memory is made")
    if name != metric:
        return left_out("metric_not_used", f"they are of other metrics than {metric}")
    if step:
        return left_out("part_of_job", "they are of steps of jobs, which the samples of the jobs count in")
    frame, unreadable = _numbers(drop, part)
    if not unreadable.is_empty():
        sink.reject_rows(unreadable, file, table="samples")
        rows = frame.height
    if metric in LEFT:
        total = totals.get(node)
        total = None if total is None or total.is_empty() else total
        if total is None and drop.settings.node_memory_gb is None:
            return left_out("capacity_unknown", f"their nodes have no {TOTAL}, and trace.yaml no node_memory_gb")
        frame = frame.with_columns(used_gb=_total_gb(drop, frame, total) - pl.col("used_gb"))
    if job is None and not node:
        return left_out("series_unnamed", "their series has no label of a job or a node")
    _count_gaps(drop, frame, sink)
    samples = frame.select(
        "row",
        "used_gb",
        ((pl.col("timestamp") - origin_us) / MICROSECONDS).alias("time_s"),
        pl.lit(job or node).alias("job_id"),
        pl.lit(node or None, dtype=pl.String).alias("node"),
    )
    return sink.rows("samples", samples, file)


def _total_gb(drop: Drop, frame: pl.DataFrame, total: pl.DataFrame | None) -> pl.Series | pl.Expr:
    """Memory of the node at each sample: the last value known, before the first one that."""
    if total is None:
        return pl.lit(drop.settings.node_memory_gb, dtype=pl.Float64)
    at = total["timestamp"].search_sorted(frame["timestamp"], side="right").cast(pl.Int64) - 1
    return total["total_gb"].gather(at.clip(0, None))


def _count_gaps(drop: Drop, frame: pl.DataFrame, sink: Sink) -> None:
    steps = frame["timestamp"].drop_nulls().sort().diff().drop_nulls()
    usual = steps.median() if len(steps) else None
    gaps = int((steps > LONG_GAP * usual).sum()) if usual else 0
    sink.observed(
        drop.name, "samples", "gap", gaps, f"more than {LONG_GAP} steps without a sample, over which memory stays"
    )


def _node(drop: Drop, labels: dict[str, str]) -> str:
    """Name of the node of a series, without the port of its exporter."""
    return _PORT.sub("", _first(drop, "node", labels, NODE_LABELS) or "")


def _job(drop: Drop, labels: dict[str, str]) -> tuple[str | None, bool]:
    """Job of a series, by its label or its control group, and whether it is a step of one; None for a node."""
    found = _first(drop, "job_id", labels, JOB_LABELS)
    group = _CGROUP_JOB.search(labels.get("cgroup", ""))
    return (found or (group[1] if group else None)), bool(group and group[2])


def _first(drop: Drop, column: str, labels: dict[str, str], known: tuple[str, ...]) -> str | None:
    """Value of the stated labels of a column joined by `/`, else of the first known one that the series has."""
    stated = drop.settings.columns.get(column)
    if stated is not None:
        return "/".join(labels[name] for name in stated.names if name in labels) or None
    return next((labels[name] for name in known if labels.get(name)), None)
