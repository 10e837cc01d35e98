"""Words for canonical columns, with units: what columns of an unknown table may be, by their names alone.

The words stand in names.yaml. Nothing is read by them: they propose a trace.yaml.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from pipeline.drops import PLACEHOLDER, TIME_UNITS, UNKNOWN_UNIT, ColumnSource
from pipeline.runtime.wording import CONTROL

NOT_PLAIN = ("y", "n", "yes", "no", "on", "off", "null", "true", "false")
"""Words that YAML takes for something else than text."""


@cache
def _table() -> dict:
    return yaml.safe_load(Path(__file__).with_name("names.yaml").read_text(encoding="utf-8"))


@cache
def _words(column: str) -> dict[str, str | None]:
    """The words for a column, the likeliest first, each with the unit of its numbers where it says one."""
    words: dict[str, str | None] = {}
    for word in _table()["columns"].get(column, ()):
        words |= word if isinstance(word, dict) else {word: None}
    return words | {f"{word}pernode": None for word in words} if column.endswith("memory_gb") else words


def candidates(names: Iterable[str], column: str, words_of: str | None = None) -> list[str]:
    """The names that may be a canonical column by its words (or those of `words_of`), the likeliest first."""
    rank = {word: number for number, word in enumerate(_words(words_of or column))}
    known = [name for name in names if _bare(name, column) in rank]
    return sorted(known, key=lambda name: rank[_bare(name, column)])


def columns(names: Sequence[str], wanted: Iterable[str]) -> dict[str, ColumnSource]:
    """Which of the names may be each wanted canonical column, each once; columns that no word points to are absent."""
    chosen: dict[str, ColumnSource] = {}
    free = list(names)
    for column in wanted:
        maybe = [column] if column in free else candidates(free, column)
        if maybe:
            chosen[column] = source(maybe[0], column)
            free.remove(maybe[0])
    return chosen


def source(name: str, column: str) -> ColumnSource:
    """A column of a table as a canonical one, in the unit that its name or the word for it states."""
    unit = None if name == column else _unit_of(name, column) or _words(column).get(_bare(name, column))
    return ColumnSource(**{"from": [name], "unit": None if unit == _canonical_unit(column) else unit})


def counted(names: Iterable[str], column: str) -> tuple[str, dict[str, str]] | None:
    """The only name that counts something else in the place of a column, and the key of trace.yaml that says what."""
    known = _table()["counted"].get(column)
    matching = [name for name in names if known and _bare(name, column) in known["words"]]
    return (matching[0], known["key"]) if len(matching) == 1 else None


def mapping(sources: Mapping[str, ColumnSource], sure: Container[str] = ()) -> str:
    """The columns as `columns:` in trace.yaml takes them; sure: those whose units are right.

    Memory whose unit no name tells has UNKNOWN_UNIT, which is to be replaced.
    """
    parts = []
    for column, of in sources.items():
        text = quoted(of.names[0]) if len(of.names) == 1 else f"[{', '.join(map(quoted, of.names))}]"
        open_unit = column.endswith("_gb") and column not in sure and of.names[0] not in (column, PLACEHOLDER)
        unit = UNKNOWN_UNIT if open_unit and not _unit_of(of.names[0], column) else of.unit
        text = text if unit is None else f"{{from: {text}, unit: {quoted(unit)}}}"
        parts += [f"{column}: {text}"] if text != column else []
    return f"{{{', '.join(parts)}}}"


def quoted(name: str) -> str:
    """A name as YAML takes it."""
    plain = re.fullmatch(r"[A-Za-z_][\w-]*", name) and name.lower() not in NOT_PLAIN
    return name if plain else json.dumps(name, ensure_ascii=bool(re.search(CONTROL, name)))


def _unit_of(name: str, column: str) -> str | None:
    """The unit that a name ends in and that fits the column, as `MB` in `PeakMem_MB` or `reqmem (MB)`."""
    last = _parts(name)[1:][-1:]
    return next((_table()["units"][part] for part in last if _fits(part, column)), None)


def _canonical_unit(column: str) -> str | None:
    return "GB" if column.endswith("_gb") else "s" if _of_time(column) else None


def _bare(name: str, column: str) -> str:
    """The words of a name in lower case, joined, without a unit that fits the column."""
    parts = _parts(name)
    if len(parts) > 1 and _fits(parts[-1], column):
        parts = parts[:-1]
    return "".join(parts)


def _parts(name: str) -> list[str]:
    units = _table()["units"]
    words = [word for word in re.split(r"[\W_]+", name) if word]
    # `kB` and `GiB` are one word, `PeakMem` and `limitMin` are two.
    split = [[word] if word.lower() in units else re.split(r"(?<=[a-z])(?=[A-Z])", word) for word in words]
    parts = [part.lower() for parts in split for part in parts]
    # `mem (GB per node)` is the same as `mem per node (GB)`.
    return [*parts[:-3], *parts[-2:], parts[-3]] if parts[-2:] == ["per", "node"] and parts[-3:][0] in units else parts


def _fits(word: str, column: str) -> bool:
    """Whether a word is a unit, of time for a time, or of memory for memory."""
    unit = _table()["units"].get(word)
    if unit is None:
        return False
    return unit in TIME_UNITS if _of_time(column) else unit not in TIME_UNITS and column.endswith("_gb")


def _of_time(column: str) -> bool:
    return column.endswith("_s") and not column.endswith("_per_s")
