"""Rates of applications alone on cards, and how rules do that choose by rates who shares a GPU."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from pipeline.tables.columns import count, number, text


class SoloRate(dy.Schema):
    """How fast an application runs alone on one or several GPUs of a card."""

    trace = text("trace the application belongs to")
    app = text("application, with its batch size", min_length=1)
    gpu = text("card; null = the only one of the trace", nullable=True)
    gpus = count("GPUs that it runs on", min=1)
    model = text("model that it trains or serves; null = not known", nullable=True)
    batch = count("batch size; null = it has none, or it is not known", nullable=True, min=1)
    rate_per_s = number("steps per second; null = it does not fit", "1/s", nullable=True, min_exclusive=0)

    @dy.rule()
    def duplicate_rate(cls) -> pl.Expr:
        """An application has one rate on a number of GPUs of a card."""
        return pl.struct("trace", "app", "gpu", "gpus").is_first_distinct()


class PairPrediction(dy.Schema):
    """Slowdowns of each measured pair, as rules predict them from what a protocol lets them see."""

    trace = text("trace")
    gpu = text("card; null = the only one of the trace", nullable=True)
    protocol = text("unseen_pairs, unseen_jobs or unseen_card, see docs/guides/corun-choice.md")
    rule = text("rule")
    app_a = text("one application", min_length=1)
    app_b = text("the other", min_length=1)
    measured_a = number("slowdown of app_a as measured, mean of the runs of the pair", "1", min_exclusive=0)
    measured_b = number("slowdown of app_b as measured", "1", min_exclusive=0)
    predicted_a = number("slowdown of app_a as predicted", "1", min_exclusive=0)
    predicted_b = number("slowdown of app_b as predicted", "1", min_exclusive=0)


class PairScore(dy.Schema):
    """How well each rule chooses who shares a GPU, with 95 % jackknife intervals over applications."""

    trace = text("trace")
    gpu = text("card; null = the only one of the trace", nullable=True)
    protocol = text("unseen_pairs, unseen_jobs or unseen_card: what the fit has not seen")
    rule = text("rule")
    measure = text(
        "speedup (of sets over time slicing), regret (best speedup over that of the rule, less 1), over_random and "
        "over_null (speedup less that of a random partner and of the null model), harmed, unfit (shares of jobs), "
        "mae, rank_correlation (of slowdowns)"
    )
    value = number("value; null = not defined, as the rank correlation of a constant", "1", nullable=True)
    lo = number("lower end of its interval", "1", nullable=True)
    hi = number("upper end", "1", nullable=True)
    n = count("sets or slowdowns behind it", min=0)
    apps = count("applications behind it", min=0)


class BestPair(dy.Schema):
    """Who is to share a GPU with whom, were all applications of a trace to run on one card: each of them once."""

    trace = text("trace")
    gpu = text("card; null = the only one of the trace", nullable=True)
    app = text("application", min_length=1)
    partner = text("application to run it beside; null = leave it alone", nullable=True)
    speedup = number("weighted speedup of the pair over taking turns; 1 = alone", "1", min_exclusive=0)
    share = number("its rate beside the partner over that alone; below a half it is slowed more than by turns", "1")
    lo = number("lower end of the speedup, see basis; null = measured once", "1", nullable=True)
    hi = number("upper end", "1", nullable=True)
    basis = text(
        "measured (lo and hi: least and most of its runs), predicted (95 % of errors of unseen pairs) or alone"
    )
    rule = text(
        "rule that predicts pairs which were not tried; null = none beats chance, they are left alone", nullable=True
    )
    method = text("matching (the best pairing of all) or greedy (more applications than a matching is sought for)")
    total_speedup = number("mean speedup of all applications of the card", "1")
    total_lo = number("lower end of its 95 % jackknife interval over pairs and applications alone", "1", nullable=True)
    total_hi = number("upper end", "1", nullable=True)


CANONICAL = {
    "solo_rates": SoloRate,
    "pair_predictions": PairPrediction,
    "pair_scores": PairScore,
    "best_pairs": BestPair,
}
DATABASE_NAME = {
    "solo_rates": "solo_rate",
    "pair_predictions": "pair_prediction",
    "pair_scores": "pair_score",
    "best_pairs": "best_pair",
}
