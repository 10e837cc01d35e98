"""Prometheus: range queries of memory per job or node, JSON (`*.json[.gz]`) or CSV as Grafana exports it.

Source: HTTP API of Prometheus (query_range); metrics of node_exporter, cgroup_exporter (treydock), slurm-job-exporter
(guilbaults) and cAdvisor (Kubernetes), which are bytes. Used memory of a node is its total less what is available.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers._columns import MICROSECONDS, Binding, to_canonical
from pipeline.readers._files import beginning, stem
from pipeline.readers._items import Counted, LeftOut, Note, Observed, Reading, Rejected, Rows, Trace, Yields, rejected
from pipeline.readers._range_query import NAME, Part, is_csv, is_json, parts
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
    "container_memory_working_set_bytes",
    "container_memory_rss",
    "container_memory_usage_bytes",
)
"""Metrics that are memory used, from the one that is taken first; the resident set leaves page cache out."""
LEFT = ("node_memory_MemAvailable_bytes", "node_memory_MemFree_bytes")
"""Metrics that are memory left of TOTAL, likewise."""
TOTAL = "node_memory_MemTotal_bytes"
JOB_LABELS = ("jobid", "job_id", "slurmjobid", "slurm_jobid", "slurm_job_id", "SLURM_JOBID")
"""Labels of a job of the batch system. `job` is none: it names what Prometheus scrapes."""
NODE_LABELS = ("node", "nodename", "hostname", "host", "instance")
POD_LABELS = ("pod", "pod_name")
CONTAINER_LABELS = ("container", "container_name")
"""Labels of a pod of Kubernetes, which is a job here, and of a container in it."""
SAME_THING = frozenset(
    ("job", "endpoint", "service", "prometheus", "prometheus_replica", "replica", "cluster", "metrics_path")
)
"""Labels of how a series was scraped: series that differ in nothing else are the same memory twice."""
MOST_SHARED = 0.05
"""Share of their time up to which two series may overlap that follow each other, as an exporter is restarted."""
_CADVISOR = "container_"
_PAUSE = "POD"
"""The container that cAdvisor reports for the network of a pod."""
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


_Labels = frozenset[tuple[str, str]]
_Span = tuple[int, int] | None
"""First and last time of a series, us since 1970; None where none can be read."""


@dataclass
class _Seen:
    """What a first look at all series shows: spans of each metric's series, the first time (us), what nodes have."""

    metrics: dict[str, dict[_Labels, _Span]] = field(default_factory=dict)
    first_us: int | None = None
    totals: dict[str, list[pl.DataFrame]] = field(default_factory=dict)


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The samples of the metric that is used memory, and how many there are of the others."""
    yield Trace(drop.name)
    seen = _look(drop, files)
    metric = _used_metric(drop, seen)
    if seen.first_us is not None:
        yield Note(drop.name, f"Times count from the first sample, Unix time {seen.first_us / MICROSECONDS:.0f}.")
    left = metric in LEFT
    capacity = f"{TOTAL} - " if left and seen.totals else "node_memory_gb - " if left else ""
    yield Note(drop.name, f"Used memory is {capacity}{metric or 'the value of the query, taken as bytes'}.")
    totals = {node: _changes(pl.concat(frames).sort("timestamp")) for node, frames in seen.totals.items()}
    sums = _Sums(drop, metric, seen.metrics.get(metric, {}))
    for file in files:
        bad: list[pl.DataFrame] = []
        with Reading(file) as reading:
            for part in parts(file, bad.append):
                yield from rejected(bad, file, "samples")
                yield from _take(drop, part, metric, totals, seen.first_us or 0, file, sums)
        yield from rejected(bad, file, "samples")
        yield reading
    yield from sums.hand_over()


class _Sums:
    """Which series of the metric count, and the sums of those that are parts of one job or node.

    A pod's own series counts; without one its containers are summed. Other series of one job or node are summed where
    they are of different things. Raises Refusal for series that are the same memory twice.
    """

    def __init__(self, drop: Drop, metric: str, series: dict[_Labels, _Span]):
        self._drop = drop
        known = [(dict(labels), span) for labels, span in series.items()]
        self._pods = any(_pod(labels) for labels, _ in known)
        self._whole = {_key(drop, labels) for labels, _ in known if _pod(labels) and not _container(labels)}
        self._held: dict[tuple[str, str], pl.DataFrame] = {}
        self._times: dict[_Labels, pl.Series] = {}
        self._rows: Counter[Path] = Counter()
        alike: dict[tuple[str, str], list[tuple[dict[str, str], _Span]]] = {}
        for labels, span in known:
            key = _key(drop, labels)
            if any(key) and self.part_of(labels) is None and not _job(drop, labels)[1]:
                alike.setdefault(key, []).append((labels, span))
        self._several = {key for key, members in alike.items() if len(members) > 1 and metric not in LEFT}
        for (job, node), members in alike.items():
            self._require_parts(job or node, members, metric)

    def _require_parts(self, name: str, series: list[tuple[dict[str, str], _Span]], metric: str) -> None:
        things: dict[_Labels, list[tuple[int, int]]] = {}
        for labels, span in series:
            own = {label: text for label, text in labels.items() if label not in SAME_THING and metric not in LEFT}
            things.setdefault(frozenset(own.items()), []).extend([span] if span else [])
        for spans in things.values():
            if any(_overlap(one, other) for one, other in pairwise(sorted(spans))):
                keys = {key for labels, _ in series for key in labels}
                differ = [key for key in sorted(keys) if len({labels.get(key) for labels, _ in series}) > 1]
                raise Refusal(
                    "series_repeated",
                    f"{len(spans)} series of {name} differ only in {listing(differ)}, so they are the same memory "
                    "twice; ask for one of them, or sum in the query",
                )

    def part_of(self, labels: dict[str, str]) -> tuple[str, str] | None:
        """Why a series is left out since others count what it counts (reason and sentence); None where it counts."""
        if _pod(labels) is None:
            nested = self._pods and "job_id" not in self._drop.settings.columns
            nested |= labels.get("id", "/") != "/" and labels.get(NAME, "").startswith(_CADVISOR)
            why = "they are of control groups around pods or containers, whose series count"
            return ("part_of_node", why) if nested else None
        if _container(labels) == _PAUSE:
            return "part_of_job", "they are of the containers that hold the network of pods"
        if _container(labels) and _key(self._drop, labels) in self._whole:
            return "part_of_job", "they are of containers, which the series of their pods count in"
        return None

    def take(self, labels: dict[str, str], samples: pl.DataFrame, file: Path) -> Yields[None]:
        """The samples of a series; those that are to be summed are kept."""
        key, name = _key(self._drop, labels), frozenset(labels.items())
        if key not in self._several:
            yield Rows("samples", samples, file)
            return
        before = self._times.get(name, pl.Series("time_s", [], pl.Float64))
        again = samples["time_s"].is_in(before.implode()) | ~samples["time_s"].is_first_distinct()
        twice = pl.format("the series of {} has an earlier sample at time_s = {}", "job_id", "time_s")
        yield Rejected(
            samples.filter(again).select("row", reason=pl.lit("duplicate_sample"), detail=twice), file, "samples"
        )
        samples = samples.filter(~again).with_columns(file=pl.lit(str(file)), parts=pl.lit(1))
        self._times[name] = pl.concat([before, samples["time_s"]])
        self._rows[file] += samples.height
        self._held[key] = _summed(pl.concat([*([self._held[key]] if key in self._held else []), samples]))

    def hand_over(self) -> Yields[None]:
        """The sums, each with the file and row of its first part."""
        for frame in self._held.values():
            for (file,), samples in frame.group_by("file", maintain_order=True):
                yield Rows("samples", samples.drop("file", "parts"), Path(file))
                self._rows[Path(file)] -= samples.height
        for file, rows in self._rows.items():
            yield Counted(file, rows)
        if self._held:
            what = "added to those of other series of the same job or node at the same time"
            yield LeftOut(self._drop.name, "samples", "summed", self._rows.total(), f"they are {what}")
            several = f"Series of {len(self._held)} jobs or nodes, as of the containers of a pod,"
            yield Note(self._drop.name, f"{several} are summed at equal times.")


def _summed(samples: pl.DataFrame) -> pl.DataFrame:
    columns = ["row", "used_gb", "time_s", "job_id", "node", "file", "parts"]
    return (
        samples.group_by("time_s", maintain_order=True)
        .agg(pl.col("row", "job_id", "node", "file").first(), pl.col("used_gb", "parts").sum())
        .select(columns)
    )


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether the first of two spans of time, by their starts, reaches well into the other."""
    shared = min(one[1], other[1]) - other[0]
    return shared >= 0 and shared >= MOST_SHARED * min(one[1] - one[0], other[1] - other[0])


