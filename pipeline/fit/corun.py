"""Slowdown of applications side by side on a GPU, predicted from profiles of each alone.

The forms of the rules, and the protocol by which they are judged, are those of docs/guides/corun-choice.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
import scipy

from pipeline.gpus.intensity import CLASSES, THRESHOLDS, Thresholds, class_numbers, policy

PROFILE = ("start_s", "span_s", "kernel_s", "copy_s", "gflops", "memory_gbps", "dram_gbps")
"""Columns of gpu_apps that the rules read."""


@dataclass(frozen=True)
class Measured:
    """Applications that were measured side by side, with their profiles; arrays by application, or pairs of them.

    apps: names, sorted; alone_s: T (s); start_s, copy_s, kernel_s: S, C, K (s); demand: (n, 2), F and B as shares of
    the largest of the drop; kind: position in intensity.CLASSES. slowdown: (n, n), [a, b] that of a beside b, nan where
    the pair was not measured.
    """

    apps: tuple[str, ...]
    alone_s: np.ndarray
    start_s: np.ndarray
    copy_s: np.ndarray
    kernel_s: np.ndarray
    demand: np.ndarray
    kind: np.ndarray
    slowdown: np.ndarray

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Measured pairs of different applications, a before b."""
        n = len(self.apps)
        return [(a, b) for a in range(n) for b in range(a + 1, n) if np.isfinite(self.slowdown[[a, b], [b, a]]).all()]


def measured(profiles: pl.DataFrame, pairs: pl.DataFrame, thresholds: Thresholds = THRESHOLDS) -> Measured:
    """Bring together profiles (gpu_apps) and pairs (corun_pairs) of one trace; thresholds: those of its card.

    Runs of a pair, in either order, are averaged. Pairs of an application without a whole profile, and of one with
    itself, are left out.
    """
    if "gpu" in pairs.columns and pairs["gpu"].n_unique() > 1:
        pairs = pairs.clear()  # A profile is that of one card.
    runs = pl.concat(
        [
            pairs.drop_nulls(["slowdown_a", "slowdown_b"]).select(
                app=f"app_{a}", other=f"app_{b}", slowdown=f"slowdown_{a}", alone_s=f"alone_{a}_s"
            )
            for a, b in ("ab", "ba")
        ]
    ).filter(pl.col("app") != pl.col("other"))
    alone = runs.group_by("app", maintain_order=True).agg(measured_s=pl.col("alone_s").mean())
    whole = (
        profiles.drop_nulls(PROFILE)
        .join(alone, on="app", how="inner")
        .with_columns(alone_s=pl.coalesce("measured_s", pl.col("start_s") + pl.col("span_s")))
        .filter(pl.col("alone_s") > 0)
        .sort("app")
    )
    apps = whole["app"].to_list()
    position = {app: i for i, app in enumerate(apps)}
    slowdown = np.full((len(apps), len(apps)), np.nan)
    means = runs.group_by("app", "other", maintain_order=True).agg(pl.col("slowdown").mean()).sort("app", "other")
    for app, other, value in means.iter_rows():
        if app in position and other in position:
            slowdown[position[app], position[other]] = value
    of_drop = profiles.select(pl.col("gflops", "dram_gbps").max())
    most = np.array([of_drop["gflops"].item() or 1.0, of_drop["dram_gbps"].item() or 1.0])
    return Measured(
        tuple(apps),
        *(whole[name].to_numpy() for name in ("alone_s", "start_s", "copy_s", "kernel_s")),
        whole.select("gflops", "dram_gbps").to_numpy() / most,
        class_numbers(whole["gflops"].to_numpy(), whole["memory_gbps"].to_numpy(), thresholds),
        slowdown,
    )


@dataclass(frozen=True)
class Rule:
    """A rule: names of its parameters, and terms (n, n, p) such that slowdown = offset + terms @ parameters."""

    name: str
    parameters: tuple[str, ...]
    terms: Callable[[Measured], np.ndarray]
    offset: float = 1.0


def collision(apps: Measured) -> np.ndarray:
    """x (n, n): share of the time that kernels of two applications spend waiting, by the scarcer resource."""
    return np.minimum(1.0, (apps.demand[:, None, :] + apps.demand[None, :, :]).max(axis=2))


