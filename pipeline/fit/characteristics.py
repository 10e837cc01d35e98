"""What a trace's jobs have in common: every fit that needs all jobs at once, from their phases as wholes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import polars as pl

from pipeline import tables
from pipeline.fit import marginals, recurrent, temporal
from pipeline.fit.whole_jobs import WholeJobs

TABLES = ("marginals", "distributions", "temporal_classes", "recurrent_profiles", "recurrent_runs")


def fit(jobs: pl.DataFrame, phases: pl.DataFrame, bin_gb: float | None = None) -> dict[str, pl.DataFrame]:
    """Canonical tables by name: `TABLES`.

    jobs: trace, job_id, nodes, user, name. phases: as for `WholeJobs.append`, rows in any order. bin_gb: width of
    the levels of the recurrent jobs' profiles.
    """
    frames: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    with WholeJobs.of(phases) as whole:
        for name, rows in pieces(lambda: [jobs], whole, bin_gb):
            frames[name].append(rows)
    return {name: pl.concat(rows) for name, rows in frames.items()}


def pieces(
    jobs: Callable[[], Iterable[pl.DataFrame]],
    whole: WholeJobs,
    bin_gb: float | None = None,
    folder: Path | None = None,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """What `fit` returns, piece by piece; the pieces of a table come in its order, of each at least one.

    jobs: gives the pieces of a table as for `fit`. folder: for temporary files.
    """
    yield "marginals", tables.empty(tables.Marginal)
    yield "distributions", tables.empty(tables.Distribution)
    for quantity in marginals.quantities(jobs(), whole):
        yield "marginals", marginals.laws_of(*quantity)
        yield "distributions", marginals.points_of(*quantity)
    for classes in temporal.classes(whole):
        yield "temporal_classes", classes
    for profiles, runs in recurrent.pieces(jobs(), whole, bin_gb, folder):
        yield "recurrent_profiles", profiles
        yield "recurrent_runs", runs
