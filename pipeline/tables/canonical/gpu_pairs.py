"""Rates of applications alone on cards, and who is to share a GPU by the pairs that were measured."""

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


class BestPair(dy.Schema):
    """Who is to share a GPU with whom, were all applications of a trace to run on one card: each of them once."""

    trace = text("trace")
    gpu = text("card; null = the only one of the trace", nullable=True)
    app = text("application", min_length=1)
    partner = text("application to run it beside; null = leave it alone", nullable=True)
    speedup = number("weighted speedup of the pair over taking turns; 1 = alone", "1", min_exclusive=0)
    share = number("its rate beside the partner over that alone; below a half it is slowed more than by turns", "1")
    lo = number("lower end of the speedup: of runs of the pair; null = measured once", "1", nullable=True)
    hi = number("upper end", "1", nullable=True)
    basis = text("measured or alone")
    method = text("matching (the best pairing of all) or greedy (more applications than a matching is sought for)")
    total_speedup = number("mean speedup of all applications of the card", "1")
    total_lo = number("lower end of its 95 % jackknife interval over pairs and applications alone", "1", nullable=True)
    total_hi = number("upper end", "1", nullable=True)


CANONICAL = {
    "solo_rates": SoloRate,
    "best_pairs": BestPair,
}
DATABASE_NAME = {
    "solo_rates": "solo_rate",
    "best_pairs": "best_pair",
}
