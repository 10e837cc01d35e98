"""LDMS: memory of nodes as its CSV stores write it, told by a header `#Time,…,ProducerName,…`; plain or `.gz`.

Source: man pages of LDMS (ldms-store_csv, Plugin_meminfo). Metrics are those of /proc/meminfo, in its kB (1024 bytes),
by their names or followed by `::meminfo`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers._columns import MICROSECONDS, Binding, to_canonical
from pipeline.readers._files import CsvTable, first_line
from pipeline.readers._items import LeftOut, Note, Reading, Rejected, Rows, Trace, Yields, rejected
from pipeline.runtime.wording import listing
from pipeline.tables import Sample

FORMAT = "ldms"
GIVES = ("samples",)
TIME, PRODUCER, COMPONENT, JOB = "#Time", "ProducerName", "component_id", "job_id"
TOTAL, FREE = "MemTotal", "MemFree"
PAGE_CACHE = ("Buffers", "Cached")
NO_JOB = "0"
"""What job_id is while no job runs on a node."""
_JOB_NUMBER = r"^[1-9]\d*$"


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """Files whose first line is the header of a CSV store; with the format stated, all."""
    return [file for file in files if settings.format == FORMAT or _is_store(first_line(file))]


def _is_store(header: str) -> bool:
    names = [name.strip() for name in header.split(",")]
    return names[0] == TIME and (PRODUCER in names or COMPONENT in names)


@dataclass(frozen=True)
class _Store:
    """A file that could be opened: the column of each metric, of the node, and of the job where there is one."""

    table: CsvTable
    metrics: dict[str, str]
    node: str
    job: str | None

    @property
    def columns(self) -> list[str]:
        return [*dict.fromkeys([TIME, self.node, *([self.job] if self.job else []), *self.metrics.values()])]


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The samples of nodes, or of jobs on nodes where the files tell them."""
    yield Trace(drop.name)
    minus = [FREE] if drop.settings.count_page_cache else [FREE, *PAGE_CACHE]
    origin, with_jobs = _look(drop, files, minus)
    if origin is not None:
        yield Note(drop.name, f"Times count from the first sample, Unix time {origin / MICROSECONDS:.0f}.")
    how = "counts" if drop.settings.count_page_cache else "leaves out"
    yield Note(
        drop.name,
        f"Used memory is {' - '.join([TOTAL, *minus])}, which {how} page cache "
        f"(count_page_cache: {str(drop.settings.count_page_cache).lower()}).",
    )
    for file in files:
        bad: list[pl.DataFrame] = []
        with Reading(file) as reading:
            store = _open(file, minus)
            for batch in store.table.batches(store.columns, bad.append):
                yield from rejected(bad, file, "samples")
                yield from _take(drop, store, batch, minus, origin or 0, with_jobs, file)
        yield from rejected(bad, file, "samples")
        yield reading


def _open(file: Path, minus: list[str]) -> _Store:
    """The file with the column of each metric; raises Refusal where one is missing."""
    table = CsvTable(file)
    names = {name.partition("::")[0]: name for name in reversed(table.names)}
    missing = [name for name in (TIME, TOTAL, *minus) if name not in names]
    node = next((name for name in (PRODUCER, COMPONENT) if name in names), None)
    if missing or node is None:
        sought = [*missing, *([] if node else [f"{PRODUCER} or {COMPONENT}"])]
        raise Refusal(
            "columns_missing",
            f"no column {listing(sought)}; found {listing(table.names)}. Store the set meminfo",
            row=1,
        )
    return _Store(table, {name: names[name] for name in (TOTAL, *minus)}, names[node], names.get(JOB))


def _look(drop: Drop, files: list[Path], minus: list[str]) -> tuple[int | None, bool]:
    """The first time of all files (us since 1970), and whether any sample was taken while a job ran."""
    firsts, with_jobs = [], False
    for file in files:
        try:
            store = _open(file, minus)
            columns = [TIME, *([store.job] if store.job else [])]
            for batch in store.table.batches(columns, lambda _: None):
                frame, _ = to_canonical(batch, _times(), Sample, drop.settings.time_zone)
                firsts.append(frame["timestamp"].min())
                if store.job:
                    with_jobs |= bool(batch[store.job].str.contains(_JOB_NUMBER).any())
        except Refusal:
            # The file is cut off or damaged; the reading proper says so and keeps what stands before.
            continue
    return min((first for first in firsts if first is not None), default=None), with_jobs


def _times() -> Binding:
    return Binding({"timestamp": ColumnSource(**{"from": [TIME]})}, (), absolute=frozenset({"timestamp"}))


def _take(
    drop: Drop,
    store: _Store,
    batch: pl.DataFrame,
    minus: list[str],
    origin_us: int,
    with_jobs: bool,
    file: Path,
) -> Yields[None]:
    """The rows of a batch; those of no job are left out where there are jobs."""
    # A daemon that starts anew may write its header again.
    repeated = pl.col(TIME).str.starts_with("#").fill_null(False)
    count = batch.filter(repeated).height
    yield LeftOut(drop.name, "samples", "header_repeated", count, "they are the header, written again", file)
    batch = batch.filter(~repeated)
    if with_jobs:
        idle = (pl.col(store.job).is_null() | (pl.col(store.job) == NO_JOB)) if store.job else pl.lit(True)
        count, why = batch.filter(idle).height, "they were taken while no job ran on the node"
        yield LeftOut(drop.name, "samples", "no_job", count, why, file)
        batch = batch.filter(~idle)
    parsed, unreadable = [], []
    for name, column in store.metrics.items():
        binding = Binding({"used_gb": ColumnSource(**{"from": [column], "unit": "KiB"})}, ())
        frame, bad = to_canonical(batch, binding, Sample, drop.settings.time_zone)
        parsed.append(frame.rename({"used_gb": name}))
        unreadable.append(bad.with_columns(detail=pl.col("detail").str.replace("used_gb", name, literal=True)))
    times, bad = to_canonical(batch, _times(), Sample, drop.settings.time_zone)
    bad = pl.concat([bad, *unreadable]).unique("row", keep="first", maintain_order=True).sort("row")
    yield Rejected(bad, file, "samples")
    frame = batch.join(bad, on="row", how="anti", maintain_order="left").select(
        "row", pl.col(store.node).alias("node"), pl.col(store.job if with_jobs else store.node).alias("job_id")
    )
    for other in [times, *parsed]:
        frame = frame.join(other, on="row", how="left", maintain_order="left")
    used = pl.col(TOTAL) - pl.sum_horizontal(minus, ignore_nulls=False)
    time_s = (pl.col("timestamp") - origin_us) / MICROSECONDS
    yield Rows("samples", frame.select("row", "job_id", "node", time_s=time_s, used_gb=used), file)
