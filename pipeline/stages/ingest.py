"""Reads one data drop into canonical tables: the stage between `traces/` and everything else.

The result of a drop is a folder of Parquet files named after the canonical tables. `traces`, `rejected_rows` and
`provenance` are always there, the others (`tallies`: what became of the rows) where they have rows. A drop that is
refused is a result, too.
"""

from __future__ import annotations

import logging
import os
import re
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from pipeline import drops
from pipeline.drops import Drop, Folder, Refusal, leads, memory
from pipeline.readers import _partitions, _recognise
from pipeline.readers._deliver import HELD, REFUSED, Delivery, PhaseWriter
from pipeline.readers._items import Item, Note
from pipeline.runtime import manifest, storage
from pipeline.runtime.wording import escaped, listing
from pipeline.tables.profiling import DPU

log = logging.getLogger(__name__)

MOST_TRACES = 3
"""Traces up to which all is said of each."""
MOST_NAMED = 5
"""Files that are named among those not read; a month of ExaData has hundreds."""
MOST_LINES, LINE_WIDTH = 15, 160
"""Of what check says in short."""


@dataclass(frozen=True)
class Summary:
    """What came of a drop.

    `rows` counts the rows of each table, `rejected` maps a reason to its count and first example (`file:row: detail`),
    `unread` names files of the drop that its reader does not take; `held` says what a trace without jobs holds, and
    its answers (leads.held), `memory` what was seen of a trace's memory, `left_out` what of it is of no use here
    or not known. `excluded` maps a reason why PIM runs are kept and not used to its count and sentence; `pim_units` is
    what their ranks are. `lacking` says which columns would lead to more answers, `notes` what the contents of tables
    told, and `proposed` is the text of a trace.yaml that says the same, or would make a refused drop readable.
    """

    drop: str
    format: str | None
    traces: pl.DataFrame
    rows: dict[str, int]
    rejected: dict[str, tuple[int, str]]
    unread: list[str]
    held: dict[str, tuple[str | None, list[str]]]
    memory: dict[str, str]
    left_out: dict[str, str]
    excluded: dict[str, tuple[int, str]]
    pim_units: str
    lacking: dict[str, list[str]]
    notes: Sequence[str] = ()
    proposed: str | None = None

    @property
    def code(self) -> int:
        """Exit code: 0 everything read, 1 something rejected, 2 the drop refused."""
        if (self.traces["status"] == REFUSED).all():
            return 2
        return 1 if self.rejected else 0

    def text(self, *, full: bool = True) -> str:
        """The summary in lines for a terminal; in short at most MOST_LINES, and what trace.yaml may say."""
        return "\n".join(self._lines() if full else self._short())

    def _short(self) -> list[str]:
        """The lines cut to a width, but those of a refusal, which are wrapped; the proposal is there whole."""
        proposed = self.proposed.splitlines() if self.proposed and self.code == 2 else []
        lines: list[str] = []
        for line in "\n".join(self._lines()).splitlines():
            if line in proposed:
                continue
            if (self.code == 2 and line.startswith("  rejected ")) or line.strip() in self.notes:
                indent = " " * (len(line) - len(line.lstrip()) + 2)
                lines += textwrap.wrap(line, LINE_WIDTH, subsequent_indent=indent, break_long_words=False)
            else:
                lines.append(
                    line if len(line) <= LINE_WIDTH else f"{line[: LINE_WIDTH - 9].rpartition(' ')[0]} … --full"
                )
        most = MOST_LINES - len(proposed)
        if len(lines) > most:
            lines = [line for line in lines if not re.fullmatch(r"  \w+: \d+ rows", line)]
        if len(lines) > most:
            lines = [*lines[: most - 1], f"  … {len(lines) - most + 1} more lines: apportion check --full"]
        return lines + proposed

    def _lines(self) -> list[str]:
        lines = [f"{self.drop}: {'refused' if self.code == 2 else self.format}"]
        for trace in self.traces.iter_rows(named=True):
            machine = f", {trace['ranks']} {self.pim_units}" if trace["ranks"] else ""
            content, answers = self.held.get(trace["trace"], (None, []))
            read = content or f"{trace['jobs']} jobs, {trace['samples']} samples"
            counts = f": {read}, {trace['rejected']} rows rejected{machine}" if trace["status"] != REFUSED else ""
            lines.append(f"  trace {trace['trace']} ({trace['status']}){counts}")
            if self.traces.height <= MOST_TRACES:
                of_trace = (counts.get(trace["trace"]) for counts in (self.memory, self.left_out))
                note = trace["note"] or ""
                for sentence in self.notes:
                    note = note.replace(sentence, "").strip()
                lines += [f"    {line}" for line in (_machine_line(trace), *of_trace, *self.notes, note) if line]
            lines += [f"    {answer}" for answer in (*answers, *leads.of_jobs(trace))]
            lines += [f"    {line}" for line in self.lacking.get(trace["trace"], [])]
            lines += [f"    warning: {trace['warnings']}"] if trace["warnings"] else []
        whole = self.left_out.keys() - set(self.traces["trace"])
        lines += [f"  of {trace}: {self.left_out[trace]}" for trace in sorted(whole)]
        lines += [f"  {table}: {count} rows" for table, count in self.rows.items() if count]
        for reason, (count, example) in sorted(self.rejected.items()):
            lines.append(f"  rejected {count} x {reason}, first {example}")
        lines += [f"  left out {count} x {reason}: {why}" for reason, (count, why) in sorted(self.excluded.items())]
        if self.unread:
            more = f" and {len(self.unread) - MOST_NAMED} more" if len(self.unread) > MOST_NAMED else ""
            lines.append(f"  not read: {listing(self.unread[:MOST_NAMED])}{more}")
        return [escaped(line, "\n") for line in lines]


