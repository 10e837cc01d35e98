"""Tables of jobs whose header has no words that are known, as in another language: what their columns may be.

Columns are told by what they hold: times in their order, whole numbers, sizes. Nothing of it is used. It is proposed as
a trace.yaml, and what is not sure is marked there by a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from pipeline.drops import ColumnSource, DropSettings, Refusal
from pipeline.readers import _dates, _guess
from pipeline.readers._columns import MICROSECONDS, find_moments, with_own_unit

EPOCH_S = (631_152_000, 4_102_444_800)
"""The years 1990 to 2099, seconds since 1970: numbers of times in there are such times."""
HINTS = {
    "nodes": r"knoten|n[oœ]e?uds?|nod[oi]s?|nod(er|ar)|узл\w*|节点|ノード",
    "used_memory_gb": r"\w*speicher\w*|m[eé]mo(ire|ria|rie)\w*|geheugen|minne\w*|hukommelse|память|内存|メモリ",
    "runtime_s": r"\w*dauer|laufzeit|dur[eé]e|duraci[oó]n|durata|duur|temps|tiempo",
    "walltime_s": r"\w*grenze|limite?|límite|zeitlimit",
    "user": r"(be)?nutzer\w*|bruker\w*|bruger\w*|användare|utilisateur|usuario|utente|gebruiker|пользователь|用户",
}
"""Words of other languages, which decide between columns that hold the same kind of values."""
TIMES = ("submit_s", "start_s", "end_s")


@dataclass
class Proposal:
    """Sources of columns, and of each what it holds or why it is not sure."""

    sources: dict[str, ColumnSource] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    def add(self, column: str, name: str, why: str, unit: str | None = None) -> None:
        """Propose a column of the table as a canonical one."""
        self.sources[column] = ColumnSource(**{"from": [name], "unit": unit})
        self.why[column] = why

    def text(self) -> str:
        """The `columns:` of a trace.yaml, a line per column."""
        lines = []
        for column, source in self.sources.items():
            line = _guess.mapping({column: source})[1:-1] or f"{column}: {column}"
            lines.append(f"  {line}" + (f"  # {self.why[column]}" if column in self.why else ""))
        return "\n".join(["columns:", *lines])


def of_jobs(rows: pl.DataFrame, known: Mapping[str, ColumnSource], settings: DropSettings) -> Proposal | None:
    """What the columns of a table of jobs may be; None where they do not look like such a table.

    rows: the first rows; known: sources that are sure already.
    """
    proposal = Proposal(dict(known))
    taken = {name for source in known.values() for name in source.names}
    free = [
        name for name in rows.columns if name not in taken and name != "row" and rows[name].null_count() < len(rows)
    ]
    moments = _moments(rows.select(free), settings, proposal)
    free = [name for name in free if name not in moments]
    _take_times(proposal, sorted(moments, key=moments.get))
    if "job_id" not in proposal.sources:
        ids = [name for name in free if rows[name].is_unique().all() and not _fractions(rows[name])]
        if not ids:
            return None
        proposal.add("job_id", ids[0], "each value occurs once")
        free.remove(ids[0])
    _take_numbers(proposal, rows, free)
    needed = {"job_id", "submit_s", "nodes"} <= proposal.sources.keys()
    return proposal if needed and {"end_s", "runtime_s"} & proposal.sources.keys() else None


def _moments(rows: pl.DataFrame, settings: DropSettings, proposal: Proposal) -> dict[str, float]:
    """Columns that hold times, each with the mean of its first rows, in which all of them have one."""
    dated = [name for name in rows.columns if _is_time(rows[name])]
    texts = [rows[name].rename("t") for name in dated if rows[name].dtype == pl.String]
    order = settings.dates
    try:
        order = _dates.order_of(pl.concat(texts), order) if texts else order
    except Refusal:
        order = proposal.keys["dates"] = "day_first"
        proposal.why["dates"] = "not sure: the day or the month may be first"
    times = pl.DataFrame([find_moments(rows[name], settings.time_zone, order).alias(name) for name in dated])
    times = times.drop_nulls() if dated else times
    return {name: (times[name].mean() or 0) / MICROSECONDS for name in dated}


def _is_time(values: pl.Series) -> bool:
    if values.dtype in (pl.Datetime, pl.Date) or (
        values.dtype == pl.String and bool(values.str.contains(_dates.DATED).any())
    ):
        return True
    numbers = values.cast(pl.Float64, strict=False).drop_nulls() if values.dtype != pl.Boolean else values.clear()
    return len(numbers) > 0 and all(EPOCH_S[0] <= number <= EPOCH_S[1] for number in (numbers.min(), numbers.max()))


def _take_times(proposal: Proposal, names: Sequence[str]) -> None:
    """Propose times by their order: submission, start, end; of two, start and end."""
    roles = [role for role in TIMES if role not in proposal.sources]
    if len(names) == 2 and len(roles) == 3:
        proposal.add("submit_s", names[0], "not sure: the earlier of two times; is there no time of submission?")
        roles = roles[1:]
    words = dict(zip(TIMES, ("earliest", "next", "latest"), strict=True))
    chosen = [*names[: len(roles) - 1], names[-1]] if len(names) > len(roles) > 0 else names
    sure = "" if len(names) == len(roles) else "not sure: "
    for role, name in zip(roles, chosen, strict=False):
        proposal.add(role, name, f"{sure}times, the {words[role]} of each row")


def _take_numbers(proposal: Proposal, rows: pl.DataFrame, free: list[str]) -> None:
    """Propose nodes, memory, run time and limit by their words and numbers; each name is used once."""

    def hinted(column: str) -> str | None:
        return next((n for n in free if any(re.fullmatch(HINTS[column], part) for part in _guess.words_of(n))), None)

    for column in ("nodes", "used_memory_gb", "runtime_s", "walltime_s", "user"):
        name = None if column in proposal.sources else hinted(column)
        if column == "used_memory_gb" and name is None and column not in proposal.sources:
            sizes = (n for n in free if _guess.unit_of(n, column) or with_own_unit(rows[n], column))
            name = next(sizes, None)
        if column == "nodes" and name is None and column not in proposal.sources:
            counts = [n for n in free if not _fractions(rows[n]) and _least(rows[n]) >= 1]
            name = min(counts, key=lambda n: rows[n].cast(pl.Float64).max()) if counts else None
        if name is None:
            continue
        free.remove(name)
        unit = None if with_own_unit(rows[name], column) else _guess.unit_of(name, column)
        if column == "nodes":
            proposal.add(column, name, "not sure: whole numbers; do they count nodes, or cores (then: share: cores)?")
        elif column == "used_memory_gb":
            proposal.add(column, name, "not sure: is it the memory used, per node, in this unit?", unit or "GB")
        elif column == "user":
            proposal.add(column, name, "not sure: by its name")
        else:
            proposal.add(column, name, "not sure: by its name; is the unit right?", unit or "s")


def _fractions(values: pl.Series) -> bool:
    """Whether a column holds anything but whole numbers, or texts that are no numbers."""
    numbers = values.cast(pl.Float64, strict=False).drop_nulls()
    return bool((numbers != numbers.floor()).any()) or bool(values.cast(pl.String).str.contains(r"^\d+,\d+$").any())


def _least(values: pl.Series) -> float:
    """The least of a column of numbers; 0 where one is none."""
    numbers = values.cast(pl.Float64, strict=False)
    return 0 if numbers.null_count() else numbers.min()
