"""Admissible performance tables: random ones that are consistent with what the paper publishes.

The paper (PIM-CARE, ICS 2025) prints the best rank count of each application and no performance table. So whatever is
claimed of its schedulers is judged over many tables, each drawn from the mechanistic model

    time(r) = host + kernel_const + parallel_const + (kernel + parallel) / min(r, sat) + r (serial + duplicated + alloc)

and kept where Algorithm 1 gives the printed best rank count, which is all that is printed in numbers. What the text
says of Figure 2 is further evidence, which `evidence` asks for: Group 1 saturates, Group 2 degrades beyond its best.
Only the three sums and sat count, so these are drawn.

Priors, ours: shares of the three sums log-uniform, on 10^-3..1 for what is constant and what is divided among ranks, on
10^-6..1 for the cost a rank; sat uniform on 1..max_ranks; time on one rank log-uniform on 0.5..20 s, about the range of
PrIM's applications on one rank of an UPMEM machine. Applications are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
import polars as pl

from pipeline.fit import perf_table
from pipeline.statistics.rank_tables import profile_points
from pipeline.statistics.streams import stream

TABLE_2 = {
    "BS": 11,
    "GEMV": 6,
    "MLP": 21,
    "TS": 16,
    "BFS": 1,
    "HST-L": 6,
    "HST-S": 1,
    "RED": 1,
    "SCAN-RSS": 1,
    "SCAN-SSA": 1,
    "SEL": 1,
    "SpMV": 1,
    "UNI": 1,
    "VA": 1,
}
"""Best rank counts of Table 2, with 30 ranks."""
GROUP_1 = ("BS", "GEMV", "MLP", "TS")
"""Applications of Table 2 that gain from more ranks; the others are Group 2."""

Evidence = Literal["table_2", "figure_2"]
"""What tables have to agree with: Table 2 alone, or what the text says of Figure 2, too."""

SHARED_DECADES, PER_RANK_DECADES = 3, 6
"""Orders of magnitude over which the shares are drawn, down from 1."""
ONE_RANK_S = (0.5, 20.0)

BATCH = 1 << 15
MOST_BATCHES = 400
"""Draws that are tried for an application before it is given up."""


def tables(
    members: int,
    seed: int,
    best_ranks: Mapping[str, int] = TABLE_2,
    *,
    evidence: Evidence = "table_2",
    max_ranks: int = 30,
    ratio: float = 0.2,
    threshold: float = 0.95,
) -> pl.DataFrame:
    """Performance tables of `members` admissible machines' applications: member, app, ranks (1..max_ranks), time_s (s).

    best_ranks: best rank count of each application, which Algorithm 1 gives for its table (profiled with `ratio`,
    decided with `threshold`). evidence: with figure_2 an application of GROUP_1 keeps a speed above the threshold from
    its best rank count on, and any other has fallen to it or below on max_ranks. Sorted by member, app, ranks. The same
    seed gives the same tables, and fewer members the first of them; those with more evidence are among those with less.
    Raises ValueError for a best rank count that no table drawn has.
    """
    drawn = parameters(
        members, seed, best_ranks, evidence=evidence, max_ranks=max_ranks, ratio=ratio, threshold=threshold
    )
    ranks = np.arange(1, max_ranks + 1)
    times = times_s(drawn, ranks)
    return pl.DataFrame(
        {
            "member": np.repeat(drawn["member"].to_numpy(), max_ranks),
            "app": drawn["app"].gather(np.repeat(np.arange(len(drawn)), max_ranks)),
            "ranks": np.tile(ranks, len(drawn)),
            "time_s": times.ravel(),
        }
    )


def parameters(
    members: int,
    seed: int,
    best_ranks: Mapping[str, int] = TABLE_2,
    *,
    evidence: Evidence = "table_2",
    max_ranks: int = 30,
    ratio: float = 0.2,
    threshold: float = 0.95,
) -> pl.DataFrame:
    """What the tables of `tables` are made of: member, app, and of each constant_s, shared_s (on one rank) and
    per_rank_s, the three sums of the model (s), and sat (ranks); sorted by member and app.
    """
    if members < 1:
        raise ValueError(f"members is {members}; an ensemble has at least 1")
    if evidence not in get_args(Evidence):
        raise ValueError(f"evidence is {evidence!r}; known: {', '.join(get_args(Evidence))}")
    apps = sorted(best_ranks)
    drawn = np.stack(
        [
            _accepted(
                stream(seed, "admissible", app),
                app,
                best_ranks[app],
                members,
                evidence=evidence,
                max_ranks=max_ranks,
                ratio=ratio,
                threshold=threshold,
            )
            for app in apps
        ],
        axis=1,
    ).reshape(members * len(apps), len(_COLUMNS))
    return pl.DataFrame(
        {
            "member": np.repeat(np.arange(members), len(apps)),
            "app": pl.Series(apps).gather(np.tile(np.arange(len(apps)), members)),
            **dict(zip(_COLUMNS, drawn.T, strict=True)),
        }
    ).with_columns(pl.col("sat").cast(pl.Int64))


def times_s(drawn: pl.DataFrame, ranks: np.ndarray) -> np.ndarray:
    """Times (s) at rank counts, for each row of `parameters`."""
    return _times(drawn.select(_COLUMNS).to_numpy(), ranks)


_COLUMNS = ["constant_s", "shared_s", "per_rank_s", "sat"]


def _accepted(
    rng: np.random.Generator,
    app: str,
    best: int,
    members: int,
    *,
    evidence: Evidence,
    max_ranks: int,
    ratio: float,
    threshold: float,
) -> np.ndarray:
    """Parameters (members, 4) of tables whose best rank count is `best` and that agree with the evidence, in the order
    drawn.
    """
    points = np.array(profile_points(max_ranks, ratio))
    perf_table.require_threshold(threshold)
    accepted: list[np.ndarray] = []
    count = 0
    for _ in range(MOST_BATCHES):
        drawn = _drawn(rng, max_ranks)
        tabulated = perf_table.interpolated(points, _times(drawn, points), max_ranks)
        hit = perf_table.best_ranks(tabulated, threshold) == best
        if evidence == "figure_2":
            comparable = perf_table.comparable(tabulated, threshold)
            # Group 1 saturates: every speed after the best is what Algorithm 1 takes as comparable. Group 2 degrades.
            hit &= comparable[:, best - 1 :].all(axis=1) if app in GROUP_1 else ~comparable[:, -1]
        accepted.append(drawn[hit])
        count += int(hit.sum())
        if count >= members:
            return np.concatenate(accepted)[:members]
    raise ValueError(
        f"app {app!r}: {count} of {members} tables wanted have their best at {best} of {max_ranks} ranks, among "
        f"{MOST_BATCHES * BATCH} drawn"
    )


def _drawn(rng: np.random.Generator, max_ranks: int) -> np.ndarray:
    """Parameters of BATCH tables: constant, shared and per-rank time (s), and sat."""
    parts = 10 ** rng.uniform(np.array([-SHARED_DECADES, -SHARED_DECADES, -PER_RANK_DECADES]), 0.0, (BATCH, 3))
    one_rank_s = np.exp(rng.uniform(*np.log(ONE_RANK_S), BATCH))
    sat = rng.integers(1, max_ranks, BATCH, endpoint=True)
    return np.column_stack([parts * (one_rank_s / parts.sum(axis=1))[:, None], sat])


def _times(drawn: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Times (s) of tables at rank counts."""
    constant, shared, per_rank, sat = (drawn[:, column, None] for column in range(4))
    return constant + shared / np.minimum(ranks, sat) + per_rank * ranks
