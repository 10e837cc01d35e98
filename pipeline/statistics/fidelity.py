"""How true a replay is to the log that it was made of: measured starts beside replayed ones.

A replay is given a log's own submissions, sizes, run times and limits; what is left to compare is when jobs started.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import scipy

NEAR_S = 60.0
"""A start that is at most this far from the measured one counts as near."""

COLUMNS = ("submit_s", "nodes", "start_s", "end_s", "replayed_start_s")

UNITS = {
    "mean_wait_measured_s": "s",
    "mean_wait_replayed_s": "s",
    "mean_wait_error": "1",
    "start_error_median_s": "s",
    "start_error_p90_s": "s",
    "near_starts": "1",
    "discordant_pairs": "1",
    "discordant_queued": "1",
    "utilisation_measured": "1",
    "utilisation_replayed": "1",
    "wait_distance_s": "s",
}
"""Measures and their units, in the order in which they are given."""


def measures(jobs: pl.DataFrame, nodes: int, half: int | None = None) -> pl.DataFrame:
    """Measures of one replay: columns measure, value, unit.

    `jobs` (submit_s, nodes, start_s, end_s, replayed_start_s) has one row per job that ran and was replayed; of those
    that are `given`, where there is such a column, the start was not replayed: they use the machine and are not
    compared. `nodes` is the size of the machine. `half` is 1 or 2, the first or second half of the time of submissions
    (`span_s`); null is all of it. With w = start - submit and d = replayed start - measured start of the jobs
    submitted in that time:

    * `mean_wait_measured_s`, `mean_wait_replayed_s`: means of w; `mean_wait_error`: replayed / measured - 1, null where
      the measured one is 0;
    * `start_error_median_s`, `start_error_p90_s`: median and 90th percentile of |d|, linear between jobs;
    * `near_starts`: share of jobs with |d| <= 60 s;
    * `discordant_pairs`: share of all pairs of jobs whose order of start is reversed (Kendall 1938); jobs that start
      together in either schedule are in no order;
    * `discordant_queued`: the same of the pairs that were in the queue together on the machine, each submitted before
      the other started; nearly all pairs of a long log are days apart, and in order under any rule; null where no two
      were;
    * `utilisation_measured`, `utilisation_replayed`: node-seconds of running jobs in that time, those submitted before
      among them, over all node-seconds; null where the time has no length;
    * `wait_distance_s`: Wasserstein distance of the two distributions of w, which names no job.

    With the starts of another execution on the machine in the place of replayed ones this is the machine's own noise.
    Raises ValueError where a job has no number in one of the columns, or no job was submitted in that time.
    """
    table = jobs.select(pl.col(column).cast(pl.Float64) for column in COLUMNS)
    for column in COLUMNS:
        if (bad := (~table[column].is_finite()).fill_null(True).arg_true()).len():
            raise ValueError(f"{column} is {table[column][bad[0]]} in row {bad[0] + 1}; it must be a finite number")
    given = jobs["given"] if "given" in jobs.columns else pl.repeat(False, len(jobs), eager=True)
    begin, end = span_s(table.with_columns(given=given), half)
    here = table.filter(~given, (pl.col("submit_s") >= begin) | (half != 2), (pl.col("submit_s") < end) | (half != 1))
    if here.is_empty():
        raise ValueError(f"no job was submitted in {'the log' if half is None else f'half {half} of the log'}")
    submit_s, measured_s, replayed_s = (here[name].to_numpy() for name in ("submit_s", "start_s", "replayed_start_s"))
    error_s = np.abs(replayed_s - measured_s)
    wait_s, replayed_wait_s = measured_s - submit_s, replayed_s - submit_s
    mean_s, replayed_mean_s = float(wait_s.mean()), float(replayed_wait_s.mean())
    values = {
        "mean_wait_measured_s": mean_s,
        "mean_wait_replayed_s": replayed_mean_s,
        "mean_wait_error": replayed_mean_s / mean_s - 1 if mean_s else None,
        "start_error_median_s": float(np.quantile(error_s, 0.5)),
        "start_error_p90_s": float(np.quantile(error_s, 0.9)),
        "near_starts": float((error_s <= NEAR_S).mean()),
        "discordant_pairs": discordant_pairs(measured_s, replayed_s),
        "discordant_queued": discordant_queued(submit_s, measured_s, replayed_s),
        "utilisation_measured": _utilisation(table, "start_s", nodes, begin, end),
        "utilisation_replayed": _utilisation(table, "replayed_start_s", nodes, begin, end),
        "wait_distance_s": float(scipy.stats.wasserstein_distance(wait_s, replayed_wait_s)),
    }
    return pl.DataFrame(
        {"measure": list(UNITS), "value": [values[name] for name in UNITS], "unit": list(UNITS.values())},
        schema_overrides={"value": pl.Float64},
    )


def span_s(jobs: pl.DataFrame, half: int | None = None) -> tuple[float, float]:
    """Begin and end of the submissions that are compared, or of a half of their time; from the first end of given jobs.

    jobs: columns submit_s, end_s, given.
    """
    if half not in (None, 1, 2):
        raise ValueError(f"half is {half}; it must be 1, 2 or null")
    compared = jobs.filter(~pl.col("given"))
    if compared.is_empty():
        return 0.0, 0.0
    begin, end = float(compared["submit_s"].min()), float(compared["submit_s"].max())
    if (first_end_s := jobs.filter("given")["end_s"].min()) is not None:
        begin = min(max(begin, first_end_s), end)
    middle = (begin + end) / 2
    return (middle if half == 2 else begin), (middle if half == 1 else end)


def _utilisation(table: pl.DataFrame, start: str, nodes: int, begin: float, end: float) -> float | None:
    """Share of the machine's node-seconds in [begin, end] in which jobs run that start at the times of a column."""
    if end <= begin:
        return None
    start_s = table[start].to_numpy()
    end_s = start_s + (table["end_s"] - table["start_s"]).to_numpy()
    seconds = np.minimum(end_s, end) - np.maximum(start_s, begin)
    return float((np.maximum(seconds, 0) * table["nodes"].to_numpy()).sum() / (nodes * (end - begin)))


