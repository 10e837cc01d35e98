"""The ledger as Markdown: a page of every claim, and the table of headlines that the README shows."""

from __future__ import annotations

import re

import polars as pl

from pipeline.claims import verdicts
from pipeline.runtime.quantities import NOTHING, interval, paper_value, quantity, share
from pipeline.runtime.sources import ROOT

VERDICTS = {
    verdicts.REPRODUCED: "reproduced",
    verdicts.IN_PART: "in part",
    verdicts.OPEN: "open",
    verdicts.NOT_REPRODUCED: "not",
    verdicts.NOT_DERIVABLE: "not derivable",
    verdicts.INPUT: "input of the model",
}
"""Verdicts in the order in which they are counted, and what heads their column."""
NOT_JUDGED = "not judged"
WORDS = ("yes_no", "always", "more")
"""Rules of what is said to hold, not of numbers."""
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


INTRODUCTION = """\
After this page you can say which claims of the five papers hold in a replay, and where to read why.

Each claim has the paper's value, ours with its 95 % interval, and a verdict:

* *Reproduced*: the paper's value is in our interval, widened by 10 % of it or half its last printed digit. The interval
  is no wider than our value. Something said to hold does so in nearly all seeds, "always" means all cases. If
  one mean is said to be above another, the interval of their difference is above 0.
* *In part*: the sign is right and the value within a factor of two. Of several numbers, the main ones are reproduced.
  If none is main, half of them are, or each is at least in part.
* *Open*: the statement holds in 5 to 95 % of an ensemble that replaces what the paper does not print.
* *Not derivable*: the run has nothing to judge it by.
* *Input*: it was put into the model and proves nothing.

*Robust* is the share of settings in which the claim is reproduced. A setting is a reading of the paper, or a model that
agrees with what it prints. *Scenarios* says on how many replays the claim rests. More: [how results are
judged](../concepts/methods.md#verdicts).

The page of a run (`results/report/index.html`) has all of a claim: its numbers, why it differs, its rule and its query.
They are the file `pipeline/studies/<study>/claims/<id>.sql`. `apportion claims` prints the ledger of any run.

`apportion claims --record` writes this page from the default run, `apportion generate` from the files of the claims."""


def page(claims: pl.DataFrame, parts: pl.DataFrame) -> str:
    """The page docs/reference/claims.md: counts, then for each study its claims, a line each."""
    lines = [
        "# Claims of the papers",
        "",
        INTRODUCTION,
        "",
        *headlines(claims, parts),
        "",
        *_counted(claims),
    ]
    for study in claims["study"].unique(maintain_order=True):
        of_study = claims.filter(study=study)
        lines += ["", f"## {study}", ""]
        lines += [f"{', '.join(of_study['paper'].unique(maintain_order=True))}; {_read_on(study)}.", ""]
        lines += _table(of_study.to_dicts(), parts)
    return "\n".join(lines) + "\n"


def counts(claims: pl.DataFrame) -> str:
    """The README's table of what the papers promise, and how many of all claims have which verdict."""
    lines = [_row(["paper", "promise", "verdict"]), _row(["---"] * 3)]
    lines += [
        _row([row["paper"], row["headline"], row["verdict"] or NOT_JUDGED])
        for row in claims.drop_nulls("headline").iter_rows(named=True)
    ]
    counts = ", ".join(f"{n} {name}" for n, name in zip(_counts(claims), VERDICTS.values(), strict=False) if n)
    return "\n".join([*lines, "", f"Of all [{len(claims)} claims](docs/reference/claims.md): {counts}."]) + "\n"


def headlines(claims: pl.DataFrame, parts: pl.DataFrame) -> list[str]:
    """A table of what each paper promises as a whole, and what comes out."""
    lines = [_row(["paper", "what it promises", "what comes out", "verdict"]), _row(["---"] * 4)]
    for row in claims.drop_nulls("headline").iter_rows(named=True):
        own_parts = parts.filter(id=row["id"]).to_dicts() or [row | {"part": ""}]
        words = [part for part in own_parts if part["rule"] in WORDS]
        outcomes = [_came_out(part, row["unit"]) for part in own_parts if part not in words]
        if words:
            met = sum(part["verdict"] == verdicts.REPRODUCED for part in words)
            outcomes.append(f"{met} of {len(words)} statements hold")
        outcomes = "; ".join(outcomes)
        lines.append(_row([row["source"].partition(",")[0], f"{row['statement']} ({row['id']})", outcomes,
                           row["verdict"] or NOT_JUDGED]))  # fmt: skip
    return lines


def _came_out(part: dict, unit: str) -> str:
    """What a number came to, and what the paper has."""
    said = f"{quantity(part['value'], unit)} (paper: {quantity(part['paper_value'], unit, named=False)})"
    return f"{part['part']}: {said}" if part["part"] else said


def _counted(claims: pl.DataFrame) -> list[str]:
    """A row per study and the sum: claims by verdict."""
    columns = ["study", *VERDICTS.values(), "all"]
    lines = [_row(columns), _row(["---"] * len(columns))]
    for study in claims["study"].unique(maintain_order=True):
        lines.append(_row([f"`{study}`", *_counts(claims.filter(study=study))]))
    return [*lines, _row(["all", *_counts(claims)])]


def _counts(claims: pl.DataFrame) -> list[str]:
    counted = [(claims["verdict"] == verdict).sum() for verdict in VERDICTS]
    return [str(n) if n else "" for n in counted] + [str(len(claims))]


def _read_on(study: str) -> str:
    """Links to the study's evaluations, else to its model, from docs/reference/."""
    models = ROOT / "docs" / "models"
    links = []
    for path in sorted(models.glob(f"{study}*-evaluation.md")):
        heading = HEADING.search(path.read_text(encoding="utf-8"))
        links.append(f"[{heading[1].partition(': ')[2] if heading else path.stem}](../models/{path.name})")
    return ", ".join(links) or f"[model](../models/{study}.md)"


def _table(rows: list[dict], parts: pl.DataFrame) -> list[str]:
    lines = [_row(["claim", "", "source", "paper", "ours", "verdict", "robust", "scenarios"]), _row(["---"] * 8)]
    for row in rows:
        several = parts.filter(id=row["id"])
        if len(several):
            paper = f"{len(several)} values"
            met = (several["verdict"] == verdicts.REPRODUCED).sum()
            ours = NOTHING if row["value"] is None else f"{met} of {len(several)} reproduced"
        else:
            paper, ours = paper_value(row["paper_value"], row["unit"], row["rule"]), _ours(row, row["unit"])
        robust = "" if row["robustness"] is None else share(row["robustness"], 0)
        scenarios = "" if row["scenarios"] is None else f"{row['scenarios']:,}"
        verdict = row["verdict"] or NOT_JUDGED
        lines.append(_row([row["id"], row["statement"], row["source"], paper, ours, verdict, robust, scenarios]))
    return lines


def _ours(row: dict, unit: str) -> str:
    return " ".join(filter(None, [quantity(row["value"], unit), interval(row["lo"], row["hi"], unit)]))


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
