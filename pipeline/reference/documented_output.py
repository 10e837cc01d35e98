"""Output that the documentation shows, kept true: every documented query is asked again, and its answer pasted.

A document shows a query in a fenced block, in one of two ways: as a command, whose output follows in the same block,

    $ apportion query "SELECT …"
    ┌─────┐

(`apportion answer TRACE` and `apportion status` likewise, where output follows), or as a block of SQL, which a block of
text follows with the first rows of its answer. A line

    <!-- output of another run: what it was taken from -->

above a block says that its output was not taken from the default run: it is left as it is.

A document shows a figure of the default run by the name of its picture, docs/images/<study>.<figure>.svg; the title of
the figure is the picture's text, and stands below it in italics.
"""

from __future__ import annotations

import difflib
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pipeline.report import answers
from pipeline.runtime.database import connect
from pipeline.runtime.sources import ROOT
from pipeline.warehouse import load, status

DOCUMENTS = ("README.md", "docs/*.md", "docs/[!f]*/*.md")
ROWS = 8
"""Rows shown of the answer to a block of SQL; a command shows what it prints."""
WIDTH = 120
SHORT = "--short"
_PICTURE = re.compile(r"!\[[^\]]*\]\((?P<path>[\w/]*images/(?P<study>\w+)\.(?P<name>\w+)\.svg)\)\n\n\*[^*]*\*\n")
_ANOTHER_RUN = re.compile(r"<!-- output of another run: .+ -->")


@dataclass(frozen=True)
class Query:
    """A documented query: its SQL, or the traces it asks about (neither: the status), its output, where both are."""

    line: int
    """Line of the document on which it begins, from 1."""
    sql: str | None
    traces: tuple[str, ...]
    output: tuple[str, ...]
    first: int
    last: int
    """The output is lines[first:last], with the fence around it where it has one of its own."""
    is_command: bool
    short: bool = False
    """Whether the answers are asked for in their short form."""

    def asked(self, database: Path) -> str:
        """What the database answers, as a block of SQL or a command shows it."""
        if self.sql is None:
            if not self.traces:
                return status.summary(database)
            return answers.text(database, self.traces, short=self.short)
        return load.answer(database, self.sql, None if self.is_command else ROWS, threads=1)


def documents(root: Path = ROOT) -> list[Path]:
    """Documents whose queries are kept true."""
    return sorted(path for pattern in DOCUMENTS for path in root.glob(pattern))


def queries(text: str) -> list[Query]:
    """Documented queries of a document, those whose output is of another run left out."""
    lines = text.splitlines()
    fences = list(_fences(lines))
    given = []
    for number, (start, end) in enumerate(fences):
        above = next((line for line in reversed(lines[:start]) if line.strip()), "")
        if _ANOTHER_RUN.fullmatch(above.strip()):
            continue
        language = lines[start][3:].strip()
        if language == "sql":
            after = next(
                (fence for fence in fences[number + 1 :] if not "".join(lines[end + 1 : fence[0]]).strip()), None
            )
            shown = after if after and lines[after[0]].strip() == "```text" else None
            first, last = (end + 1, shown[1] + 1) if shown else (end + 1, end + 1)
            output = tuple(lines[shown[0] + 1 : shown[1]]) if shown else ()
            given.append(Query(start + 1, "\n".join(lines[start + 1 : end]), (), output, first, last, is_command=False))
        elif not language:
            given += _commands(lines, start + 1, end)
    return given


def _fences(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Lines at which the fenced blocks begin and end."""
    start = None
    for number, line in enumerate(lines):
        if start is None and line.startswith("```"):
            start = number
        elif start is not None and line.strip() == "```":
            yield start, number
            start = None


def _commands(lines: list[str], start: int, end: int) -> Iterator[Query]:
    """Commands of a block that ask the database of the default run."""
    prompts = [number for number in range(start, end) if lines[number].startswith("$ ")]
    for prompt, until in pairwise([*prompts, end]):
        for last in range(prompt + 1, until + 1):
            try:
                words = shlex.split("\n".join(lines[prompt:last])[2:], comments=True)
            except ValueError:
                # The quotes are still open: the command goes on.
                continue
            sql = words[2] if words[:2] == ["apportion", "query"] and len(words) == 3 else None
            asked = words[2:] if words[:2] == ["apportion", "answer"] else []
            traces, short = tuple(name for name in asked if name != SHORT), SHORT in asked
            output = tuple(lines[last:until])
            if sql or (output and (traces or words == ["apportion", "status"])):
                yield Query(prompt + 1, sql, traces, output, last, until, is_command=True, short=short)
            break


def refreshed(text: str, asked: Callable[[Query], str]) -> str:
    """The document with each query's output as `asked` gives it.

    Raises ValueError naming the line of a query that cannot be answered.
    """
    lines = text.splitlines()
    for query in reversed(queries(text)):
        try:
            output = asked(query).splitlines()
        except ValueError as error:
            raise ValueError(f"line {query.line}: {error}") from error
        lines[query.first : query.last] = output if query.is_command else ["", "```text", *output, "```"]
    return "\n".join(lines) + "\n"


def pictures(text: str, titles: Callable[[str], str]) -> str:
    """The document with the title of each figure that it shows, which `titles` gives for `<study>/<figure>`."""

    def shown(match: re.Match[str]) -> str:
        title = titles(f"{match['study']}/{match['name']}")
        below = "\n".join(textwrap.wrap(f"*{title}*", WIDTH))
        return f"![{title}]({match['path']})\n\n{below}\n"

    return _PICTURE.sub(shown, text)


def refresh(database: Path, *, check: bool = False, root: Path = ROOT) -> str:
    """Write every document's output and pictures as the database gives them; with `check` only say what would change.

    Returns a diff, empty where all is as it should be. Raises ValueError naming file and line of a query that cannot be
    answered, or a figure that is none.
    """
    parts = []
    drawn: dict[str, str] = {}

    def title_of(figure: str) -> str:
        title, drawn[figure] = _figure(database, figure)
        return title

    for path in documents(root):
        name = path.relative_to(root).as_posix()
        old = path.read_text(encoding="utf-8")
        try:
            wanted = pictures(refreshed(old, lambda query: query.asked(database)), title_of)
        except ValueError as error:
            raise ValueError(f"{name}, {error}") from error
        parts += _replace(path, name, old, wanted, f"{name} (from {database})", check=check)
    for figure, svg in sorted(drawn.items()):
        path = root / "docs" / "images" / f"{figure.replace('/', '.')}.svg"
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        name = path.relative_to(root).as_posix()
        if _replace(path, name, old, svg, str(database), check=check):
            parts.append(f"{name}: figure {figure} of {database} looks otherwise\n")
    return "".join(parts)


def _replace(path: Path, name: str, old: str, wanted: str, source: str, *, check: bool) -> list[str]:
    """The difference between what was found in a file and what is wanted there, which is written unless `check`."""
    if wanted == old:
        return []
    if not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8")
    lines = (text.splitlines(keepends=True) for text in (old, wanted))
    return list(difflib.unified_diff(*lines, name, source))


def _figure(database: Path, name: str) -> tuple[str, str]:
    """Title and SVG of a figure of the database. Raises ValueError for a name of none, or a figure without data."""
    # Drawing is loaded by who asks for a picture only.
    from pipeline.report import figures

    known = figures.functions()
    if name not in known:
        raise ValueError(f"there is no figure {name!r}")
    with connect(database, read_only=True) as connection:
        figure = known[name](connection)
    if figure.chart is None:
        raise ValueError(f"figure {name} has no data: {figure.absent}")
    return figure.title, figures.svg(figure)
