"""Rates of applications that share a GPU, predicted from what is known of each alone, or from other pairs.

Forms of the rules, and what their fits may see, are those of the second protocol of docs/guides/corun-choice.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
import scipy

from pipeline.fit.corun_choice import first_allowed
from pipeline.gpus.intensity import THRESHOLDS, Thresholds, class_numbers, policy

PENALTY = 0.1
"""Of `ridge`, times the rows of the fit."""
TURNS = 0.5
"""Share of its rate alone that each of two has that take turns."""


@dataclass(frozen=True)
class Card:
    """Applications measured in pairs on one card; arrays by application, or pairs of them.

    apps: names, sorted. share: (n, n), [a, b] the rate of a beside b over that alone, nan where they did not run side
    by side; tried: (n, n), whether it is known if they do. least, most: (n, n), weighted speedup of the pair's slowest
    and fastest run, nan where it ran once. facts: (n, 2), logarithms of batch size and rate alone, nan where not
    known; model: what each trains or serves, or None.
    """

    apps: tuple[str, ...]
    share: np.ndarray
    tried: np.ndarray
    least: np.ndarray
    most: np.ndarray
    facts: np.ndarray
    model: tuple[str | None, ...]
    kind: np.ndarray | None = None

    def only(self, which: np.ndarray) -> Card:
        """The card with some of its applications, by their positions in order."""
        both = np.ix_(which, which)
        share, tried, least, most = (values[both] for values in (self.share, self.tried, self.least, self.most))
        names, models = (tuple(values[i] for i in which) for values in (self.apps, self.model))
        kind = None if self.kind is None else self.kind[which]
        return Card(names, share, tried, least, most, self.facts[which], models, kind)

    @cached_property
    def gain(self) -> np.ndarray:
        """Weighted speedup less 1 (n, n): 0 where a pair does not fit and takes turns, nan where it was not tried."""
        gain = self.share + self.share.T - 1.0
        return np.where(self.tried & np.isnan(gain), 0.0, gain)

    @cached_property
    def pairs(self) -> np.ndarray:
        """Pairs that ran (p, 2), a <= b."""
        return np.argwhere(np.triu(np.isfinite(self.share) & np.isfinite(self.share.T)))


FACTS = (
    pl.col("batch").log(),
    pl.coalesce("rate_per_s", "rate").log().alias("rate"),
    *(pl.col(name) / (pl.col("start_s") + pl.col("span_s")) for name in ("start_s", "copy_s", "kernel_s")),
    "gflops",
    "dram_gbps",
)
"""What rules know of an application alone: logarithms of batch size and rate; shares of its time, and rates."""


def card(
    pairs: pl.DataFrame,
    solo: pl.DataFrame,
    profiles: pl.DataFrame | None = None,
    thresholds: Thresholds = THRESHOLDS,
) -> Card:
    """Bring together pairs (corun_pairs), rates alone (solo_rates) and profiles (as `profiled`) of one card.

    Runs of a pair, in either order, are averaged. Applications of which no pair ran are left out. thresholds: those of
    the card, by which its applications are classified.
    """
    sides = [
        pairs.select(
            app=f"app_{a}",
            other=f"app_{b}",
            share=1 / pl.col(f"slowdown_{a}"),
            rate=pl.coalesce(f"alone_{a}_per_s", 1 / pl.col(f"alone_{a}_s")),
        )
        for a, b in ("ab", "ba")
    ]
    runs = pl.concat(sides)
    apps = sorted(runs.drop_nulls("share")["app"].unique().to_list())
    n, position = len(apps), {app: i for i, app in enumerate(apps)}
    share, tried = np.full((n, n), np.nan), np.zeros((n, n), dtype=bool)
    for app, other, value in runs.group_by("app", "other").agg(pl.col("share").mean()).sort("app", "other").iter_rows():
        if app in position and other in position:
            a, b = position[app], position[other]
            tried[a, b] = True
            share[a, b] = np.nan if value is None else value
    least, most = np.full((2, n, n), np.nan)
    of_pair = pl.concat_list("app_a", "app_b").list.sort()
    both = pairs.select(pair=of_pair, speedup=1 / pl.col("slowdown_a") + 1 / pl.col("slowdown_b")).drop_nulls("speedup")
    repeated = both.group_by("pair").agg(pl.len(), lo=pl.col("speedup").min(), hi=pl.col("speedup").max())
    for (app, other), lo, hi in repeated.filter(pl.col("len") > 1).select("pair", "lo", "hi").iter_rows():
        a, b = position[app], position[other]
        least[[a, b], [b, a]], most[[a, b], [b, a]] = lo, hi
    rates = runs.group_by("app").agg(pl.col("rate").mean())
    known = solo.filter(pl.col("gpus") == 1).unique("app", keep="first").select("app", "model", "batch", "rate_per_s")
    table = (
        pl.DataFrame({"app": apps}, schema={"app": pl.String})
        .join(rates, on="app", how="left", maintain_order="left")
        .join(known, on="app", how="left", maintain_order="left")
        .join(_NO_PROFILES if profiles is None else profiles, on="app", how="left", maintain_order="left")
    )
    facts = table.select(FACTS).to_numpy().astype(float)
    rates = table.select("gflops", "memory_gbps").to_numpy().astype(float).T
    kind = class_numbers(*rates, thresholds) if n and np.isfinite(rates).all() else None
    return Card(tuple(apps), share, tried, least, most, facts, tuple(table["model"].to_list()), kind)


PROFILE = ("start_s", "span_s", "copy_s", "kernel_s", "gflops", "memory_gbps", "dram_gbps")
_NO_PROFILES = pl.DataFrame(schema={"app": pl.String} | dict.fromkeys(PROFILE, pl.Float64))


def profiled(apps: pl.DataFrame, kernels: pl.DataFrame) -> pl.DataFrame:
    """Profiles of applications, app and PROFILE: rows of gpu_apps, for others the mean rates of their kernels.

    A mean is weighted by the kernels' times, plain where one is not known. A kernel of no application is one itself.
    """
    weight = pl.when(pl.col("time_s").is_not_null().all()).then(pl.col("time_s")).otherwise(1.0)
    of_kernels = (
        kernels.drop_nulls(["gflops", "memory_gbps"])
        .sort("app", "kernel", "time_s", "gflops", "memory_gbps")
        .group_by(pl.coalesce("app", "kernel").alias("app"), maintain_order=True)
        .agg((pl.col(rate) * weight).sum() / weight.sum() for rate in ("gflops", "memory_gbps"))
    )
    rated = apps.drop_nulls(["gflops", "memory_gbps"]).select("app", *PROFILE)
    rest = of_kernels.join(rated, on="app", how="anti", maintain_order="left")
    return pl.concat([_NO_PROFILES, rated, rest], how="diagonal")


@dataclass(frozen=True)
class Rule:
    """A rule: `fit` takes cards, each with the pairs (p, 2) that it may see, and returns what predicts shares."""

    name: str
    fit: Callable[[Sequence[tuple[Card, np.ndarray]]], Callable[[Card], np.ndarray]]
    knows_jobs: bool = field(default=False)
    """Whether it says of a job what only pairs of that job tell."""
    partners: Callable[[Card, np.ndarray], np.ndarray] | None = field(default=None)
    """Partners (sets, n) that it chooses for sets (sets, n) by itself; None: best first by what it predicts."""
    needs_profiles: bool = field(default=False)
    """Whether it goes by the classes of applications."""


def _both_orders(seen: Sequence[tuple[Card, np.ndarray]]) -> list[tuple[Card, np.ndarray]]:
    """Each pair from either side; a job beside itself once."""
    return [(of, np.concatenate([pairs, pairs[pairs[:, 0] != pairs[:, 1]][:, ::-1]])) for of, pairs in seen]


def _mean_share(seen):
    mean = np.concatenate([of.share[rows[:, 0], rows[:, 1]] for of, rows in _both_orders(seen)]).mean()
    return lambda of: np.full(of.share.shape, mean)


def _table1(seen):
    rows = _both_orders(seen)
    shares = np.concatenate([of.share[two[:, 0], two[:, 1]] for of, two in rows])
    allowed = np.concatenate([_verdicts(of, "either")[two[:, 0], two[:, 1]] for of, two in rows])
    of_verdict = [
        shares[allowed == verdict].mean() if (allowed == verdict).any() else shares.mean() for verdict in (False, True)
    ]
    return lambda of: np.where(_verdicts(of, "either"), of_verdict[True], of_verdict[False])


def _verdicts(of: Card, symmetry: str) -> np.ndarray:
    """Whether Slate's Table I lets b (column) run beside an active a (row): bool (n, n)."""
    return policy(symmetry)[of.kind[:, None], of.kind[None, :]]


