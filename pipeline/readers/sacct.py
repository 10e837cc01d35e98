"""Slurm accounting, output of `sacct --parsable2` with its header: `*.sacct`, `*.psv`; each file is a trace of its own.

Source: man page sacct(1). A job has a line, and each of its steps (`123.batch`, `123.0`) has one below it. How much
memory was used stands with the steps, as that of the largest task (MaxRSS), so a node is taken to hold that times the
tasks a node, which is an upper bound for the step; a job uses what the largest of its steps does.

Requested memory (ReqMem) is per processor or node where it ends in `c` or `n`, as older versions print it; later ones
print the total of the job (`mem` of its requested TRES), which is divided by its nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers import _slurm
from pipeline.readers._columns import Binding, since, to_canonical
from pipeline.readers._extent import rows as lines_of
from pipeline.readers._files import CsvTable, stem
from pipeline.readers._logs import read_each
from pipeline.readers._sink import Sink
from pipeline.tables import Job
from pipeline.wording import did_you_mean, listing

FORMAT = "sacct"
GIVES = ("jobs",)

BYTES_A_LINE = 500
"""Peak memory of a line, half of them steps (docs/scale.md)."""

_SUFFIXES = (".sacct", ".psv")
_FIELDS = {
    "id": ("JobID", "JobIDRaw"),
    "submit_s": ("Submit",),
    "start_s": ("Start",),
    "end_s": ("End",),
    "elapsed": ("Elapsed",),
    "time_limit": ("Timelimit",),
    "nodes": ("NNodes", "AllocNodes"),
    "cpus": ("NCPUS", "AllocCPUS", "ReqCPUS"),
    "tasks": ("NTasks",),
    "allocated": ("AllocTRES",),
    "requested": ("ReqMem",),
    "largest_task": ("MaxRSS",),
    "state": ("State",),
    "node_list": ("NodeList",),
    "user": ("User", "UID"),
    "name": ("JobName",),
}
"""What is read, and the fields of sacct that hold it, the first of them that is there."""
_REQUIRED = ("id", "submit_s", "start_s", "end_s", ("nodes", "allocated"))

_TIMES = ("submit_s", "start_s", "end_s")
_BINDING = Binding(
    {name: ColumnSource(**{"from": [name]}) for name in ("job_id", *_TIMES, "user", "name")}, (), frozenset(_TIMES)
)
_PER = r"([cn])$"
# What each parsed column is read from, and what would be right.
_PARSED = {
    "nodes": ("nodes", "a number of nodes, as 4 or 1K"),
    "cpus": ("cpus", "a number of processors"),
    "tasks": ("tasks", "a number of tasks"),
    "walltime_s": ("time_limit", "a time limit, as 1-00:00:00, 20:00 or UNLIMITED"),
    "runtime_s": ("elapsed", "a duration, as 1-00:00:00"),
    "requested_memory_gb": ("requested", "a size, as 4Gc, 4Gn or 187.50G"),
    "used_memory_gb": ("largest_task", "a size, as 160.5M"),
}


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The outputs of sacct among the files."""
    return [file for file in files if stem(file, _SUFFIXES)]


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the files."""
    return BYTES_A_LINE * sum(lines_of(file) for file in recognises(files, drop.settings))


def read(drop: Drop, files: list[Path], sink: Sink) -> None:
    """Hand the jobs of each file to the sink, as trace `<drop>/<stem>`."""
    read_each(drop, files, _SUFFIXES, sink, lambda trace_id, file: _Log(trace_id, file, drop.settings).read(sink))


class _Log:
    """One output of sacct on its way to the sink."""

    def __init__(self, trace_id: str, file: Path, settings: DropSettings):
        self.trace_id, self.file, self.settings = trace_id, file, settings

    def read(self, sink: Sink) -> None:
        """Raises Refusal for a file without the fields needed, or one cut off, after its lines were handed over."""
        table = CsvTable(self.file, separator="|", quoted=False)
        sources = _sources(table.names)
        jobs, lines, cut = [], [], None

        def reject(rows: pl.DataFrame) -> None:
            if not rows.is_empty():
                sink.reject_rows(rows, self.file, table="jobs", trace_id=self.trace_id)

        try:
            for batch in table.batches(list(sources.values()), reject):
                parsed, unreadable = _parse(batch, sources)
                reject(unreadable)
                lines.append(_memory_by_stretch(parsed))
                of_jobs = parsed.filter(~pl.col("is_step")).join(unreadable, on="row", how="anti")
                timed, unreadable = to_canonical(of_jobs, _BINDING, Job, self.settings.time_zone)
                reject(unreadable)
                rest = of_jobs.select(pl.exclude(_BINDING.columns))
                jobs.append(timed.join(rest, on="row", maintain_order="left"))
        except Refusal as refusal:
            cut = refusal
        if jobs:
            self._hand_over(_with_memory(pl.concat(jobs), pl.concat(lines)), sink)
            self._count_steps(pl.concat(lines), sink)
            self._notes(sources, sink)
        if cut is not None:
            raise cut

    def _hand_over(self, jobs: pl.DataFrame, sink: Sink) -> None:
        """Give the jobs that ran to the sink, with times since the first submission, and count the others."""
        requeued, last = jobs.filter("superseded"), jobs.filter(~pl.col("superseded"))
        waiting, kept = last.filter(_never_started()), last.filter(~_never_started())
        for reason, rows, detail in (
            ("requeued", requeued, "runs of jobs that were requeued; the last line of a job counts"),
            ("never_started", waiting, "jobs pending, or cancelled before they started; a pending array has one line"),
        ):
            sink.left_out(self.trace_id, "jobs", reason, rows.height, detail, self.file)
        origin = kept["submit_s"].min()
        if origin is not None:
            sink.note(self.trace_id, f"Times count from the first submission, Unix time {origin / 1e6:.0f}.")
        ran_s = pl.coalesce("runtime_s", pl.col("end_s") - pl.col("start_s"))
        kept = since(kept, _BINDING, origin or 0).with_columns(
            pl.lit(self.trace_id).alias("trace_id"),
            # The time elapsed so far of a job that still runs is not its run time.
            pl.when(pl.col("end_s").is_not_null()).then(ran_s).alias("runtime_s"),
        )
        sink.rows("jobs", kept, self.file)

    def _count_steps(self, lines: pl.DataFrame, sink: Sink) -> None:
        orphan = pl.col("is_step").all().over("job_id")
        steps, orphans = lines.filter(pl.col("is_step"), ~orphan), lines.filter(orphan)
        sink.count_rows(self.file, steps["count"].sum())
        sink.observed(
            self.trace_id, "jobs", "step", steps["count"].sum(), "lines of steps; their memory is that of their job"
        )
        what = "lines of steps whose job has no line"
        sink.left_out(self.trace_id, "jobs", "step_without_job", orphans["count"].sum(), what, self.file)

    def _notes(self, sources: dict[str, str], sink: Sink) -> None:
        notes = []
        if "largest_task" in sources:
            by = "the tasks a node" if "tasks" in sources else "one task a node (NTasks is not there)"
            notes.append(f"Used memory per node is MaxRSS, that of the largest task of a step, times {by}.")
        if "requested" in sources:
            notes.append("Requested memory without c or n at its end is the job's, divided by its nodes.")
        if "time_zone" not in self.settings.model_fields_set:
            notes.append("Times were read as UTC; sacct prints local ones, so state time_zone in trace.yaml.")
        for note in notes:
            sink.note(self.trace_id, note)


def _sources(names: Sequence[str]) -> dict[str, str]:
    """The column of the file for each of _FIELDS that is there; the case of names does not count.

    Raises Refusal `columns_missing` with what was found.
    """
    known = {name.lower(): name for name in names if name}
    found = {}
    for field, choice in _FIELDS.items():
        column = next((known[name.lower()] for name in choice if name.lower() in known), None)
        if column is not None:
            found[field] = column
    problems = []
    for fields in _REQUIRED:
        fields = (fields,) if isinstance(fields, str) else fields
        if not any(field in found for field in fields):
            wanted = [name for field in fields for name in _FIELDS[field]]
            hint = next((h for name in wanted if (h := did_you_mean(name, known.values()))), "")
            problems.append(f"no field {' or '.join(wanted)}{hint}")
    if problems:
        raise Refusal(
            "columns_missing",
            f"{'; '.join(problems)} Found: {listing(names)}. Write the file anew, with its header, as by "
            "`sacct --parsable2 --format=JobID,JobName,User,Submit,Start,End,Elapsed,NNodes,NCPUS,NTasks,Timelimit,"
            "ReqMem,MaxRSS,State`",
            row=1,
        )
    return found


def _parse(batch: pl.DataFrame, sources: dict[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lines with `job_id`, `is_step` and numbers, times still as texts; and row, reason and detail of unreadable ones.

    The first holds the unreadable lines of jobs, too, since the steps below them are theirs.
    """
    texts = batch.select(
        "row",
        *(
            (pl.col(sources[field]).str.strip_chars() if field in sources else pl.lit(None, dtype=pl.String))
            .replace("", None)
            .alias(field)
            for field in _FIELDS
        ),
    ).with_columns(
        pl.when(~_slurm.without_time(pl.col(field))).then(pl.col(field)).alias(field) for field in (*_TIMES, "elapsed")
    )
    limit, requested = pl.col("time_limit"), pl.col("requested")
    texts = texts.with_columns(time_limit=pl.when(~_slurm.without_limit(limit)).then(limit))
    nodes = pl.coalesce("nodes", pl.col("allocated").str.extract(r"(?:^|,)node=([^,]*)"))
    numbers = texts.with_columns(nodes=nodes).select(
        "row",
        pl.col("id").str.extract(r"^([^.]*)").alias("job_id"),
        pl.col("id").str.contains(".", literal=True).fill_null(False).alias("is_step"),
        *_TIMES,
        "user",
        "name",
        "state",
        "node_list",
        _slurm.count(pl.col("nodes")).alias("nodes"),
        _slurm.count(pl.col("cpus")).alias("cpus"),
        _slurm.count(pl.col("tasks")).alias("tasks"),
        _slurm.duration_s(limit).alias("walltime_s"),
        _slurm.duration_s(pl.col("elapsed")).alias("runtime_s"),
        _slurm.size_gb(requested.str.replace(_PER, ""), bare="M").alias("requested_memory_gb"),
        _slurm.size_gb(pl.col("largest_task"), bare="B").alias("used_memory_gb"),
        requested.str.extract(_PER).alias("per"),
    )
    faults = [
        texts.select(
            "row",
            pl.lit(f"{column}_unreadable").alias("reason"),
            pl.format(f"{sources.get(field, field)} = {{}} is not {right}", pl.col(field).str.slice(0, 80)).alias(
                "detail"
            ),
        ).filter(texts[field].is_not_null() & numbers[column].is_null())
        for column, (field, right) in _PARSED.items()
    ]
    unreadable = pl.concat(faults).unique("row", keep="first", maintain_order=True).sort("row")
    numbers = numbers.with_columns(_requested_per_node(), _used_per_node())
    return numbers.filter(~(pl.col("is_step") & pl.col("row").is_in(unreadable["row"].implode()))), unreadable