SIZE_FROM = {
    "stated": "stated in trace.yaml",
    "header": "from the log's header",
    "node_lists": "from the nodes it names",
    "peak": "assumed: the most busy at once",
    "largest_job": "assumed: the largest job",
}
"""In words where the size of a machine comes from (trace.nodes_origin)."""


def _machine_line(trace: dict[str, Any]) -> str:
    """Size of the machine, load offered to it and time span, as far as they are known."""
    unit = trace["unit"] or "node"
    parts = [f"machine: {trace['nodes']} {unit}s ({SIZE_FROM[trace['nodes_origin']]})"] if trace["nodes"] else []
    parts += [f"offered load {trace['offered_load']:.2f}"] if trace["offered_load"] is not None else []
    parts += [f"submissions over {_duration(trace['span_s'])}"] if trace["span_s"] else []
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    return next(
        (f"{seconds / s:.1f} {name}" for s, name in ((86400, "days"), (3600, "h")) if seconds >= s), f"{seconds:g} s"
    )


def ingest(
    path: Path, target: Path, folder: Folder | None = None, delta: float = 2.0, node_memory: str = "mean"
) -> Summary:
    """Read the drop in folder `path` into folder `target`, which is replaced whole.

    delta: threshold of `fit.phases.segment`, node_memory: mean or max, see `fit.phases.job_series`; both for readers
    that segment as they read.

    A `folder` that drops.discover refused is recorded under its key without reading anything. A drop that is unreadable
    does not raise: its trace has status "refused" and `rejected_rows` says why. Raises OSError where files cannot be
    read or written at all, memory.MemoryTooSmall among them, since with more memory the drop can be read, and where the
    drop changes while it is read: what was read is then neither the old drop nor the new one.
    """
    before = drops.fingerprint(path)
    with manifest.replacing_folder(target) as part:
        try:
            summary = _read(path, part, folder, delta, node_memory)
        except OSError:
            _require_unchanged(path, before)
            raise
        _require_unchanged(path, before)
    log.info("%s", summary.text())
    return summary


def _items(module: ModuleType, drop: Drop, files: list[Path], notes: list[str]) -> Iterator[Item]:
    """What the reader yields, and what is to be said of the drop besides. Raises Refusal."""
    if drop.settings.partitions and module.GIVES != ("jobs",):
        raise Refusal(
            "partition_missing",
            f"trace.yaml names partitions, which are for logs of jobs alone; this is {module.FORMAT}",
        )
    yield from module.read(drop, files)
    yield from (Note(drop.name, note) for note in notes)


def _as_refusal(error: BaseException, folder: Path) -> Refusal:
    """What came of a drop that could not be read, whatever was raised; raises what is the machine's failure."""
    if isinstance(error, Refusal):
        return error
    refusal = drops.failed(error, folder)
    if refusal is None:
        raise error
    log.error("%s", refusal.detail, exc_info=error)
    return refusal


def _left_out(tables: dict[str, pl.DataFrame]) -> dict[str, str]:
    """Of each trace, the reasons for which rows are left out or values of jobs are not known, with how many."""
    if "tallies" not in tables:
        return {}
    reason = pl.col("reason")
    unknown = reason.str.ends_with("_unreadable") & (pl.col("table_name") == "jobs") & (pl.col("fate") == "observed")
    # Runs of PIM programs say themselves why they are left out.
    tallies = tables["tallies"].filter((pl.col("fate") == "left_out") & (pl.col("table_name") != "pim_runs") | unknown)
    texts = tallies.select("trace", "fate", pl.format("{} {}", "rows", "reason").alias("text"))
    reasons: dict[str, list[str]] = {}
    for (trace, fate), part in texts.group_by("trace", "fate", maintain_order=True):
        what = "left out" if fate == "left_out" else "not known"
        reasons.setdefault(trace, []).append(f"{what}: {', '.join(part['text'])}")
    return {trace: "; ".join(parts) for trace, parts in reasons.items()}


def _require_unchanged(path: Path, before: str) -> None:
    if drops.fingerprint(path) != before:
        raise OSError(f"the files of {path} changed while they were read; run again once they are complete")


