"""Slurm accounting, output of `sacct --parsable2` with its header, in `*.sacct`, `*.psv` or any other text file.

Each file is a trace of its own. Files of other names are recognised by the header.

Source: man page sacct(1). A job has a line, and each of its steps (`123.batch`, `123.0`) has one below it. How much
memory was used stands with the steps, as that of the largest task (MaxRSS), so a node is taken to hold that times the
tasks a node, which is an upper bound for the step, whose tasks are taken to lie evenly on its nodes. A job uses the
largest sum over steps that ran at the same time on one node, by their Start, End and NodeList; a step without times is
taken to last as long as its job, one without nodes to run on all of them.

Slurm uses numbers of jobs again, and every cluster has its own. A line takes the place of an earlier one of its number
if it is the same run, or began after that ended in REQUEUED, NODE_FAIL, PREEMPTED or RESIZING with the same user and
name. All other lines are jobs; the second of number 7 is called 7#2. Each cluster (field Cluster) is a trace.

Requested memory (ReqMem) is per processor or node where it ends in `c` or `n`, as older versions print it; later ones
print the total of the job (`mem` of its requested TRES), which is divided by its nodes.

Where jobs share nodes, cores are counted in place of nodes, and memory is per core.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from pathlib import Path

import polars as pl

from pipeline.drops import ColumnSource, Drop, DropSettings, Refusal
from pipeline.readers import _reused, _shared_nodes, _slurm, _slurm_records
from pipeline.readers._columns import MICROSECONDS, Binding, since, to_canonical
from pipeline.readers._extent import rows as lines_of
from pipeline.readers._files import CsvTable, first_line, separator_of, stem
from pipeline.readers._items import Counted, LeftOut, Note, Observed, Rows, Yields, rejected
from pipeline.readers._logs import read_each
from pipeline.readers._numbers import GB_PER_BYTE
from pipeline.runtime.wording import did_you_mean, listing
from pipeline.tables import Job

FORMAT = "sacct"
GIVES = ("jobs",)

BYTES_A_LINE = 500
"""Peak memory of a line, half of them steps (docs/guides/scale-out.md)."""

_SUFFIXES = tuple(s + zipped for s in (".sacct", ".psv") for zipped in ("", ".gz"))
_TEXT = tuple(s + zipped for s in (".txt", ".csv", ".log", ".out", ".dat") for zipped in ("", ".gz"))
_PRINTED = re.compile(r"\s*JobID(Raw)?\s+\w+")
"""Header of sacct without --parsable2."""
_HEADLESS = re.compile(r"\d[\d_+]*+\|.*\|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\|")
"""Line of a job, where --noheader left the header out."""
_FIELDS = {
    "id": ("JobID", "JobIDRaw"),
    "submit_s": ("Submit",),
    "start_s": ("Start",),
    "end_s": ("End",),
    "elapsed": ("Elapsed",),
    "elapsed_raw": ("ElapsedRaw",),
    "time_limit": ("Timelimit",),
    "limit_raw": ("TimelimitRaw",),
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
    "partition": ("Partition",),
    "cluster": ("Cluster",),
}
"""What is read, and the fields of sacct that hold it, the first of them that is there."""
_REQUIRED = ("id", "submit_s", "start_s", "end_s", ("nodes", "allocated", "cpus"))
_NAMES = frozenset(name.lower() for names in _FIELDS.values() for name in names)
COMMAND = (
    "sacct --allusers --parsable2 --format=JobID,JobName,User,Partition,Submit,Start,End,Elapsed,NNodes,NCPUS,NTasks,"
    "Timelimit,ReqMem,MaxRSS,State,NodeList"
)

_TIMES = ("submit_s", "start_s", "end_s")
_BINDING = Binding(
    {name: ColumnSource(**{"from": [name]}) for name in ("job_id", *_TIMES, "user", "name")}, (), frozenset(_TIMES)
)
_OF_STEPS = Binding(
    {name: ColumnSource(**{"from": [name]}) for name in ("start_s", "end_s")}, (), frozenset(("start_s", "end_s"))
)
_OF_NUMBER = ["cluster", "job_id"]
_AGAIN = r"^(REQUEUED|NODE_FAIL|PREEMPTED|RESIZING)"
"""States of a run after which the job goes on in another."""
_TIME_FORMAT = "${1}; sacct writes such times with SLURM_TIME_FORMAT=standard"
_PER = r"([cn])$"
_EVER = -(1 << 61), 1 << 61
"""Microseconds before and after all times."""
_PER_CPU = 1 << 31
"""Flag in a ReqMem in MB: the rest is per processor (MEM_PER_CPU of Slurm's slurm.h)."""
# What each parsed column is read from, and what would be right.
_PARSED = {
    "nodes": ("nodes", "a number of nodes, as 4 or 1K"),
    "cpus": ("cpus", "a number of processors"),
    "tasks": ("tasks", "a number of tasks"),
    "walltime_s": ("time_limit", "a time limit, as 1-00:00:00, 20:00 or UNLIMITED"),
    "limit_raw_s": ("limit_raw", "a time limit in minutes"),
    "runtime_s": ("elapsed", "a duration, as 1-00:00:00"),
    "elapsed_raw_s": ("elapsed_raw", "a duration in seconds"),
    "requested_memory_gb": ("requested", "a size, as 4Gc, 4Gn or 187.50G"),
    "used_memory_gb": ("largest_task", "a size, as 160.5M"),
}


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:
    """The outputs of sacct among the files: by their names or headers; with the format stated else all text files."""
    outputs = [file for file in files if stem(file, _SUFFIXES) or is_output(file)]
    return outputs or ([file for file in files if _is_text(file)] if settings.format == FORMAT else [])


def is_output(file: Path) -> bool:
    """Whether a text file has the header of sacct, or is its output without one."""
    if _slurm_records.is_records(file):
        return True
    if not stem(file, _TEXT):
        return False
    header = first_line(file)
    names = {name.strip().strip('"') for name in header.split(separator_of(header, _NAMES))}
    times = names & {"Submit", "Start", "End"}
    return bool(names & {"JobID", "JobIDRaw"} and len(times) > 1) or any(
        other.match(header) for other in (_PRINTED, _HEADLESS)
    )


def _is_text(file: Path) -> bool:
    return bool(first_line(file)) and not re.match(r"readme|licen[cs]e|notes?\b", file.name, re.IGNORECASE)


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the files."""
    return BYTES_A_LINE * sum(_slurm_records.lines(file) or lines_of(file) for file in recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs of each file, as trace `<drop>/<stem>`."""
    suffixes = (*_SUFFIXES, *_TEXT, *_slurm_records.SUFFIXES)
    return read_each(drop, files, suffixes, lambda trace_id, file: _Log(trace_id, file, drop.settings).read())


class _Log:
    """One output of sacct."""

    def __init__(self, trace_id: str, file: Path, settings: DropSettings):
        self.trace_id, self.file, self.settings = trace_id, file, settings
        self.counts_cores = self.local = False

    def read(self) -> Yields[None]:
        """Raises Refusal for a file without the fields needed, or one cut off, after its lines were handed over."""
        table = _slurm_records.table(self.file) or _table(self.file)
        self.local = isinstance(table, CsvTable)
        sources = _sources(table.names)
        jobs, lines, cut = [], [], None
        bad: list[pl.DataFrame] = []
        unknown: dict[str, int] = {}
        try:
            for batch in table.batches(list(dict.fromkeys(sources.values())), bad.append):
                parsed, unreadable, optional = _parse(
                    batch, sources, _shared_nodes.cores_of_node(self.settings), self.settings.node_memory_gb
                )
                bad.append(unreadable)
                for reason, count in optional.items():
                    unknown[reason] = unknown.get(reason, 0) + count
                lines.append(_lines(parsed, self.settings.time_zone))
                of_jobs = parsed.filter(~pl.col("is_step")).join(unreadable, on="row", how="anti")
                timed, unreadable = to_canonical(of_jobs, _BINDING, Job, self.settings.time_zone)
                bad.append(unreadable.with_columns(pl.col("detail").str.replace("(is no timestamp.*)$", _TIME_FORMAT)))
                rest = of_jobs.select(pl.exclude(_BINDING.columns))
                jobs.append(timed.join(rest, on="row", maintain_order="left"))
                yield from rejected(bad, self.file, "jobs", self.trace_id)
        except Refusal as refusal:
            cut = refusal
        yield from rejected(bad, self.file, "jobs", self.trace_id)
        if jobs:
            of_lines = pl.concat(lines)
            of_jobs = _superseded(_with_memory(pl.concat(jobs), of_lines, self.settings.node_memory_gb))
            names = of_lines["cluster"].unique(maintain_order=True).to_list() or [None]
            for name in names:
                trace_id = f"{self.trace_id}/{name}" if len(names) > 1 else self.trace_id
                mine = pl.col("cluster").eq_missing(name)
                one = copy(self)
                one.trace_id = trace_id
                yield from one._hand_over(of_jobs.filter(mine), sources)
                yield from one._count_steps(of_lines.filter(mine))
                yield from one._notes(sources)
                for reason, count in sorted(unknown.items() if name == names[0] else ()):
                    yield Observed(trace_id, "jobs", reason, count, "not known of the job, which is used without it")
        if cut is not None:
            raise cut

    def _hand_over(self, jobs: pl.DataFrame, sources: dict[str, str]) -> Yields[None]:
        """The jobs that ran, with times since the first submission, and count the others."""
        requeued, last = jobs.filter("superseded"), jobs.filter(~pl.col("superseded"))
        waiting, started = last.filter(_never_started()), last.filter(~_never_started())
        started = _across_the_clocks(started, self.settings.time_zone)
        started, self.counts_cores = yield from _shared_nodes.on_machine(
            self.trace_id,
            started,
            _shared_nodes.of_texts(started["node_list"], _names),
            self.settings,
            allocated=_allocated(sources),
            only_cpus="nodes" not in sources and "allocated" not in sources,
        )
        started, sentence = _reused.unique_ids(started.sort("submit_s", "row"))
        if sentence:
            yield Note(self.trace_id, sentence)
        for reason, rows, detail in (
            ("requeued", requeued, "runs of jobs that were requeued, or are listed twice; the last of a job counts"),
            ("never_started", waiting, "jobs pending, or cancelled before they started; a pending array has one line"),
        ):
            yield LeftOut(self.trace_id, "jobs", reason, rows.height, detail, self.file)
        origin = started["submit_s"].min()
        if origin is not None:
            yield Note(self.trace_id, f"Times count from the first submission, Unix time {origin / 1e6:.0f}.")
        ran_s = pl.coalesce("runtime_s", pl.col("end_s") - pl.col("start_s"))
        started = since(started, _BINDING, origin or 0).with_columns(
            pl.lit(self.trace_id).alias("trace"),
            # The time elapsed so far of a job that still runs is not its run time.
            pl.when(pl.col("end_s").is_not_null()).then(ran_s).alias("runtime_s"),
        )
        yield Rows("jobs", started, self.file)

    def _count_steps(self, lines: pl.DataFrame) -> Yields[None]:
        orphan = pl.col("is_step").all().over("job_id")
        steps, orphans = lines.filter(pl.col("is_step"), ~orphan), lines.filter(orphan)
        yield Counted(self.file, steps.height)
        yield Observed(self.trace_id, "jobs", "step", steps.height, "lines of steps; their memory is that of their job")
        what = "lines of steps whose job has no line"
        yield LeftOut(self.trace_id, "jobs", "step_without_job", orphans.height, what, self.file)

    def _notes(self, sources: dict[str, str]) -> Yields[None]:
        notes = []
        if "largest_task" in sources:
            by = "the tasks a node" if "tasks" in sources else "one task a node (NTasks is not there)"
            notes.append(
                f"Used memory of a node is MaxRSS, that of the largest task of a step, times {by}, summed over steps "
                "that ran at once on one node."
            )
        if "requested" in sources:
            what = "cores" if self.counts_cores else "nodes"
            notes.append(f"Requested memory without c or n at its end is the job's, divided by its {what}.")
        if self.local and "time_zone" not in self.settings.model_fields_set:
            notes.append("Times were read as UTC; sacct prints local ones, so state time_zone in trace.yaml.")
        for note in notes:
            yield Note(self.trace_id, note)


def _table(file: Path) -> CsvTable:
    """The file with the separator that its header shows; raises Refusal for one without a header of sacct."""
    header = first_line(file)
    separator = separator_of(header, _NAMES)
    names = {name.strip().strip('"').lower() for name in header.split(separator)}
    if header and not names & _NAMES:
        if _PRINTED.match(header):
            raise Refusal(
                "header_printed", f"sacct cut its columns to print them; write the file anew by `{COMMAND}`", row=1
            )
        raise Refusal(
            "header_missing",
            f"the first line names no field of sacct; write the file anew without --noheader, by `{COMMAND}`",
            row=1,
        )
    return CsvTable(file, separator, quoted=separator != "|")


def _sources(names: Sequence[str]) -> dict[str, str]:
    """The column of the file for each of _FIELDS that is there; the case of names does not count.

    Raises Refusal `columns_missing` with what was found.
    """
    known = {name.lower(): name for name in names if name}
    columns = {}
    for field, choice in _FIELDS.items():
        column = next((known[name.lower()] for name in choice if name.lower() in known), None)
        if column is not None:
            columns[field] = column
    problems = []
    for fields in _REQUIRED:
        fields = (fields,) if isinstance(fields, str) else fields
        if not any(field in columns for field in fields):
            wanted = [name for field in fields for name in _FIELDS[field]]
            hint = next((h for name in wanted if (h := did_you_mean(name, known.values()))), "")
            problems.append(f"no field {' or '.join(wanted)}{hint}".rstrip("?"))
    if problems:
        raise Refusal(
            "columns_missing",
            f"{'; '.join(problems)}. Found: {listing(names)}. Write the file anew by `{COMMAND}`",
            row=1,
        )
    return columns


def _allocated(sources: dict[str, str]) -> bool:
    """Whether processors are those that a job got, which are all of its nodes' where it has them to itself."""
    return sources.get("cpus", "").lower() in ("ncpus", "alloccpus")


def _parse(
    batch: pl.DataFrame, sources: dict[str, str], cores_of_node: int | None, node_memory_gb: float | None
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, int]]:
    """Lines with `job_id`, `is_step` and numbers, times still as texts; row, reason and detail of unreadable ones; and
    by reason how many optional values of jobs could not be read, which are not known then.

    The first holds the unreadable lines of jobs, too, since the steps below them are theirs.
    """
    texts = _texts(batch, sources)
    numbers = _numbers(texts)
    faults = _faults(texts, numbers, sources)
    # Without its nodes a job cannot be placed, and of a step its memory is all that matters.
    hard = pl.col("is_step") | (pl.col("reason") == "nodes_unreadable")
    unreadable = faults.filter(hard).drop("is_step").unique("row", keep="first", maintain_order=True).sort("row")
    optional = dict(faults.filter(~hard).group_by("reason", maintain_order=True).len().iter_rows())
    limit_s, limit_raw_s = (pl.when(pl.col(name) > 0).then(pl.col(name)) for name in ("walltime_s", "limit_raw_s"))
    fewest = (pl.col("cpus") / cores_of_node).ceil().cast(pl.Int64) if cores_of_node else pl.lit(1, pl.Int64)
    without_nodes = "nodes" not in sources and "allocated" not in sources
    numbers = numbers.with_columns(
        walltime_s=pl.coalesce(limit_s, pl.when(limit_raw_s < _slurm.NO_LIMIT_FROM * 60).then(limit_raw_s)),
        runtime_s=pl.coalesce("runtime_s", "elapsed_raw_s"),
        nodes=pl.when(pl.col("cpus").is_not_null()).then(fewest) if without_nodes else pl.col("nodes"),
    ).drop("limit_raw_s", "elapsed_raw_s")
    numbers = numbers.with_columns(_requested_per_node(), _used_per_node(node_memory_gb))
    good = numbers.filter(~(pl.col("is_step") & pl.col("row").is_in(unreadable["row"].implode())))
    return good, unreadable, optional


