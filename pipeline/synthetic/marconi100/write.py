"""Writes a drop in the layout of the M100 ExaData set, month by month and day by day."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from pipeline.runtime import storage
from pipeline.statistics.streams import stream
from pipeline.synthetic.drop import describe, require_positive
from pipeline.synthetic.marconi100 import job_faults, memory, sample_faults, samples, schedule, truth, workload
from pipeline.synthetic.marconi100.days import Day, stretches
from pipeline.synthetic.marconi100.job_table import SCHEMA, job_table
from pipeline.synthetic.marconi100.truth import Truth

JOB_METRIC = "job_info_marconi100"
JOBS_A_NODE_AND_DAY = 240_000 / 988 / 31
FIRST_JOB_ID = 5_000_000
LEAD_S = 6 * 3600
"""Jobs are submitted from so long before the first sample: some are under way, and a few had ended."""

log = logging.getLogger(__name__)


def write_marconi100(
    folder: Path,
    seed: int,
    months: Sequence[str] = ("22-05",),
    *,
    nodes: int = 988,
    jobs: int | None = None,
    days: int | None = None,
    load: float = 0.75,
    present: float = 0.81,
    gpu: bool = False,
    traps: bool = True,
    parts: int = 1,
) -> Truth:
    """Write months of node memory and jobs as a drop of the format marconi100, and say what they hold.

    `months` are YY-MM; `jobs` are submitted a month on average, in the days kept of it (default: 240,000 on 988 nodes
    in 31 days, others in proportion); `days` keeps so many days of each month (see `days.stretches`). `load` is the
    share of the nodes that jobs ask for, `present` the share of samples that are there, `parts` the files of each
    metric. With `gpu` also the metrics of graphics memory are written, with `traps` the faults of the real files. A
    folder that is there already is replaced when it is empty or a generated drop. Raises ValueError for values that
    make no trace, FileExistsError for a folder that is something else.
    Source: statistics.job_laws (HiPC 2024, Section V), and the published shares of jobs.
    """
    require_positive(load=load, nodes=nodes, parts=parts, **({} if jobs is None else {"jobs": jobs}))
    memory.gap_law(present)
    periods = stretches(months, days)
    _may_replace(folder)
    machine = _Machine(seed, nodes, traps)
    truths = []
    next_id = FIRST_JOB_ID
    with storage.replacing_folder(folder) as part:
        for number, period in enumerate(periods):
            written = _Period(part, machine, number, period, jobs, load, next_id)
            truths.append(written.write(present, samples.MEMORY + (samples.GPU if gpu else ()), parts))
            next_id += written.jobs.submit_s.size
        arguments = f"seed={seed}, months={list(months)}, nodes={nodes}, jobs={jobs}, days={days}, load={load}, "
        arguments += f"present={present}, gpu={gpu}, traps={traps}, parts={parts}"
        describe(
            part,
            {
                "format": "marconi100",
                "kind": "generated",
                "nodes": nodes,
                "node_memory_gb": memory.TOTAL_KIB * 1024 / 1e9,
                "note": f"Generated, not measured: pipeline.synthetic.write_marconi100({arguments}). Layout and "
                "faults are those of the M100 ExaData set, phases and memory follow the laws of the model page.",
            },
        )
    return Truth(
        *(pl.concat([getattr(t, name) for t in truths]) for name in ("jobs", "phases", "rows", "faults")),
        ganglia_only=machine.ganglia_only,
        job_table_only=machine.job_table_only,
    )


def _may_replace(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; give the folder of the drop to write")
    if folder.is_dir() and any(folder.iterdir()):
        settings = folder / "trace.yaml"
        if not settings.is_file() or "kind: generated" not in settings.read_text(encoding="utf-8").splitlines():
            raise FileExistsError(f"{folder} holds files that are no generated drop; give a new folder, or empty it")


class _Machine:
    """Nodes by number: those with samples are 0..nodes - 1, a few more have jobs only, a few of the first have none."""

    def __init__(self, seed: int, nodes: int, with_faults: bool) -> None:
        self.seed, self.nodes, self.with_faults = seed, nodes, with_faults
        few = min(5, max(1, nodes // 8)) if with_faults else 0
        idle = stream(seed, "marconi100", "nodes").choice(nodes, few if nodes > 2 else 0, replace=False)
        self.ganglia_only = sorted(idle.tolist())
        self.job_table_only = list(range(nodes, nodes + few))
        self.with_jobs = np.setdiff1d(np.arange(nodes + few), idle)
        self.names = pa.array([str(node) for node in range(nodes)])


class _Period:
    """Consecutive days with the jobs that ran in them."""

    def __init__(
        self,
        folder: Path,
        machine: _Machine,
        number: int,
        days: list[Day],
        jobs: int | None,
        load: float,
        first_id: int,
    ) -> None:
        self.folder, self.machine, self.number, self.days, self.first_id = folder, machine, number, days, first_id
        self.months = list(dict.fromkeys(day.month for day in days))
        begin_s, end_s = days[0].start_s - LEAD_S, days[-1].end_s
        if jobs is None:
            jobs = max(1, round(JOBS_A_NODE_AND_DAY * machine.nodes * len(days) / len(self.months)))
        count = jobs * len(self.months)
        size = machine.with_jobs.size
        self.shapes, self.jobs = workload.jobs(self.rng("jobs"), count, size, begin_s, end_s, load)
        j = self.jobs
        self.start_s, node = schedule.place(j.submit_s, j.run_s, j.width, j.cpus, size, workload.CPUS)
        self.end_s = self.start_s + j.run_s
        self.node = machine.with_jobs[node]
        self.first = np.append(0, np.cumsum(j.width))

    def rng(self, *key: str) -> np.random.Generator:
        return stream(self.machine.seed, "marconi100", self.number, *key)

    def write(self, present: float, metrics: Sequence[samples.Metric], parts: int) -> Truth:
        """Write all files of the period."""
        all_nodes = self.machine.nodes + len(self.machine.job_table_only)
        first_of, job_of = schedule.by_node(self.first, self.node, self.start_s, all_nodes)
        jobs = self._jobs(first_of, job_of)
        faults, rows, spoilt = [], [], []
        for month in self.months:
            of_month, counts = self._write_jobs(month, jobs.filter(pl.col("year_month") == month), parts)
            spoilt.append(of_month)
            rows.append((month, JOB_METRIC, counts.pop("rows")))
            faults += [(month, JOB_METRIC, fault, count) for fault, count in counts.items()]
        runs = self._runs(first_of[: self.machine.nodes + 1], job_of)
        sampler = samples.Sampler(int(self.rng("samples").integers(1 << 62)), runs, present)
        for metric in metrics:
            series = sampler.days(metric, self.days)
            for month in self.months:
                days = [day for day in self.days if day.month == month]
                counts = {}
                day_samples = series
                if self.machine.with_faults:
                    put = self._sample_faults(metric, month, days, present)
                    day_samples, counts = map(put.put_into, series), put.counts
                written = samples.write_metric(
                    self._place(month, "ganglia_pub", metric.name), metric, days, day_samples, self.machine.names, parts
                )
                rows.append((month, metric.name, written))
                faults += [(month, metric.name, fault, count) for fault, count in counts.items()]
                log.info("%s %s: %d rows", month, metric.name, written)
        jobs = jobs.join(pl.concat(spoilt), on="job_id", how="left", maintain_order="left")
        return Truth(
            jobs,
            truth.phases(self.first_id, self.shapes, self.jobs),
            pl.DataFrame(rows, schema={"year_month": pl.String, "metric": pl.String, "rows": pl.Int64}, orient="row"),
            pl.DataFrame(
                faults,
                schema={"year_month": pl.String, "metric": pl.String, "fault": pl.String, "count": pl.Int64},
                orient="row",
            ),
        )

    def _place(self, month: str, plugin: str, metric: str) -> Path:
        return self.folder / f"year_month={month}" / f"plugin={plugin}" / f"metric={metric}"

    def _jobs(self, first_of: np.ndarray, job_of: np.ndarray) -> pl.DataFrame:
        j = self.jobs
        ends = np.array([day.end_s for day in self.days])
        at = np.searchsorted(ends, self.end_s, side="right")
        in_table = (self.end_s >= self.days[0].start_s) & (at < ends.size)
        month = np.array([day.month for day in self.days])[np.minimum(at, ends.size - 1)]
        lists = pa.ListArray.from_arrays(pa.array(self.first, pa.int32()), pa.array(self.node))
        return pl.DataFrame(
            {
                "job_id": self.first_id + np.arange(j.submit_s.size),
                "user_id": self.shapes.user[j.shape],
                "submit_time": _instants(j.submit_s),
                "start_time": _instants(self.start_s),
                "end_time": _instants(self.end_s),
                "limit_s": j.limit_s,
                "num_nodes": j.width,
                "cpus": j.cpus,
                "nodes": pl.Series(lists),
                "pattern": np.array(workload.PATTERNS)[self.shapes.pattern[j.shape]],
                "year_month": pl.Series(month).set(pl.Series(~in_table), None),
                "shares_node": schedule.overlaps(first_of, job_of, self.start_s, self.end_s, in_table),
            }
        )

    def _write_jobs(self, month: str, jobs: pl.DataFrame, parts: int) -> tuple[pl.DataFrame, dict[str, int]]:
        """Write the job table of a month; returns job_id with its fault, and rows and faults by name."""
        rng = self.rng("job_table", month)
        jobs = jobs.sort("end_time", "job_id")
        table = job_table(rng, jobs)
        fault, counts = pl.Series("fault", [None] * jobs.height, dtype=pl.String), {}
        if self.machine.with_faults:
            begin_s = next(day.start_s for day in self.days if day.month == month)
            start_s = jobs["start_time"].dt.epoch("s").to_numpy()
            run_s = jobs["end_time"].dt.epoch("s").to_numpy() - start_s
            may_spoil = (jobs["cpus"].to_numpy() == workload.CPUS) & (run_s >= 60) & (start_s >= begin_s)
            table, fault, counts = job_faults.put_into(rng, table, may_spoil)
        place = self._place(month, "job_table", JOB_METRIC)
        for part, of_part in enumerate(np.array_split(np.arange(table.height), parts)):
            piece = table.slice(of_part[0] if of_part.size else 0, of_part.size)
            with samples.parquet_writer(place / f"a_{part}.parquet", SCHEMA) as writer:
                writer.write_table(piece.rechunk().to_arrow().cast(SCHEMA), row_group_size=samples.ROW_GROUP)
        return pl.DataFrame([jobs["job_id"], fault]), {"rows": table.height, **counts}

    def _runs(self, first_of: np.ndarray, job_of: np.ndarray) -> memory.Runs:
        return memory.Runs(
            start_s=self.start_s,
            end_s=self.end_s,
            shape=self.jobs.shape,
            stretch=self.jobs.stretch,
            factor=self.jobs.factor,
            share=self.jobs.cpus / workload.CPUS,
            pattern=self.shapes.pattern,
            first=self.shapes.first,
            phase_end_s=self.shapes.phase_end_s,
            memory_gb=self.shapes.memory_gb,
            first_of=first_of,
            job_of=job_of,
        )

    def _sample_faults(
        self, metric: samples.Metric, month: str, days: list[Day], present: float
    ) -> sample_faults.SampleFaults:
        rows = int(0.9 * present * min(day.end_s - day.start_s for day in days) / metric.period_s)
        kinds = sample_faults.kinds_of(metric.name, pa.types.is_integer(metric.dtype))
        return sample_faults.SampleFaults(
            self.rng("faults", month, metric.name), kinds, len(days), self.machine.nodes, rows
        )


def _instants(seconds: np.ndarray) -> pl.Series:
    return pl.Series(seconds * 1000).cast(pl.Datetime("ms", "UTC"))
