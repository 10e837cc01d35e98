"""Do 95 % intervals hold the truth in 95 of 100 cases?

Every interval of the database is computed by its own SQL on simulated replicates of a known mean, as often as stated,
and so are the verdicts and recommendations that rest on intervals. An interval of a mean is exact where replicates are
normal: there it has to hold the truth as often as it says. Elsewhere it is what the formula gives, and the tables say
how far off that is.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy import stats

from pipeline.claims import verdicts
from pipeline.fit.jackknife import jackknife
from pipeline.statistics.streams import stream
from reliability import simulated_views
from reliability.report import Details, Finding, Report

log = logging.getLogger(__name__)

NOMINAL = 0.95
SIZES = (5, 10, 30)
ERRORS = 4
"""Monte Carlo standard errors by which an observed share may miss its expected value: one of 16,000 does by chance."""
ROUNDING = 1e-9

Law = tuple[Callable[[np.random.Generator, tuple[int, int]], np.ndarray], float]
NORMAL = "normal"
LAWS: dict[str, Law] = {
    NORMAL: (lambda rng, shape: rng.normal(0.3, 0.2, shape), 0.3),
    "uniform": (lambda rng, shape: rng.uniform(0, 1, shape), 0.5),
    "bounded": (lambda rng, shape: rng.beta(8, 1, shape), 8 / 9),
    "lognormal": (lambda rng, shape: rng.lognormal(0, 1, shape), float(np.exp(0.5))),
    "ties": (lambda rng, shape: rng.choice([-1.0, 0.0, 1.0], shape, p=[0.1, 0.6, 0.3]), 0.2),
}
"""Draws and mean. bounded: Beta(8, 1), as utilisations near 1; lognormal: skewness 6.2; ties: differences of yes/no."""
SHARES = (0.5, 0.8, 0.95, 0.99)
SIZES_GB = (105.0, 115.0, 125.0, 135.0, 150.0, 175.0, 200.0, 256.0)
LOSSES = (0.30, 0.20, 0.12, 0.08, 0.055, 0.045, 0.01, 0.0)
LOSS_BOUND = 0.05


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the trial."""
    parser.add_argument("--experiments", type=int, default=4000, help="of each kind (default: 4000)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (default: 1)")


def run(options: argparse.Namespace) -> Report:
    """Simulate; passed where intervals of normal replicates hold what they say and all are what scipy computes."""
    simulation = Simulation(options.experiments, options.seed)
    parts = [simulation.means(), simulation.shares(), simulation.others(), simulation.verdicts(), simulation.choices()]
    findings = [finding for found, _, _ in parts for finding in found]
    return Report(findings, all(held for _, held, _ in parts), [table for _, _, table in parts])


Part = tuple[list[Finding], bool, Details]


