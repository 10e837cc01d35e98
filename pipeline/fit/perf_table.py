"""Performance tables of applications on a PIM machine: speed against ranks, and the best number of ranks.

Source: "PIM-CARE", ICS 2025, Section 3.2 and Algorithm 1. An application is profiled at few rank counts; between them
its speed (1/time) is interpolated, and the smallest rank count whose speed is above a threshold of the largest is its
best. `build` takes the paper's profile points. `from_points` takes any measured points: what was measured stays as it
is, between two points the speed is interpolated, and beyond them the caller says what the times are.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from pipeline.statistics.rank_tables import (
    Interpolate,
    best_ranks,
    interpolated,
    perf,
    profile_points,
    require_threshold,
)
from pipeline.tables.profiling import EXTRAPOLATED, INTERPOLATED, MEASURED

__all__ = ["best_ranks", "build", "from_points", "interpolated", "perf", "profile_points"]

Candidates = Literal["all", "profiled"]

SCHEMA = {
    "app": pl.String,
    "ranks": pl.Int64,
    "perf": pl.Float64,
    "time_s": pl.Float64,
    "is_best": pl.Boolean,
    "source": pl.String,
}


def build(
    profile: pl.DataFrame,
    max_ranks: int,
    ratio: float = 0.2,
    threshold: float = 0.95,
    *,
    interpolate: Interpolate = "speed",
    candidates: Candidates = "all",
) -> pl.DataFrame:
    """Performance tables by Algorithm 1.

    profile: app, ranks, time_s (s) at the profile points at least; times at other ranks, up to a whole table of the
    user's own, are taken as they stand. A column best_ranks that holds a number is the user's annotation and wins over
    the algorithm; a column source says where a time comes from (measured where absent). interpolate: what is linear
    between the points, the speed or (option) the time. candidates: rank counts among which the best is sought, all of
    the table or only those of the profile.

    Returns app, ranks (1..max_ranks), perf (speed as a share of the application's largest), time_s (s), is_best and
    source, sorted by app and ranks. Raises ValueError for an application measured at one rank count only, without a
    profile point, with a time that is not positive, a rank count twice or outside the machine, or an annotation that is
    none of its rank counts.
    """
    return _tables(profile, max_ranks, threshold, profile_points(max_ranks, ratio), interpolate, candidates)


def from_points(
    points: pl.DataFrame,
    max_ranks: int,
    threshold: float = 0.95,
    *,
    beyond: pl.DataFrame | None = None,
    interpolate: Interpolate = "speed",
    candidates: Candidates = "all",
) -> pl.DataFrame:
    """Performance tables of applications that were measured at any rank counts.

    points: as `profile` of `build`, at two or more rank counts of each application (one, where max_ranks is 1); each is
    in the table as it stands. beyond: app, ranks, time_s (s) at the rank counts of 1..max_ranks below the least and
    above the largest point of an application, where there are such; they are labelled extrapolated.

    Returns and raises as `build`, which differs in what it asks for: here the ends 1 and max_ranks have to be in
    `points` or `beyond`, and no other rank count.
    """
    if beyond is not None:
        guessed = beyond.select("app", "ranks", "time_s").with_columns(source=pl.lit(EXTRAPOLATED))
        given = points if "source" in points.columns else points.with_columns(source=pl.lit(MEASURED))
        points = pl.concat([given, guessed], how="diagonal_relaxed")
    return _tables(
        points, max_ranks, threshold, sorted({profile_points(max_ranks)[0], max_ranks}), interpolate, candidates
    )


def _tables(
    profile: pl.DataFrame,
    max_ranks: int,
    threshold: float,
    points: list[int],
    interpolate: Interpolate,
    candidates: Candidates,
) -> pl.DataFrame:
    """Tables of applications that are known at `points` at least."""
    require_threshold(threshold)
    _require_choice("interpolate", interpolate, Interpolate)
    _require_choice("candidates", candidates, Candidates)
    missing = [name for name in ("app", "ranks", "time_s") if name not in profile.columns]
    if missing:
        raise ValueError(f"profile: missing column {', '.join(missing)}; found {', '.join(profile.columns)}")
    if profile["app"].null_count():
        raise ValueError("profile: a row has no app; each row names the application it was measured with")
    tables = []
    for (app,), rows in profile.sort("app", "ranks").group_by("app", maintain_order=True):
        check(str(app), rows, points)
        known = rows["ranks"].cast(pl.Int64).to_numpy()
        times = interpolated(known, rows["time_s"].cast(pl.Float64).to_numpy()[None, :], max_ranks, interpolate)
        annotated = annotation(str(app), rows, max_ranks)
        among = known if candidates == "profiled" else np.arange(1, max_ranks + 1)
        best = annotated or int(best_ranks(times, threshold, among)[0])
        tables.append(
            pl.DataFrame(
                {
                    "ranks": np.arange(1, max_ranks + 1),
                    "perf": perf(times)[0],
                    "time_s": times[0],
                    "source": _sources(rows, max_ranks),
                }
            ).with_columns(app=pl.lit(app, dtype=profile["app"].dtype), is_best=pl.col("ranks") == best)
        )
    columns = SCHEMA | {"app": profile["app"].dtype}
    return pl.concat([pl.DataFrame(schema=columns), *(table.select(list(columns)).cast(columns) for table in tables)])


def check(app: str, rows: pl.DataFrame, points: list[int]) -> None:
    """Raise ValueError where the times of one application (ranks, time_s, sorted) make no table over the points."""
    max_ranks = points[-1]
    ranks, times = rows["ranks"], rows["time_s"]
    if ranks.null_count() or times.null_count():
        raise ValueError(f"app {app!r}: a row has no ranks or no time_s; leave it out or fill it in")
    if not ranks.dtype.is_integer() and not (ranks == ranks.floor()).all():
        raise ValueError(f"app {app!r}: ranks are counts, found {ranks.filter(ranks != ranks.floor())[0]}")
    bad = rows.filter(~(pl.col("time_s").is_finite() & (pl.col("time_s") > 0)))
    if len(bad):
        raise ValueError(
            f"app {app!r}: time_s is {bad['time_s'][0]} on {bad['ranks'][0]} ranks; a run takes a finite time above 0 s"
        )
    if ranks.n_unique() < len(ranks):
        raise ValueError(
            f"app {app!r}: {ranks.filter(ranks.is_duplicated())[0]} ranks stand there twice; keep one time"
        )
    if ranks[0] < 1 or ranks[-1] > max_ranks:
        outside = ranks[0] if ranks[0] < 1 else ranks[-1]
        raise ValueError(f"app {app!r}: measured on {outside} ranks, but the machine has 1 to {max_ranks}")
    if len(ranks) == 1 and max_ranks > 1:
        raise ValueError(
            f"app {app!r}: measured on one rank count only ({ranks[0]}), which makes no curve; measure it on "
            f"{', '.join(map(str, points))} ranks"
        )
    holes = sorted(set(points) - set(ranks.to_list()))
    if holes:
        raise ValueError(
            f"app {app!r}: no time on {', '.join(map(str, holes))} ranks; a profile for {max_ranks} ranks holds at "
            f"least {', '.join(map(str, points))}"
        )


def annotation(app: str, rows: pl.DataFrame, max_ranks: int) -> int | None:
    """The best_ranks that the user noted for an application; None where there is none."""
    if "best_ranks" not in rows.columns:
        return None
    noted = rows["best_ranks"].drop_nulls().unique().sort()
    if len(noted) > 1:
        raise ValueError(f"app {app!r}: best_ranks is {noted[0]} in one row and {noted[1]} in another; state one")
    if len(noted) and not 1 <= noted[0] <= max_ranks:
        raise ValueError(f"app {app!r}: best_ranks is {noted[0]}, but the machine has 1 to {max_ranks} ranks")
    return int(noted[0]) if len(noted) else None


def _require_choice(name: str, value: str, known: object) -> None:
    choices = known.__args__
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; known: {', '.join(choices)}")


def _sources(rows: pl.DataFrame, max_ranks: int) -> list[str]:
    """Source of each time of a table: of a point its own, between two points extrapolated where one of them is."""
    given = rows["source"] if "source" in rows.columns else pl.Series([MEASURED]).new_from_index(0, len(rows))
    own = dict(zip(rows["ranks"].cast(pl.Int64).to_list(), given.fill_null(MEASURED).to_list(), strict=True))
    points = np.array(list(own))
    sources = []
    for ranks in range(1, max_ranks + 1):
        right = int(np.searchsorted(points, ranks))
        beside = {own[int(points[right])], own[int(points[right - 1])]}
        sources.append(own.get(ranks) or (EXTRAPOLATED if EXTRAPOLATED in beside else INTERPOLATED))
    return sources