def discordant_pairs(first: np.ndarray, second: np.ndarray) -> float | None:
    """Share of all pairs that `first` and `second` put in opposite orders; null for fewer than two values.

    Pairs that are equal in either are not discordant. In n log n steps.
    """
    n = len(first)
    if n < 2:
        return None
    ranks = np.unique(second, return_inverse=True)[1]
    return inversions(ranks[np.lexsort((ranks, first))]) / (n * (n - 1) // 2)


def discordant_queued(submit_s: np.ndarray, first: np.ndarray, second: np.ndarray) -> float | None:
    """Share of the pairs in the queue together in `first` that `first` and `second` put in opposite orders.

    Together are two of which each is submitted before the other starts; null where there are none. In n log n steps: of
    all discordant pairs those are taken out of which one starts by the time that the other is submitted.
    """
    n = len(first)
    at_once = first == submit_s
    together = n * (n - 1) // 2 - int(np.searchsorted(np.sort(first), submit_s, side="right").sum() - at_once.sum())
    # Two that are submitted and start at the same time have been taken out twice.
    twins = np.unique(first[at_once], return_counts=True)[1]
    together += int((twins * (twins - 1) // 2).sum())
    if together <= 0:
        return None
    ranks = np.unique(second, return_inverse=True)[1]
    discordant = inversions(ranks[np.lexsort((ranks, first))])
    # Starts and submissions in order of time; a job that starts at once is submitted before what starts at that time,
    # since those that start together are in no order.
    order = np.lexsort((np.concatenate([np.ones(n), np.where(at_once, 0, 2)]), np.concatenate([first, submit_s])))
    apart = inversions(np.concatenate([ranks, ranks])[order], earlier=order < n)
    return (discordant - apart) / together


def inversions(ranks: np.ndarray, earlier: np.ndarray | None = None) -> int:
    """Pairs of which the larger number comes first, of whole numbers from 0 on.

    earlier: which may be the first of a pair, the others being the second; None: all are both.

    The two numbers of such a pair agree in their leading bits, and at the first that differs a 1 comes before a 0. So
    those are counted bit by bit, among numbers that agree in all bits before.
    """
    count = 0
    for bit in reversed(range(int(ranks.max(initial=0)).bit_length())):
        one = (ranks >> bit) & 1
        counted = one if earlier is None else one & earlier
        ones = np.cumsum(counted)
        group = np.flatnonzero(np.diff(ranks >> (bit + 1), prepend=-1))
        before = np.repeat((ones - counted)[group], np.diff(group, append=len(ranks)))
        second = one == 0 if earlier is None else (one == 0) & ~earlier
        count += int((ones - before)[second].sum())
        order = np.argsort(ranks >> bit, kind="stable")
        ranks, earlier = ranks[order], None if earlier is None else earlier[order]
    return count
