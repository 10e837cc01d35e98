"""Choice of partners for queues of applications on a GPU, and how rules are judged (docs/guides/corun-choice.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import polars as pl
import scipy

from pipeline import tables
from pipeline.fit import corun
from pipeline.fit.corun import RULES, Measured
from pipeline.gpus.intensity import THRESHOLDS, Thresholds
from pipeline.statistics.streams import stream

QUEUES = 1000
QUEUE_LENGTH = 6
SHORTEST_QUEUE = 4
LEAST_LEFT = 4
"""Applications that a queue leaves to fit to: the pairs of three need not determine three parameters."""
SEED = 1
TRIES = 20
LEAST_APPS = 5
"""Applications below which nothing is judged: a fold must leave at least three pairs."""
RANDOM = "random_partner"
CONSTANT = "always_corun"
"""The rule that orders nothing: its predictions of two pairs differ by their folds alone."""
OBJECTIVES = ("total_time", "mean_slowdown")
TOLERANCE = 1e-12


@cache
def matchings(n: int, whole: bool) -> tuple[tuple[tuple[int, int], ...], ...]:
    """All sets of disjoint pairs of 0 … n-1 (76 for n = 6); whole: only those that leave nobody alone (15)."""

    def of(free: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
        if not free:
            yield ()
            return
        head, rest = free[0], free[1:]
        if not whole:
            yield from of(rest)
        for partner in rest:
            for others in of(tuple(i for i in rest if i != partner)):
                yield ((head, partner), *others)

    return tuple(of(tuple(range(n))))


def draw_queues(apps: Measured, queues: int, length: int, seed: int) -> np.ndarray:
    """Queues (q, length) of different applications of which every pair was measured, at random; q may be less."""
    known = np.isfinite(apps.slowdown) & np.isfinite(apps.slowdown.T)
    return draw(known, queues, length, stream(seed, "corun_choice"))


def draw(known: np.ndarray, queues: int, length: int, rng: np.random.Generator) -> np.ndarray:
    """As draw_queues, of applications by their number; known: (n, n), whether a pair of different ones was measured."""
    known = known | np.eye(len(known), dtype=bool)
    drawn = []
    for _ in range(queues * TRIES):
        queue = rng.permutation(len(known))[:length]
        if known[np.ix_(queue, queue)].all():
            drawn.append(queue)
        if len(drawn) == queues:
            break
    return np.array(drawn, dtype=np.int64).reshape(-1, length)


def pair_costs(alone_s: np.ndarray, slowdown: np.ndarray, objective: str) -> tuple[np.ndarray, np.ndarray]:
    """Cost of each pair side by side (queues, n, n), symmetric, and of each application alone (queues, n).

    alone_s: (queues, n), s; slowdown: (queues, n, n). total_time: seconds; mean_slowdown: sum of slowdowns. Raises
    ValueError for an unknown objective.
    """
    if objective == "total_time":
        time_s = alone_s[:, :, None] * slowdown
        return np.maximum(time_s, time_s.transpose(0, 2, 1)), alone_s
    if objective == "mean_slowdown":
        return slowdown + slowdown.transpose(0, 2, 1), np.ones_like(alone_s)
    raise ValueError(f"unknown objective {objective!r}; known: {', '.join(OBJECTIVES)}")


def matching_costs(pair: np.ndarray, alone: np.ndarray, whole: bool) -> np.ndarray:
    """Cost (queues, matchings) of every matching of every queue, from pair_costs."""
    length = alone.shape[1]
    costs = np.empty((len(alone), len(matchings(length, whole))))
    for column, matching in enumerate(matchings(length, whole)):
        single = [i for i in range(length) if all(i not in two for two in matching)]
        costs[:, column] = alone[:, single].sum(axis=1)
        for a, b in matching:
            costs[:, column] += pair[:, a, b]
    return costs


def first_least(costs: np.ndarray) -> np.ndarray:
    """Column of the least cost of each row, the first of those that differ by roundings only."""
    return (costs <= costs.min(axis=1, keepdims=True) * (1 + TOLERANCE)).argmax(axis=1)


def first_allowed(queue: np.ndarray, may: np.ndarray, whole: bool) -> tuple[tuple[int, int], ...]:
    """Slate's matching of a queue: its head with the first that `may` (n, n) run beside it, or alone; then the next.

    whole: those left alone are paired in their order.
    """
    waiting, chosen, single = list(range(len(queue))), [], []
    while waiting:
        head = waiting.pop(0)
        partner = next((i for i in waiting if may[queue[head], queue[i]]), None)
        if partner is None:
            single.append(head)
        else:
            waiting.remove(partner)
            chosen.append((head, partner))
    if whole:
        chosen += list(pairwise(single))[::2]
    return tuple(sorted(chosen))


def choose(apps: Measured, queues: np.ndarray, objective: str) -> pl.DataFrame:
    """Rows of corun_choices but the trace: what each rule's matchings of the queues (q, n) cost as measured."""
    whole = objective == "mean_slowdown"
    length = queues.shape[1]
    divisor = length if whole else 1
    alone_s = apps.alone_s[queues]

    def costs_of(slowdown: np.ndarray) -> np.ndarray:
        return matching_costs(*pair_costs(alone_s, slowdown, objective), whole)

    costs = costs_of(apps.slowdown[queues[:, :, None], queues[:, None, :]])
    place = {matching: column for column, matching in enumerate(matchings(length, whole))}
    neighbours = tuple((i, i + 1) for i in range(0, length - 1, 2))
    may = corun.allowed(apps)
    chosen = {RANDOM: costs[:, [place[matching] for matching in matchings(length, True)]].mean(axis=1)}
    for rule in RULES:
        if rule.name == CONSTANT:
            column = np.full(len(queues), place[neighbours])
        elif rule.name == "slate_table1":
            column = np.array([place[first_allowed(queue, may, whole)] for queue in queues], dtype=np.int64)
        else:
            column = first_least(costs_of(corun.unseen(rule, apps, queues)))
        chosen[rule.name] = costs[np.arange(len(queues)), column]
    best = costs.min(axis=1)
    serial = alone_s.sum(axis=1) if not whole else np.full(len(queues), float(length))
    names = np.array(apps.apps, dtype=object)
    listed = [" | ".join(names[queue]) for queue in queues]
    return pl.concat(
        pl.DataFrame(
            {
                "objective": objective,
                "rule": rule,
                "queue": np.arange(len(queues)),
                "apps": listed,
                "value": value / divisor,
                "best": best / divisor,
                "serial": serial / divisor,
                # The mean over matchings may fall short of the best by a rounding where all cost the same.
                "regret": np.maximum(value / best - 1, 0.0),
            }
        )
        for rule, value in chosen.items()
    )


