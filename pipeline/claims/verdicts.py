"""Verdicts on the numbers of a claim, from the values that its replicates have.

Verdicts on one number, by kind:

* `value`: reproduced if the paper's value lies in our 95 % interval widened by max(10 % of it, half a digit), and the
  interval is no wider than our value (than a digit, where the paper's value is 0). In part if the sign is
  right and the value within a factor of two.
* `at_most`: reproduced if our value exceeds the paper's by no more than that margin. In part if it is within a factor
  of two.
* `yes_no`: as value, with the share of seeds in which it holds against 1. In part if it holds in more than half.
* `more`: an order of means. The value is a difference that the paper says is above 0, replicate by replicate.
  Reproduced if its 95 % interval lies above 0: a tie is none. Nothing between.
* `always`: something that the paper says of all cases. Reproduced if it holds in each; the cases are no sample, so
  that there is no interval, and nothing between.

An ensemble is what is not known, and no sample: a statement (`yes_no`, `always`, `more`) on one is reproduced where it
holds in 95 % of the members or more, not reproduced where in 5 % or less, and open between. The value is that share.

From fewer than five replicates nothing is derived: intervals that wide would hold any value. A claim of several
numbers is reproduced where each of them is. It is in part where its main parts are, or, where all weigh alike, at
least half of them; and, as one number is, where each of them is at least in part. It is open where it would be
reproduced or in part if what is open held. Its value is the share of the numbers that are reproduced. No claim may be
met by results in which nothing differs: the tests feed each one results that are all alike, and results turned round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import scipy

REPRODUCED, IN_PART, OPEN, NOT_REPRODUCED = "reproduced", "reproduced in part", "open", "not reproduced"
INPUT, NOT_DERIVABLE = "input", "not derivable"
NOT_JUDGED = ("input", "not_derivable")
"""Kinds of claims whose query is not asked."""
FEWEST_REPLICATES = 5
FEW, MOST = 0.05, 0.95
"""Shares of the members of an ensemble between which a statement is open."""
STATEMENTS = ("yes_no", "always", "more")

Kind = Literal["value", "at_most", "yes_no", "more", "always", "input", "not_derivable"]
WORDS: dict[str | bool, tuple[Kind, float | None]] = {
    True: ("yes_no", 1.0),
    "always": ("always", 1.0),
    "more": ("more", None),
}
"""Parts that are no numbers: kind and paper's value."""


@dataclass(frozen=True)
class Estimate:
    """Mean of the replicates with its 95 % interval."""

    value: float | None
    lo: float | None
    hi: float | None
    replicates: int


def mean_interval(values: list[float]) -> Estimate:
    """Mean with Student's t interval; without an interval from a single value."""
    count = len(values)
    if count == 0:
        return Estimate(None, None, None, 0)
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean, None, None, 1)
    sd = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (count - 1))
    half = float(scipy.special.stdtrit(count - 1, 0.975)) * sd / math.sqrt(count)
    return Estimate(mean, mean - half, mean + half, count)


def wilson(successes: int, count: int) -> Estimate:
    """Share of successes with Wilson's score interval."""
    if count == 0:
        return Estimate(None, None, None, 0)
    z = float(scipy.special.ndtri(0.975))
    share = successes / count
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half), count)


def estimate(kind: str, values: list[Any], exact: bool = False) -> Estimate:
    """Estimate of one setting's values, without the replicates that have none. exact: see pipeline.claims.evaluate."""
    values = [v for v in values if v is not None]
    if exact and len(values) == 1:
        return Estimate(*[float(values[0])] * 3, 1)
    if kind in ("yes_no", "always"):
        share = wilson(sum(bool(v) for v in values), len(values))
        return share if kind == "yes_no" else Estimate(share.value, None, None, share.replicates)
    return mean_interval([float(v) for v in values])


def verdict(kind: Kind, paper: float | None, digit: float, ours: Estimate, fewest: int = FEWEST_REPLICATES) -> str:
    """Verdict on one number, by the rules in this module's docstring."""
    if kind == "input":
        return INPUT
    if kind == "not_derivable" or ours.replicates < fewest:
        return NOT_DERIVABLE
    return agreement(kind, paper, digit, ours)


def over_members(share: float) -> str:
    """Verdict on a statement that holds in a share of the members of an ensemble."""
    if share >= MOST:
        return REPRODUCED
    return NOT_REPRODUCED if share <= FEW else OPEN


def agreement(kind: Kind, paper: float | None, digit: float, ours: Estimate) -> str:
    """Verdict on one number that can be judged."""
    if kind == "always":
        return REPRODUCED if ours.value == 1 else NOT_REPRODUCED
    if kind == "more":
        return REPRODUCED if ours.lo > 0 else NOT_REPRODUCED
    margin = max(0.1 * abs(paper), digit / 2)
    if kind == "at_most":
        if ours.value <= paper + margin:
            return REPRODUCED
    elif ours.lo - margin <= paper <= ours.hi + margin and ours.hi - ours.lo <= (abs(ours.value) if paper else digit):
        return REPRODUCED
    if kind == "yes_no":
        return IN_PART if ours.value > 0.5 else NOT_REPRODUCED
    agree = ours.value * paper > 0 and 0.5 <= ours.value / paper <= 2
    return IN_PART if agree else NOT_REPRODUCED


def of_parts(parts: list[dict]) -> str:
    """Verdict on a claim of several numbers."""
    said = {part["verdict"] for part in parts}
    # Of several numbers each is needed.
    if said == {INPUT} or NOT_DERIVABLE in said:
        return INPUT if said == {INPUT} else NOT_DERIVABLE
    if said == {REPRODUCED}:
        return REPRODUCED
    if said <= {REPRODUCED, IN_PART} or _is_met(parts, {REPRODUCED}):
        return IN_PART
    return OPEN if said <= {REPRODUCED, IN_PART, OPEN} or _is_met(parts, {REPRODUCED, OPEN}) else NOT_REPRODUCED


def _is_met(parts: list[dict], verdicts: set[str]) -> bool:
    """Whether all main parts have one of the verdicts; where all weigh alike, half of them."""
    main = [part for part in parts if part["main"]]
    met = [part["verdict"] in verdicts for part in main or parts]
    return all(met) if main else 2 * sum(met) >= len(met)