def _texts(batch: pl.DataFrame, sources: dict[str, str]) -> pl.DataFrame:
    """The fields of the lines as texts, null for what Slurm writes where there is nothing."""
    texts = batch.select(
        "row",
        *(
            (pl.col(sources[field]).str.strip_chars() if field in sources else pl.lit(None, dtype=pl.String))
            .replace("", None)
            .alias(field)
            for field in _FIELDS
        ),
    ).with_columns(
        pl.when(~_slurm.without_time(pl.col(field))).then(pl.col(field)).alias(field)
        for field in (*_TIMES, "elapsed", "elapsed_raw", "limit_raw")
    )
    texts = texts.with_columns(
        pl.when(~_slurm.without_limit(pl.col(name))).then(pl.col(name)).alias(name)
        for name in ("time_limit", "limit_raw")
    )
    allocated = (pl.col("allocated").str.extract(rf"(?:^|,){what}=([^,]*)") for what in ("node", "cpu"))
    return texts.with_columns(
        pl.coalesce(name, tres).alias(name) for name, tres in zip(("nodes", "cpus"), allocated, strict=True)
    )


def _numbers(texts: pl.DataFrame) -> pl.DataFrame:
    """What the texts of `_texts` say, null where it cannot be read."""
    requested = pl.col("requested")
    megabytes = requested.str.extract(r"^(\d{10})M[cn]?$").cast(pl.Int64)
    flagged = pl.when(megabytes >= _PER_CPU).then(pl.format("{}Mc", megabytes - _PER_CPU))
    requested = pl.coalesce(flagged, requested)
    return texts.select(
        "row",
        pl.col("id").str.extract(r"^([^.]*)").alias("job_id"),
        pl.col("id").str.contains(".", literal=True).fill_null(False).alias("is_step"),
        *_TIMES,
        "user",
        "name",
        "partition",
        "cluster",
        "state",
        "node_list",
        _slurm.count(pl.col("nodes")).alias("nodes"),
        _slurm.count(pl.col("cpus")).alias("cpus"),
        _slurm.count(pl.col("tasks")).alias("tasks"),
        _slurm.duration_s(pl.col("time_limit")).alias("walltime_s"),
        (_plain("limit_raw") * 60).alias("limit_raw_s"),
        _slurm.duration_s(pl.col("elapsed")).alias("runtime_s"),
        _plain("elapsed_raw").alias("elapsed_raw_s"),
        _slurm.size_gb(requested.str.replace(_PER, ""), bare="M").alias("requested_memory_gb"),
        _slurm.size_gb(pl.col("largest_task"), bare="B").alias("used_memory_gb"),
        requested.str.extract(_PER).alias("per"),
    )


