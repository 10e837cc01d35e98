"""Fits of one ingested drop: phases, stochastic memory profiles and marginal laws.

Samples are streamed and never held whole: what is in memory at a time is one batch of rows and the job that the batch
ends in, plus the given phases and profiles and, for the marginal laws, length and memory of the jobs' phases.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from pipeline import storage, tables
from pipeline.fit import characteristics
from pipeline.fit.phases import first_rows, job_series, segment
from pipeline.fit.profiles import stochastic
from pipeline.storage import TableWriter

log = logging.getLogger(__name__)

BATCH_ROWS = 1 << 19

JOB = ["trace_id", "job_id"]
SERIES = [*JOB, "node"]
SORTED = "samples must be sorted by trace_id, job_id, node and time_s"


def fit(
    ingested: Path, target: Path, delta: float = 2.0, bin_gb: float | None = None, *, batch_rows: int = BATCH_ROWS
) -> None:
    """Fit phases, profiles and marginal laws of an ingested drop.

    ingested: folder with the canonical tables `samples.parquet` (sorted by trace_id, job_id, node, time_s),
    `jobs.parquet`, and, where the drop gave them, `phases.parquet` and `profiles.parquet`; each may be absent.
    target: folder to write, replaced as a whole once everything is fitted. delta: threshold of `phases.segment`;
    bin_gb: width of the bins of `profiles.stochastic`. batch_rows: samples read at a time; the result does not depend
    on it.

    Writes `phases.parquet`, `profiles.parquet` and the tables of `characteristics.fit` (empty where there is nothing to
    fit). A job with samples has phases and a profile as a whole (node null: maximum over its nodes at each time) and
    for each of its named nodes. What the drop gives stands first, in its own order, and is not fitted again: jobs with
    given phases are not segmented, jobs with a given profile get no other. Raises ValueError if the samples are not
    sorted or not valid, FileNotFoundError if there is no folder `ingested`.
    """
    if not ingested.is_dir():
        raise FileNotFoundError(f"{ingested}: no such folder; ingest the drop first")
    with storage.replacing_folder(target) as part:
        _fit_into(part, ingested, delta, bin_gb, batch_rows)


def _fit_into(part: Path, ingested: Path, delta: float, bin_gb: float | None, batch_rows: int) -> None:
    given_phases = _read(ingested, "phases").with_columns(origin=pl.lit(tables.GIVEN))
    given_profiles = _read(ingested, "profiles").with_columns(origin=pl.lit(tables.GIVEN))
    phased, profiled = given_phases.select(JOB).unique(), given_profiles.select(JOB).unique()
    with (
        TableWriter(part / "phases.parquet", tables.polars_schema(tables.Phase)) as phases,
        TableWriter(part / "profiles.parquet", tables.polars_schema(tables.MemoryProfile)) as profiles,
    ):
        phases.append(tables.conform(given_phases, tables.Phase))
        for given in (given_profiles, _profiles_of_given(_without(given_phases, profiled), bin_gb)):
            profiles.append(tables.conform(given, tables.MemoryProfile))
        rows = 0
        for samples in _complete_jobs(ingested / "samples.parquet", batch_rows):
            rows += samples.height
            keys, fitted = _segment_jobs(_without(samples, phased), delta)
            found = _named(keys, fitted.with_columns(duration_s=pl.col("end_s") - pl.col("start_s")))
            phases.append(tables.conform(found, tables.Phase))
            found = _without(_named(keys, stochastic(fitted, bin_gb)), profiled)
            profiles.append(tables.conform(found, tables.MemoryProfile))
            log.info("%d samples segmented, %d phases", rows, phases.rows)
    whole = pl.scan_parquet(part / "phases.parquet").filter(pl.col("node").is_null())
    whole = whole.select(*SERIES, "duration_s", "memory_gb").collect()
    for name, frame in characteristics.fit(_read(ingested, "jobs"), whole, bin_gb).items():
        storage.write(frame, part / f"{name}.parquet")


def _segment_jobs(samples: pl.DataFrame, delta: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Phases of complete jobs, as wholes and node by node.

    Returns the keys of the series (trace_id, job_id, node), sorted with a job before its nodes, and their phases as
    `segment` gives them, series_id being the row in the keys.
    """
    # Integers stand for the keys: they sort and compare many times faster than strings.
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
    whole = job_series(coded.rename({"job": "job_id"}))
    whole = whole.with_columns(of_job.gather(whole["series_id"]).alias("series_id"))
    by_node = coded.join(of_node, on="node", maintain_order="left").select("series_id", "time_s", "used_gb")
    fitted = pl.concat([segment(whole, delta), segment(by_node, delta)]).sort("series_id", "phase")
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


def _profiles_of_given(given: pl.DataFrame, bin_gb: float | None) -> pl.DataFrame:
    """Profiles of given phases, by job and node, sorted with a job before its nodes."""
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


def _complete_jobs(path: Path, batch_rows: int) -> Iterator[pl.DataFrame]:
    """Samples in batches that end where a job ends; the rows of the job a batch is cut in wait for the next."""
    if not path.is_file():
        return
    columns = list(tables.Sample.columns())
    unfinished: list[pl.DataFrame] = []
    latest: tuple | None = None
    with pq.ParquetFile(path, buffer_size=1 << 20) as file:
        for batch in file.iter_batches(batch_size=batch_rows, columns=columns):
            samples = tables.conform(pl.DataFrame(pl.from_arrow(batch)), tables.Sample)
            first = first_rows(samples, JOB)
            for job in samples.select(JOB)[first[:-1]].iter_rows():
                if latest is not None and job < latest:
                    raise ValueError(
                        f"{path.name}: job {job[1]!r} of trace {job[0]!r} comes after {latest[1]!r} of {latest[0]!r}; "
                        f"{SORTED}"
                    )
                latest = job
            cut = int(first[-2])
            starts_new_job = not unfinished or unfinished[0].row(0)[:2] != samples.row(0)[:2]
            if cut or (unfinished and starts_new_job):
                yield pl.concat([*unfinished, samples[:cut]])
                unfinished = []
            unfinished.append(samples[cut:])
    if unfinished:
        yield pl.concat(unfinished)