def jackknife(value: Callable[[np.ndarray], float], members: np.ndarray, apps: int) -> tuple[float, float, float]:
    """A measure and its 95 % interval over applications: value, lower and upper end (nan where not defined).

    value: the measure of the chosen rows (bool mask); members: applications of each row (rows, m). Delete-one jackknife
    of Efron and Stein (1981), Student's t with one degree less than applications.
    """
    whole = value(np.ones(len(members), dtype=bool))
    without = np.array([value(~(members == app).any(axis=1)) for app in range(apps)])
    if not np.isfinite(without).all():
        return whole, np.nan, np.nan
    error = np.sqrt((apps - 1) / apps * ((without - without.mean()) ** 2).sum())
    half = scipy.stats.t.ppf(0.975, apps - 1) * error
    return whole, whole - half, whole + half


def rank_correlation(predicted: np.ndarray, measured: np.ndarray) -> float:
    """Spearman, nan where there are fewer than three or all are alike."""
    if len(measured) < 3 or np.ptp(predicted) < TOLERANCE or np.ptp(measured) < TOLERANCE:
        return np.nan
    return float(scipy.stats.spearmanr(predicted, measured).statistic)


def scores(apps: Measured, predictions: dict[str, np.ndarray], choices: pl.DataFrame, queues: np.ndarray):
    """Rows of corun_scores but the trace."""
    pairs = np.array(apps.pairs)
    ordered = np.concatenate([pairs, pairs[:, ::-1]])
    truth = apps.slowdown[ordered[:, 0], ordered[:, 1]]
    n = len(apps.apps)
    rows = []

    def add(rule: str, measure: str, value: Callable[[np.ndarray], float], members: np.ndarray) -> None:
        middle, lo, hi = (None if np.isnan(x) else float(x) for x in jackknife(value, members, n))
        rows.append(
            {"rule": rule, "measure": measure, "value": middle, "lo": lo, "hi": hi, "n": len(members), "apps": n}
        )

    for rule, slowdown in predictions.items():
        predicted = slowdown[ordered[:, 0], ordered[:, 1]]
        error = predicted - truth
        add(rule, "mae", lambda keep, e=error: np.abs(e[keep]).mean(), ordered)
        add(rule, "rmse", lambda keep, e=error: np.sqrt((e[keep] ** 2).mean()), ordered)
        if rule != CONSTANT:
            add(rule, "rank_correlation", lambda keep, p=predicted: rank_correlation(p[keep], truth[keep]), ordered)
    if len(queues):
        for objective in OBJECTIVES:
            of = choices.filter(pl.col("objective") == objective)
            regret = {rule: rows["regret"].to_numpy() for (rule,), rows in of.group_by("rule", maintain_order=True)}
            for rule, values in regret.items():
                add(rule, f"regret_{objective}", lambda keep, v=values: _mean(v[keep]), queues)
                gain = regret[RANDOM] - values
                add(rule, f"gain_{objective}", lambda keep, v=gain: _mean(v[keep]), queues)
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64, "lo": pl.Float64, "hi": pl.Float64})


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else np.nan