def _both(values: np.ndarray) -> np.ndarray:
    return np.minimum(values[:, None], values[None, :])


def _mean(apps: Measured) -> np.ndarray:
    return np.ones((*apps.slowdown.shape, 1))


def _verdicts(apps: Measured) -> np.ndarray:
    shared = allowed(apps, "either")
    return np.stack([shared, ~shared], axis=2).astype(float)


def _delay(apps: Measured) -> np.ndarray:
    return np.repeat(1 / apps.alone_s[:, None, None], len(apps.apps), axis=1)


def _kernels(apps: Measured) -> np.ndarray:
    return (collision(apps) * _both(apps.kernel_s) / apps.alone_s[:, None])[:, :, None]


def _resources(apps: Measured) -> np.ndarray:
    shared = [_both(apps.start_s), _both(apps.copy_s), collision(apps) * _both(apps.kernel_s)]
    return np.stack(shared, axis=2) / apps.alone_s[:, None, None]


RULES = (
    Rule("always_corun", ("mean",), _mean, offset=0.0),
    Rule("slate_table1", ("mean_allowed", "mean_refused"), _verdicts, offset=0.0),
    Rule("constant_delay", ("delay_s",), _delay),
    Rule("shared_kernels", ("kernels",), _kernels),
    Rule("shared_resources", ("start", "copies", "kernels"), _resources),
)
"""Rules that predict a slowdown, the simplest first. A random partner predicts what always_corun does."""


def allowed(apps: Measured, symmetry: str = "printed") -> np.ndarray:
    """Whether Slate's Table I lets b (column) run beside an active a (row): bool (n, n)."""
    if max(apps.kind, default=0) >= len(CLASSES):
        raise ValueError(f"kinds must be positions in {', '.join(CLASSES)}")
    return policy(symmetry)[apps.kind[:, None], apps.kind[None, :]]


def fit(rule: Rule, apps: Measured, without: tuple[int, ...] = ()) -> np.ndarray:
    """Parameters (p) of a rule, non-negative, by least squares of slowdowns.

    without: applications none of whose pairs are used. Raises ValueError where no pair is left.
    """
    used = [(a, b) for a, b in apps.pairs if a not in without and b not in without]
    if not used:
        raise ValueError("no pair is left to fit the rule to")
    ordered = np.array([*used, *((b, a) for a, b in used)])
    terms = rule.terms(apps)[ordered[:, 0], ordered[:, 1]]
    return scipy.optimize.nnls(terms, apps.slowdown[ordered[:, 0], ordered[:, 1]] - rule.offset)[0]


def held_out(rule: Rule, apps: Measured) -> tuple[np.ndarray, np.ndarray]:
    """Predictions (n, n) of each measured pair from a fit without both applications, and these fits (pairs, p).

    [a, b] is the slowdown of a beside b, nan where the pair was not measured. A group without a pair in a fold (Table I
    refusing none, say) takes the mean of the fold.
    """
    terms = rule.terms(apps)
    predicted = np.full(apps.slowdown.shape, np.nan)
    fits = []
    for a, b in apps.pairs:
        parameters = fit(rule, apps, (a, b))
        if rule.offset == 0.0:
            parameters = np.where(parameters > 0, parameters, fit(RULES[0], apps, (a, b))[0])
        fits.append(parameters)
        for first, second in ((a, b), (b, a)):
            predicted[first, second] = rule.offset + terms[first, second] @ parameters
    return predicted, np.array(fits)


def unseen(rule: Rule, apps: Measured, queues: np.ndarray) -> np.ndarray:
    """Predictions (queues, length, length) for queues (queues, length) of applications, none of which a fit has seen.

    [q, i, j] is the slowdown of the i-th application of queue q beside the j-th; one fit a queue, so that predictions
    which compete in one choice share their parameters.
    """
    terms = rule.terms(apps)
    fits: dict[tuple[int, ...], np.ndarray] = {}
    predicted = np.empty((*queues.shape, queues.shape[1]))
    for number, queue in enumerate(queues):
        key = tuple(sorted(queue.tolist()))
        if key not in fits:
            fits[key] = fit(rule, apps, key)
        predicted[number] = rule.offset + terms[np.ix_(queue, queue)] @ fits[key]
    return predicted
