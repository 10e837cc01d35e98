"""Replays beside logs of machines that do not ship: `python -m validation.machines OAR CIRRUS`.

OAR: 19 executions of 800 jobs on 32 nodes of Grid'5000, published with Batsim's validation (a CSV file: run,
workload_seed, job_id, submit_s, start_s, end_s, walltime_s, nodes). CIRRUS: output of sacct, jobs that share 280 nodes
of 36 cores. Each log is compared as a dropped one is (`pipeline.studies.hpc_memory.fidelity`).
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from pipeline.stages.ingest import ingest
from pipeline.studies.hpc_memory import fidelity

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

OAR_NODES = 32
BUSY_S = 100.0
"""Mean wait (s) above which an execution tells more than how long launching takes."""
INCIDENT = 3.0
"""An execution whose mean wait is more than so many times the least of its workload counts as an incident."""
CIRRUS = "nodes: 280\ncpus_per_node: 36\nshare: cores\ntime_zone: UTC\n"
"""trace.yaml of the log of Cirrus."""
PARTS = {"OAR": ("second",), "Cirrus": ("second", "whole")}
"""Parts of each log that are recorded; whole: for comparison with what others published of it."""
MEASURES = ("mean_wait_measured_s", "mean_wait_error", "discordant_queued")
SIGNIFICANT = 5

RECORDS = Path(__file__).parent / "machines.csv"
PAGE = Path(__file__).parent.parent / "docs" / "guides" / "fidelity.md"
BEGIN, END = "<!-- from validation/machines.csv -->\n", "<!-- end -->\n"


def of_oar(path: Path) -> tuple[pl.DataFrame, int]:
    """Fidelity of the busy executions of OAR (without incidents), and how many incidents there are."""
    executions = pl.read_csv(path).select(
        # Jobs of an execution have the order of the workload, and numbers of their own.
        pl.col("job_id").rank().over("run").cast(pl.Int64).cast(pl.String).alias("name"),
        pl.col("submit_s", "start_s", "end_s", "walltime_s").cast(pl.Float64),
        "nodes", "workload_seed", trace="run", job_id=pl.col("job_id").cast(pl.String), position=pl.col("job_id"),
    )  # fmt: skip
    waits = waits_of(executions)
    busy = waits.filter(~pl.col("incident"), pl.col("wait_s") > BUSY_S).sort("trace")["trace"]
    traces = pl.DataFrame({"trace": busy, "nodes": [OAR_NODES] * len(busy)})
    jobs = executions.filter(pl.col("trace").is_in(busy.implode()))
    return fidelity.compare(jobs, traces)["log_fidelity"], int(waits["incident"].sum())


def waits_of(executions: pl.DataFrame) -> pl.DataFrame:
    """Mean wait of each execution, `wait_s`, and whether it is an `incident`."""
    wait_s = pl.col("start_s") - pl.col("submit_s")
    waits = executions.group_by("trace", "workload_seed", maintain_order=True).agg(wait_s=wait_s.mean())
    return waits.with_columns(incident=pl.col("wait_s") > INCIDENT * pl.col("wait_s").min().over("workload_seed"))


def of_cirrus(path: Path) -> pl.DataFrame:
    """Fidelity of the log of Cirrus."""
    with tempfile.TemporaryDirectory(prefix="apportion-cirrus-") as scratch:
        drop, folder = Path(scratch) / "cirrus", Path(scratch) / "ingested"
        drop.mkdir()
        shutil.copy(path, drop / "log.csv.gz")
        (drop / "trace.yaml").write_text(CIRRUS, encoding="utf-8")
        ingest(drop, folder)
        tables = {name: pl.read_parquet(folder / f"{name}.parquet") for name in fidelity.TAKES}
    return fidelity.compare(**tables)["log_fidelity"]


def records(oar: pl.DataFrame, cirrus: pl.DataFrame) -> pl.DataFrame:
    """What is kept: machine, trace, setting, half, measure, value, least, most, noise, closest."""
    return pl.concat(
        table.filter(pl.col("half").is_in(PARTS[machine]), pl.col("measure").is_in(MEASURES)).select(
            pl.lit(machine).alias("machine"),
            "trace", "setting", "half", "measure",
            pl.col("value", "least", "most", "noise").round_sig_figs(SIGNIFICANT),
            "closest",
        )
        for machine, table in (("OAR", oar), ("Cirrus", cirrus))
    )  # fmt: skip


def recorded() -> pl.DataFrame:
    """What was kept."""
    return pl.read_csv(RECORDS, infer_schema_length=None)


def section(table: pl.DataFrame) -> str:
    """Tables of the page, a setting a row, the largest error in mean wait first."""
    oar, cirrus = (table.filter(pl.col("machine") == machine) for machine in ("OAR", "Cirrus"))
    waits = oar.filter(pl.col("setting") == "easy", pl.col("measure") == "mean_wait_measured_s")
    runs = dict(waits.select("trace", "value").iter_rows())
    head = " | ".join(f"run {n}, mean wait {wait_s:.0f} s | swapped" for n, wait_s in enumerate(runs.values(), 1))
    lines = [f"| OAR, second half | {head} |", "|---" * (1 + 2 * len(runs)) + "|"]
    for setting in _weakest_first(oar):
        cells = [f"{_wait(oar, setting, run, 'second')} | {_swapped(oar, setting, run, 'value')}" for run in runs]
        lines.append(f"| {setting} | {' | '.join(cells)} |")
    beside = []
    for run in runs:
        noise = _row(oar, "easy", run, "second", "mean_wait_error")["noise"]
        beside.append(f"±{_percent(noise)} | {_swapped(oar, 'easy', run, 'noise')}")
    lines += [f"| *the machine beside itself* | {' | '.join(beside)} |", ""]

    waits = cirrus.filter(pl.col("setting") == "easy", pl.col("measure") == "mean_wait_measured_s")
    parts = {
        half: f"{part}, mean wait {wait_s:.0f} s"
        for half, part, wait_s in (
            (half, "whole log" if half == "whole" else f"{half} half", wait_s)
            for half, wait_s in sorted(waits.select("half", "value").iter_rows(), reverse=True)
        )
    }
    (trace,) = cirrus["trace"].unique()
    head = " | ".join(f"{part}: run times as limits | drawn limits" for part in parts.values())
    lines += [f"| Cirrus | {head} |", "|---" * (1 + 2 * len(parts)) + "|"]
    for setting in _weakest_first(cirrus.filter(~pl.col("setting").str.ends_with(fidelity.DRAWN))):
        names = (setting, setting + fidelity.DRAWN)
        cells = [_wait(cirrus, name, trace, half) for half in parts for name in names]
        lines.append(f"| {setting} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _weakest_first(table: pl.DataFrame) -> list[str]:
    errors = table.filter(pl.col("measure") == "mean_wait_error").group_by("setting", maintain_order=True)
    return (
        errors.agg(pl.col("value").abs().mean())
        .sort("value", descending=True, maintain_order=True)["setting"]
        .to_list()
    )


def _row(table: pl.DataFrame, setting: str, trace: str, half: str, measure: str) -> dict:
    return table.row(
        by_predicate=(pl.col("setting") == setting)
        & (pl.col("trace") == trace)
        & (pl.col("half") == half)
        & (pl.col("measure") == measure),
        named=True,
    )


def _wait(table: pl.DataFrame, setting: str, trace: str, half: str) -> str:
    """Error of the mean wait; bold where the setting was chosen on the first half, with the least and most of draws."""
    row = _row(table, setting, trace, half, "mean_wait_error")
    text = _percent(row["value"], "+")
    if row["least"] is not None:
        text += f" ({_percent(row['least'], '+')} to {_percent(row['most'], '+')})"
    return f"**{text}**" if row["closest"] else text


def _swapped(table: pl.DataFrame, setting: str, trace: str, column: str) -> str:
    return f"{100 * _row(table, setting, trace, 'second', 'discordant_queued')[column]:.1f} %"


def _percent(value: float, sign: str = "") -> str:
    return f"{100 * value:{sign},.0f} %".replace("-", "−")


@app.command()
def main(
    oar: Annotated[Path, typer.Argument(metavar="OAR", help="executions by OAR, a CSV file")],
    cirrus: Annotated[Path, typer.Argument(metavar="CIRRUS", help="log of Cirrus, output of sacct")],
    record: Annotated[bool, typer.Option("--record", help="write machines.csv and the page")] = False,
) -> None:
    """Compare replays with executions by OAR and with a log of Cirrus."""
    busy, incidents = of_oar(oar)
    table = records(busy, of_cirrus(cirrus))
    print(f"{incidents} executions by OAR count as incidents")
    print(section(table))
    if record:
        table.write_csv(RECORDS)
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + section(table) + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    app(prog_name="python -m validation.machines")