def check(path: Path, scratch: Path | None = None, *, full: bool = True, write: bool = False) -> tuple[str, int]:
    """What `ingest` would make of a drop, as text, and the exit code (see Summary.code).

    A file is looked at as a drop of that one file, without a trace.yaml; a link to a file is followed, as by `add`. A
    folder with a name that no drop can have is looked at under the name that `add` gives it. full: every line whole;
    else at most MOST_LINES of them. scratch: an empty folder for what is read, by default a temporary one. write: put
    the trace.yaml that is proposed into the drop, where there is none; else nothing is left behind. Raises
    NotADirectoryError for a `write` beside a single file.
    """
    if write and not path.is_dir():
        raise NotADirectoryError(f"{path} is a file; make a folder of it, for trace.yaml to lie in")
    path = path.resolve() if path.is_file() and path.is_symlink() else Path(os.path.normpath(path.absolute()))
    other = None if path.is_file() or drops.DROP_NAME.fullmatch(path.name) else drops.name_for(path)
    with nullcontext(scratch) if scratch else tempfile.TemporaryDirectory(prefix="apportion-check-") as folder:
        summary = _read(path, Path(folder), None, 2.0, "mean", other)
    text = summary.text(full=full)
    if other:
        text += (
            f"\n  warning: {escaped(path.name)!r} cannot be the name of a drop; `apportion add` makes one named "
            f"{other}. Below a trace root the folder is refused until it is renamed."
        )
    return (f"{text}\n{_write_settings(path, summary.proposed)}" if write else text), summary.code


def _write_settings(drop: Path, proposed: str | None) -> str:
    """Write the proposed trace.yaml into the drop, and say so, or why not."""
    target = drop / drops.SETTINGS_FILE
    if proposed is None:
        return f"{drops.SETTINGS_FILE}: nothing to propose"
    if os.path.lexists(target):
        return f"{drops.SETTINGS_FILE} is there and stays as it is; add these keys, or change them to:\n{proposed}"
    for placeholder, what in ((drops.PLACEHOLDER, "a column"), (drops.UNKNOWN_UNIT, "a unit")):
        if placeholder in proposed:
            return f"{drops.SETTINGS_FILE} is not written: put {what} in the place of {placeholder} first"
    with storage.replacing_file(target) as part:
        part.write_text(f"{proposed}\n", encoding="utf-8")
    return f"{drops.SETTINGS_FILE} is written; look at it, and check again"


def _phase_writer(file: Path, delta: float, node_memory: str) -> PhaseWriter:
    # Compiled parts are loaded when they are used.
    from pipeline.fit.series import PhaseWriter

    return PhaseWriter(file, delta, node_memory)


def _read(
    path: Path, into: Path, folder: Folder | None, delta: float, node_memory: str, name: str | None = None
) -> Summary:
    path = Path(os.path.normpath(path.absolute()))
    key = folder.key if folder else name or path.name
    drop, module, unread, refusal = Drop(key, path), None, [], folder and folder.refusal
    proposed, notes = None, []
    try:
        drop = drop if refusal else drops.of_file(path) if path.is_file() else drops.load(path, name)
    except BaseException as caught:
        refusal = _as_refusal(caught, path)
    delivery = Delivery(drop, into, lambda file: _phase_writer(file, delta, node_memory))
    try:
        if refusal:
            raise refusal
        files, entries = ([path], []) if path.is_file() else drops.contents(drop)
        for entry in entries:
            delivery.refuse(entry)
        known = _recognise.identify(drop, files)
        module, drop, proposed, notes = known.module, known.drop, known.proposed, known.notes
        delivery.drop = drop
        taken = module.recognises(files, drop.settings)
        memory.require(module, drop, taken)
        unread = [file.relative_to(drop.path).as_posix() for file in files if file not in set(taken)]
        log.info("%s: %s, %d files", drop.name, module.FORMAT, len(taken))
        items, partitions = _items(module, replace(drop, scratch=into), taken, notes), drop.settings.partitions
        delivery.of(_partitions.split(items, drop.name, partitions) if partitions else items)
    except BaseException as caught:
        refusal = _as_refusal(caught, drop.path)
        delivery.abandon(refusal)
        proposed, notes = refusal.proposed, []
    format_name = module.FORMAT if module else None
    tables = delivery.finish(format_name)
    rows = {name: delivery.count(name) for name in HELD}
    rows["samples"] = tables["traces"]["samples"].sum()
    rows["rejected_rows"] = delivery.rejected.count
    held = {trace_id: leads.held(tables, trace_id) for trace_id in tables["traces"]["trace"]}
    lacking = {trace["trace"]: leads.lacking(tables, trace) for trace in tables["traces"].iter_rows(named=True)}
    units = "DPUs" if drop.settings.pim_unit == DPU else "ranks"
    return Summary(
        drop.name, format_name, tables["traces"], rows, delivery.rejected.by_reason, unread, held, delivery.memory,
        _left_out(tables), delivery.excluded, units,
        lacking, notes, proposed,
    )  # fmt: skip
