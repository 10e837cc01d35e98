"""How much better a recommended scheduler is than the next one, with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pipeline.runtime.quantities import number, share

COLUMNS = ("runner_up", "margin", "margin_lo", "margin_hi", "margin_kind", "tied")
"""Columns of every view `recommended_<study>` that say so."""


def least(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """COLUMNS of the row with the least margin: what is sure of all rows that recommend the same scheduler.

    Rows without another scheduler to compare with have no margin, and come last.
    """
    row = min(rows, key=lambda row: (row["margin"] is None, row["margin"] or 0.0))
    return {name: row[name] for name in COLUMNS}


def text(use: Mapping[str, Any], several: bool = False) -> str | None:
    """The margin in words; None where there is no other scheduler. several: it is the least of several settings."""
    if use.get("margin") is None or use.get("runner_up") is None:
        return None
    if use["tied"]:
        return f"tie with {use['runner_up']}"
    shown = _points if use["margin_kind"] == "difference" else share
    at_least = "at least " if several else ""
    if use["margin_kind"] == "cost":
        return f"{use['runner_up']} costs {at_least}{shown(use['margin'])} more ({_interval(use, 'margin', shown)})"
    return f"{at_least}{shown(use['margin'])} over {use['runner_up']} ({_interval(use, 'margin', shown)})"


def response(row: Mapping[str, Any]) -> str | None:
    """Response time against the runner-up's, in words; None where there is no other or they tie."""
    margin = row["response_margin"]
    if margin is None or row["verdict"] == "tie":
        return None
    return f"response time {share(margin)} against {row['runner_up']} ({_interval(row, 'response_margin', share)})"


def _interval(row: Mapping[str, Any], name: str, shown: Callable[[float], str]) -> str:
    """The 95 % interval of a margin, and the word that it may be none."""
    lo, hi = row[f"{name}_lo"], row[f"{name}_hi"]
    if lo is None or hi is None:
        return "no interval"
    return f"{shown(lo)} to {shown(hi)}" + (", open" if lo <= 0 <= hi else "")


def _points(difference: float) -> str:
    """A difference of two shares."""
    return f"{number(difference * 100)} points"
