"""From launches, copies and metrics of profiled applications to the tables `kernels` and `gpu_apps`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.drops import Drop, DropSettings, Refusal
from pipeline.readers._files import Reject, stem
from pipeline.readers._gpu_card import declare
from pipeline.readers._gpu_limits import known_device, waves
from pipeline.readers._gpu_tables import pair_files, read_pairs
from pipeline.readers._items import Counted, Note, Observed, Reading, Rows, Trace, Yields, rejected
from pipeline.readers._profiler_csv import exporter
from pipeline.runtime.wording import listing

LAUNCHES = {
    "app": pl.String,
    "kernel": pl.String,
    "calls": pl.Int64,
    "start_s": pl.Float64,
    "time_s": pl.Float64,
    "blocks": pl.Float64,
    "threads": pl.Float64,
    "registers": pl.Float64,
    "shared_b": pl.Float64,
    "device": pl.String,
    "capability": pl.String,
}
"""One row a launch, or several of one kernel together (`calls`; `time_s` is their sum); null = not told."""
COPIES = {"app": pl.String, "start_s": pl.Float64, "time_s": pl.Float64, "bytes": pl.Float64, "with_host": pl.Boolean}
"""One row a copy or filling of memory; `with_host`: between host and GPU."""
METRICS = {
    "app": pl.String,
    "kernel": pl.String,
    "quantity": pl.String,
    "name": pl.String,
    "value": pl.Float64,
    "calls": pl.Int64,
}
"""Mean of a quantity over so many launches; those of one quantity and kernel that have several names are summed."""
QUANTITIES = ("flops", "memory_gbps", "dram_gbps", "dram_utilisation", "occupancy", "waves")
"""`flops` are floating-point operations of a launch, the others columns of `kernels`."""

TRACE = "trace"
"""Kind of a profile that tells each launch and copy with its time."""
KERNEL_FACTS = ("launches", "time_s", "gflops", "memory_gbps", "dram_gbps", "occupancy", "blocks", "waves")
APP_FACTS = ("start_s", "span_s", "kernel_s", "copy_s", "gflops", "memory_gbps", "dram_gbps", "occupancy")
_KIND = re.compile(
    r"^(?:(?:nvprof|ncu|nsight)[._-])?(?:gpu[._-]?traces?|traces?|metrics|summary|profile)[._-]"
    r"|[._-](?:gpu[._-]?traces?|traces?|metrics|summary|profile|nvprof|ncu)$",
    re.IGNORECASE,
)


def app_of(file: Path, settings: DropSettings) -> str:
    """Application that a profile is of: the name of its file without the word for its kind, then by `aliases:`.

    `traces_rodinia_bfs.csv`, `metrics_rodinia_bfs.csv` and `rodinia_bfs.csv` are all of rodinia_bfs.
    """
    name = stem(file) or file.stem
    bare = name
    while (shorter := _KIND.sub("", bare, count=1)) != bare and shorter:
        bare = shorter
    return settings.aliases.get(name, settings.aliases.get(bare, bare))


@dataclass
class Profiles:
    """What the files of a drop tell, gathered file by file.

    summaries: launches and copies by application, as a summary adds them up; they count where there is no trace.
    """

    launches: list[pl.DataFrame] = field(default_factory=list)
    copies: list[pl.DataFrame] = field(default_factory=list)
    metrics: list[pl.DataFrame] = field(default_factory=list)
    summaries: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    taken: dict[tuple[str, str], Path] = field(default_factory=dict)

    def claim(self, app: str, kind: str, file: Path) -> None:
        """Enter a file as the profile of an application; raises Refusal where there is one of its kind."""
        before = self.taken.setdefault((app, kind), file)
        if before != file:
            raise Refusal(
                "profile_repeated",
                f"{before.name} holds a {kind} of {app} already; keep one of the two, or rename one",
            )
        self.files.setdefault(app, file)

    def hand_over(self, drop: Drop, remedies: Mapping[str, str]) -> Yields[set[str]]:
        """Kernels, applications and their GPU. Returns the applications.

        remedies: what rates are made of, by column, and the `command` that gives it.
        """
        for app, (launches, copies) in sorted(self.summaries.items()):
            if (app, TRACE) not in self.taken:
                self.launches.append(launches)
                self.copies.append(copies)
        launches, copies, metrics = (
            pl.concat([pl.DataFrame(schema=schema), *frames])
            for schema, frames in ((LAUNCHES, self.launches), (COPIES, self.copies), (METRICS, self.metrics))
        )
        trace_id, sms = drop.name, drop.settings.gpu_sms
        launches = _with_waves(launches, sms)
        kernels = with_gpu_sms(kernel_table(launches, metrics), launches, sms)
        apps = app_table(launches, copies, kernels)
        for name, frame in (("kernels", kernels), ("gpu_apps", apps)):
            for (app,), rows in frame.group_by("app", maintain_order=True):
                yield Rows(name, rows.with_columns(trace=pl.lit(trace_id), row=pl.lit(None)), self.files[app])
                # What was made of a file's rows is none of them.
                yield Counted(self.files[app], -rows.height)
        without = kernels.filter(pl.col("missing").is_not_null())
        for column in KERNEL_FACTS:
            lacking = without.filter(pl.col("missing").str.split(" ").list.contains(column)).height
            yield Observed(trace_id, "kernels", f"{column}_absent", lacking, f"kernels whose profile tells no {column}")
        devices = launches["device"].drop_nulls().unique().sort().to_list()
        yield from declare(drop, kernels, devices, whole_runs=not apps["start_s"].has_nulls())
        yield from self._note_rates(trace_id, kernels, metrics, remedies)
        return set(apps["app"])

    def _note_rates(
        self, trace_id: str, kernels: pl.DataFrame, metrics: pl.DataFrame, remedies: Mapping[str, str]
    ) -> Yields[None]:
        """Say which kernels lack a rate that the study of pairs needs, what it is made of, and how to get it."""
        lacking = [name for name in ("gflops", "memory_gbps") if kernels[name].has_nulls()]
        if not lacking:
            return
        without = kernels.filter(pl.any_horizontal(pl.col(name).is_null() for name in lacking))
        # A rate of operations is made of their number and of durations.
        uncomputed = kernels.filter(pl.col("gflops").is_null())
        counted = metrics.filter(quantity="flops").select("app", "kernel")
        absent = {
            "gflops": uncomputed.join(counted, on=["app", "kernel"], how="anti").height,
            "time_s": uncomputed["time_s"].null_count(),
            "memory_gbps": kernels["memory_gbps"].null_count(),
        }
        sources = [remedies[name] for name, count in absent.items() if count]
        files = sorted({self.files[app].name for app in without["app"]})
        yield Note(
            trace_id,
            f"{without.height} of {kernels.height} kernels have no {' and no '.join(lacking)}, so no pairs "
            f"are made of them: {listing(files, 3)} {'lacks' if len(files) == 1 else 'lack'} {' and '.join(sources)}. "
            f"Export with {remedies['command']}.",
        )


def with_gpu_sms(kernels: pl.DataFrame, launches: pl.DataFrame, sms: int | None) -> pl.DataFrame:
    """Kernels with `gpu_sms`: as given, else by the name of the device that their application ran on."""
    devices = launches.drop_nulls("device").unique("app", keep="first", maintain_order=True)
    gpus = [known_device(device, sms, None) for device in devices["device"]]
    of_app = devices.select("app", gpu_sms=pl.Series([gpu and gpu[0] for gpu in gpus], dtype=pl.Int64))
    joined = kernels.join(of_app, on="app", how="left", maintain_order="left")
    return joined.with_columns(pl.lit(sms, pl.Int64).fill_null(pl.col("gpu_sms")).alias("gpu_sms"))


def _with_waves(launches: pl.DataFrame, sms: int | None) -> pl.DataFrame:
    """Waves of each launch, by the limits of its GPU; null where these or its shape are not known."""
    cases = pl.lit(None, pl.Float64)
    for device, capability in launches.select("device", "capability").unique(maintain_order=True).iter_rows():
        gpu = known_device(device, sms, capability)
        if gpu:
            here = pl.col("device").eq_missing(device) & pl.col("capability").eq_missing(capability)
            shape = (pl.col(name) for name in ("blocks", "threads", "registers", "shared_b"))
            cases = pl.when(here).then(waves(*shape, gpu)).otherwise(cases)
    return launches.with_columns(waves=cases)


def kernel_table(launches: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """Columns of `kernels` but the trace, one row per application and kernel, sorted.

    launches: LAUNCHES with `waves`; metrics: METRICS. The rate of floating-point operations is those of a mean launch
    over the mean time of a launch, so that a profile of metrics may have launched the kernel more often than the trace.
    """
    key = ["app", "kernel"]
    timed = launches.group_by(key, maintain_order=True).agg(
        launches=pl.col("calls").sum(),
        time_s=_sum("time_s"),
        blocks=_mean_of_calls("blocks"),
        waves=_mean_of_calls("waves"),
    )
    # A metric that was taken launch by launch comes in several rows: mean over launches, then the sum over its names.
    means = (
        metrics.group_by(*key, "quantity", "name", maintain_order=True)
        .agg(value=(pl.col("value") * pl.col("calls")).sum() / pl.col("calls").sum(), calls=pl.col("calls").sum())
        .group_by(*key, "quantity", maintain_order=True)
        .agg(pl.col("value").sum(), pl.col("calls").max())
    )
    wide = means.select(*key).unique(maintain_order=True)
    for quantity in QUANTITIES:
        of = means.filter(pl.col("quantity") == quantity).select(*key, pl.col("value").alias(f"{quantity}_metric"))
        wide = wide.join(of, on=key, how="left", maintain_order="left")
    calls = means.group_by(key, maintain_order=True).agg(pl.col("calls").max().alias("calls_metric"))
    wide = wide.join(calls, on=key, how="left", maintain_order="left")
    joined = timed.join(wide, on=key, how="full", coalesce=True, maintain_order="left_right")
    mean_s = pl.col("time_s") / pl.col("launches")
    frame = joined.select(
        *key,
        pl.coalesce("launches", "calls_metric").alias("launches"),
        "time_s",
        (pl.col("flops_metric") / mean_s * 1e-9).alias("gflops"),
        *(pl.col(f"{name}_metric").alias(name) for name in ("memory_gbps", "dram_gbps", "dram_utilisation")),
        # A mean of shares may exceed 1 by a rounding.
        pl.col("occupancy_metric").clip(upper_bound=1.0).alias("occupancy"),
        "blocks",
        pl.coalesce("waves", "waves_metric").alias("waves"),
    )
    return _with_missing(frame, KERNEL_FACTS).with_columns(origin=pl.lit(tables.MEASURED)).sort(key)


def app_table(launches: pl.DataFrame, copies: pl.DataFrame, kernels: pl.DataFrame) -> pl.DataFrame:
    """Columns of `gpu_apps` but the trace, one row per application, sorted; rates are means over kernel time.

    A rate is null where kernels that make up more than a tenth of the kernel time have none.
    """
    apps = pl.concat([frame.select("app") for frame in (launches, copies, kernels)]).unique().sort("app")
    busy = pl.concat([frame.select("app", "start_s", "time_s") for frame in (launches, copies)])
    extent = busy.group_by("app", maintain_order=True).agg(
        start_s=pl.col("start_s").min(), end_s=(pl.col("start_s") + pl.col("time_s")).max()
    )
    host = (
        copies.filter("with_host")
        .group_by("app", maintain_order=True)
        .agg(copy_s=_sum("time_s"), copied_gb=_sum("bytes") * 1e-9)
    )
    devices = launches.group_by("app", maintain_order=True).agg(device=pl.col("device").drop_nulls().first())
    share = pl.col("time_s") / pl.col("time_s").sum()
    rates = {}
    for name in ("gflops", "memory_gbps", "dram_gbps", "occupancy"):
        known = share.filter(pl.col(name).is_not_null()).sum()
        rates[name] = pl.when(known >= 0.9).then((share * pl.col(name)).sum() / known)
    of_kernels = kernels.group_by("app", maintain_order=True).agg(
        pl.col("kernel").n_unique().alias("kernels"),
        pl.col("launches").sum(),
        kernel_s=pl.when(pl.col("time_s").is_not_null().all()).then(pl.col("time_s").sum()),
        **rates,
    )
    frame = apps
    for part in (extent, host, devices, of_kernels):
        frame = frame.join(part, on="app", how="left", maintain_order="left")
    # An application with a trace and no copy copies nothing; one without a trace is not known to.
    traced = pl.col("start_s").is_not_null()
    frame = frame.with_columns(
        pl.col("kernels").fill_null(0),
        pl.when(traced).then(pl.col("copy_s").fill_null(0.0)).otherwise("copy_s").alias("copy_s"),
        pl.when(traced).then(pl.col("copied_gb").fill_null(0.0)).otherwise("copied_gb").alias("copied_gb"),
        span_s=pl.col("end_s") - pl.col("start_s"),
    )
    return _with_missing(frame.drop("end_s"), APP_FACTS)


ReadExport = Callable[[Path, str, Profiles, Reject], Iterator[int]]
"""Adds an export (file) of an application to the profiles; calls back with rejected rows, yields how many it read."""


def exports(files: list[Path], profiler: str) -> list[Path]:
    """The exports of a profiler among the files, told by their heads, with pairs beside them; else nothing."""
    beside = pair_files(files)
    profiles = [file for file in files if file not in beside and exporter(file) == profiler]
    return [*profiles, *beside] if profiles else []


def read_exports(drop: Drop, files: list[Path], read_export: ReadExport, remedies: Mapping[str, str]) -> Yields[None]:
    """Kernels, applications and pairs of a drop of exports; remedies as for Profiles.hand_over.

    Raises Refusal where no export can be read.
    """
    yield Trace(drop.name)
    profiles = Profiles()
    beside = pair_files(files)
    for file in files:
        if file in beside:
            continue
        bad: list[pl.DataFrame] = []
        with Reading(file) as reading:
            for rows in read_export(file, app_of(file, drop.settings), profiles, bad.append):
                yield Counted(file, rows)
        yield from rejected(bad, file, "kernels")
        yield reading
    if not profiles.files:
        raise Refusal("table_missing", "none of its profiles can be read; export them anew")
    apps = yield from profiles.hand_over(drop, remedies)
    yield from read_pairs(drop, files, apps)


def _sum(column: str) -> pl.Expr:
    """Sum of a column, null where nothing is known."""
    return pl.when(pl.col(column).count() > 0).then(pl.col(column).sum())


def _mean_of_calls(column: str) -> pl.Expr:
    """Mean of a column over launches, null where none has a value."""
    known = pl.col("calls").filter(pl.col(column).is_not_null()).sum()
    return pl.when(known > 0).then((pl.col(column) * pl.col("calls")).sum() / known)


def _with_missing(frame: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """The frame with `missing`: which of the columns are null, apart by blanks."""
    absent = pl.concat_str(
        [pl.when(pl.col(name).is_null()).then(pl.lit(name)) for name in columns], separator=" ", ignore_nulls=True
    )
    return frame.with_columns(missing=pl.when(absent != "").then(absent))