def _key(drop: Drop, labels: dict[str, str]) -> tuple[str, str]:
    """Job and node of a series, empty where it has none."""
    return _job(drop, labels)[0] or "", _node(drop, labels)


def _pod(labels: dict[str, str]) -> str | None:
    """Pod of a series with its namespace, or the name of a container of no pod; None where it is of none.

    Series of an exporter that runs in a pod have that pod as a label, and are not of it.
    """
    pod, cadvisor = _first_of(labels, POD_LABELS), labels.get(NAME, "").startswith(_CADVISOR)
    if pod is None:
        return labels.get("name") if cadvisor else None
    exported = "exporter" in f"{pod} {_container(labels)}" and not cadvisor
    return None if exported else "/".join(filter(None, [labels.get("namespace"), pod]))


def _container(labels: dict[str, str]) -> str | None:
    return _first_of(labels, CONTAINER_LABELS)


def _first_of(labels: dict[str, str], known: tuple[str, ...]) -> str | None:
    return next((labels[name] for name in known if labels.get(name)), None)


def _look(drop: Drop, files: list[Path]) -> _Seen:
    seen = _Seen()
    for file in files:
        try:
            for part in parts(file, lambda _: None):
                name = part.labels.get(NAME, "")
                frame, _ = _numbers(drop, part)
                first, last = frame["timestamp"].min(), frame["timestamp"].max()
                spans = seen.metrics.setdefault(name, {})
                series = frozenset(part.labels.items())
                ends = [t for t in (*(spans.get(series) or ()), first, last) if t is not None]
                spans[series] = (min(ends), max(ends)) if ends else None
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
    used_metric = next((metric for metric in known if metric in seen.metrics), None)
    if used_metric is None and seen.metrics:
        raise Refusal(
            "metric_unknown",
            f"no metric of used memory in {listing(list(seen.metrics))}; known are {listing([*USED, *LEFT])}. State "
            "another in trace.yaml as `columns: {used_gb: its_name}`",
        )
    if used_metric and used_metric.endswith("_total"):
        raise Refusal("metric_is_counter", f"{used_metric} is a counter, which only grows; used memory is a gauge")
    return used_metric or ""


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
    sums: _Sums,
) -> Yields[None]:
    """The samples of one series, or why they are left out."""
    rows, node, job = part.samples.height, _node(drop, part.labels), _job(drop, part.labels)[0]
    total = totals.get(node, pl.DataFrame())
    unused = _of_others(drop, part, metric, sums)
    if unused is None:
        frame, unreadable = _numbers(drop, part)
        yield Rejected(unreadable, file, "samples")
        rows = frame.height
        if metric in LEFT and total.is_empty() and drop.settings.node_memory_gb is None:
            unused = "capacity_unknown", f"their nodes have no {TOTAL}, and trace.yaml no node_memory_gb"
        elif job is None and not node:
            unused = "series_unnamed", "their series has no label of a job or a node"
    if unused is not None:
        yield LeftOut(drop.name, "samples", unused[0], rows, unused[1], file)
        return
    if metric in LEFT:
        frame = frame.with_columns(used_gb=_total_gb(drop, frame, total) - pl.col("used_gb"))
    yield from _count_gaps(drop, frame)
    samples = frame.select(
        "row",
        "used_gb",
        ((pl.col("timestamp") - origin_us) / MICROSECONDS).alias("time_s"),
        pl.lit(job or node).alias("job_id"),
        pl.lit(node or None, dtype=pl.String).alias("node"),
    )
    yield from sums.take(part.labels, samples, file)