def _slates_partners(of: Card, sets: np.ndarray) -> np.ndarray:
    """Partners (sets, n) as Slate walks the queue: the head with the first that Table I, as printed, allows."""
    may = _verdicts(of, "printed")
    partner = np.full(sets.shape, -1)
    for chosen, members in zip(partner, sets, strict=True):
        for a, b in first_allowed(members, may, whole=False):
            chosen[a], chosen[b] = b, a
    return partner


def _saturation(seen):
    apps = sorted({of.apps[app] for of, pairs in seen for app in np.unique(pairs)})
    place: Mapping[str, int] = {app: i for i, app in enumerate(apps)}
    terms, sums = [], []
    for of, pairs in seen:
        column = np.array([place.get(app, -1) for app in of.apps])
        design = np.zeros((len(pairs), len(apps)))
        for side in (0, 1):
            np.add.at(design, (np.arange(len(pairs)), column[pairs[:, side]]), 1.0)
        terms.append(design)
        a, b = pairs.T
        sums.append(2 / (of.share[a, b] + of.share[b, a]))
    taken = scipy.optimize.nnls(np.concatenate(terms), np.concatenate(sums))[0]
    mean = taken.mean()

    def predict(of: Card) -> np.ndarray:
        u = np.array([taken[place[app]] if app in place else mean for app in of.apps])
        return 1 / np.maximum(1.0, u[:, None] + u[None, :])

    return predict


