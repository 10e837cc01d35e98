"""Does a verdict depend on the master seed?

The default configuration, run from the first draw to the ledger under several master seeds: in a checkout of its own
each, `snakemake --cores 1 --config seed=2 -- results/apportion.duckdb`. A verdict that holds for one seed only would be
an accident of its draws; values move within their intervals.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb

from reliability.record import Details, Finding, Report

ROBUSTNESS_MOVED = 0.1

Claim = Mapping[str, Any]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the trial."""
    parser.add_argument("database", type=Path, nargs="+", help="of a finished run; one for each seed")


def run(options: argparse.Namespace) -> Report:
    """Compare the ledgers of several runs; passed where every claim has one verdict under all seeds."""
    return report(dict(sorted(map(ledger, options.database), key=itemgetter(0))))


def ledger(database: Path) -> tuple[int, dict[str, Claim]]:
    """Master seed of a finished run and its claims by their number, the values of their parts in `parts`."""
    with duckdb.connect(str(database), read_only=True) as connection:
        ((seed,),) = connection.execute("SELECT value FROM setting WHERE key = 'seed'").fetchall()
        claims = connection.sql("""
            SELECT id, value, lo, hi, verdict, robustness, (
                SELECT list({'part': part, 'value': value, 'verdict': verdict} ORDER BY part)
                FROM claim_part WHERE claim_part.id = claim.id
            ) AS parts
            FROM claim ORDER BY id
        """).pl()
    return json.loads(seed), {row["id"]: row for row in claims.iter_rows(named=True)}


def report(ledgers: Mapping[int, Mapping[str, Claim]]) -> Report:
    """Findings from the claims of each seed. Raises ValueError for less than two seeds or different claims."""
    if len(ledgers) < 2:
        raise ValueError(
            f"runs of at least two master seeds are needed; given: {', '.join(map(str, ledgers)) or 'none'}"
        )
    (first, claims), *others = ledgers.items()
    for seed, theirs in others:
        if theirs.keys() != claims.keys():
            differ = ", ".join(sorted(theirs.keys() ^ claims.keys()))
            raise ValueError(f"the runs of seeds {first} and {seed} hold different claims: {differ}")
    seeds = list(ledgers)
    turned, moved, parts, outside = [], [], [], []
    for name in claims:
        of = [ledgers[seed][name] for seed in seeds]
        if len({claim["verdict"] for claim in of}) > 1:
            turned.append([name, *(f"{claim['verdict']}: {figure(claim)}" for claim in of)])
        robust = [claim["robustness"] for claim in of if claim["robustness"] is not None]
        if robust and max(robust) - min(robust) > ROBUSTNESS_MOVED:
            moved.append([name, *("" if c["robustness"] is None else f"{c['robustness']:.0%}" for c in of)])
        parts += turned_parts(name, of)
        outside += [name for claim in of[1:] if apart(of[0], claim)]
    columns = ("claim", *(f"seed {seed}" for seed in seeds))
    tables = [
        Details("Verdicts that differ", columns, turned),
        Details("Parts of claims whose verdicts differ", columns, parts),
        Details(f"Robustness that differs by more than {ROBUSTNESS_MOVED:.0%}", columns, moved),
    ]
    findings = [
        Finding("master seeds", ", ".join(map(str, seeds))),
        Finding("claims", str(len(claims))),
        Finding("verdicts that differ between seeds", str(len(turned))),
        Finding("verdicts of parts that differ", str(len(parts))),
        Finding("robustness that differs", str(len(moved)), f"by more than {ROBUSTNESS_MOVED:.0%} of the settings"),
        Finding(
            "values whose intervals lie apart", str(len(outside)), "of two seeds; " + (", ".join(outside) or "none")
        ),
    ]
    return Report(findings, not turned, [table for table in tables if table.rows])


def turned_parts(name: str, of: Sequence[Claim]) -> list[list[str]]:
    """Rows of a claim's parts whose verdicts differ among the seeds."""
    by_part: dict[str, list[Mapping[str, Any]]] = {}
    for claim in of:
        for part in claim["parts"] or ():
            by_part.setdefault(part["part"], []).append(part)
    return [
        [f"{name}, {part}", *(f"{seen['verdict']}: {figure(seen)}" for seen in found)]
        for part, found in by_part.items()
        if len({seen["verdict"] for seen in found}) > 1
    ]


def apart(one: Claim, other: Claim) -> bool:
    """Whether two intervals have nothing in common."""
    if None in (one["lo"], one["hi"], other["lo"], other["hi"]):
        return False
    return one["hi"] < other["lo"] or other["hi"] < one["lo"]


def figure(claim: Claim) -> str:
    """Value with its interval, as text."""
    if claim["value"] is None:
        return "no value"
    if claim.get("lo") is None:
        return f"{claim['value']:.4g}"
    return f"{claim['value']:.4g} [{claim['lo']:.4g}, {claim['hi']:.4g}]"
