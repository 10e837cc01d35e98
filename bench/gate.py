"""Whether ratios to peers hold: a run of the benchmarks against ratios that were committed (bench/ratios.csv).

Ratios of measurements that alternate in one run carry over to other machines and days, seconds do not; so only ratios
are gated. A row says benchmark, figure, the ratio that was measured, by what share it may be worse (`tolerance`), and
which side is better (`higher` or `lower`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.runtime.wording import did_you_mean

RATIOS = Path(__file__).with_name("ratios.csv")
SCHEMA = {
    "benchmark": pl.String, "figure": pl.String, "ratio": pl.Float64, "tolerance": pl.Float64, "better": pl.String,
}  # fmt: skip
RATIO_UNIT = "times"
BETTER = ("higher", "lower")
KEY = ["benchmark", "figure"]


@dataclass(frozen=True)
class Verdict:
    """What came of the gate: sentences on ratios worse than allowed, on those not measured, and how many hold."""

    worse: list[str]
    absent: list[str]
    held: int

    def text(self) -> str:
        """The verdict in lines."""
        lines = [*self.worse, *self.absent]
        total = self.held + len(self.worse)
        return "\n".join([*lines, f"{self.held} of {total} ratios hold, {len(self.absent)} were not measured"])


def load(path: Path) -> pl.DataFrame:
    """The committed ratios. Raises ValueError naming the row of one that makes no sense."""
    ratios = pl.read_csv(path, schema=SCHEMA)
    for row, ratio in enumerate(ratios.iter_rows(named=True), 2):
        where = f"{path}, line {row}, {ratio['figure']}"
        if ratio["better"] not in BETTER:
            raise ValueError(f"{where}: better is {ratio['better']!r}{did_you_mean(str(ratio['better']), BETTER)}")
        if not (ratio["ratio"] or 0) > 0 or not 0 <= (ratio["tolerance"] if ratio["tolerance"] is not None else -1) < 1:
            raise ValueError(f"{where}: the ratio must be above 0 and its tolerance a share from 0 to below 1")
    repeated = ratios.filter(ratios.select(KEY).is_duplicated())
    if len(repeated):
        raise ValueError(f"{path}: {repeated['figure'][0]} of {repeated['benchmark'][0]} is there more than once")
    return ratios


def judge(frame: pl.DataFrame, ratios: pl.DataFrame) -> Verdict:
    """Hold a table of figures (results.SCHEMA) against ratios; benchmarks that were not run are passed over.

    Raises ValueError for a ratio of a benchmark that was run and has no such figure.
    """
    measured = frame.filter(pl.col("unit") == RATIO_UNIT)
    run = set(frame["benchmark"])
    values = {(row["benchmark"], row["figure"]): row for row in measured.iter_rows(named=True)}
    # A peer that is absent has one row, of its own name or of that of its CPU time, with the reason.
    reasons = [
        (row["benchmark"], row["figure"].removesuffix(", CPU"), row["note"])
        for row in frame.filter(runs=0).iter_rows(named=True)
    ]
    worse, absent, held = [], [], 0
    for row in ratios.filter(pl.col("benchmark").is_in(sorted(run))).iter_rows(named=True):
        name = f"{row['benchmark']}, {row['figure']}"
        found = values.get((row["benchmark"], row["figure"]))
        if found is None or found["value"] is None:
            reason = next(
                (note for of, peer, note in reasons if of == row["benchmark"] and peer in row["figure"]), None
            )
            if reason is None:
                near = [figure for of, figure in values if of == row["benchmark"]]
                raise ValueError(f"no ratio {row['figure']!r} in {row['benchmark']}{did_you_mean(row['figure'], near)}")
            absent.append(f"{name}: not measured, {reason}")
            continue
        higher = row["better"] == "higher"
        bound = row["ratio"] * (1 - row["tolerance"] if higher else 1 + row["tolerance"])
        if found["value"] >= bound if higher else found["value"] <= bound:
            held += 1
        else:
            worse.append(
                f"{name}: {found['value']:.3g} times, {'at least' if higher else 'at most'} {bound:.3g} wanted "
                f"({row['ratio']:.3g} committed, {row['tolerance']:.0%} tolerance)"
            )
    return Verdict(worse, absent, held)


def renewed(frame: pl.DataFrame, ratios: pl.DataFrame) -> pl.DataFrame:
    """The ratios with the medians of a run in place of those it measured; tolerances and order stay."""
    medians = frame.filter(pl.col("unit") == RATIO_UNIT).select(*KEY, "value")
    both = ratios.join(medians, on=KEY, how="left", maintain_order="left")
    return both.with_columns(ratio=pl.coalesce("value", "ratio").round_sig_figs(3)).select(list(SCHEMA))
