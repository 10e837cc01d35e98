"""Do cost_aware and memory_aware_easy beat what the paper has? `python -m bench.studies.better_scheduler --help`."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import scipy.stats
import typer

from pipeline.config import Configuration
from pipeline.studies import hpc_memory

log = logging.getLogger("bench")

PAPER = ("aggregated", "priority", "stochastic", "oldest_first", "largest_first")
OURS = "cost_aware"
UNMOVED = ("aggregated", "unlimited")
"""Schedulers that reconfigure nothing: tau does not touch them."""

PHASE_S = 1000.0
"""Mean length of a phase, E(L), of both kinds of workload."""

KINDS = {"phased": "Phased", "dynamic": "Dynamic"}
RATIOS = (1000.0, 100.0, 25.0, 10.0, 2.5, 1.0, 0.25)
"""r = E(L) / tau: those of the paper, and one beyond."""

FEWER_RATIOS = (1000.0, 10.0, 1.0)
MEMORY_PER_NODE_GB = (105.0, 125.0, 150.0, 200.0)
FEWER_SIZES_GB = (105.0, 150.0)
RULES = ("easy", "memory_aware_easy")
MEASURED = "## Measured"


def main(
    seed: Annotated[int, typer.Option(help="master seed of the workloads; 1 to 3 are those it was developed on")] = 101,
    batches: Annotated[int, typer.Option(min=2, help="batches of each kind of workload")] = 10,
    jobs: Annotated[int, typer.Option(min=10, help="jobs per batch")] = 1000,
    page: Annotated[Path | None, typer.Option(help=f"page whose section '{MEASURED}' is rewritten")] = None,
) -> None:
    """Paired differences with 95 % t intervals over the batches, as Markdown."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    log.setLevel(logging.INFO)
    began = time.process_time()
    text = "\n".join(report(seed, batches, jobs))
    log.info("%.0f s CPU", time.process_time() - began)
    typer.echo(text)
    if page is not None:
        before = page.read_text(encoding="utf-8").partition(MEASURED)[0]
        page.write_text(f"{before}{MEASURED}\n\n{text}\n", encoding="utf-8")


def report(seed: int, batches: int, jobs: int) -> Iterator[str]:
    """The tables, line by line."""
    yield f"Seed {seed}, {batches} batches of {jobs} jobs a kind of workload, 54 nodes, load 0.9, alpha 0.03."
    made = {kind: workloads(kind, seed, batches, jobs) for kind in KINDS}
    for free_start, sizes_gb in ((False, MEMORY_PER_NODE_GB), (True, FEWER_SIZES_GB)):
        start = ", with `free_start`" if free_start else ""
        for kind, title in KINDS.items():
            log.info("cost_aware, %s%s", kind, start)
            rows = replays(made[kind], (*PAPER, OURS), RATIOS, sizes_gb, free_start=free_start)
            yield f"\n### {title}: cost_aware against the best of the paper's five{start}\n"
            yield from against_best(rows)
    for kind, title in KINDS.items():
        log.info("memory_aware_easy, %s", kind)
        schedulers = ("unlimited", *PAPER, OURS)
        rows = pl.concat(
            replays(made[kind], schedulers, FEWER_RATIOS, MEMORY_PER_NODE_GB, backfilling=rule) for rule in RULES
        )
        yield f"\n### {title}: memory_aware_easy against easy\n"
        yield from against_easy(rows, schedulers)


def workloads(kind: str, seed: int, batches: int, jobs: int) -> dict[str, pl.DataFrame]:
    """Tables of all batches. A dynamic workload has phases of PHASE_S, whatever tau it is replayed with."""
    sweep = {"workload": kind, "batches": batches, "jobs": jobs, "tau_s": [PHASE_S]}
    config = {"seed": seed, "hpc_memory": {"sweeps": {"study": sweep}, "timeline": 0}}
    return hpc_memory.workloads(Configuration.model_validate(config), {})