def _requested_per_node() -> pl.Expr:
    """ReqMem in GB a node. Nothing requested is not known: Slurm gives such a job its default, or the whole node."""
    asked, nodes = pl.col("requested_memory_gb"), pl.col("nodes")
    per_node = (
        pl.when(pl.col("per") == "n")
        .then(asked)
        .when(pl.col("per") == "c")
        .then(asked * pl.col("cpus") / nodes)
        .otherwise(asked / nodes)
    )
    return pl.when(asked > 0, nodes > 0).then(per_node).alias("requested_memory_gb")


def _used_per_node() -> pl.Expr:
    """MaxRSS times the tasks on the fullest node of a step. Zero is a step that ended before it was sampled."""
    tasks = pl.when("is_step", pl.col("nodes") > 0, pl.col("tasks") > 0).then(
        (pl.col("tasks") / pl.col("nodes")).ceil()
    )
    used = pl.col("used_memory_gb")
    return pl.when(used > 0).then(used * tasks.fill_null(1.0)).alias("used_memory_gb")


def _memory_by_stretch(parsed: pl.DataFrame) -> pl.DataFrame:
    """Lines with what tells whose memory they hold; steps of a job between two job lines are taken together."""
    return (
        parsed.group_by("job_id", "is_step", (~pl.col("is_step")).cum_sum().alias("stretch"), maintain_order=True)
        .agg(pl.col("row").first(), pl.col("used_memory_gb").max(), pl.len().cast(pl.Int64).alias("count"))
        .drop("stretch")
    )