def _of_others(drop: Drop, part: Part, metric: str, sums: _Sums) -> tuple[str, str] | None:
    """Why a series tells no memory of its own (reason and sentence); None where it does."""
    name = part.labels.get(NAME, "")
    if name == TOTAL and metric in LEFT:
        return "capacity", "they tell the memory of nodes, of which used memory is made"
    if name != metric:
        return "metric_not_used", f"they are of other metrics than {metric}"
    if _job(drop, part.labels)[1]:
        return "part_of_job", "they are of steps of jobs, which the samples of the jobs count in"
    return sums.part_of(part.labels)


def _total_gb(drop: Drop, frame: pl.DataFrame, total: pl.DataFrame) -> pl.Series | pl.Expr:
    """Memory of the node at each sample: the last value known, before the first one that."""
    if total.is_empty():
        return pl.lit(drop.settings.node_memory_gb, dtype=pl.Float64)
    at = total["timestamp"].search_sorted(frame["timestamp"], side="right").cast(pl.Int64) - 1
    return total["total_gb"].gather(at.clip(0, None))


def _count_gaps(drop: Drop, frame: pl.DataFrame) -> Yields[None]:
    steps = frame["timestamp"].drop_nulls().sort().diff().drop_nulls()
    usual = steps.median() if len(steps) else None
    gaps = int((steps > LONG_GAP * usual).sum()) if usual else 0
    yield Observed(
        drop.name, "samples", "gap", gaps, f"more than {LONG_GAP} steps without a sample, over which memory stays"
    )


def _node(drop: Drop, labels: dict[str, str]) -> str:
    """Name of the node of a series, without the port of its exporter."""
    return _PORT.sub("", _first(drop, "node", labels, NODE_LABELS) or "")


def _job(drop: Drop, labels: dict[str, str]) -> tuple[str | None, bool]:
    """Job of a series, by its label or its control group, and whether it is a step of one; None for a node."""
    job_id = _first(drop, "job_id", labels, JOB_LABELS) or _pod(labels)
    group = _CGROUP_JOB.search(labels.get("cgroup", ""))
    return (job_id or (group[1] if group else None)), bool(group and group[2])


def _first(drop: Drop, column: str, labels: dict[str, str], known: tuple[str, ...]) -> str | None:
    """Value of the stated labels of a column joined by `/`, else of the first known one that the series has."""
    stated = drop.settings.columns.get(column)
    if stated is not None:
        return "/".join(labels[name] for name in stated.names if name in labels) or None
    return _first_of(labels, known)
