"""Does local_search schedule what sms does not, and at what cost? `python -m bench.studies.local_search --help`."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import polars as pl
import scipy.stats
import typer

from pipeline.config import Configuration
from pipeline.studies import gpu_partition

log = logging.getLogger("bench")

LOADS = tuple(float(u) for u in range(36, 69, 4))
OURS, PAPER = "local_search", "sms"
MEASURED = "## local_search, measured"


def main(
    seed: Annotated[int, typer.Option(help="master seed; 1 is the one it was developed on")] = 101,
    sets: Annotated[int, typer.Option(min=2, help="task sets a point")] = 100,
    page: Annotated[Path | None, typer.Option(help=f"page whose section '{MEASURED}' is rewritten")] = None,
) -> None:
    """Shares of schedulable sets, paired by set, and the tests made, as Markdown."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    log.setLevel(logging.INFO)
    text = "\n".join(report(seed, sets))
    typer.echo(text)
    if page is not None:
        before = page.read_text(encoding="utf-8").partition(MEASURED)[0]
        page.write_text(f"{before}{MEASURED}\n\n{text}\n", encoding="utf-8")


def report(seed: int, sets: int) -> Iterator[str]:
    """The tables, line by line."""
    yield f"Written by `python -m bench.studies.local_search --seed {seed} --sets {sets}`: master seed {seed}, on which"
    yield "nothing was developed; 68 SMs, options of the paper without its pre-pass, each scheduler on the same sets."
    yield "*Gained* are sets that local_search schedules and sms does not, *lost* the other way round; p is of the"
    yield "exact sign test. *SMs* are those needed, over the sets that neither schedules; *ms* is the mean CPU time of"
    yield "an analysis, of this machine, in one process."
    for tasks, count in ((50, sets), (200, max(2, sets // 10))):
        yield ""
        yield f"{tasks} tasks, {count} sets a point:"
        yield ""
        yield (
            "| U | sms | local_search | gained | lost | p | SMs, sms | SMs, ours | tests, sms | tests, ours | ms, sms "
            "| ms, ours |"
        )
        yield "|" + "---:|" * 12
        yield from _rows(seed, tasks, count)


def _rows(seed: int, tasks: int, sets: int) -> Iterator[str]:
    began = time.process_time()
    sweep = {"workload": "generated", "tasks": [tasks], "sets": sets, "utilisation": LOADS, "schedulers": [OURS, PAPER]}
    others = dict.fromkeys(Configuration().gpu_partition.sweeps)
    config = Configuration.model_validate({"seed": seed, "gpu_partition": {"sweeps": others | {"bench": sweep}}})
    scenarios = gpu_partition.scenarios(config, {})
    inputs = gpu_partition.workloads(config, {})
    gpu_partition.replay(inputs, scenarios.group_by("scheduler", maintain_order=True).first())  # compiled from here on
    result = gpu_partition.replay(inputs, scenarios)
    metrics = pl.concat([result["metrics"], result["measured"]])
    wide = metrics.pivot("metric", index="scenario_id", values="value").join(scenarios, on="scenario_id")
    both = (
        wide.filter(pl.col("scheduler") == OURS)
        .join(wide.filter(pl.col("scheduler") == PAPER), on="workload_id", suffix="_sms")
        .with_columns(load=pl.col("workload_id").str.extract(r"-u([0-9.]+)").cast(pl.Float64))
    )
    for (load,), mine in both.sort("load").group_by("load", maintain_order=True):
        gained = int(((mine["schedulable"] == 1) & (mine["schedulable_sms"] == 0)).sum())
        lost = int(((mine["schedulable"] == 0) & (mine["schedulable_sms"] == 1)).sum())
        p = scipy.stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
        neither = mine.filter((pl.col("schedulable") == 0) & pl.col("sms_needed").is_not_null())
        needed = (_figure(neither["sms_needed_sms"].mean()), _figure(neither["sms_needed"].mean()))
        placed = mine.filter(pl.col("sms_needed").is_not_null())
        tests = (placed["tests_sms"].mean(), placed["tests"].mean())
        took = (placed["analysis_s_sms"].mean(), placed["analysis_s"].mean())
        yield (
            f"| {load:g} | {mine['schedulable_sms'].mean():.0%} | {mine['schedulable'].mean():.0%} | {gained} | {lost} "
            f"| {p:.1g} | {needed[0]} | {needed[1]} | {_count(tests[0])} | {_count(tests[1])} "
            f"| {_milliseconds(took[0])} | {_milliseconds(took[1])} |"
        )
    log.info("%d tasks: %.0f s CPU", tasks, time.process_time() - began)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _milliseconds(value_s: float | None) -> str:
    return "–" if value_s is None else f"{1000 * value_s:.2g}"


if __name__ == "__main__":
    typer.run(main)
