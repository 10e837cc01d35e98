"""How rules that choose by rates who shares a GPU are judged, and the best pairs (docs/guides/corun-choice.md)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit import pairing
from pipeline.fit.corun_choice import (
    LEAST_APPS,
    LEAST_LEFT,
    QUEUE_LENGTH,
    QUEUES,
    SEED,
    SHORTEST_QUEUE,
    draw,
    jackknife,
    rank_correlation,
)
from pipeline.fit.pair_rules import NULL, RULES, TURNS, Card, Rule, card
from pipeline.gpus.intensity import THRESHOLDS, Thresholds
from pipeline.statistics.streams import stream

UNSEEN_PAIRS, UNSEEN_JOBS, UNSEEN_CARD = PROTOCOLS = ("unseen_pairs", "unseen_jobs", "unseen_card")
FOLDS = 10
MOST_JUDGED = 60
"""Applications of a card that rules are judged on; of more, so many are drawn. Fits grow with the square of pairs."""
RANDOM = "random_partner"
TABLES = ("pair_predictions", "pair_scores", "best_pairs")

Seen = list[tuple[Card, np.ndarray]]


def judge(
    pairs: pl.DataFrame,
    solo: pl.DataFrame,
    profiles: pl.DataFrame | None = None,
    thresholds: Thresholds = THRESHOLDS,
    sets: int = QUEUES,
    length: int = QUEUE_LENGTH,
    seed: int = SEED,
) -> dict[str, pl.DataFrame]:
    """Tables pair_predictions, pair_scores and best_pairs of one trace, without its trace.

    pairs: corun_pairs; solo: solo_rates; profiles: as pair_rules.profiled; thresholds: those of its card. Nothing is
    judged on a card where pairs of fewer than five applications ran. A profile is that of one card: where there are
    several, none is used.
    """
    if pairs["gpu"].n_unique() > 1:
        profiles = None
    cards: dict[str | None, Card] = {}
    for (gpu,), of_card in pairs.sort("gpu", nulls_last=False).group_by("gpu", maintain_order=True):
        solo_of_card = solo.filter(pl.col("gpu").eq_missing(pl.lit(gpu, pl.String)))
        cards[gpu] = card(of_card, solo_of_card, profiles, thresholds)
    by_table: dict[str, list[pl.DataFrame]] = {name: [tables.empty(tables.CANONICAL[name])] for name in TABLES}
    drawn = {gpu: _drawn(of, seed) for gpu, of in cards.items()}
    for gpu, of in cards.items():
        others: Seen = [(other, other.pairs) for name, other in drawn.items() if name != gpu and len(other.pairs)]
        judged = _Judged(drawn[gpu], others, sets, length, seed) if len(of.apps) >= LEAST_APPS else None
        frames = {"best_pairs": best_pairs(of, judged)}
        if judged is not None:
            frames |= {"pair_predictions": judged.prediction_table(), "pair_scores": judged.scores}
        for name, frame in frames.items():
            frame = frame.with_columns(trace=pl.lit(""), gpu=pl.lit(gpu, pl.String))
            by_table[name].append(tables.conform(frame, tables.CANONICAL[name]))
    return {name: pl.concat(frames).drop("trace") for name, frames in by_table.items()}


def _drawn(of: Card, seed: int) -> Card:
    """The card with the applications that rules are judged on."""
    if len(of.apps) <= MOST_JUDGED:
        return of
    return of.only(np.sort(stream(seed, "pair_choice", "apps").permutation(len(of.apps))[:MOST_JUDGED]))


class _Judged:
    """Rules as judged on a card. predictions: shares (n, n) by protocol and rule; scores: pair_scores."""

    def __init__(self, of: Card, others: Seen, sets: int, length: int, seed: int):
        self.card, self.others = of, others
        self.predictions: dict[tuple[str, str], np.ndarray] = {}
        self._rows: list[dict] = []
        length = min(length, (len(of.apps) - LEAST_LEFT) // 2 * 2)
        known = of.tried | of.tried.T
        rng = stream(seed, "pair_choice")
        self.sets = draw(known, sets if length >= SHORTEST_QUEUE else 0, length, rng)
        folds = rng.permutation(len(of.pairs)) % FOLDS
        for protocol in PROTOCOLS:
            rules = [rule for rule in RULES if may(rule, protocol, of, others)]
            for rule in rules:
                shares = self._unseen(rule, protocol, folds)
                self.predictions[protocol, rule.name] = shares
                self._score_errors(protocol, rule.name, shares)
            if rules and len(self.sets):
                self._score_sets(protocol, {rule.name: self._chosen(rule, protocol) for rule in rules})
        kinds = dict.fromkeys(("value", "lo", "hi"), pl.Float64)
        self.scores = pl.DataFrame(self._rows, schema_overrides=kinds)

    def _unseen(self, rule: Rule, protocol: str, folds: np.ndarray) -> np.ndarray:
        """Predicted shares (n, n) of pairs that ran, each by a fit that has not seen what the protocol hides."""
        pairs = self.card.pairs
        predicted = np.full(self.card.share.shape, np.nan)
        if protocol == UNSEEN_PAIRS:
            groups = [(pairs[folds == fold], pairs[folds != fold]) for fold in range(FOLDS)]
        elif protocol == UNSEEN_JOBS:
            groups = [(pair[None, :], _without(pairs, pair)) for pair in pairs]
        else:
            groups = [(pairs, None)]
        for hidden, seen in groups:
            if len(hidden) and (seen is None or len(seen)):
                shares = rule.fit(self.others if seen is None else [(self.card, seen)])(self.card)
                a, b = hidden.T
                predicted[a, b], predicted[b, a] = shares[a, b], shares[b, a]
        return predicted

    def _chosen(self, rule: Rule, protocol: str) -> np.ndarray:
        """Partners (sets, length) that the rule chooses; one fit a set, which has seen none of its pairs, or jobs."""
        if rule.partners is not None:
            return rule.partners(self.card, self.sets)
        pairs = self.card.pairs
        gain = np.zeros((*self.sets.shape, self.sets.shape[1]))
        common = rule.fit(self.others)(self.card) if protocol == UNSEEN_CARD else None
        for number, members in enumerate(self.sets):
            shares = common
            if shares is None:
                inside = np.isin(pairs, members)
                seen = pairs[~(inside.all(axis=1) if protocol == UNSEEN_PAIRS else inside.any(axis=1))]
                if not len(seen):
                    continue
                shares = rule.fit([(self.card, seen)])(self.card)
            within = shares[np.ix_(members, members)]
            gain[number] = within + within.T - 1
        return pairing.greedy(gain)

    def _score_errors(self, protocol: str, rule: str, shares: np.ndarray) -> None:
        a, b = self.card.pairs.T
        known = np.isfinite(shares[a, b])
        a, b = a[known], b[known]
        if not len(a):
            return
        twice = a != b
        ordered = np.stack([np.concatenate([a, b[twice]]), np.concatenate([b, a[twice]])], axis=1)
        predicted, truth = (1 / values[ordered[:, 0], ordered[:, 1]] for values in (shares, self.card.share))
        error = np.abs(predicted - truth)
        self._add(protocol, rule, "mae", lambda keep: _mean(error[keep]), ordered)
        if rule != NULL:
            self._add(
                protocol, rule, "rank_correlation", lambda keep: rank_correlation(predicted[keep], truth[keep]), ordered
            )

    def _score_sets(self, protocol: str, chosen: Mapping[str, np.ndarray]) -> None:
        gain = self.card.gain[self.sets[:, :, None], self.sets[:, None, :]]
        share = self.card.share[self.sets[:, :, None], self.sets[:, None, :]]
        length = self.sets.shape[1]
        first = np.arange(length // 2 * 2) ^ 1
        neighbours = np.concatenate([first, np.full(length % 2, -1)])
        partners = {
            "never": np.full(self.sets.shape, -1),
            "always": np.broadcast_to(neighbours, self.sets.shape),
            **chosen,
            "greedy_measured": pairing.greedy(gain),
        }
        most = pairing.total(gain, np.array([pairing.best(of_set) for of_set in gain]))
        upper = np.triu_indices(length, 1)
        speedup = {name: pairing.total(gain, partner) for name, partner in partners.items()}
        # Each of the perfect matchings is alike: so is each pair, which holds two of the applications.
        speedup[RANDOM] = 1 + gain[:, upper[0], upper[1]].mean(axis=1) * (length // 2 * 2) / length
        for rule, values in speedup.items():
            regret = np.maximum(most / values - 1, 0.0)
            measures = {
                "speedup": values,
                "regret": regret,
                "over_random": values - speedup[RANDOM],
                "over_null": values - speedup[NULL],
            }
            if rule in partners:
                partner = partners[rule]
                own = np.take_along_axis(share, np.maximum(partner, 0)[..., None], axis=-1)[..., 0]
                together = partner >= 0
                measures["harmed"] = (together & (own < TURNS)).mean(axis=1)
                measures["unfit"] = (together & np.isnan(own)).mean(axis=1)
            for measure, of_sets in measures.items():
                self._add(protocol, rule, measure, lambda keep, v=of_sets: _mean(v[keep]), self.sets)

    def _add(self, protocol: str, rule: str, measure: str, value, members: np.ndarray) -> None:
        apps = len(self.card.apps)
        middle, lo, hi = (None if np.isnan(x) else float(x) for x in jackknife(value, members, apps))
        self._rows.append({"protocol": protocol, "rule": rule, "measure": measure, "value": middle, "lo": lo, "hi": hi,
                           "n": len(members), "apps": apps})  # fmt: skip

    def prediction_table(self) -> pl.DataFrame:
        """Rows of pair_predictions without trace and card."""
        names = np.array(self.card.apps, dtype=object)
        a, b = self.card.pairs.T
        frames = []
        for (protocol, rule), shares in self.predictions.items():
            known = np.isfinite(shares[a, b])
            x, y = a[known], b[known]
            frames.append(
                pl.DataFrame(
                    {
                        "protocol": protocol,
                        "rule": rule,
                        "app_a": names[x].tolist(),
                        "app_b": names[y].tolist(),
                        "measured_a": 1 / self.card.share[x, y],
                        "measured_b": 1 / self.card.share[y, x],
                        "predicted_a": 1 / shares[x, y],
                        "predicted_b": 1 / shares[y, x],
                    },
                    schema_overrides={"app_a": pl.String, "app_b": pl.String},
                )
            )
        return pl.concat(frames)

    def recommended(self) -> str | None:
        """The rule with the least regret on unseen pairs of those that beat chance and taking turns, if it predicts."""
        of = self.scores.filter(pl.col("protocol") == UNSEEN_PAIRS)
        beat = set(of.filter(pl.col("measure") == "over_random", pl.col("lo") > 0)["rule"])
        beat &= {"never", *of.filter(pl.col("measure") == "speedup", pl.col("lo") > 1)["rule"]}
        regret = dict(of.filter(pl.col("measure") == "regret").select("rule", "value").iter_rows())
        usable = [name for name in ("never", "always", *(rule.name for rule in RULES)) if name in beat]
        least = min(usable, key=regret.__getitem__, default=None)
        return None if least in ("never", "always") else least


def may(rule: Rule, protocol: str, of: Card, others: Seen) -> bool:
    """Whether the rule has anything to go by under a protocol."""
    if rule.needs_profiles and any(card.kind is None for card in (of, *(other for other, _ in others))):
        return False
    return bool(others) if protocol == UNSEEN_CARD else not (protocol == UNSEEN_JOBS and rule.knows_jobs)


def _without(pairs: np.ndarray, apps: np.ndarray) -> np.ndarray:
    return pairs[~np.isin(pairs, apps).any(axis=1)]


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else np.nan


def best_pairs(of: Card, judged: _Judged | None) -> pl.DataFrame:
    """Rows of best_pairs of a card without trace and card: each of its applications once.

    Pairs that were not tried are predicted by the rule that does best on unseen pairs, fitted to all it was judged on;
    where none beats chance, or nobody should share, they are left alone.
    """
    gain, lo, hi = of.gain.copy(), of.least.copy(), of.most.copy()
    name = judged.recommended() if judged is not None else None
    share = of.share.copy()
    if name is not None:
        rule = next(rule for rule in RULES if rule.name == name)
        predicted = rule.fit([(judged.card, judged.card.pairs)])(of)
        unseen, truth = judged.predictions[UNSEEN_PAIRS, name], judged.card.share
        errors = (truth + truth.T - unseen - unseen.T)[np.triu(np.isfinite(unseen))]
        below, above = np.quantile(errors, [0.025, 0.975])
        guessed = np.isnan(gain)
        both = predicted + predicted.T - 1
        gain[guessed], share[guessed] = both[guessed], predicted[guessed]
        lo[guessed], hi[guessed] = (1 + both + below)[guessed], (1 + both + above)[guessed]
    n = len(of.apps)
    matched = n <= pairing.MOST_MATCHED
    alone = gain.copy()
    np.fill_diagonal(alone, np.nan)
    partner = pairing.best(alone) if matched else pairing.greedy(np.nan_to_num(alone)[None])[0]
    own = np.maximum(partner, 0), np.arange(n)
    paired = partner >= 0
    speedup = np.where(paired, 1 + gain[own[1], own[0]], 1.0)
    # What is left out by turns is a pair, or an application alone: neither half of a pair is there without the other.
    unit = np.minimum(np.where(paired, partner, np.arange(n)), np.arange(n))
    _, member = np.unique(unit, return_inverse=True)
    total, total_lo, total_hi = jackknife(
        lambda keep: _mean(speedup[keep]), member[:, None], member.max(initial=-1) + 1
    )
    predicted_pair = paired & ~of.tried[own[1], own[0]]
    names = np.array([*of.apps, None], dtype=object)

    def one(values: np.ndarray) -> pl.Series:
        return pl.Series(np.where(paired, values[own[1], own[0]], np.nan)).fill_nan(None)

    return pl.DataFrame(
        {
            "app": list(of.apps),
            "partner": names[np.where(paired, partner, n)].tolist(),
            "speedup": speedup,
            "share": np.where(paired, share[own[1], own[0]], 1.0),
            "lo": one(lo),
            "hi": one(hi),
            "basis": np.where(predicted_pair, "predicted", np.where(paired, "measured", "alone")).tolist(),
            "rule": pl.Series([name] * n, dtype=pl.String),
            "method": ["matching" if matched else "greedy"] * n,
            "total_speedup": [total] * n,
            "total_lo": pl.Series([total_lo] * n, dtype=pl.Float64).fill_nan(None),
            "total_hi": pl.Series([total_hi] * n, dtype=pl.Float64).fill_nan(None),
        },
        schema_overrides={"app": pl.String, "partner": pl.String},
    )
