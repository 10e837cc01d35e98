"""Takes what a reader yields: checked rows go to the canonical tables, the others to `rejected_rows`."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import singledispatchmethod
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.drops import SETTINGS_FILE, Drop, Refusal, readable
from pipeline.readers import _items, _machine, _partitions, _rules
from pipeline.readers._series import SampleStore
from pipeline.runtime import storage
from pipeline.runtime.wording import escaped
from pipeline.tables.series import JobSeries

log = logging.getLogger(__name__)

HELD = {
    "jobs": ["trace", "submit_s", "job_id"],
    "phases": ["trace", "job_id", "node", "phase"],
    "profiles": ["trace", "job_id", "node", "memory_gb", "probability"],
    "pim_runs": ["trace", "app", "log", "run"],
    "perf_points": ["trace", "app", "ranks"],
    "queues": ["trace", "arrival_s", "job_id"],
    "pim_stages": ["trace", "app", "stage"],
    "pim_requests": ["trace", "app"],
    "kernels": ["trace", "app", "kernel"],
    "gpu_apps": ["trace", "app"],
    "sm_curves": ["trace", "app", "beside", "sms"],
    "corun_pairs": ["trace", "gpu", "app_a", "app_b", "slowdown_a", "slowdown_b"],
    "solo_rates": ["trace", "gpu", "app", "gpus"],
    "slice_points": ["trace", "app", "slices", "batch", "processes"],
    "slice_demands": ["trace", "demand", "app"],
    "tasks": ["trace", "taskset_id", "task_id"],
}
"""Tables that are held in memory and checked as a whole, with the columns they are sorted by."""

LARGE_FILE = 10**6
"""Size of the files (bytes) whose reading is told; a drop may have hundreds of small ones."""

READ, REFUSED = "read", "refused"
OF_TRACE = (
    "pim_runs",
    "perf_points",
    "kernels",
    "gpu_apps",
    "sm_curves",
    "corun_pairs",
    "solo_rates",
    "slice_points",
    "tasks",
    "graphs",
)
"""Tables that make a trace readable, besides jobs and samples."""


class PhaseWriter(Protocol):
    """Segments series of complete jobs and writes their phases to a file."""

    def append(self, trace_id: str, jobs: pl.Series, nodes: pl.Series, series: JobSeries) -> None: ...

    def close(self) -> None: ...


@dataclass
class _Trace:
    nodes: int | None = None
    nodes_origin: str | None = None
    node_memory_gb: float | None = None
    unit: str = tables.NODE
    cores: int | None = None
    memory_origin: str | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class Delivery:
    """The canonical tables of one drop on their way into a folder.

    `memory` says in words what was seen of the memory of each trace, `excluded` maps a reason why rows are kept and not
    used to their count and sentence.
    """

    def __init__(self, drop: Drop, folder: Path, phase_writer: Callable[[Path], PhaseWriter]):
        self.drop, self.folder, self._phase_writer = drop, folder, phase_writer
        self._files: dict[str, int] = {}
        self._rows: Counter[str] = Counter()
        self.rejected = RejectedRows(drop.name, folder / "rejected_rows.parquet", self._files)
        self._begin()

    def _begin(self) -> None:
        """Without a row and a trace; what is known of files and of rejected rows stays."""
        self._phases: PhaseWriter | None = None
        self._streamed: Counter[str] = Counter()
        self._whole: dict[str, pl.DataFrame] = {}
        self._writers: dict[str, storage.TableWriter] = {}
        self._used: dict[str, Counter[str]] = {}
        self._traces: dict[str, _Trace] = {}
        self._held: dict[str, list[pl.DataFrame]] = {table: [] for table in HELD}
        self._samples = SampleStore(self.folder)
        self._seen = _machine.MemorySeen()
        self._tallies: list[tuple[str, str, str, str | None, int, str | None]] = []
        self.memory: dict[str, str] = {}
        self.excluded: dict[str, tuple[int, str]] = {}

    def of(self, items: Iterator[_items.Item]) -> None:
        """Take all that a reader yields; raises what the reader raises."""
        with closing(items):
            for item in items:
                self.take(item)

    @singledispatchmethod
    def take(self, item: _items.Item) -> None:
        """Take one item; raises ValueError for rows that lack a column of their table."""
        raise TypeError(f"a reader yielded {item!r}, which is none of the items of pipeline.readers._items")

    @take.register
    def _(self, reading: _items.Reading) -> None:
        if self._name(reading.file) not in self._files:
            large = reading.file.stat().st_size >= LARGE_FILE
            log.log(logging.INFO if large else logging.DEBUG, "%s: %s is read", self.drop.name, reading.file.name)
        self._number(reading.file)
        refusal = reading.refusal
        if refusal is not None:
            self.refuse(Refusal(refusal.reason, refusal.detail, file=self._name(reading.file), row=refusal.row))

    @take.register
    def _(self, refused: _items.Refused) -> None:
        self.refuse(refused.refusal)

    def refuse(self, refusal: Refusal) -> None:
        """Record why a file, or the drop, was not (or not wholly) read."""
        self.rejected.file_level(refusal)

    @take.register
    def _(self, trace: _items.Trace) -> None:
        settings = self.drop.settings
        unit = trace.unit or (tables.CORE if settings.share == "cores" else tables.NODE)
        stated_cores = settings.cpus_per_node if "cpus_per_node" in settings.model_fields_set else None
        cores = (trace.cores or stated_cores) if unit == tables.CORE else None
        nodes = settings.partitions[trace.partition] if trace.partition else settings.nodes
        stated = nodes and nodes * (cores or 1)
        self._traces[trace.trace] = _Trace(
            stated or trace.nodes,
            _machine.STATED if stated else trace.nodes_origin if trace.nodes else None,
            settings.node_memory_gb or trace.node_memory_gb,
            unit,
            cores,
        )

    @take.register
    def _(self, note: _items.Note) -> None:
        self._traces[note.trace].notes.append(note.sentence)

    @take.register
    def _(self, warning: _items.Warn) -> None:
        trace = self._traces[warning.trace]
        trace.warnings.append(warning.sentence)
        trace.memory_origin = warning.memory_origin or trace.memory_origin

    @take.register
    def _(self, tally: _items.Tally) -> None:
        if tally.file is not None:
            self._rows[self._name(tally.file)] += tally.rows
        self._tallies.append((tally.trace, tally.table, tally.fate, tally.reason, tally.rows, tally.detail))

    @take.register
    def _(self, counted: _items.Counted) -> None:
        self._rows[self._name(counted.file)] += counted.rows

    @take.register
    def _(self, rows: _items.Rows) -> None:
        number, table, frame = self._number(rows.file), rows.table, rows.frame
        self._rows[self._name(rows.file)] += frame.height
        if "trace" not in frame.columns:
            frame = frame.with_columns(pl.lit(self.drop.name).alias("trace"))
        frame = _rules.conform(frame, table, number)
        if table in HELD:
            self._held[table].append(frame)
            return
        good, rejected = _rules.validate(frame, table)
        self.rejected.add(rejected)
        self._samples.append(self._keep(self._within_node(good, table, "used_gb")), number)

    @take.register
    def _(self, rows: _items.Ordered) -> None:
        numbers = dict(enumerate(self._number(file) for file in rows.files))
        for position, count in rows.frame.group_by("file").len().iter_rows():
            self._rows[self._name(rows.files[position])] += count
        origin = rows.frame["file"].replace_strict(numbers, return_dtype=pl.Int32)
        frame = rows.frame.with_columns(pl.lit(self.drop.name).alias("trace"))
        good, rejected = _rules.validate(_rules.conform(frame, rows.table, 0).with_columns(origin), rows.table)
        self.rejected.add(rejected)
        if good.height:
            self._append(rows.table, self.drop.name, good.drop(_rules.ORIGIN), good.height)

    @take.register
    def _(self, piece: _items.Piece) -> None:
        frame = tables.conform(piece.frame.with_columns(trace=pl.lit(piece.trace)), tables.CANONICAL[piece.table])
        self._append(piece.table, piece.trace, frame, frame.height if piece.rows is None else piece.rows)

    def _append(self, table: str, trace: str, frame: pl.DataFrame, rows: int) -> None:
        """Write a piece of a table, made of so many rows of files."""
        if table not in self._writers:
            path = self.folder / f"{table}.parquet"
            self._writers[table] = storage.TableWriter(path, tables.polars_schema(tables.CANONICAL[table]))
        self._writers[table].append(frame)
        self._used.setdefault(table, Counter())[trace] += rows

    @take.register
    def _(self, whole: _items.Whole) -> None:
        self._whole[whole.table] = tables.conform(whole.frame, tables.CANONICAL[whole.table])

    @take.register
    def _(self, part: _items.Series) -> None:
        if self._phases is None:
            self._phases = self._phase_writer(self.folder / "phases.parquet")
        series = part.series
        self._phases.append(part.trace, part.jobs, part.nodes, series)
        begins = np.zeros(len(series.time_s), bool)
        begins[series.first[:-1]] = True
        self._seen.add_series(series.time_s, series.used_gb, begins)
        self._streamed[part.trace] += len(series.time_s)

    @take.register
    def _(self, rejected: _items.Rejected) -> None:
        number = self._number(rejected.file)
        self._rows[self._name(rejected.file)] += rejected.frame.height
        self.rejected.add(
            rejected.frame.select(
                pl.lit(rejected.trace or self.drop.name).alias("trace"),
                pl.lit(rejected.table, dtype=pl.String).alias("table_name"),
                pl.lit(number, dtype=pl.Int32).alias("file"),
                pl.col("row").cast(pl.Int64),
                "reason",
                "detail",
            )
        )

    def count(self, table: str) -> int:
        """Rows of a table that were written by `finish`, or before."""
        return sum(self._used.get(table, {}).values())

    def abandon(self, refusal: Refusal) -> None:
        """Refuse the drop as a whole: nothing that was taken is kept."""
        self.refuse(refusal)
        self._samples.discard()
        for writer in [*self._writers.values(), *([self._phases] if self._phases else [])]:
            writer.close()
        for name in [*self._writers, *(["phases"] if self._phases else [])]:
            (self.folder / f"{name}.parquet").unlink()
        self._begin()
        self.take(_items.Trace(self.drop.name))

    def finish(self, format_name: str | None) -> dict[str, pl.DataFrame]:
        """Check what only the whole can show, and write all tables. Returns `traces` and those held in memory."""
        held = self._checked()
        samples = (
            self._samples.write(self.folder / "samples.parquet", self._reject_duplicates, self._seen) | self._streamed
        )
        if self._phases is not None:
            self._phases.close()
        for writer in self._writers.values():
            writer.close()
        self.rejected.close()
        held = {name: frame.sort(HELD[name]) for name, frame in held.items() if not frame.is_empty()}
        held |= {name: frame for name, frame in self._whole.items() if not frame.is_empty()}
        used = {name: self._of_use(name, held[name]) for name in HELD if name in held}
        by_trace = {name: frame.group_by("trace", maintain_order=True).len() for name, frame in used.items()}
        self._used = {name: Counter(dict(counts.iter_rows())) for name, counts in by_trace.items()} | self._used
        filled = {trace for name in OF_TRACE if name in held for trace in held[name]["trace"].unique()}
        self.memory = self._memory_of_traces(held, samples)
        held["traces"] = self._trace_table(format_name, self._jobs_of_traces(held), samples, filled)
        tallies = self._tally_table(samples)
        held |= {"tallies": tallies} if len(tallies) else {}
        held["provenance"] = self._provenance()
        for name, frame in held.items():
            storage.write(frame, self.folder / f"{name}.parquet")
        return held

    def _of_use(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows without those that say themselves why they are left out, in a column `excluded`; these are counted."""
        if "excluded" not in frame.columns:
            return frame
        counts = frame.drop_nulls("excluded").group_by("trace", "excluded").len().sort("trace", "excluded")
        for trace_id, reason, count in counts.iter_rows():
            why = tables.WHY_EXCLUDED[reason]
            self.take(_items.LeftOut(trace_id, name, reason, count, why))
            self.excluded[reason] = self.excluded.get(reason, (0, why))[0] + count, why
        return frame.filter(pl.col("excluded").is_null())

    def _number(self, file: Path) -> int:
        return self._files.setdefault(self._name(file), len(self._files))

    def _name(self, file: Path) -> str:
        return file.relative_to(self.drop.path).as_posix()

    def _checked(self) -> dict[str, pl.DataFrame]:
        good: dict[str, pl.DataFrame] = {}
        delivered = {name: pl.concat(frames) for name, frames in self._held.items() if frames}
        self._held = {table: [] for table in HELD}
        lost_phases = pl.DataFrame()
        for name, frame in delivered.items():
            good[name], rejected = _rules.validate(frame, name)
            self.rejected.add(rejected)
            if name == "phases":
                key = ["file", "row"]
                lost_phases = rejected.join(frame.select(*key, "job_id"), on=key, how="left", maintain_order="left")
        if "jobs" in good:
            known = (_machine.STATED, _machine.HEADER)
            machines = {t: trace.nodes for t, trace in self._traces.items() if trace.nodes_origin in known}
            good["jobs"] = self._keep(_rules.within_machine(good["jobs"], machines))
            good["jobs"] = self._keep(self._within_node(good["jobs"], "jobs", "used_memory_gb"))
        if "phases" in good:
            good["phases"], rejected = self._within_node(good["phases"], "phases", "memory_gb")
            self.rejected.add(rejected)
            key = ["file", "row"]
            beyond = rejected.join(
                delivered["phases"].select(*key, "job_id"), on=key, how="left", maintain_order="left"
            )
            lost_phases = pl.concat([lost_phases, beyond]) if len(lost_phases) else beyond
        if "jobs" in good and "phases" in good:
            jobs, phases = _rules.jobs_with_phases(good["jobs"], good["phases"], lost_phases)
            good["jobs"], good["phases"] = self._keep(jobs), self._keep(phases)
        if "profiles" in good:
            if "jobs" in good:
                good["profiles"] = self._keep(_rules.with_job(good["profiles"], good["jobs"], "profiles"))
            good["profiles"] = self._keep(_rules.whole_profiles(good["profiles"]))
        if "jobs" in good:
            good["jobs"] = _rules.with_positions(good["jobs"])
        return {name: frame.drop(_rules.ORIGIN) for name, frame in good.items()}

    def _memory_of_traces(self, held: dict[str, pl.DataFrame], samples: dict[str, int]) -> dict[str, str]:
        """What was seen of the memory of each trace: samples, else phases, else what the log says of its jobs."""
        texts = {}
        for trace_id, trace in self._traces.items():
            of_trace = pl.col("trace") == trace_id
            seen, what = self._seen, "samples"
            if not samples.get(trace_id):
                seen = _machine.MemorySeen()
                for name, column, words in (
                    ("phases", "memory_gb", "phases"),
                    ("jobs", "used_memory_gb", "used, by the log"),
                    ("jobs", "requested_memory_gb", "requested"),
                ):
                    if name in held and not seen.values:
                        seen.add(held[name].filter(of_trace)[column].drop_nulls().to_numpy())
                        what = words
            if not seen.values:
                continue
            texts[trace_id] = f"memory ({what}): {seen.text(trace.unit)}"
            if seen.largest_gb > _machine.LARGEST_NODE_GB:
                trace.warnings.append(
                    f"The largest memory is {seen.largest_gb:.4g} GB per {trace.unit}, more than nearly any has; "
                    "is its unit right?"
                )
        return texts

    def _within_node(self, frame: pl.DataFrame, table: str, column: str) -> _rules.Split:
        """Rows whose memory a node can hold, where trace.yaml states how much that is."""
        if self.drop.settings.node_memory_gb is None:
            return frame, _rules.none_rejected()
        memory_gb = {name: trace.node_memory_gb for name, trace in self._traces.items() if trace.node_memory_gb}
        return _rules.within_node(frame, table, column, memory_gb)

    def _jobs_of_traces(self, held: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """What is looked at of the jobs of each trace; their run times are those of their phases where nothing else is
        known.
        """
        if "jobs" in self._writers:
            jobs = pl.read_parquet(self.folder / "jobs.parquet", columns=["trace", *_machine.COLUMNS])
        elif "jobs" in held:
            jobs = held["jobs"].select("trace", *_machine.COLUMNS)
            if "phases" in held:
                key = ["trace", "job_id"]
                whole = held["phases"].filter(pl.col("node").is_null())
                phased = whole.group_by(key, maintain_order=True).agg(phased_s=pl.col("duration_s").sum())
                jobs = held["jobs"].join(phased, on=key, how="left", maintain_order="left")
                jobs = jobs.with_columns(runtime_s=pl.coalesce("runtime_s", "phased_s"))
        else:
            return {}
        return {trace: part for (trace,), part in jobs.group_by("trace", maintain_order=True)}

    def _keep(self, split: _rules.Split) -> pl.DataFrame:
        good, rejected = split
        self.rejected.add(rejected)
        return good

    def _reject_duplicates(self, samples: pl.DataFrame) -> None:
        self.rejected.add(
            samples.select(
                "trace",
                pl.lit("samples").alias("table_name"),
                *_rules.ORIGIN,
                pl.lit("duplicate_sample").alias("reason"),
                pl.format(
                    "job {} has an earlier sample at time_s = {}; this one has used_gb = {}",
                    "job_id",
                    "time_s",
                    "used_gb",
                ).alias("detail"),
            )
        )

    def _trace_table(
        self,
        format_name: str | None,
        jobs: dict[str, pl.DataFrame],
        samples: dict[str, int],
        filled: set[str],
    ) -> pl.DataFrame:
        rows = []
        given = set(self._used.get("phases", {}))
        for trace_id, trace in sorted(self._traces.items()):
            count = len(jobs.get(trace_id, ())), samples.get(trace_id, 0)
            if not any(count) and any(name.startswith(f"{trace_id}/") for name in self._traces):
                # A file of several clusters, each of which is a trace.
                continue
            machine = _machine.Machine(trace.nodes, trace.nodes_origin, None, None, [])
            if trace_id in jobs:
                machine = _machine.of_jobs(jobs[trace_id], trace.nodes, trace.nodes_origin, trace.unit)
            if trace_id in jobs and not self.drop.settings.partitions:
                trace.notes += filter(None, [_partitions.sentence(jobs[trace_id]["partition"])])
            notes = [*trace.notes, *([self.drop.settings.note] if self.drop.settings.note else [])]
            memory = _machine.MEASURED if count[1] or trace_id in given else None
            if memory is None and count[0]:
                memory, sentence = _machine.memory_origin(jobs[trace_id], trace.memory_origin)
                trace.warnings += [sentence] if sentence else []
            rows.append(
                {
                    "trace": trace_id,
                    "drop": self.drop.name,
                    "format": format_name,
                    "status": READ if any(count) or trace_id in filled else REFUSED,
                    "kind": self.drop.settings.kind,
                    "nodes": machine.nodes,
                    "nodes_origin": machine.origin,
                    "unit": trace.unit if count[0] else None,
                    "offered_load": machine.offered_load,
                    "span_s": machine.span_s,
                    "memory_origin": memory,
                    "warnings": " ".join([*trace.warnings, *machine.warnings]) or None,
                    "cores_per_node": trace.cores,
                    "node_memory_gb": trace.node_memory_gb,
                    "mean_memory_stated_gb": self.drop.settings.mean_memory_gb,
                    "ranks": self.drop.settings.ranks,
                    "jobs": count[0],
                    "samples": count[1],
                    "rejected": self.rejected.by_trace[trace_id],
                    "note": " ".join(notes) or None,
                    "data_source": self.drop.settings.source,
                    "licence": self.drop.settings.licence,
                    "citation": self.drop.settings.citation,
                }
            )
        return pl.DataFrame(rows, schema=tables.polars_schema(tables.Trace))

    def _tally_table(self, samples: dict[str, int]) -> pl.DataFrame:
        rows = [(trace, "samples", "used", None, count, None) for trace, count in samples.items()]
        for name, used in self._used.items():
            rows += [(trace, name, "used", None, count, None) for trace, count in used.items()]
        for (trace, table, reason), count in self.rejected.by_table.items():
            rows.append((trace, table, "rejected", reason, count, None))
        rows += [row for row in self._tallies if row[4]]
        schema = tables.polars_schema(tables.Tally)
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        key = ["trace", "table_name", "fate", "reason"]
        frame = frame.group_by(key, maintain_order=True).agg(
            pl.col("rows").sum(), pl.col("detail").drop_nulls().first()
        )
        return frame.sort("trace", "table_name", "fate", "reason", nulls_last=False, maintain_order=True)

    def _provenance(self) -> pl.DataFrame:
        names = sorted(self._files)
        settings = self.drop.path / SETTINGS_FILE
        if readable(settings, self.drop.path):
            names = [SETTINGS_FILE, *names]
        rows = []
        for name in names:
            path = self.drop.path / name
            with path.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            rows.append((self.drop.name, name, path.stat().st_size, digest, self._rows.get(name)))
        return pl.DataFrame(rows, schema=tables.polars_schema(tables.Provenance), orient="row")


class RejectedRows:
    """Writes `rejected_rows` as they come and counts them by reason."""

    def __init__(self, drop: str, path: Path, files: dict[str, int]):
        self._drop, self._path, self._files = drop, path, files
        self._writer = storage.TableWriter(path, tables.polars_schema(tables.RejectedRow))
        self.by_trace: Counter[str] = Counter()
        self.by_table: Counter[tuple[str, str, str]] = Counter()
        self.by_reason: dict[str, tuple[int, str]] = {}
        self.count = 0

    def file_level(self, refusal: Refusal) -> None:
        """A file (or, without one, the drop) that was not wholly read."""
        self._append(
            pl.DataFrame(
                [(self._drop, None, None, refusal.file, refusal.row, refusal.reason, refusal.detail)],
                schema=tables.polars_schema(tables.RejectedRow),
                orient="row",
            )
        )

    def add(self, rejected: pl.DataFrame) -> None:
        """Rows with the columns of _rules.REJECTED."""
        if rejected.is_empty():
            return
        for trace_id, count in rejected["trace"].value_counts(sort=True).iter_rows():
            self.by_trace[trace_id] += count
        counts = rejected.drop_nulls("table_name").group_by("trace", "table_name", "reason").len()
        for trace_id, table, reason, count in counts.iter_rows():
            self.by_table[trace_id, table, reason] += count
        names = pl.Series("file", list(self._files), dtype=pl.String)
        frame = rejected.with_columns(pl.lit(self._drop).alias("drop"), names.gather(rejected["file"]))
        self._append(frame.select(tables.polars_schema(tables.RejectedRow).keys()))

    def _append(self, frame: pl.DataFrame) -> None:
        firsts = frame.group_by("reason", maintain_order=True).agg(
            pl.len(), pl.col("file").first(), pl.col("row").first(), pl.col("detail").first()
        )
        for reason, count, file, row, detail in firsts.iter_rows():
            place = escaped(":".join(str(part) for part in (file, row) if part is not None) or self._drop)
            # A refusal of a file or drop may bring lines for trace.yaml.
            detail = escaped(detail, "\n" if row is None else "")
            so_far, example = self.by_reason.get(reason, (0, f"{place}: {detail}"))
            self.by_reason[reason] = so_far + count, example
        self.count += frame.height
        self._writer.append(tables.conform(frame, tables.RejectedRow))

    def close(self) -> None:
        """Write what is waiting."""
        self._writer.close()
