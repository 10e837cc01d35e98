"""Fits of one ingested drop: phases, stochastic memory profiles and marginal laws.

Samples and phases are streamed and never held whole: what is in memory at a time is one batch of rows and the job that
the batch ends in, plus the profiles that were given, and some numbers per job (see `characteristics`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import dataframely as dy
import numpy as np
import polars as pl
import pyarrow.parquet as pq

from pipeline import tables
from pipeline.fit import characteristics, gpu, pim
from pipeline.fit.phases import MEAN, first_rows, job_series, segment
from pipeline.fit.profiles import stochastic
from pipeline.fit.whole_jobs import JOB, WholeJobs
from pipeline.runtime import manifest, storage
from pipeline.runtime.storage import TableWriter

log = logging.getLogger(__name__)

BATCH_ROWS = 1 << 17
JOB_ROWS = 1 << 16

SERIES = [*JOB, "node"]
SORTED = "samples must be sorted by trace, job_id, node and time_s"


def fit(
    ingested: Path,
    target: Path,
    delta: float = 2.0,
    bin_gb: float | None = None,
    *,
    node_memory: str = MEAN,
    batch_rows: int = BATCH_ROWS,
) -> None:
    """Fit phases, profiles and what an ingested drop's jobs have in common.

    ingested: folder with the canonical tables `samples.parquet` (sorted by trace, job_id, node, time_s),
    `jobs.parquet`, and, where the drop gave them, `phases.parquet` and `profiles.parquet`; each may be absent.
    target: folder to write, replaced as a whole once everything is fitted. delta: threshold of `phases.segment`;
    node_memory: mean or max, see `phases.job_series`; bin_gb: width of the bins of `profiles.stochastic`. batch_rows:
    samples read at a time; the result does not depend on it.

    Writes `profiles.parquet`, the tables of `characteristics.fit` (empty where there is nothing to fit) and, where
    there are samples, `phases.parquet`; else the phases that were read are all there are. A job with samples has phases
    and a profile as a whole (node null) and for each of its named nodes. What the drop gives stands first, in its
    own order, and is not fitted again: jobs with given phases are not segmented, jobs with a given profile get no
    other. Raises ValueError if the samples are not sorted or not valid, FileNotFoundError if there is no folder
    `ingested`. Drops with applications of PIM machines or GPUs have neither: see `pim.fit`, `gpu.fit`.
    """
    if not ingested.is_dir():
        raise FileNotFoundError(f"{ingested}: no such folder; ingest the drop first")
    manifest.require_whole(ingested)
    with manifest.replacing_folder(target) as part:
        _fit_into(part, ingested, _Phasing(delta, node_memory), bin_gb, batch_rows)


class _Phasing(NamedTuple):
    """How series become phases."""

    delta: float
    node_memory: str


def _fit_into(part: Path, ingested: Path, phasing: _Phasing, bin_gb: float | None, batch_rows: int) -> None:
    if pim.holds_pim(ingested):
        fitted = pim.fit(_read(ingested, "pim_runs"), _read(ingested, "perf_points"), _read(ingested, "traces"))
        for name, frame in fitted.items():
            storage.write(frame, part / f"{name}.parquet")
        return
    if gpu.holds_gpu(ingested):
        fitted = gpu.fit(*(_read(ingested, name) for name in gpu.READ))
        for name, frame in fitted.items():
            storage.write(frame, part / f"{name}.parquet")
        return
    given_phases, given_profiles = ingested / "phases.parquet", _read(ingested, "profiles")
    profiled = given_profiles.select(JOB).unique()
    schema = tables.polars_schema(tables.MemoryProfile)
    with WholeJobs(part) as whole:
        with TableWriter(part / "profiles.parquet", schema) as profiles:
            profiles.append(tables.conform(given_profiles, tables.MemoryProfile))
            for given in _complete_jobs(given_phases, tables.Phase, batch_rows):
                whole.append(given)
                levels = _profiles_of_phases(_without(given, profiled), bin_gb)
                profiles.append(tables.conform(levels, tables.MemoryProfile))
                log.info("%d profile levels of phases that were read", profiles.rows)
            if (ingested / "samples.parquet").is_file():
                _fit_samples(
                    ingested,
                    part / "phases.parquet",
                    whole,
                    profiles,
                    profiled,
                    phasing=phasing,
                    bin_gb=bin_gb,
                    batch_rows=batch_rows,
                )
        _write_characteristics(part, _jobs(ingested), whole)


def _fit_samples(
    ingested: Path,
    target: Path,
    whole: WholeJobs,
    profiles: TableWriter,
    profiled: pl.DataFrame,
    *,
    phasing: _Phasing,
    bin_gb: float | None,
    batch_rows: int,
) -> None:
    """Segment the samples of an ingested drop into `target`, below the phases that it gives, and add their profiles."""
    given = _read(ingested, "phases")
    phased = given.select(JOB).unique()
    with TableWriter(target, tables.polars_schema(tables.Phase)) as phases:
        phases.append(given)
        rows = 0
        for samples in _complete_jobs(ingested / "samples.parquet", tables.Sample, batch_rows):
            rows += samples.height
            keys, fitted = _segment_jobs(_without(samples, phased), phasing)
            job_phases = _named(keys, fitted.with_columns(duration_s=pl.col("end_s") - pl.col("start_s")))
            phases.append(tables.conform(job_phases, tables.Phase))
            whole.append(job_phases)
            levels = _without(_named(keys, stochastic(fitted, bin_gb)), profiled)
            profiles.append(tables.conform(levels, tables.MemoryProfile))
            log.info("%d samples segmented, %d phases", rows, phases.rows)


def _write_characteristics(part: Path, jobs: Iterator[pl.DataFrame], whole: WholeJobs) -> None:
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(
                TableWriter(part / f"{name}.parquet", tables.polars_schema(tables.CANONICAL[name]))
            )
            for name in characteristics.TABLES
        }
        for name, rows in characteristics.pieces(jobs, whole):
            writers[name].append(rows)


def _jobs(ingested: Path) -> Iterator[pl.DataFrame]:
    """Jobs of a drop, some at a time, and once none."""
    columns = [*JOB, "nodes"]
    yield tables.empty(tables.Job).select(columns)
    if (ingested / "jobs.parquet").is_file():
        with pq.ParquetFile(ingested / "jobs.parquet", pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=JOB_ROWS, columns=columns):
                yield pl.DataFrame(pl.from_arrow(batch))


def _segment_jobs(samples: pl.DataFrame, phasing: _Phasing) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Phases of complete jobs, as wholes and node by node.

    Returns the keys of the series (trace, job_id, node), sorted with a job before its nodes, and their phases as
    `segment` gives them, series_id being the row in the keys.
    """
    # Integers represent the keys: they sort and compare many times faster than strings.
    job_first = first_rows(samples, JOB)
    node_first = first_rows(samples, SERIES)
    jobs = samples.select(JOB)[job_first[:-1]].with_row_index("job")
    nodes = samples.select(SERIES)[node_first[:-1]].join(jobs, on=JOB, maintain_order="left")
    _check(samples, nodes, node_first)
    coded = samples.select(
        pl.Series("job", np.repeat(np.arange(jobs.height), np.diff(job_first))),
        pl.Series("node", np.repeat(np.arange(nodes.height), np.diff(node_first))),
        "time_s",
        "used_gb",
    )
    keys = (
        pl.concat(
            [
                jobs.select("job", *JOB, pl.lit(None, pl.String).alias("node"), pl.lit(None, pl.Int64).alias("row")),
                nodes.with_row_index("row").select("job", *SERIES, pl.col("row").cast(pl.Int64)).drop_nulls("node"),
            ]
        )
        .sort("job", "row", nulls_last=False)
        .with_row_index("series_id")
        .with_columns(pl.col("series_id").cast(pl.Int64))
    )
    of_job = keys.filter(pl.col("row").is_null())["series_id"]
    of_node = keys.drop_nulls("row").select("series_id", node="row")
    whole = job_series(coded.rename({"job": "job_id"}), phasing.node_memory)
    whole = whole.with_columns(of_job.gather(whole["series_id"]).alias("series_id"))
    by_node = coded.join(of_node, on="node", maintain_order="left").select("series_id", "time_s", "used_gb")
    fitted = pl.concat([segment(whole, phasing.delta), segment(by_node, phasing.delta)]).sort("series_id", "phase")
    return keys.select("series_id", *SERIES), fitted


