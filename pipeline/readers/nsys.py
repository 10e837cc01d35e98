"""Nsight Systems: reports of `nsys stats` as CSV, or the SQLite export, one application a file.

Source: Nsight Systems User Guide (2022 to 2026). It tells times, launches, shapes and the GPU, and counts neither
operations nor bytes, so rates are null. A file may have millions of launches: they are added up by kernel and shape as
they pass by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers import _nsys_csv, _nsys_sqlite
from pipeline.readers._files import Reject
from pipeline.readers._gpu_profile import COPIES, LAUNCHES, Profiles, app_of
from pipeline.readers._gpu_profile import TRACE as WITH_TIMES
from pipeline.readers._items import Counted, LeftOut, Note, Reading, Refused, Trace, Yields, rejected
from pipeline.readers._nsys_csv import COPIED, Batch
from pipeline.runtime.wording import listing

FORMAT = "nsys"
GIVES = ("kernels", "gpu_apps")

SQLITE = "SQLite export"
RANKS = (SQLITE, *_nsys_csv.REPORTS)
"""What tells most of an application comes first."""
MOST_NAMED = 8
"""Kernels that the proposed command profiles."""
_METRICS = ",".join(
    [f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma")]
    + [f"l1tex__t_bytes_pipe_lsu_mem_global_op_{op}.sum.per_second" for op in ("ld", "st")]
    + ["gpu__time_duration.sum"]
)
_SHAPE = [name for name in LAUNCHES if name not in ("calls", "start_s", "time_s")]


@dataclass
class Activity:
    """Launches and copies of an application, added up as they come; `held` is the most rows that were kept of them."""

    launches: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=LAUNCHES))
    copies: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=COPIES))
    start_s: float | None = None
    end_s: float | None = None
    busy_s: dict[str | None, float] = field(default_factory=dict)
    last_s: dict[str | None, float] = field(default_factory=dict)
    busy_end: dict[str | None, float] = field(default_factory=dict)
    in_order: bool = True
    rows: int = 0
    held: int = 0

    def add(self, batch: Batch) -> None:
        """Take more launches and copies."""
        self.rows += batch.launches.height + batch.copies.height
        for frame in batch:
            timed = frame.select(start=pl.col("start_s").min(), end=(pl.col("start_s") + pl.col("time_s")).max()).row(0)
            self.start_s = min((t for t in (self.start_s, timed[0]) if t is not None), default=None)
            self.end_s = max((t for t in (self.end_s, timed[1]) if t is not None), default=None)
        for (device,), device_launches in batch.launches.group_by("device", maintain_order=True):
            self._busy(device, device_launches)
        self.launches = _merge_rows(pl.concat([self.launches, batch.launches]), _SHAPE, ["calls", "time_s"])
        self.copies = _merge_rows(pl.concat([self.copies, batch.copies]), ["app", "with_host"], ["time_s", "bytes"])
        self.held = max(self.held, self.launches.height + self.copies.height)

    def _busy(self, device: str | None, launches: pl.DataFrame) -> None:
        """Add the time in which a kernel runs, once where several do; launches come by their starts."""
        start, end = launches["start_s"], launches["start_s"] + launches["time_s"]
        if start.has_nulls() or not start.is_sorted() or start[0] < self.last_s.get(device, 0.0):
            self.in_order = False
            return
        self.last_s[device] = start[-1]
        before = self.busy_end.get(device, 0.0)
        reached = pl.concat([pl.Series([before]), end]).cum_max()
        # What ran before covers the first part of a launch, or all of it.
        alone = end - pl.select(pl.max_horizontal(reached[:-1], start)).to_series()
        self.busy_s[device] = self.busy_s.get(device, 0.0) + alone.clip(lower_bound=0.0).sum()
        self.busy_end[device] = reached[-1]

    def sentence(self, app: str) -> str | None:
        """How long kernels kept the GPU busy; None where the profile does not tell when they ran."""
        if not self.busy_s or not self.in_order or not self.end_s or self.end_s <= self.start_s:
            return None
        span, kernels = self.end_s - self.start_s, self.launches["time_s"].sum()
        busy = sum(self.busy_s.values())
        devices = len(self.busy_s)
        on = f" (mean of {devices} GPUs)" if devices > 1 else ""
        return (
            f"{app}: kernels keep the GPU busy {busy / devices / span:.1%} of {span:.4g} s{on}, "
            f"{max(kernels - busy, 0.0) / busy if busy else 0:.1%} of that beside another kernel of the profile."
        )


def _merge_rows(frame: pl.DataFrame, key: Sequence[str], sums: Sequence[str]) -> pl.DataFrame:
    """Rows of one key as one, without a start."""
    added = [pl.when(pl.col(name).count() > 0).then(pl.col(name).sum()).alias(name) for name in sums]
    return (
        frame.group_by(key, maintain_order=True)
        .agg(*added)
        .with_columns(start_s=pl.lit(None, pl.Float64))
        .select(frame.columns)
    )


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """Reports, told by their headers, and SQLite databases."""
    return [file for file in files if _nsys_sqlite.recognises(file) or _nsys_csv.find(file)]


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """Kernels and applications. Without a readable profile the drop is refused."""
    yield Trace(drop.name)
    profiles = Profiles()
    of_app: dict[str, list[tuple[int, Path]]] = {}
    for file in files:
        rank = 0 if _nsys_sqlite.recognises(file) else RANKS.index(_nsys_csv.find(file).kind)
        of_app.setdefault(app_of(file, drop.settings), []).append((rank, file))
    for app, ranked in sorted(of_app.items()):
        ranked.sort()
        best, notes = None, []
        for rank, file in ranked:
            kind = RANKS[rank]
            if best is not None and not (kind == COPIED and best not in (SQLITE, _nsys_csv.TRACE)):
                if RANKS[rank] == best:
                    yield Refused(_repeated(drop, file, app, kind))
                else:
                    yield from _leave_out(drop, file, best)
                continue
            bad: list[pl.DataFrame] = []
            with Reading(file) as reading:
                activity = yield from _read_one(drop, file, kind, app, profiles, bad)
                profiles.files.setdefault(app, file)
                best = best or kind
                notes.append(activity.sentence(app))
            yield from rejected(bad, file, "kernels")
            yield reading
        for note in filter(None, notes):
            yield Note(drop.name, note)
    if not profiles.files:
        raise Refusal("table_missing", "none of its profiles can be read; export them anew")
    yield from profiles.hand_over(drop, _remedies(profiles))


def _repeated(drop: Drop, file: Path, app: str, kind: str) -> Refusal:
    return Refusal(
        "profile_repeated",
        f"there is a {kind} of {app} already; keep one of the two, or rename one",
        file=file.relative_to(drop.path).as_posix(),
    )


def _leave_out(drop: Drop, file: Path, best: str) -> Yields[None]:
    """Count the rows of a report of which another one tells more."""
    bad: list[pl.DataFrame] = []
    with Reading(file) as reading:
        batches = _nsys_csv.batches(file, _nsys_csv.find(file), "", bad.append)
        count = sum(batch.launches.height + batch.copies.height for batch in batches) + sum(rows.height for rows in bad)
        why = f"of the same runs as the {best}, which tells more"
        yield LeftOut(drop.name, "kernels", "told_twice", count, why, file)
    yield reading


def _read_one(
    drop: Drop, file: Path, kind: str, app: str, profiles: Profiles, bad: list[pl.DataFrame]
) -> Yields[Activity]:
    """Add what a file tells of an application to the profiles; raises Refusal where it holds no kernel and no copy."""
    activity = Activity()
    if kind == SQLITE:
        with _nsys_sqlite.opened(file) as export:
            for batch in _all_of(export, app, bad.append):
                activity.add(batch)
            gpus = export.gpus()
        activity.launches = _on_devices(activity.launches, gpus)
        profiles.sms |= {gpu["name"]: gpu["sms"] for gpu in gpus.values() if gpu["name"] and gpu["sms"]}
        for sentence in _cards(gpus, activity.launches):
            yield Note(drop.name, sentence)
    else:
        for batch in _nsys_csv.batches(file, _nsys_csv.find(file), app, bad.append):
            activity.add(batch)
    yield Counted(file, activity.rows)
    if not activity.rows:
        raise Refusal("file_empty", "the file holds no kernel and no copy; it may be cut, or the profile failed")
    profiles.launches.append(activity.launches)
    profiles.copies.append(activity.copies)
    if activity.start_s is not None:
        profiles.taken[app, WITH_TIMES] = file
        length = activity.end_s - activity.start_s
        profiles.spans.append(pl.DataFrame({"app": [app], "start_s": [activity.start_s], "time_s": [length]}))
    return activity


def _all_of(export: _nsys_sqlite.Export, app: str, reject: Reject) -> Iterator[Batch]:
    yield from export.launches(app, reject)
    yield from export.copies(app, reject)


def _on_devices(launches: pl.DataFrame, gpus: dict[int, dict]) -> pl.DataFrame:
    """Launches with names and compute capabilities of their devices in the place of numbers."""
    number = pl.col("device")
    columns = {
        column: number.replace_strict(
            {str(device): gpu[key] for device, gpu in gpus.items()}, default=None, return_dtype=pl.String
        )
        for column, key in (("device", "name"), ("capability", "capability"))
    }
    return launches.with_columns(**columns)


def _cards(gpus: dict[int, dict], launches: pl.DataFrame) -> list[str]:
    """What is told of the GPUs that kernels ran on."""
    used = set(launches["device"].drop_nulls())
    descriptions = {}
    for gpu in gpus.values():
        if gpu["name"] in used:
            facts = [f"{gpu['sms']} SMs"] if gpu["sms"] else []
            facts += [f"compute capability {gpu['capability']}"] if gpu["capability"] else []
            facts += [f"{gpu['bandwidth'] * 1e-9:.4g} GB/s"] if gpu["bandwidth"] else []
            descriptions[gpu["name"]] = f"{gpu['name']} ({', '.join(facts) or 'nothing else is told'})"
    return [f"Profiled on {listing(sorted(descriptions.values()), 3)}."] if descriptions else []


def _remedies(profiles: Profiles) -> dict[str, str]:
    """How to get the rates of the kernels that take most of the time (see Profiles.hand_over)."""
    launches = pl.concat([pl.DataFrame(schema=LAUNCHES), *profiles.launches])
    longest = launches.group_by("kernel", maintain_order=True).agg(pl.col("time_s").sum())
    names = longest.sort("time_s", "kernel", descending=[True, False], nulls_last=True)["kernel"].to_list()
    plain = list(dict.fromkeys(filter(None, map(_function, names))))[:MOST_NAMED]
    chosen = f" -k 'regex:^({'|'.join(plain)})$'" if plain else ""
    return {
        "gflops": "counts of operations",
        "memory_gbps": "counts of loads and stores, as Nsight Systems measures times alone",
        "time_s": "durations",
        "command": f"`ncu --csv --page raw{chosen} -c 100 --metrics {_METRICS} --log-file app.csv <program>` and drop "
        "app.csv in a folder of its own",
    }


def _function(kernel: str) -> str | None:
    """Name of a kernel as `ncu -k` compares it: without return type, namespaces, template and parameters."""
    bare = re.split(r"[<(]", kernel.removeprefix("void "), maxsplit=1)[0].strip()
    match = re.search(r"(\w+)$", bare)
    return match[1] if match else None
