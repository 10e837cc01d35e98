"""A schedule of hpc_memory, or the jobs of a trace, in the Standard Workload Format 2.2.

Source: S. J. Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", JSSPP 1999. A
node is one processor of the log. Times that are not whole seconds keep their fraction, in six decimals at most. Ids,
users and names that are not whole numbers are numbered from 1 in the order in which they occur; the header says so.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pipeline.export.source import Source
from pipeline.runtime import storage
from pipeline.studies.hpc_memory.exports._schedule import schedule

FORMAT = "swf"
TAKES = "<scenario_id or trace>"
TARGET = "jobs.swf"
KB_PER_GB = 1e6
UNKNOWN, COMPLETED, CANCELLED = -1, 1, 5

JOBS_SQL = """\
SELECT
    job_id, submit_s, nodes, walltime_s, runtime_s, requested_memory_gb, used_memory_gb, "user", name, start_s,
    NULL::VARCHAR AS rejected
FROM job WHERE trace = $1
ORDER BY submit_s, job_id"""


def write(source: Source, what: str, target: Path) -> str:
    """Write a scenario's schedule, or a trace's jobs with what the log of its machine says of them."""
    trace = source.rows("SELECT trace, nodes FROM trace WHERE trace = $1 AND jobs > 0", what)
    if trace.is_empty():
        known = source.rows("SELECT count(*) AS n FROM scenario WHERE scenario_id = $1", what)["n"][0]
        near = "" if known else source.nearest("trace", "(FROM trace WHERE jobs > 0)", what)
        if near:
            raise ValueError(f"no trace with jobs and no scenario is called {what!r}{near}")
        scenario, jobs = schedule(source, what)
        jobs = jobs.with_columns(
            (pl.col("end_s") - pl.col("start_s")).alias("runtime_s"),
            *(pl.lit(None, pl.Float64).alias(name) for name in ("requested_memory_gb", "used_memory_gb")),
            *(pl.lit(None, pl.String).alias(name) for name in ("user", "name")),
        )
        nodes, computer, kind = scenario["nodes"], "replayed", f"schedule by {scenario['scheduler']}"
    else:
        jobs, nodes = source.rows(JOBS_SQL, what), trace["nodes"][0]
        computer, kind = "as traced", "jobs of a trace"
    with storage.replacing_file(target) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text(jobs, nodes, computer, f"{kind}: {what}"))
    return f"{target}: {len(jobs)} jobs, {kind} {what}"


def text(jobs: pl.DataFrame, machine_nodes: int | None, computer: str, note: str) -> str:
    """A log in the Standard Workload Format.

    jobs: job_id, submit_s, nodes, walltime_s, runtime_s, requested_memory_gb and used_memory_gb (per node), user, name,
    start_s, rejected; null is a field that is not known. machine_nodes: None leaves the size of the machine
    open.
    """
    numbers = {name: _numbered(jobs[name]) for name in ("job_id", "user", "name")}
    renamed = [name for name, (_, new) in numbers.items() if new]
    header = {
        "Version": "2.2",
        "Computer": computer,
        "Note": note.replace("\n", " "),
        "MaxJobs": len(jobs),
        "MaxRecords": len(jobs),
        "MaxNodes": machine_nodes,
        "MaxProcs": machine_nodes,
    }
    lines = [f"; {key}: {value}" for key, value in header.items() if value is not None]
    if renamed:
        lines.append(f"; Note: {', '.join(renamed)} numbered from 1 in the order of their first occurrence")
    kb = {name: pl.col(name) * KB_PER_GB for name in ("used_memory_gb", "requested_memory_gb")}
    unknown = pl.lit(UNKNOWN)
    state = pl.when(pl.col("rejected").is_not_null()).then(CANCELLED).when(pl.col("runtime_s").is_not_null())
    fields = jobs.with_columns(**{name: column for name, (column, _) in numbers.items()}).select(
        f1="job_id",
        f2=_decimal(pl.col("submit_s")),
        f3=_decimal(pl.col("start_s") - pl.col("submit_s")),
        f4=_decimal(pl.col("runtime_s")),
        f5="nodes",
        f6=unknown,
        f7=_decimal(kb["used_memory_gb"]),
        f8="nodes",
        f9=_decimal(pl.col("walltime_s")),
        f10=_decimal(kb["requested_memory_gb"]),
        f11=state.then(COMPLETED).otherwise(UNKNOWN),
        f12="user",
        f13=unknown,
        f14="name",
        f15=unknown,
        f16=unknown,
        f17=unknown,
        f18=unknown,
    )
    return "\n".join(lines) + "\n" + fields.write_csv(include_header=False, separator=" ", null_value=str(UNKNOWN))


def _decimal(value: pl.Expr) -> pl.Expr:
    """A number as text: whole ones without a point, others with six decimals at most."""
    rounded = value.round(6)
    whole = rounded == rounded.floor()
    return pl.when(whole).then(rounded.cast(pl.Int64).cast(pl.String)).otherwise(rounded.cast(pl.String))


def _numbered(names: pl.Series) -> tuple[pl.Series, bool]:
    """Names as whole numbers above 0 without two alike, and whether that took new ones."""
    numbers = names.cast(pl.Int64, strict=False)
    as_they_are = numbers.null_count() == names.null_count() and (numbers.is_null() | (numbers > 0)).all()
    if as_they_are and numbers.n_unique() == names.n_unique():
        return numbers, False
    distinct = names.drop_nulls().unique(maintain_order=True)
    return names.replace_strict(distinct, range(1, len(distinct) + 1), default=None, return_dtype=pl.Int64), True
