"""Output that the documentation shows, kept true: every documented query is asked again, and its answer pasted.

A document shows a query in a fenced block, in one of two ways: as a command, whose output follows in the same block,

    $ apportion query "SELECT …"
    ┌─────┐

(`apportion answer TRACE` likewise, where output follows), or as a block of SQL, which a block of text follows with the
first rows of its answer. A line

    <!-- output of another run: what it was taken from -->

above a block says that its output was not taken from the default run: it is left as it is.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pipeline.answers import text as answers
from pipeline.runtime.sources import ROOT
from pipeline.warehouse import load

DOCUMENTS = ("README.md", "docs/*.md", "docs/models/*.md")
ROWS = 8
"""Rows shown of the answer to a block of SQL; a command shows what it prints."""
_ANOTHER_RUN = re.compile(r"<!-- output of another run: .+ -->")


@dataclass(frozen=True)
class Query:
    """A documented query: its SQL or the traces it asks about, the output that is shown and where both stand."""

    line: int
    """Line of the document on which it begins, from 1."""
    sql: str | None
    traces: tuple[str, ...]
    output: tuple[str, ...]
    first: int
    last: int
    """The output is lines[first:last], with the fence around it where it has one of its own."""
    is_command: bool

    def asked(self, database: Path) -> str:
        """What the database answers, as a block of SQL or a command shows it."""
        if self.sql is None:
            return answers.answer(database, self.traces)
        return load.answer(database, self.sql, None if self.is_command else ROWS, threads=1)


def documents(root: Path = ROOT) -> list[Path]:
    """Documents whose queries are kept true."""
    return sorted(path for pattern in DOCUMENTS for path in root.glob(pattern))


def queries(text: str) -> list[Query]:
    """Documented queries of a document, those whose output is of another run left out."""
    lines = text.splitlines()
    fences = list(_fences(lines))
    found = []
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
            found.append(Query(start + 1, "\n".join(lines[start + 1 : end]), (), output, first, last, is_command=False))
        elif not language:
            found += _commands(lines, start + 1, end)
    return found


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
            traces = tuple(words[2:]) if words[:2] == ["apportion", "answer"] else ()
            output = tuple(lines[last:until])
            if sql or (traces and output):
                yield Query(prompt + 1, sql, traces, output, last, until, is_command=True)
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


def refresh(database: Path, *, check: bool = False, root: Path = ROOT) -> str:
    """Write every document's output as the database gives it; with `check` only say what would change.

    Returns a diff, empty where all is as it should be. Raises ValueError naming file and line of a query that cannot be
    answered.
    """
    parts = []
    for path in documents(root):
        name = path.relative_to(root).as_posix()
        found = path.read_text(encoding="utf-8")
        try:
            wanted = refreshed(found, lambda query: query.asked(database))
        except ValueError as error:
            raise ValueError(f"{name}, {error}") from error
        parts += difflib.unified_diff(
            found.splitlines(keepends=True), wanted.splitlines(keepends=True), name, f"{name} (from {database})"
        )
        if not check and wanted != found:
            path.write_text(wanted, encoding="utf-8")
    return "".join(parts)