class Simulation:
    """Experiments of one size and seed; each part of the trial gives its findings, whether they hold, and its table."""

    def __init__(self, experiments: int, seed: int) -> None:
        self.experiments = experiments
        self.seed = seed

    def drawn(self, law: str, n: int, *key: str) -> np.ndarray:
        """Replicates (experiments, n) of a law."""
        return LAWS[law][0](stream(self.seed, "coverage", law, n, *key), (self.experiments, n))

    def error(self, share: float = NOMINAL) -> float:
        """Monte Carlo standard error of a share."""
        return float(np.sqrt(share * (1 - share) / self.experiments))

    def means(self) -> Part:
        """Intervals of means, differences and ratios, all by Student's t."""
        rows, normal, off = [], [], []
        for interval in simulated_views.intervals():
            log.info("%s", interval.name)
            cells = []
            for law, (_, mean) in LAWS.items():
                shares = []
                for n in SIZES:
                    x = self.drawn(law, n, interval.name)
                    common = stream(self.seed, "coverage common", n, interval.name).uniform(2, 3, x.shape)
                    ends = interval.estimates(x, common)
                    expected = np.sort(interval.truth(student_t(x)), axis=1)
                    off.append(np.max(np.abs(ends - expected) / np.maximum(1, np.abs(expected))))
                    shares.append(_share(ends, interval.truth(mean)))
                normal += shares if law == NORMAL else []
                cells.append(_cells(shares))
            rows.append([f"`{interval.view}`", f"`{interval.ends[0]}`", interval.of, *cells])
        cells = []
        for law, (_, mean) in LAWS.items():
            shares = []
            for n in SIZES:
                ours = [verdicts.mean_interval(list(values)) for values in self.drawn(law, n, "claims")]
                shares.append(_share(np.array([(found.lo, found.hi) for found in ours]), mean))
            normal += shares if law == NORMAL else []
            cells.append(_cells(shares))
        rows.append(["claims", "`lo`", simulated_views.MEAN, *cells])
        held = all(abs(share - NOMINAL) <= ERRORS * self.error() for share in normal)
        findings = [
            Finding("experiments", str(self.experiments), "for each interval, law and number of replicates"),
            Finding("intervals of means that were simulated", str(len(rows)), "columns of views, and that of claims"),
            Finding(
                "coverage of normal replicates", f"{min(normal):.1%} to {max(normal):.1%}",
                f"nominal 95 %; a share of {self.experiments} has a standard error of {self.error():.2%}",
            ),
            Finding("largest difference from scipy's interval of the same replicates", f"{max(off):.0e}", "relative"),
        ]  # fmt: skip
        title = f"Coverage in % by {', '.join(map(str, SIZES))} replicates, intervals of means"
        return findings, held and max(off) <= ROUNDING, Details(title, ("view", "from", "of", *LAWS), rows)

    def shares(self) -> Part:
        """Wilson's intervals, whose coverage follows from the binomial distribution."""
        rows, worst, held = [], 1.0, True
        for share in SHARES:
            for n in SIZES:
                successes = stream(self.seed, "wilson", str(share), n).binomial(n, share, self.experiments)
                in_view = _share(simulated_views.wilson_of_point(successes, n), share)
                ends = np.array([(found.lo, found.hi) for found in (verdicts.wilson(int(k), n) for k in range(n + 1))])
                in_claims = _share(ends[successes], share)
                exact = exact_wilson(share, n)
                bound = ERRORS * self.error(exact) + ROUNDING
                held &= abs(in_view - exact) <= bound and abs(in_claims - exact) <= bound
                worst = min(worst, exact)
                rows.append([str(share), str(n), *(f"{value:.1%}" for value in (in_view, in_claims, exact))])
        note = "by the binomial distribution; the simulated ones agree" if held else "the simulated ones do not agree"
        findings = [Finding("least coverage of Wilson's intervals", f"{worst:.1%}", note)]
        columns = ("share", "replicates", "`gpu_partition_point`", "claims", "exact")
        return findings, bool(held), Details("Coverage of Wilson's intervals", columns, rows)

    def others(self) -> Part:
        """The jackknife over applications, and the smallest memory, whose ends are sizes that were tried."""
        rows, held = [], True
        for law in (NORMAL, "lognormal"):
            shares = []
            for n in SIZES:
                effects = self.drawn(law, n, "jackknife")[: max(self.experiments // 4, 1)]
                shares.append(_share(np.array([_jackknife(values) for values in effects]), 2 * LAWS[law][1]))
            # A quarter of the experiments has twice the error.
            held &= law != NORMAL or min(shares) >= NOMINAL - 2 * ERRORS * self.error()
            rows.append(["`error_of_modelled_pairs`, mean over pairs of applications", law, _cells(shares)])
        shares = []
        for n in SIZES:
            rng = stream(self.seed, "smallest memory", n)
            shape = (self.experiments, len(SIZES_GB), n)
            losses = np.array(LOSSES)[:, None] * rng.normal(1, 0.2, (self.experiments, 1, n)) + rng.normal(
                0, 0.01, shape
            )
            ends = simulated_views.smallest_memory(losses, SIZES_GB, LOSS_BOUND)
            enough = next(size for size, loss in zip(SIZES_GB, LOSSES, strict=True) if loss <= LOSS_BOUND)
            below, above = ~(ends[:, 0] >= enough), ~(ends[:, 1] < enough)
            shares.append(float((below & above).mean()))
        held &= min(shares) >= NOMINAL - ERRORS * self.error()
        rows.append(["`smallest_memory_at`, least size that keeps the loss", NORMAL, _cells(shares)])
        findings = [Finding("coverage of the smallest memory", f"at least {min(shares):.1%}", "sizes are steps")]
        title = f"Coverage in % by {', '.join(map(str, SIZES))} applications or batches, other intervals"
        return findings, bool(held), Details(title, ("interval", "law", "coverage"), rows)

    def verdicts(self) -> Part:
        """How often a claim is reproduced, by how far the truth is from what the paper says."""
        rows, true = [], []
        for scatter in (0.1, 0.5):
            for factor in (1.0, 1.05, 1.1, 1.2, 1.5, 2.0):
                shares = [self._reproduced(1.0, factor, scatter * factor, n) for n in SIZES]
                # With much scatter and few replicates the interval is wider than the value is large: nothing is said.
                true += shares if (factor, scatter) == (1.0, 0.1) else []
                rows.append([f"value, scatter {scatter:.0%}", f"{factor:g} times the paper's", _cells(shares)])
        for share in (1.0, 0.9, 0.7, 0.5, 0.2):
            shares = []
            for n in SIZES:
                holds = stream(self.seed, "yes or no", str(share), n).binomial(n, share, self.experiments)
                said = [verdicts.verdict("yes_no", 1.0, 0.0, verdicts.wilson(int(k), n)) for k in range(n + 1)]
                shares.append(float(np.mean([said[k] == verdicts.REPRODUCED for k in holds])))
            true += shares if share == 1.0 else []
            rows.append(["yes or no", f"holds in {share:.0%}", _cells(shares)])
        held = min(true) >= NOMINAL - ERRORS * self.error()
        findings = [
            Finding(
                "a claim that is true is reproduced in",
                f"at least {min(true):.1%}",
                "95 % is due where scatter is 10 %",
            )
        ]
        title = f"Claims reproduced in % by {', '.join(map(str, SIZES))} replicates"
        return findings, held, Details(title, ("rule", "truth", "reproduced"), rows)

    def _reproduced(self, paper: float, mean: float, scatter: float, n: int) -> float:
        values = stream(self.seed, "verdict", str(mean), str(scatter), n).normal(mean, scatter, (self.experiments, n))
        said = [verdicts.verdict("value", paper, 0.01, verdicts.mean_interval(list(row))) for row in values]
        return said.count(verdicts.REPRODUCED) / len(said)

    def choices(self) -> Part:
        """How often the recommended scheduler is the better one, and the interval of its margin holds the truth."""
        rows = []
        cases = {
            "two equal": (0.0, 0.0), "six equal": (0.0,) * 6, "simplest 0.005 worse": (0.0, 0.005),
            "simplest 0.02 worse": (0.0, 0.02), "simplest 0.05 worse": (0.0, 0.05),
        }  # fmt: skip
        for case, gains in cases.items():
            first, covered = [], []
            for n in SIZES:
                rng = stream(self.seed, "choices", case, n)
                shape = (self.experiments, len(gains), n)
                shared = rng.normal(0, 0.1, (self.experiments, 1, n))
                values = 0.7 + np.array(gains)[:, None] + shared + rng.normal(0, 0.02, shape)
                said = simulated_views.recommendations(values)
                truth = np.array(gains)[said["scheduler"]] - np.array(gains)[said["runner_up"]]
                covered.append(float(((said["margin_lo"] <= truth) & (truth <= said["margin_hi"])).mean()))
                first.append(float((said["scheduler"] == 0).mean()))
            rows.append([case, _cells(first), _cells(covered)])
        title = f"Recommendations in % by {', '.join(map(str, SIZES))} batches, each with a scatter of 0.02"
        return [], True, Details(title, ("schedulers", "simplest recommended", "interval of the margin holds"), rows)


def student_t(x: np.ndarray) -> np.ndarray:
    """Scipy's interval of the mean of each row: (rows, 2)."""
    n = x.shape[1]
    half = stats.t.ppf(0.975, n - 1) * stats.sem(x, axis=1)
    return np.column_stack([x.mean(axis=1) - half, x.mean(axis=1) + half])


def exact_wilson(share: float, n: int) -> float:
    """Probability that scipy's Wilson interval of n draws holds the share."""
    ends = [stats.binomtest(k, n).proportion_ci(NOMINAL, method="wilson") for k in range(n + 1)]
    holds = np.array([end.low <= share <= end.high for end in ends])
    return float(stats.binom.pmf(np.arange(n + 1), n, share)[holds].sum())


def _jackknife(effects: np.ndarray) -> tuple[float, float]:
    """Ends for the mean over pairs of applications of the sum of their effects."""
    pairs = np.array(list(_pairs(len(effects))))
    values = effects[pairs].sum(axis=1)
    _, lo, hi = jackknife(lambda keep: values[keep].mean(), pairs, len(effects))
    return lo, hi


def _pairs(n: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(n) for j in range(i + 1, n))


def _share(ends: np.ndarray, truth: float) -> float:
    """Share of the intervals (experiments, 2) that hold the truth."""
    return float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())


def _cells(shares: Sequence[float]) -> str:
    return " · ".join(f"{100 * share:.1f}" for share in shares)
