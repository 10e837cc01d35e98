"""Steady measures with intervals, and which scheduler is better: what answers about capacity and schedulers rest on.

Measures are those after the warm-up, sums over spans of the replays of one family of workloads; the blocks that are
resampled are its spans (a log in one piece or in a few) or its batches (synthetic workloads), see `bootstrap`.

Two schedulers are a tie where both the difference of their utilisations and the relative difference of their mean
response times lie within a margin (two one-sided tests at 5 %, that is by the 90 % interval; Schuirmann 1987). One is
better where it is so by more than the margin in one measure (one-sided, 5 %) and not worse by more than it in the
other; where it is worse there, the two are a trade-off. All else is open. Without an interval the same is said of
the estimates alone, and `blocks` says that there was none.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from pipeline.statistics import bootstrap
from pipeline.studies.hpc_memory.replay import DEFAULTS
from pipeline.studies.hpc_memory.tables import RESULTS
from pipeline.tables import polars_schema

BASELINE = "unlimited"
UTILISATION_MARGIN, RESPONSE_MARGIN = 0.01, 0.05
"""Differences of utilisation, and relative ones of response time, that do not matter."""
SUMS = ("jobs", "node_s", "useful_node_s", "response_s", "wait_s", "slowdown")
TIE, BETTER, WORSE, TRADE_OFF, OPEN = "tie", "better", "worse", "trade_off", "open"


TAKES = ("workload", "scenario", "span_hpc_memory")
"""Tables of the database that `tables` is made from, in the order of its arguments."""


def tables(workloads: pl.DataFrame, scenarios: pl.DataFrame, spans: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`steady_hpc_memory` and `paired_hpc_memory` of the replays with the study's default parameters."""
    steady, paired = [], []
    for family, runs in _families(workloads, scenarios, spans):
        steady += _steady(family, runs)
        paired += _paired(family, runs)
    return {
        name: pl.DataFrame(rows, schema=polars_schema(RESULTS[name]))
        for name, rows in (("steady_hpc_memory", steady), ("paired_hpc_memory", paired))
    }


class _Runs:
    """Replays of one family: per scheduler and memory per node the sums of each block, as an array (blocks, SUMS)."""

    def __init__(self, rows: pl.DataFrame):
        self.blocks: dict[tuple[str, float | None], dict[tuple[int, int], np.ndarray]] = {}
        columns = ["scheduler", "memory_per_node_gb", "batch", "span", *SUMS]
        for scheduler, memory, batch, span, *sums in rows.select(columns).iter_rows():
            self.blocks.setdefault((scheduler, memory), {})[batch, span] = np.array(sums)

    def sums(self, *keys: tuple[str, float | None]) -> list[np.ndarray]:
        """Sums of several replays on the blocks that all of them have: each (blocks, SUMS)."""
        common = sorted(set.intersection(*(set(self.blocks[key]) for key in keys)))
        return [np.array([self.blocks[key][block] for block in common]).reshape(-1, len(SUMS)) for key in keys]


def _families(workloads, scenarios, spans) -> Iterator[tuple[str, _Runs]]:
    names = ("alpha", "reconfiguration", "backfilling", "free_start", "largest_by")
    usual = [pl.col(name) == DEFAULTS[name] for name in names]
    usual.append((pl.col("knowledge") == pl.col("usual_knowledge")).fill_null(True))
    facts = workloads.select(
        "workload_id",
        "family",
        "batch",
        usual_knowledge="knowledge",
        phase_s=pl.when(pl.col("kind") == "dynamic").then("tau_s"),
    )
    rows = (
        scenarios.join(facts, on="workload_id")
        .filter(*usual, ~pl.col("timeline"))
        # Dynamic workloads have phases of one reconfiguration, whatever that takes.
        .filter(
            (pl.col("scheduler") == BASELINE) | (pl.col("tau_s") == pl.coalesce("phase_s", pl.lit(DEFAULTS["tau_s"])))
        )
        .join(spans, on="scenario_id")
        .with_columns(pl.col("jobs").cast(pl.Float64))
        .sort("family", "scheduler", "memory_per_node_gb", "batch", "span")
    )
    for (family,), runs in rows.group_by("family", maintain_order=True):
        yield family, _Runs(runs)


def _ratio(above, below):
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.divide(above, below)


def _measures(ours: np.ndarray, base: np.ndarray) -> dict[str, np.ndarray]:
    """Measures from sums (…, SUMS) of a replay and of that with unlimited memory on the same blocks."""
    jobs, node_s, useful, response, wait, slowdown = np.moveaxis(ours, -1, 0)
    return {
        "utilisation": _ratio(useful, node_s),
        "loss": 1 - _ratio(useful, base[..., 2]),
        "response_s": _ratio(response, jobs),
        "response_ratio": _ratio(response, base[..., 3]),
        "wait_s": _ratio(wait, jobs),
        "wait_ratio": _ratio(wait, base[..., 4]),
        "slowdown": _ratio(slowdown, jobs),
    }