def _check(samples: pl.DataFrame, nodes: pl.DataFrame, node_first: np.ndarray) -> None:
    """Refuse samples that are out of order or not numbers, by the names the coded series no longer have."""
    again = nodes.select(SERIES).is_duplicated()
    if again.any():
        _, job_id, node = nodes.select(SERIES).row(again.arg_max())
        raise ValueError(f"samples of node {node!r} of job {job_id!r} are not in one piece; {SORTED}")
    time = samples["time_s"].to_numpy()
    later = np.append(True, np.diff(time) > 0)
    later[node_first[:-1]] = True
    usable = samples.select(pl.all_horizontal(pl.col("time_s", "used_gb").is_finite().fill_null(False))).to_series()
    good = usable.to_numpy() & later
    if not good.all():
        row = samples.row(int(np.argmin(good)), named=True)
        raise ValueError(
            f"sample of node {row['node']!r} of job {row['job_id']!r} at time_s = {row['time_s']} with used_gb = "
            f"{row['used_gb']}: both must be finite, and time_s later than that of the node's sample before it"
        )


def _profiles_of_phases(given: pl.DataFrame, bin_gb: float | None) -> pl.DataFrame:
    """Profiles of phases, by job and node, sorted with a job before its nodes."""
    keys = given.select(SERIES).unique().sort(SERIES, nulls_last=False).with_row_index("series_id")
    timed = given.join(keys, on=SERIES, nulls_equal=True, maintain_order="left").with_columns(
        start_s=pl.lit(0.0), end_s=pl.col("duration_s")
    )
    return _named(keys, stochastic(timed, bin_gb))


