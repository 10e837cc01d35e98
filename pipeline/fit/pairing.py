"""Who shares a GPU with whom: the best pairing of applications that were measured side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit.jackknife import jackknife

MOST_MATCHED = 200
"""Applications up to which the best pairing is sought: the time of a matching grows as their number cubed."""


@dataclass(frozen=True)
class Card:
    """Applications measured in pairs on one card; arrays by pairs of them.

    apps: names, sorted. share: (n, n), [a, b] the rate of a beside b over that alone, nan where they did not run side
    by side; tried: (n, n), whether it is known if they do. least, most: (n, n), weighted speedup of the pair's slowest
    and fastest run, nan where it ran once.
    """

    apps: tuple[str, ...]
    share: np.ndarray
    tried: np.ndarray
    least: np.ndarray
    most: np.ndarray

    @cached_property
    def gain(self) -> np.ndarray:
        """Weighted speedup less 1 (n, n): 0 where a pair does not fit and takes turns, nan where it was not tried."""
        gain = self.share + self.share.T - 1.0
        return np.where(self.tried & np.isnan(gain), 0.0, gain)


def fit(pairs: pl.DataFrame) -> pl.DataFrame:
    """Table best_pairs of pairs (corun_pairs), trace by trace and card by card."""
    rows = [tables.empty(tables.BestPair)]
    for (trace_id,), of_trace in pairs.group_by("trace", maintain_order=True):
        of_cards = of_trace.sort("gpu", nulls_last=False).group_by("gpu", maintain_order=True)
        for (gpu,), of_card in of_cards:
            labels = {"trace": pl.lit(trace_id), "gpu": pl.lit(gpu, pl.String)}
            rows.append(tables.conform(best_pairs(card(of_card)).with_columns(**labels), tables.BestPair))
    return pl.concat(rows)


def card(pairs: pl.DataFrame) -> Card:
    """Bring together the pairs (corun_pairs) of one card.

    Runs of a pair, in either order, are averaged. Applications of which no pair ran are left out.
    """
    runs = pl.concat(
        [pairs.select(app=f"app_{a}", other=f"app_{b}", share=1 / pl.col(f"slowdown_{a}")) for a, b in ("ab", "ba")]
    )
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
    return Card(tuple(apps), share, tried, least, most)


def best_pairs(of: Card) -> pl.DataFrame:
    """Rows of best_pairs of a card without trace and card: each of its applications once.

    A pair that was not tried is not chosen.
    """
    n = len(of.apps)
    matched = n <= MOST_MATCHED
    gain = of.gain.copy()
    np.fill_diagonal(gain, np.nan)
    partner = best(gain) if matched else greedy(gain)
    paired = partner >= 0
    own = np.maximum(partner, 0), np.arange(n)
    speedup = np.where(paired, 1 + of.gain[own[1], own[0]], 1.0)
    # What is left out by turns is a pair, or an application alone: neither half of a pair is there without the other.
    unit = np.minimum(np.where(paired, partner, np.arange(n)), np.arange(n))
    _, member = np.unique(unit, return_inverse=True)
    total, total_lo, total_hi = jackknife(
        lambda keep: float(speedup[keep].mean()) if keep.any() else np.nan, member[:, None], member.max(initial=-1) + 1
    )
    names = np.array([*of.apps, None], dtype=object)

    def one(values: np.ndarray) -> pl.Series:
        return pl.Series(np.where(paired, values[own[1], own[0]], np.nan)).fill_nan(None)

    return pl.DataFrame(
        {
            "app": list(of.apps),
            "partner": names[np.where(paired, partner, n)].tolist(),
            "speedup": speedup,
            "share": np.where(paired, of.share[own[1], own[0]], 1.0),
            "lo": one(of.least),
            "hi": one(of.most),
            "basis": np.where(paired, "measured", "alone").tolist(),
            "method": ["matching" if matched else "greedy"] * n,
            "total_speedup": [total] * n,
            "total_lo": pl.Series([total_lo] * n, dtype=pl.Float64).fill_nan(None),
            "total_hi": pl.Series([total_hi] * n, dtype=pl.Float64).fill_nan(None),
        },
        schema_overrides={"app": pl.String, "partner": pl.String},
    )


def greedy(gain: np.ndarray) -> np.ndarray:
    """Partners (n) chosen best first: the position of each application's partner, -1 = alone.

    gain: (n, n), symmetric; a pair of which it is not above 0, or nan, is never chosen. Of equal pairs the first
    counts, by the positions of its two.
    """
    n = len(gain)
    left = np.where(np.triu(np.ones((n, n), dtype=bool), 1) & (gain > 0), gain, 0.0)
    partner = np.full(n, -1)
    while left.max(initial=0.0) > 0:
        a, b = np.divmod(left.argmax(), n)
        partner[a], partner[b] = b, a
        left[[a, b], :] = left[:, [a, b]] = 0.0
    return partner


def best(gain: np.ndarray) -> np.ndarray:
    """Partners (n) of the pairing with the largest sum of gains, running alone included: -1 = alone.

    gain: (n, n), symmetric, nan where a pair cannot be. A maximum weight matching (Galil 1986), by networkx.
    """
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(len(gain)))
    pairs = np.argwhere(np.triu(np.nan_to_num(gain) > 0, 1))
    graph.add_weighted_edges_from((int(a), int(b), float(gain[a, b])) for a, b in pairs)
    partner = np.full(len(gain), -1)
    for a, b in networkx.max_weight_matching(graph):
        partner[a], partner[b] = b, a
    return partner
