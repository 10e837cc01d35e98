"""Which rows of a drop are good: the rules of the canonical tables, the machine's size, and how tables hang together.

Frames here carry, besides the columns of their table, `file` (number of the file in the drop) and `row`. Every function
returns the good rows and the rejected ones with the columns of REJECTED.
"""

from __future__ import annotations

from functools import cache

import dataframely as dy
import polars as pl

from pipeline import tables
from pipeline.readers._machine import NODE_TOLERANCE

ORIGIN = ["file", "row"]
REJECTED = {
    "trace": pl.String(),
    "table_name": pl.String(),
    "file": pl.Int32(),
    "row": pl.Int64(),
    "reason": pl.String(),
    "detail": pl.String(),
}
PROBABILITY_TOLERANCE = 1e-6

Split = tuple[pl.DataFrame, pl.DataFrame]


@cache
def _with_origin(schema: type[dy.Schema]) -> type[dy.Schema]:
    return type(f"{schema.__name__}WithOrigin", (schema,), {"file": dy.Int32(), "row": dy.Int64(nullable=True)})


def conform(frame: pl.DataFrame, table: str, file: int) -> pl.DataFrame:
    """Columns and dtypes of the table, then `file` and `row` (null where the frame has none)."""
    row = frame["row"].cast(pl.Int64) if "row" in frame.columns else pl.lit(None, dtype=pl.Int64).alias("row")
    return tables.conform(frame, tables.CANONICAL[table]).with_columns(pl.lit(file, dtype=pl.Int32).alias("file"), row)


def validate(frame: pl.DataFrame, table: str) -> Split:
    """Hold rows against the table's schema.

    The reason of a rejected row is the first rule that it violates: rules of single columns come first, in the order of
    the columns, then the named ones. The detail names all of them with the values found.
    """
    schema = tables.CANONICAL[table]
    good, failure = _with_origin(schema).filter(frame)
    counts = failure.counts()
    if not counts:
        return good, none_rejected()
    columns = list(schema.columns())
    # What is no number is beyond every maximum, too.
    rules = sorted(
        counts, key=lambda rule: (columns.index(rule.partition("|")[0]) if "|" in rule else 1000, rule.endswith("|max"))
    )
    violated = [(rule, pl.col(rule) == "invalid") for rule in rules]
    rejected = failure.details().select(
        "trace",
        pl.lit(table).alias("table_name"),
        *ORIGIN,
        pl.coalesce(pl.when(hit).then(pl.lit(tables.reason_code(rule))) for rule, hit in violated).alias("reason"),
        pl.concat_str(
            [pl.when(hit).then(_sentence(schema, rule)) for rule, hit in violated], separator="; ", ignore_nulls=True
        ).alias("detail"),
    )
    return good, rejected


def _sentence(schema: type[dy.Schema], rule: str) -> pl.Expr:
    """What a violated rule found and what would be right."""
    name, separator, what = rule.partition("|")
    if not separator:
        key = next(column for column in ("job_id", "app", "app_a", "task_id") if column in schema.columns())
        return pl.format(f"{rule.replace('_', ' ')} ({key} = {{}})", _shown(key))
    column = schema.columns()[name]
    right = {
        "nullability": "a value is required",
        "min": f"at least {getattr(column, 'min', 0)} would be right",
        "min_exclusive": f"more than {getattr(column, 'min_exclusive', 0)} would be right",
        "max": f"at most {getattr(column, 'max', 1)} would be right",
        "min_length": "it must not be empty",
    }.get(what, "a finite number would be right")
    return pl.format(f"{name} = {{}}, {right}", _shown(name))


def _shown(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).str.slice(0, 80).fill_null("missing")


def none_rejected() -> pl.DataFrame:
    """No rejected rows."""
    return pl.DataFrame(schema=REJECTED)


def _divide(frame: pl.DataFrame, bad: pl.Expr, table: str, reason: str, detail: pl.Expr) -> Split:
    """Rows where `bad` does not hold, and those where it does, rejected for one reason."""
    rejected = frame.filter(bad).select(
        "trace", pl.lit(table).alias("table_name"), *ORIGIN, pl.lit(reason).alias("reason"), detail.alias("detail")
    )
    return frame.filter(~bad), rejected


