"""What a trace's jobs have in common: every fit that needs all jobs at once, from their phases as wholes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from pipeline import tables
from pipeline.fit import marginals, temporal
from pipeline.fit.whole_jobs import WholeJobs

TABLES = ("marginals", "distributions", "temporal_classes")


def fit(jobs: pl.DataFrame, phases: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Canonical tables by name: `TABLES`.

    jobs: trace, job_id, nodes. phases: as for `WholeJobs.append`, rows in any order.
    """
    frames: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    with WholeJobs.of(phases) as whole:
        for name, rows in pieces([jobs], whole):
            frames[name].append(rows)
    return {name: pl.concat(rows) for name, rows in frames.items()}


def pieces(jobs: Iterable[pl.DataFrame], whole: WholeJobs) -> Iterator[tuple[str, pl.DataFrame]]:
    """What `fit` returns, piece by piece; the pieces of a table come in its order, of each at least one.

    jobs: pieces of a table as for `fit`.
    """
    yield "marginals", tables.empty(tables.Marginal)
    yield "distributions", tables.empty(tables.Distribution)
    for quantity in marginals.quantities(jobs, whole):
        yield "marginals", marginals.laws_of(*quantity)
        yield "distributions", marginals.points_of(*quantity)
    for classes in temporal.classes(whole):
        yield "temporal_classes", classes