def _named(keys: pl.DataFrame, fitted: pl.DataFrame) -> pl.DataFrame:
    return (
        keys.select(SERIES)[fitted["series_id"]]
        .hstack(fitted.drop("series_id"))
        .with_columns(origin=pl.lit(tables.FITTED))
    )


def _without(rows: pl.DataFrame, jobs: pl.DataFrame) -> pl.DataFrame:
    return rows.join(jobs, on=JOB, how="anti", maintain_order="left") if jobs.height else rows


def _read(folder: Path, table: str) -> pl.DataFrame:
    schema = tables.CANONICAL[table]
    path = folder / f"{table}.parquet"
    return tables.conform(pl.read_parquet(path), schema) if path.is_file() else tables.empty(schema)


def _complete_jobs(path: Path, schema: type[dy.Schema], batch_rows: int) -> Iterator[pl.DataFrame]:
    """Rows of a table in batches that end where a job ends; the rows of the job a batch is cut in wait for the next.

    Samples come in the order of their jobs, which is checked; phases job by job in any order.
    """
    if not path.is_file():
        return
    columns = list(schema.columns())
    unfinished: list[pl.DataFrame] = []
    latest: tuple | None = None
    # By default pyarrow reads ahead, in the end all of the file.
    with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=batch_rows, columns=columns):
            rows = tables.conform(pl.DataFrame(pl.from_arrow(batch)), schema)
            first = first_rows(rows, JOB)
            if schema is tables.Sample:
                latest = _require_order(path, rows.select(JOB)[first[:-1]], latest)
            cut = int(first[-2])
            starts_new_job = not unfinished or unfinished[0].select(JOB).row(0) != rows.select(JOB).row(0)
            if cut or (unfinished and starts_new_job):
                yield pl.concat([*unfinished, rows[:cut]])
                unfinished = []
            unfinished.append(rows[cut:])
    if unfinished:
        yield pl.concat(unfinished)


def _require_order(path: Path, jobs: pl.DataFrame, latest: tuple | None) -> tuple | None:
    for job in jobs.iter_rows():
        if latest is not None and job < latest:
            raise ValueError(
                f"{path.name}: job {job[1]!r} of trace {job[0]!r} comes after {latest[1]!r} of {latest[0]!r}; {SORTED}"
            )
        latest = job
    return latest