def within_machine(jobs: pl.DataFrame, machine_nodes: dict[str, int | None]) -> Split:
    """Jobs not larger than the machine of their trace (nodes by trace; None: not known, nothing is too large)."""
    machine = pl.col("trace").replace_strict(machine_nodes, default=None, return_dtype=pl.Int64)
    return _divide(
        jobs,
        (pl.col("nodes") > machine).fill_null(False),
        "jobs",
        "larger_than_machine",
        pl.format("job {} asks for {} nodes, the machine has {}", "job_id", "nodes", machine),
    )


def within_node(frame: pl.DataFrame, table: str, column: str, node_memory_gb: dict[str, float]) -> Split:
    """Rows whose memory a node of their trace can hold (GB of a node by trace; a tenth more is let pass)."""
    node = pl.col("trace").replace_strict(node_memory_gb, default=None, return_dtype=pl.Float64)
    return _divide(
        frame,
        (pl.col(column) > NODE_TOLERANCE * node).fill_null(False),
        table,
        "beyond_node_memory",
        pl.format(f"{column} = {{}}, where trace.yaml says that a node has {{}} GB", pl.col(column).round(3), node),
    )


def with_positions(jobs: pl.DataFrame) -> pl.DataFrame:
    """Jobs with their places in the log of their trace: by `position` where a reader knows it, else by file and row."""
    jobs = jobs.sort("trace", "position", *ORIGIN, nulls_last=True)
    return jobs.with_columns(position=pl.int_range(pl.len(), dtype=pl.Int64).over("trace"))


def jobs_with_phases(jobs: pl.DataFrame, phases: pl.DataFrame, rejected_phases: pl.DataFrame) -> tuple[Split, Split]:
    """Jobs that have all their phases, and phases that have their job.

    A job that lost a phase to another rule would run shorter than it did, so it goes with the rest of its phases.
    `rejected_phases` holds the lost ones (columns of REJECTED and `job_id`).
    """
    key = ["trace", "job_id"]
    lost = rejected_phases.filter(pl.col("reason") != "duplicate_phase").select(key).unique(maintain_order=True)
    jobs = _marked(_marked(jobs, lost, "incomplete"), phases, "has_phases")
    good_jobs, without = _divide(
        jobs,
        ~pl.col("has_phases") & ~pl.col("incomplete"),
        "jobs",
        "phases_missing",
        pl.format("job {} has no phases; give at least one", "job_id"),
    )
    good_jobs, incomplete = _divide(
        good_jobs,
        pl.col("incomplete"),
        "jobs",
        "phases_incomplete",
        pl.format("a phase of job {} was rejected, so its length is not known", "job_id"),
    )
    phases, orphans = with_job(_marked(phases, lost, "incomplete"), jobs, "phases")
    phases, rest = _divide(
        phases,
        pl.col("incomplete"),
        "phases",
        "phases_incomplete",
        pl.format("another phase of job {} was rejected", "job_id"),
    )
    good_jobs = good_jobs.drop("incomplete", "has_phases")
    return (good_jobs, pl.concat([without, incomplete])), (phases.drop("incomplete"), pl.concat([orphans, rest]))


def _marked(frame: pl.DataFrame, keys: pl.DataFrame, name: str) -> pl.DataFrame:
    """The frame with a column telling whether trace and job of a row are among `keys`."""
    key = ["trace", "job_id"]
    known = keys.select(key).unique(maintain_order=True).with_columns(pl.lit(True).alias(name))
    return frame.join(known, on=key, how="left", maintain_order="left").with_columns(pl.col(name).fill_null(False))


def with_job(frame: pl.DataFrame, jobs: pl.DataFrame, table: str) -> Split:
    """Rows whose job is among `jobs`."""
    good, rejected = _divide(
        _marked(frame, jobs, "known"),
        ~pl.col("known"),
        table,
        "job_unknown",
        pl.format("job {} is not among the jobs that were kept", "job_id"),
    )
    return good.drop("known"), rejected


def whole_profiles(profiles: pl.DataFrame) -> Split:
    """Profiles whose probabilities sum to one; of the others no row is kept."""
    # A column of its own: polars 2.1 panics on a window expression inside a format.
    good, rejected = _divide(
        profiles.with_columns(pl.col("probability").sum().over("trace", "job_id", "node").alias("total")),
        (pl.col("total") - 1).abs() > PROBABILITY_TOLERANCE,
        "profiles",
        "probabilities_do_not_sum_to_one",
        pl.format("the probabilities of job {} sum to {}, where 1 would be right", "job_id", pl.col("total").round(9)),
    )
    return good.drop("total"), rejected