def _faults(texts: pl.DataFrame, numbers: pl.DataFrame, sources: dict[str, str]) -> pl.DataFrame:
    """Row, reason and detail for each text that is there and cannot be read."""
    return pl.concat(
        texts.select(
            "row",
            numbers["is_step"],
            pl.lit(f"{column}_unreadable").alias("reason"),
            pl.format(f"{sources.get(field, field)} = {{}} is not {right}", pl.col(field).str.slice(0, 80)).alias(
                "detail"
            ),
        ).filter(texts[field].is_not_null() & numbers[column].is_null())
        for column, (field, right) in _PARSED.items()
    )


def _plain(column: str) -> pl.Expr:
    """A number (Float64) of digits alone."""
    text = pl.col(column)
    return pl.when(text.str.contains(r"^\d{1,15}(?:\.\d+)?$")).then(text).cast(pl.Float64, strict=False)


def _across_the_clocks(jobs: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Jobs whose start or end is in the hour that occurs twice, at the occurrence that the time elapsed tells.

    Times are microseconds since 1970, taken at the first occurrence so far; without a time elapsed, no job ends before
    it starts.
    """
    again = {name: _second_occurrence(pl.col(name), zone) for name in ("start_s", "end_s")}
    start, end = pl.col("start_s"), pl.col("end_s")
    missing = (pl.col("runtime_s") * MICROSECONDS).round().cast(pl.Int64) - (end - start)
    of_end = again["end_s"] - end
    late_end = (of_end > 0) & ((missing == of_end) | (missing.is_null() & (end < start)))
    of_start = again["start_s"] - start
    return jobs.with_columns(
        end_s=pl.when(late_end).then(again["end_s"]).otherwise(end),
        start_s=pl.when((of_start > 0) & (missing == -of_start)).then(again["start_s"]).otherwise(start),
    )


def _second_occurrence(moment_us: pl.Expr, zone: str) -> pl.Expr:
    """The same time on the wall as at a moment (microseconds since 1970), where it occurs twice the second time."""
    wall = (
        pl.from_epoch(moment_us, "us").dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.replace_time_zone(None)
    )
    return wall.dt.replace_time_zone(zone, ambiguous="latest", non_existent="null").dt.epoch("us")


def _names(text: str) -> list[str] | None:
    """Names in a list of nodes; None where there is none, or it cannot be read."""
    return None if text.lower() in ("none assigned", "none") else _slurm.node_names(text)


def _requested_per_node() -> pl.Expr:
    """ReqMem in GB per node. Nothing requested is not known: Slurm gives such a job its default, or the whole node."""
    asked, nodes = pl.col("requested_memory_gb"), pl.col("nodes")
    per_node = (
        pl.when(pl.col("per") == "n")
        .then(asked)
        .when(pl.col("per") == "c")
        .then(asked * pl.col("cpus") / nodes)
        .otherwise(asked / nodes)
    )
    return pl.when(asked > 0, nodes > 0).then(per_node).alias("requested_memory_gb")


def _used_per_node(node_memory_gb: float | None) -> pl.Expr:
    """MaxRSS times the tasks on the fullest node of a step. Zero is a step that ended before it was sampled.

    Not all tasks are as large as the largest, so what a node cannot hold is no more than the node, or that task.
    """
    tasks = pl.when("is_step", pl.col("nodes") > 0, pl.col("tasks") > 0).then(
        (pl.col("tasks") / pl.col("nodes")).ceil()
    )
    largest = pl.col("used_memory_gb")
    used = largest * tasks.fill_null(1.0)
    if node_memory_gb is not None:
        used = pl.min_horizontal(used, pl.max_horizontal(largest, pl.lit(node_memory_gb)))
    return pl.when(largest > 0).then(used).alias("used_memory_gb")


def _lines(parsed: pl.DataFrame, zone: str) -> pl.DataFrame:
    """What tells whose memory lines hold, and of steps when and where they held it (microseconds)."""
    steps = parsed.filter("is_step", pl.col("used_memory_gb").is_not_null()).select("row", "start_s", "end_s")
    timed, _ = to_canonical(steps, _OF_STEPS, Job, zone)
    lines = parsed.select(*_OF_NUMBER, "is_step", "row", "used_memory_gb", "node_list")
    return lines.join(timed, on="row", how="left", maintain_order="left")


def _with_memory(jobs: pl.DataFrame, lines: pl.DataFrame, node_memory_gb: float | None) -> pl.DataFrame:
    """Jobs with the memory that their steps used at once.

    The steps of a run stand below the line of the run, wherever another run of the job has its own.
    """
    lines = lines.with_columns(run=(~pl.col("is_step")).cum_sum().over(_OF_NUMBER).clip(lower_bound=1))
    used = lines.filter(pl.col("used_memory_gb").is_not_null())
    key = [*_OF_NUMBER, "run"]
    most = used.group_by(key).agg(pl.col("used_memory_gb").max().alias("largest_gb"))
    most = most.join(_at_once(used.filter("is_step"), key), on=key, how="left", nulls_equal=True)
    summed = pl.when(pl.col("at_once_gb") <= (float("inf") if node_memory_gb is None else node_memory_gb))
    summed = summed.then("at_once_gb").otherwise(pl.when(pl.col("at_once_gb").is_not_null()).then(node_memory_gb))
    heads = lines.filter(~pl.col("is_step")).select(*key, "row").join(most, on=key, how="left", nulls_equal=True)
    heads = heads.select("row", pl.max_horizontal("largest_gb", summed).alias("used_memory_gb"))
    return jobs.drop("used_memory_gb").join(heads, on="row", how="left", maintain_order="left")


def _at_once(steps: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Of each run with several steps the largest sum of their memory on a node at once, as `at_once_gb`.

    Sums are of whole bytes, so that they do not depend on the order of the steps.
    """
    steps = steps.filter(pl.len().over(key) > 1)
    lists = steps.group_by(key, maintain_order=True).agg(pl.col("node_list").unique(maintain_order=True))
    lists = lists.with_row_index("of_run")
    places = [
        (run, place, text)
        for run, texts in lists.select("of_run", "node_list").iter_rows()
        for place, met in enumerate(_meeting(texts))
        for text in met
    ]
    places = pl.DataFrame(places, {"of_run": pl.UInt32, "place": pl.Int64, "node_list": pl.String}, orient="row")
    steps = steps.join(lists.drop("node_list"), on=key, nulls_equal=True)
    steps = steps.join(places, on=["of_run", "node_list"], nulls_equal=True)
    group = ["of_run", "place"]
    # A step that ends when another starts has gone; one that starts and ends at once was there.
    begin, end = 2 * pl.col("start_s").fill_null(_EVER[0]) + 1, 2 * pl.col("end_s").fill_null(_EVER[1])
    size = (pl.col("used_memory_gb") / GB_PER_BYTE).round().cast(pl.Int64)
    events = pl.concat(
        [
            steps.select(*group, at=begin, size=size),
            steps.select(*group, at=pl.max_horizontal(end, begin + 1), size=-size),
        ]
    ).sort(*group, "at")
    sums = events.select("of_run", pl.col("size").cum_sum().over(group))
    most = sums.group_by("of_run").agg((pl.col("size").max() * GB_PER_BYTE).alias("at_once_gb"))
    return lists.join(most, on="of_run").select(*key, "at_once_gb")


def _meeting(lists: list[str | None]) -> list[list[str | None]]:
    """Which of the lists of nodes have a node in common: a list of them for each such node, each once.

    A list that cannot be read, or is not there, has every node.
    """
    if len(lists) == 1:
        return [lists]
    names = {text: _names(text) if text is not None else None for text in lists}
    everywhere = [text for text in lists if not names[text]]
    on_node: dict[str, list[str | None]] = {}
    for text, of_text in names.items():
        for name in of_text or ():
            on_node.setdefault(name, []).append(text)
    return [[*met, *everywhere] for met in sorted({tuple(met) for met in on_node.values()})] or [everywhere]


def _superseded(jobs: pl.DataFrame) -> pl.DataFrame:
    """Jobs with `superseded`: whether a later line is of the same run, or of the run after a requeue."""
    jobs = jobs.sort("submit_s", "row")
    later = {name: pl.col(name).shift(-1).over(_OF_NUMBER) for name in ("row", "submit_s", "start_s", "user", "name")}
    start, state = pl.col("start_s"), pl.col("state").str.to_uppercase()
    same = (pl.col("submit_s") == later["submit_s"]) & (start.is_null() | (start == later["start_s"]))
    again = state.str.contains(_AGAIN).fill_null(True) & (later["start_s"] >= pl.col("end_s")).fill_null(True)
    for name in ("user", "name"):
        again &= pl.col(name).eq_missing(later[name])
    return jobs.with_columns(superseded=later["row"].is_not_null() & (same | again).fill_null(False)).sort("row")


def _never_started() -> pl.Expr:
    """Jobs without a start. One cancelled while it waits gets that time as start and end, and no node."""
    state = pl.col("state").str.to_uppercase().fill_null("")
    nowhere = pl.col("node_list").str.to_lowercase().eq("none assigned").fill_null(False)
    at_once = (pl.col("start_s") == pl.col("end_s")).fill_null(False)
    cancelled_waiting = state.str.starts_with("CANCELLED") & (at_once | nowhere)
    return pl.col("start_s").is_null() | state.str.starts_with("PENDING") | cancelled_waiting