def replays(
    inputs: dict[str, pl.DataFrame],
    schedulers: Sequence[str],
    ratios: Sequence[float],
    sizes_gb: Sequence[float],
    **options: object,
) -> pl.DataFrame:
    """Utilisation (%), mean and 95th percentile of response (s) by batch, scheduler, ratio and memory per node.

    `options` are columns of the scenario table, the same for all.
    """
    cells = inputs["workloads"].select("workload_id", "batch", "nodes")
    for column, values in (("scheduler", schedulers), ("ratio", ratios), ("memory_per_node_gb", sizes_gb)):
        cells = cells.join(pl.DataFrame({column: values}), how="cross", maintain_order="left_right")
    unmoved = pl.col("scheduler").is_in(UNMOVED)
    cells = cells.with_columns(
        tau_s=pl.when(unmoved).then(1.0).otherwise(PHASE_S / pl.col("ratio")),
        memory_gb=pl.col("memory_per_node_gb") * pl.col("nodes"),
        **{name: pl.lit(value) for name, value in options.items()},
    ).with_columns(scenario_id=pl.concat_str("workload_id", "scheduler", "tau_s", "memory_gb", separator="|"))
    scenarios = cells.drop("batch", "ratio", "memory_per_node_gb").unique("scenario_id", maintain_order=True)
    found = hpc_memory.replay(inputs, scenarios)
    metrics = found["metrics"].pivot("metric", index="scenario_id", values="value")
    submitted = scenarios.select("scenario_id", "workload_id").join(inputs["jobs"], on="workload_id")
    slowest = (
        found["outcomes"]
        .join(submitted, on=["scenario_id", "job_id"])
        .group_by("scenario_id")
        .agg(response_p95_s=(pl.col("end_s") - pl.col("submit_s")).quantile(0.95))
    )
    for measures in (metrics, slowest):
        cells = cells.join(measures, on="scenario_id", maintain_order="left")
    return cells.with_columns(pl.col("utilisation") * 100)


def against_best(rows: pl.DataFrame) -> Iterator[str]:
    """One line a ratio, one column a memory size: points of utilisation gained over the best of the paper's."""
    sizes_gb = rows["memory_per_node_gb"].unique(maintain_order=True)
    yield from _head("r = E(L)/tau", sizes_gb)
    count = {"▲": 0, "·": 0, "▼": 0}
    for ratio in rows["ratio"].unique(maintain_order=True):
        cells = []
        for memory in sizes_gb:
            cell = rows.filter(ratio=ratio, memory_per_node_gb=memory)
            means = cell.filter(pl.col("scheduler") != OURS).group_by("scheduler").agg(pl.col("utilisation").mean())
            best, utilisation = means.sort("utilisation", "scheduler", descending=[True, False]).row(0)
            gain, half, sign = difference(*(_by_batch(cell, name, "utilisation") for name in (OURS, best)))
            count[sign] += 1
            cells.append(f"{sign} {gain:+.2f} ± {half:.2f} ({best} {utilisation:.2f})")
        yield f"| {ratio:g} | " + " | ".join(cells) + " |"
    counts = f"{count['▲']} cells, open in {count['·']}, less in {count['▼']}"
    yield f"\nMore than the best of five in {counts}."


def against_easy(rows: pl.DataFrame, schedulers: Sequence[str]) -> Iterator[str]:
    """The same for the backfilling rule, with the change of mean and 95th percentile of response."""
    sizes_gb = rows["memory_per_node_gb"].unique(maintain_order=True)
    yield from _head("scheduler, r", sizes_gb)
    for scheduler in schedulers:
        ratios = rows["ratio"].unique(maintain_order=True)
        for ratio in ratios[:1] if scheduler in UNMOVED else ratios:
            cells = []
            for memory in sizes_gb[:1] if scheduler == "unlimited" else sizes_gb:
                cell = rows.filter(scheduler=scheduler, ratio=ratio, memory_per_node_gb=memory)
                easy, ours = (cell.filter(backfilling=rule).sort("batch") for rule in RULES)
                gain, half, sign = difference(ours["utilisation"].to_numpy(), easy["utilisation"].to_numpy())
                parts = [f"{sign} {gain:+.2f} ± {half:.2f}"]
                for name, column in (("mean", "mean_response_s"), ("p95", "response_p95_s")):
                    shorter = 100 * (1 - (ours[column] / easy[column]).to_numpy())
                    less, half, sign = difference(shorter, np.zeros(len(shorter)))
                    parts.append(f"{name} {sign} {-less:+.0f} ± {half:.0f} %")
                cells.append("<br>".join(parts))
            cells += [""] * (len(sizes_gb) - len(cells))
            yield f"| {scheduler}{'' if scheduler in UNMOVED else f', {ratio:g}'} | {' | '.join(cells)} |"


def _head(first: str, sizes_gb: Iterable[float]) -> Iterator[str]:
    columns = [first, *(f"{memory:g} GB per node" for memory in sizes_gb)]
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"


def _by_batch(cell: pl.DataFrame, scheduler: str, metric: str) -> np.ndarray:
    return cell.filter(scheduler=scheduler).sort("batch")[metric].to_numpy()


def difference(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float, str]:
    """Mean paired difference, half its 95 % t interval, and ▲ where the interval is above 0, ▼ below, · around it."""
    difference = ours - theirs
    mean = float(difference.mean())
    half = float(scipy.stats.t.ppf(0.975, len(difference) - 1) * difference.std(ddof=1) / np.sqrt(len(difference)))
    return mean, half, "▲" if mean > half else "▼" if mean < -half else "·"


if __name__ == "__main__":
    typer.run(main)