def _with_memory(jobs: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Jobs with the memory that their steps used, and `superseded`, true for all but the last line of a job.

    The steps of a run stand below the line of the run, wherever another run of the job has its own.
    """
    lines = lines.with_columns(run=(~pl.col("is_step")).cum_sum().over("job_id").clip(lower_bound=1))
    used = lines.group_by("job_id", "run").agg(pl.col("used_memory_gb").max())
    heads = lines.filter(~pl.col("is_step")).select("job_id", "run", "row", _slurm.superseded().alias("superseded"))
    heads = heads.join(used, on=["job_id", "run"], how="left").drop("job_id", "run")
    return jobs.drop("used_memory_gb").join(heads, on="row", how="left", maintain_order="left")


def _never_started() -> pl.Expr:
    """Jobs without a start. One cancelled while it waits gets that time as start and end, and no node."""
    state = pl.col("state").str.to_uppercase().fill_null("")
    nowhere = pl.col("node_list").str.to_lowercase().eq("none assigned").fill_null(False)
    at_once = (pl.col("start_s") == pl.col("end_s")).fill_null(False)
    cancelled_waiting = state.str.starts_with("CANCELLED") & (at_once | nowhere)
    return pl.col("start_s").is_null() | state.str.starts_with("PENDING") | cancelled_waiting
