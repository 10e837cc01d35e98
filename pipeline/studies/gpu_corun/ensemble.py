"""Admissible models: machines and kernels drawn in the documented ranges that agree with what the paper publishes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import polars as pl

from pipeline.statistics.streams import stream
from pipeline.studies.gpu_corun import published
from pipeline.studies.gpu_corun.replay import replay

MOST_TRIES = 200
"""Candidates per wanted draw after which drawing is given up."""
_PAIRS = list(itertools.combinations_with_replacement(sorted(published.TABLE_2), 2))
_QUEUE = pl.DataFrame(
    [
        {"workload_id": f"{a}-{b}", "position": place, "kernel": kernel}
        for a, b in _PAIRS
        for place, kernel in enumerate((a, b))
    ]
)

Member = tuple[str, dict[str, float], pl.DataFrame]
"""A model: its id, the machine's columns of the scenario, and the kernels as `replay` takes them."""


def draw(seed: int, machines: int, draws: int) -> list[Member]:
    """`machines` x `draws` admissible models, named m<machine>/k<draw>.

    A machine is kept if MPS gains on CUDA what the paper says with the default kernels, a draw of kernels if it does so
    on its machine. Fewer machines, or draws, are the first of more. Raises ValueError where hardly any agrees.
    """
    default = published.kernels()
    chosen: list[tuple[int, dict[str, float]]] = []
    for block in _blocks(machines):
        if len(chosen) >= machines:
            break
        drawn = [(c, _machine(stream(seed, "gpu_corun machine", c))) for c in block]
        agrees = _agree([(machine, default) for _, machine in drawn])
        chosen += list(itertools.compress(drawn, agrees))
    _require(len(chosen), machines)
    accepted: list[list[pl.DataFrame]] = [[] for _ in range(machines)]
    for tries in _blocks(draws):
        open_ = [m for m in range(machines) if len(accepted[m]) < draws]
        if not open_:
            break
        candidates = [
            (m, chosen[m][1], _kernels(stream(seed, "gpu_corun kernels", chosen[m][0], k), chosen[m][1]))
            for m in open_
            for k in tries
        ]
        agrees = _agree([(machine, kernels) for _, machine, kernels in candidates])
        for m, _, kernels in itertools.compress(candidates, agrees):
            accepted[m].append(kernels)
    _require(min(map(len, accepted), default=draws), draws)
    return [
        (f"m{m:04d}/k{k:02d}", chosen[m][1], kernels)
        for m in range(machines)
        for k, kernels in enumerate(accepted[m][:draws])
    ]


def _blocks(wanted: int) -> Iterable[range]:
    """Numbers of candidates in blocks of about twice as many as are wanted."""
    size = 2 * max(wanted, 4)
    return (range(first, first + size) for first in range(0, MOST_TRIES * max(wanted, 1), size))


def _machine(rng: np.random.Generator) -> dict[str, float]:
    return {name: float(rng.uniform(low, high)) for name, (low, high) in published.MACHINE_RANGES.items()}


def _kernels(rng: np.random.Generator, machine: dict[str, float]) -> pl.DataFrame:
    """The published kernels with everything that is not published drawn."""
    rows = []
    for kernel, of in published.TABLE_2.items():
        ranges = published.EVERY_KERNEL | published.KERNEL_RANGES[kernel]
        drawn = {name: float(rng.uniform(low, high)) for name, (low, high) in sorted(ranges.items())}
        most = min(of["memory_gbps"], machine["bandwidth_gbps"])
        rows.append(of | drawn | {"kernel": kernel, "dram_gbps": most * float(rng.uniform(*published.DRAM_SHARE))})
    return pl.DataFrame(rows, schema=published.kernels().schema)


def _agree(models: list[tuple[dict[str, float], pl.DataFrame]]) -> list[bool]:
    """Whether the mean gain of MPS over CUDA on the 15 pairs is the published one, for each model."""
    if not models:
        return []
    ids = np.arange(len(models))
    kernels = pl.concat(k.with_columns(model_id=pl.lit(i, pl.Int64)) for i, (_, k) in enumerate(models))
    machines = pl.DataFrame([machine for machine, _ in models]).with_columns(model_id=ids)
    runs = (
        machines.join(
            _QUEUE.select("workload_id").unique(maintain_order=True), how="cross", maintain_order="left_right"
        )
        .join(pl.DataFrame({"scheduler": ["cuda", "mps"]}), how="cross", maintain_order="left_right")
        .with_row_index("scenario_id")
    )
    metrics = replay({"queue": _QUEUE, "kernels": kernels}, runs)["metrics"].filter(metric="makespan_s")
    makespan_s = metrics["value"].to_numpy().reshape(len(models), len(_PAIRS), 2)
    gain = (makespan_s[:, :, 0] / makespan_s[:, :, 1] - 1).mean(axis=1)
    low, high = published.MPS_OVER_CUDA
    return ((gain >= low) & (gain <= high)).tolist()


def _require(agree: int, wanted: int) -> None:
    if agree < wanted:
        raise ValueError(
            f"gpu_corun: {agree} of {wanted} draws agree with the published facts after {MOST_TRIES} tries each; the "
            "ranges in published.py leave next to nothing"
        )