def evaluate(
    profiles: pl.DataFrame,
    pairs: pl.DataFrame,
    queues: int = QUEUES,
    length: int = QUEUE_LENGTH,
    seed: int = SEED,
    thresholds: Thresholds = THRESHOLDS,
) -> dict[str, pl.DataFrame]:
    """Judge every rule on the pairs of one trace.

    profiles: gpu_apps; pairs: corun_pairs; thresholds: those of its card. Returns corun_predictions,
    corun_parameters, corun_choices and corun_scores without their trace; empty where fewer than five applications with
    a profile were measured.
    """
    apps = corun.measured(profiles, pairs, thresholds)
    names = ("corun_predictions", "corun_parameters", "corun_choices", "corun_scores")
    if len({app for pair in apps.pairs for app in pair}) < LEAST_APPS or not all(
        _leaves_pairs(apps, pair) for pair in apps.pairs
    ):
        return {name: tables.empty(tables.CANONICAL[name]).drop("trace") for name in names}
    predictions, parameters = {}, []
    for rule in RULES:
        predictions[rule.name], fits = corun.held_out(rule, apps)
        for number, (name, value) in enumerate(zip(rule.parameters, corun.fit(rule, apps), strict=True)):
            parameters.append({"rule": rule.name, "parameter": name, "value": value, "least": fits[:, number].min(),
                               "most": fits[:, number].max(), "origin": tables.FITTED})  # fmt: skip
    length = min(length, (len(apps.apps) - LEAST_LEFT) // 2 * 2)
    drawn = draw_queues(apps, queues if length >= SHORTEST_QUEUE else 0, length, seed)
    drawn = drawn[[_leaves_pairs(apps, queue) for queue in drawn]]
    choices = pl.concat(choose(apps, drawn, objective) for objective in OBJECTIVES)
    return dict(
        zip(
            names,
            (
                _prediction_table(apps, predictions),
                pl.DataFrame(parameters),
                choices,
                scores(apps, predictions, choices, drawn),
            ),
            strict=True,
        )
    )


def _leaves_pairs(apps: Measured, without: Sequence[int]) -> bool:
    """Whether there are measured pairs of other applications, to fit to."""
    return any(a not in without and b not in without for a, b in apps.pairs)


def _prediction_table(apps: Measured, predictions: dict[str, np.ndarray]) -> pl.DataFrame:
    a, b = np.array(apps.pairs).T
    names = np.array(apps.apps, dtype=object)
    return pl.concat(
        pl.DataFrame(
            {
                "rule": rule,
                "app_a": names[a].tolist(),
                "app_b": names[b].tolist(),
                "alone_a_s": apps.alone_s[a],
                "alone_b_s": apps.alone_s[b],
                "measured_a": apps.slowdown[a, b],
                "measured_b": apps.slowdown[b, a],
                "predicted_a": slowdown[a, b],
                "predicted_b": slowdown[b, a],
            }
        )
        for rule, slowdown in predictions.items()
    )
