"""What a page of the documentation shows: files by the titles of their blocks, and commands with their output."""

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.runtime.sources import ROOT

DOCS = ROOT / "docs"
FORMATS = DOCS / "formats"
_BLOCK = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: language, title (None: no file) and text."""

    language: str
    title: str | None
    text: str


@dataclass(frozen=True)
class Command:
    """A command of a console block, without its prompt, and the output that is shown below it."""

    line: str
    output: str

    def run(self) -> tuple[str, int]:
        """Standard output and exit code of a verb of the package, in the working directory."""
        words = shlex.split(self.line)
        assert words[0] == "apportion", f"not a verb of the package: {self.line}"
        result = CliRunner().invoke(app, words[1:])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.stdout.rstrip(), result.exit_code


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    matches = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [Block(language, title or None, text) for language, title, text in matches]


def commands(page: Path) -> Iterator[Command]:
    """The commands of the page's console blocks."""
    for block in blocks(page):
        if block.language == "console":
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                yield _command(part.splitlines())


def _command(lines: list[str]) -> Command:
    """The command that lines begin with, which goes on for as long as a quotation is open, and what is below it."""
    for end in range(1, len(lines) + 1):
        with contextlib.suppress(ValueError):
            shlex.split("\n".join(lines[:end]))
            return Command("\n".join(lines[:end]), "\n".join(lines[end:]).rstrip())
    raise ValueError(f"the quotation in {lines[0]!r} never ends")


def write_files(page: Path, folder: Path) -> None:
    """Write the page's titled blocks below `folder`; a Python block is run beside what it writes, and taken away."""
    for block in blocks(page):
        if block.title is None:
            continue
        path = folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if path.name == "make.py":
            subprocess.run([sys.executable, path.name], cwd=path.parent, check=True)
            path.unlink()