def _resampled(sums: list[np.ndarray]) -> list[np.ndarray] | None:
    """Sums of each resample (RESAMPLES, SUMS), the same draws for all; None where there are too few blocks."""
    blocks = len(sums[0])
    if blocks < bootstrap.FEWEST:
        return None
    drawn = bootstrap.weights(blocks)
    return [bootstrap.totals(drawn, values) for values in sums]


def _value(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def _steady(family: str, runs: _Runs) -> list[dict]:
    rows = []
    for key in runs.blocks:
        if (BASELINE, None) not in runs.blocks:
            continue
        sums = runs.sums(key, (BASELINE, None))
        if not len(sums[0]):
            continue
        row = {"workload": family, "scheduler": key[0], "memory_per_node_gb": key[1], "blocks": len(sums[0]),
               "jobs": int(sums[0][:, 0].sum())}  # fmt: skip
        estimates = _measures(*(values.sum(axis=0) for values in sums))
        drawn = _resampled(sums)
        ends = {}
        if drawn is not None:
            resampled = np.column_stack(list(_measures(*drawn).values()))
            low, high = bootstrap.interval(resampled, len(sums[0]))
            ends = dict(zip(estimates, zip(low, high, strict=True), strict=True))
        for name, estimate in estimates.items():
            low, high = ends.get(name, (np.nan, np.nan))
            row |= {name: _value(estimate), f"{name}_lo": _value(low), f"{name}_hi": _value(high)}
        rows.append(row)
    return rows


def _paired(family: str, runs: _Runs) -> list[dict]:
    rows = []
    for memory in sorted({memory for _, memory in runs.blocks if memory is not None}):
        names = sorted(scheduler for scheduler, size in runs.blocks if size == memory)
        # All are compared on the blocks that all were run on.
        sums = dict(zip(names, runs.sums(*((name, memory) for name in names)), strict=True))
        blocks = len(sums[names[0]])
        if not blocks:
            continue
        drawn = _resampled(list(sums.values()))
        resampled = None if drawn is None else dict(zip(names, drawn, strict=True))
        for one in names:
            for other in names:
                if one == other:
                    continue
                estimates = _differences(sums[one].sum(axis=0), sums[other].sum(axis=0))
                whole = sums[one].sum(axis=0)
                row = {"workload": family, "memory_per_node_gb": memory, "scheduler": one, "other": other,
                       "blocks": blocks, "utilisation": _value(_ratio(whole[2], whole[1])),
                       "response_s": _value(_ratio(whole[3], whole[0]))}  # fmt: skip
                ends = wide = np.full((2, 2), np.nan)
                if resampled is not None:
                    both = _differences(resampled[one], resampled[other])
                    ends = np.array(bootstrap.interval(both, blocks, 0.90))
                    wide = np.array(bootstrap.interval(both, blocks))
                for column, name in enumerate(("utilisation_difference", "response_difference")):
                    row |= {name: _value(estimates[column]), f"{name}_lo": _value(wide[0, column]),
                            f"{name}_hi": _value(wide[1, column])}  # fmt: skip
                row["relation"] = relation(estimates, *ends)
                rows.append(row)
    return rows


def _differences(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Difference of the utilisations and relative difference of the mean responses of sums (…, SUMS): (…, 2)."""
    utilisation = _ratio(one[..., 2], one[..., 1]) - _ratio(other[..., 2], other[..., 1])
    return np.stack([utilisation, _ratio(one[..., 3], other[..., 3]) - 1], axis=-1)


def relation(estimate: np.ndarray, low: np.ndarray, high: np.ndarray) -> str:
    """What one scheduler is to another: tie, better, worse, trade_off or open.

    estimate: difference of utilisation, relative difference of response time (one less the other); low, high: ends of
    their 90 % intervals, nan where there is none, when the estimates are taken for them.
    """
    margin = np.array([UTILISATION_MARGIN, RESPONSE_MARGIN])
    # More utilisation is better, more response time is worse.
    sign = np.array([1.0, -1.0])
    low, high = np.where(np.isnan(low), estimate, low), np.where(np.isnan(high), estimate, high)
    if np.isnan(estimate).any():
        return OPEN
    gain = sign * estimate
    least, most = np.minimum(sign * low, sign * high), np.maximum(sign * low, sign * high)
    if (least >= -margin).all() and (most <= margin).all():
        return TIE
    surely_better, surely_worse = least > margin, most < -margin
    if surely_better.any() and (gain >= -margin).all():
        return BETTER
    if surely_worse.any() and (gain <= margin).all():
        return WORSE
    if surely_better.any() or surely_worse.any():
        return TRADE_OFF
    return OPEN