def _ridge(seen):
    models = sorted({model for of, pairs in seen for model in (of.model[app] for app in np.unique(pairs)) if model})
    rows = [(_columns(of, models), of, ordered) for of, ordered in _both_orders(seen)]
    x = np.concatenate([np.hstack([of_app[two[:, 0]], of_app[two[:, 1]]]) for of_app, _, two in rows])
    y = np.concatenate([-np.log(of.share[two[:, 0], two[:, 1]]) for _, of, two in rows])
    known = np.isfinite(x)
    middle = np.where(known, x, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, x - middle, 0.0)
    spread = np.sqrt((centred**2).mean(axis=0))
    varying = spread > 1e-12
    scaled = centred[:, varying] / spread[varying]
    # einsum adds in one order on any number of cores.
    gram = np.einsum("ij,ik->jk", scaled, scaled) + PENALTY * len(x) * np.eye(varying.sum())
    weight = np.zeros(x.shape[1])
    weight[varying] = np.linalg.solve(gram, np.einsum("ij,i->j", scaled, y - y.mean())) / spread[varying]
    half = x.shape[1] // 2

    def predict(of: Card) -> np.ndarray:
        columns = _columns(of, models)
        own, other = (
            np.einsum("ij,j->i", np.where(np.isfinite(columns), columns - middle[part], 0.0), weight[part])
            for part in (slice(0, half), slice(half, None))
        )
        return np.exp(-(y.mean() + own[:, None] + other[None, :]))

    return predict


def _columns(of: Card, models: Sequence[str]) -> np.ndarray:
    """What is known of each application alone: its facts, and a column per model."""
    return np.hstack([of.facts, np.array([[model == name for name in models] for model in of.model], dtype=float)])


NULL = "mean_share"
RULES = (
    Rule(NULL, _mean_share),
    Rule("slate_table1", _table1, partners=_slates_partners, needs_profiles=True),
    Rule("saturation", _saturation, knows_jobs=True),
    Rule("ridge", _ridge),
)
"""Rules that predict, the simplest first."""
