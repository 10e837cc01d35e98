"""Replays beside executions by Slurm: `python -m validation.slurm.compare DROP ...`.

Each execution's own submissions, sizes, run times and limits are replayed under each of SETTINGS, and the starts are
compared with the execution's by `pipeline.statistics.fidelity`. The noise floor is the same comparison of each pair of
executions of one workload. Slurm's own parameters come from the slurm.conf of the drop.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import permutations
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
import yaml

from pipeline.stages.ingest import ingest
from pipeline.statistics import fidelity
from pipeline.studies import hpc_memory
from validation.slurm import slurm_conf

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

DEPTHS = (0, 1, 10, 50, -1)
RELEASE_LAGS_S = (0, 1, 3)
"""Between the end of a job and the start of the next on its processors; 3 is Slurm's batch_sched_delay.

There is no lag before a start: what Slurm calls the start of a job is its decision.
"""
KEPT_FROM = 10
"""Least depth from which it matters whether reservations are kept."""

CHOSEN_BY = "discordant_pairs"
MEASURES = (CHOSEN_BY, "mean_wait_error", "start_error_median_s", "start_error_p90_s", "wait_distance_s")
"""Measures of fidelity that are compared with the noise floor; 0 is a perfect replay."""

CONF_KEYS = ("backfill_interval_s", "backfill_depth", "backfill_resolution_s", "backfill_window_s")
SIGNIFICANT = 5

OWN = "depth all, Slurm's passes"
"""The setting that `slurm_conf` reads from the slurm.conf of the executions."""

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
RECORDS = RECORDED / "fidelity.csv"
PAGE = HERE.parent.parent / "docs" / "guides" / "fidelity.md"
BEGIN, END = "<!-- from validation/slurm/recorded/fidelity.csv -->\n", "<!-- end of fidelity.csv -->\n"

COLUMNS = ("workload", "half", "kind", "setting", "measure", "unit", "mean", "mean_size", "least", "most")
"""Of the table: kind is replay (over executions), noise (over ordered pairs of them) or machine (over executions, or
over their jobs); mean_size is the mean without signs."""


def settings(conf: Path) -> pl.DataFrame:
    """The dialects that are tried, simplest first: `setting` and columns of scenarios of hpc_memory."""
    passes = {name: float(value) for name, value in _queue_of(conf).items() if name in CONF_KEYS}
    rows: list[dict] = [{"setting": "fcfs", "backfilling": "fcfs"}]
    for lag_s in RELEASE_LAGS_S:
        for depth in DEPTHS:
            name = f"depth {'all' if depth < 0 else depth}"
            suffix = f", lag {lag_s} s" if lag_s else ""
            row = {"backfilling": "reserve", "reserve_depth": depth, "release_lag_s": float(lag_s)}
            rows.append(row | {"setting": name + suffix})
            if depth < 0 or depth >= KEPT_FROM:
                rows.append(row | {"setting": f"{name} kept{suffix}", "reservations": "kept"})
            rows.append(row | {"setting": f"{name}, Slurm's passes{suffix}"} | passes)
    return pl.DataFrame(rows, infer_schema_length=None)


def _queue_of(conf: Path) -> dict:
    """What the project makes of a slurm.conf."""
    return yaml.safe_load(slurm_conf.read(conf))["queue"]


class Executions:
    """The executions of one workload, read as any drop is: `jobs` (run, job, submit_s, nodes, walltime_s, start_s,
    end_s), times since the first submission; `nodes` of the machine; `asked`, the workload.

    Raises ValueError for a drop of which rows are rejected, or whose executions are of different jobs.
    """

    def __init__(self, drop: Path):
        with tempfile.TemporaryDirectory(prefix="apportion-slurm-drop-") as folder:
            summary = ingest(drop.absolute(), Path(folder) / "drop")
            if summary.code or not summary.rows["jobs"]:
                raise ValueError(f"{drop}: executions of jobs are needed\n{summary.text()}")
            jobs = pl.read_parquet(Path(folder) / "drop" / "jobs.parquet")
        self.drop, self.name, self.nodes = drop, drop.absolute().name, summary.traces["nodes"][0]
        self.asked = pl.read_csv(drop / "workload.csv")
        self.jobs = jobs.select(
            pl.col("trace").str.split("/").list.last().alias("run"),
            pl.col("name").cast(pl.Int64).alias("job"),
            "submit_s", "nodes", "walltime_s", "start_s", "end_s",
        ).sort("run", "job")  # fmt: skip
        self.runs = self.jobs["run"].unique().sort().to_list()
        if len(self.runs) < 2:
            raise ValueError(f"{drop}: it has one execution; two or more show how far executions differ")
        for run in self.runs:
            if not self.of(run)["job"].equals(self.asked["job"]):
                raise ValueError(f"{drop}: {run} has other jobs than workload.csv")

    def of(self, run: str) -> pl.DataFrame:
        """The jobs of one execution."""
        return self.jobs.filter(pl.col("run") == run)


def replayed(executions: Executions, dialects: pl.DataFrame) -> pl.DataFrame:
    """Starts of all jobs under all dialects: setting, run, job, replayed_start_s."""
    jobs = executions.jobs.rename({"run": "workload_id", "job": "job_id"})
    phases = jobs.select(
        "workload_id", "job_id", phase=pl.lit(0), duration_s=pl.col("end_s") - pl.col("start_s"), memory_gb=pl.lit(0.0)
    )
    scenarios = dialects.join(pl.DataFrame({"workload_id": executions.runs}), how="cross").with_columns(
        scenario_id=pl.format("{} of {}", "setting", "workload_id"),
        scheduler=pl.lit("unlimited"),
        nodes=pl.lit(executions.nodes),
        memory_gb=pl.lit(0.0),
    )
    inputs = {"jobs": jobs.drop("start_s", "end_s"), "phases": phases}
    outcomes = hpc_memory.replay(inputs, scenarios.drop("setting"))["outcomes"]
    named = scenarios.select("scenario_id", "setting", run="workload_id")
    return named.join(outcomes, on="scenario_id", maintain_order="left").select(
        "setting", "run", job="job_id", replayed_start_s="start_s"
    )


def compared(executions: Executions) -> pl.DataFrame:
    """The table of one workload: COLUMNS."""
    starts = replayed(executions, settings(executions.drop / "slurm.conf")).partition_by(
        "setting", "run", as_dict=True, include_key=False, maintain_order=True
    )
    pairs = {
        ("", f"{one} {other}"): executions.of(other).select("job", replayed_start_s="start_s")
        for one, other in permutations(executions.runs, 2)
    }
    found = []
    for half in (1, 2):
        for kind, cases in (("replay", starts), ("noise", pairs)):
            for (setting, run), others in cases.items():
                jobs = executions.of(run.split()[0]).join(others, on="job", validate="1:1", maintain_order="left")
                measures = fidelity.measures(jobs, executions.nodes, half)
                found.append(measures.with_columns(half=half, kind=pl.lit(kind), setting=pl.lit(setting)))
    table = pl.concat(found)
    waits = table.filter(pl.col("setting") == "fcfs", pl.col("measure") == "mean_wait_measured_s")
    table = pl.concat(
        [
            waits.with_columns(kind=pl.lit("machine"), setting=pl.lit("")),
            table.filter(pl.col("measure").is_in(MEASURES)),
            _lags(executions),
        ],
        how="diagonal",
    )
    keys = ("half", "kind", "setting", "measure", "unit")
    value = pl.col("value")
    return (
        table.group_by(*keys, maintain_order=True)
        .agg(mean=value.mean(), mean_size=value.abs().mean(), least=value.min(), most=value.max())
        .with_columns(
            pl.col("mean", "mean_size", "least", "most").round_sig_figs(SIGNIFICANT), workload=pl.lit(executions.name)
        )
        .select(COLUMNS)
    )


def _lags(executions: Executions) -> pl.DataFrame:
    """What a shared machine under a faster clock does to jobs, in seconds of that clock, all executions together."""
    jobs = executions.jobs.join(executions.asked.select("job", "run_s", "limit_s", asked_s="submit_s"), on="job")
    ran_s = pl.col("end_s") - pl.col("start_s")
    values = {
        "submission_late_s": jobs.select(value=(pl.col("submit_s") - pl.col("asked_s")).cast(pl.Float64)),
        "run_longer_s": jobs.filter(pl.col("run_s") < pl.col("limit_s")).select(value=ran_s - pl.col("run_s")),
        "over_limit_s": jobs.filter(pl.col("run_s") > pl.col("limit_s")).select(value=ran_s - pl.col("limit_s")),
    }
    return pl.concat(
        frame.with_columns(measure=pl.lit(name), unit=pl.lit("s"), kind=pl.lit("machine"), setting=pl.lit(""))
        for name, frame in values.items()
    )


def chosen(table: pl.DataFrame) -> str:
    """The setting of one workload with the fewest discordant pairs in the first half, the first of equal ones."""
    first = table.filter(pl.col("kind") == "replay", pl.col("half") == 1, pl.col("measure") == CHOSEN_BY)
    return first.filter(pl.col("mean") == pl.col("mean").min())["setting"][0]


def against_noise(table: pl.DataFrame, setting: str) -> pl.DataFrame:
    """One setting on the second half of a workload: measure, unit, replay, noise, noise_most, and `within`.

    A measure that the half has no number for is left out. One is within the noise floor where the mean of its size over
    the executions is no larger than that over pairs of executions.
    """
    second = table.filter(pl.col("half") == 2, pl.col("measure").is_in(MEASURES))
    replay = second.filter(pl.col("setting") == setting, pl.col("kind") == "replay")
    noise = second.filter(pl.col("kind") == "noise").select(
        "measure", noise="mean_size", noise_most=pl.max_horizontal(pl.col("least").abs(), pl.col("most").abs())
    )
    return (
        replay.select("measure", "unit", replay="mean_size", signed="mean")
        .drop_nulls("replay")
        .join(noise, on="measure", maintain_order="left")
        .with_columns(within=pl.col("replay") <= pl.col("noise"))
    )


def section(table: pl.DataFrame) -> str:
    """Tables of the page: the second half of each workload, and what the shared machine did to its jobs."""
    lines = [
        "| | mean wait | pairs in another order | start, median | start, 90th percentile | waits, distance |",
        "|---|---|---|---|---|---|",
    ]
    workloads = table.partition_by("workload", maintain_order=True)
    for each in workloads:
        wait_s = each.filter(half=2, kind="machine", measure="mean_wait_measured_s")["mean"][0]
        lines.append(f"| **{each['workload'][0]}**, mean wait {wait_s:.0f} s | | | | | |")
        best = chosen(each)
        rows = {name: against_noise(each, name) for name in dict.fromkeys((best, OWN))}
        lines.append(f"| two executions by Slurm | {_cells(rows[best], 'noise')} |")
        for name, row in rows.items():
            why = [
                text
                for text, true in (("closest in the first half", name == best), ("slurm.conf", name == OWN))
                if true
            ]
            lines.append(f"| {' and '.join(why)}: {name} | {_cells(row, 'replay')} |")
    lines += [
        "",
        "| seconds of Slurm's clock: mean (largest) | submitted late | runs longer | over its limit |",
        "|---|---|---|---|",
    ]
    for each in workloads:
        lags = {
            row["measure"]: f"{row['mean']:.1f} ({row['most']:.0f})"
            for row in each.filter(pl.col("half").is_null()).iter_rows(named=True)
        }
        names = ("submission_late_s", "run_longer_s", "over_limit_s")
        lines.append(f"| {each['workload'][0]} | {' | '.join(lags.get(name, '') for name in names)} |")
    return "\n".join(lines) + "\n"


def _cells(rows: pl.DataFrame, column: str) -> str:
    """The measures of one row of the page; bold where a replay is within the noise floor."""
    found = {row["measure"]: row for row in rows.iter_rows(named=True)}
    texts = []
    for measure in ("mean_wait_error", CHOSEN_BY, "start_error_median_s", "start_error_p90_s", "wait_distance_s"):
        row = found[measure]
        value = row[column]
        if measure == "mean_wait_error":
            text = f"±{100 * value:.1f} %" if column == "noise" else f"{100 * row['signed']:+.1f} %".replace("-", "−")
        elif measure == CHOSEN_BY:
            text = f"{100 * value:.2f} %"
        else:
            text = f"{value:.0f} s"
        texts.append(f"**{text}**" if column == "replay" and row["within"] else text)
    return " | ".join(texts)


@app.command()
def main(
    drops: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DROP...", help="folders that `python -m validation.slurm` wrote; none = the recorded ones"
        ),
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="write fidelity.csv and the page from the recorded ones")
    ] = False,
) -> None:
    """Compare replays with executions by Slurm, and with the difference between executions."""
    if record and drops:
        raise typer.BadParameter("what is recorded is made from the recorded executions; name no drop")
    try:
        tables = [compared(Executions(drop)) for drop in drops or recorded()]
    except ValueError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from error
    for table in tables:
        setting = chosen(table)
        print(f"{table['workload'][0]}: closest in the first half is {setting!r}; in the second half:")
        for row in against_noise(table, setting).iter_rows(named=True):
            verdict = "within" if row["within"] else "above"
            print(f"  {row['measure']}: {row['replay']:g}, {verdict} the noise of {row['noise']:g}")
    if record:
        pl.concat(tables).write_csv(RECORDS)
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + section(pl.concat(tables)) + END + rest.partition(END)[2], encoding="utf-8")


def recorded() -> list[Path]:
    """The executions that are kept."""
    return sorted(path.parent for path in RECORDED.glob("*/trace.yaml"))


if __name__ == "__main__":
    app(prog_name="python -m validation.slurm.compare")
