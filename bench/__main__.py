"""Runs the benchmarks and prints their tables: `python -m bench --help`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from bench import easy, readers, replays
from bench.figures import text

BENCHMARKS = {"easy": easy.run, "readers": readers.run, "replays": replays.run}
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    only: Annotated[list[str] | None, typer.Option(help="benchmark to run, may be given several times")] = None,
    runs: Annotated[int, typer.Option(min=1, help="runs of each measurement")] = 3,
    *,
    tiny: Annotated[bool, typer.Option("--tiny", help="a few jobs, to see that everything runs")] = False,
) -> None:
    """Measure replays, readers and EASY backfilling; medians over the runs, with the range and ratios."""
    for name in only or BENCHMARKS:
        if name not in BENCHMARKS:
            raise typer.BadParameter(f"{name!r} is not a benchmark; known: {', '.join(BENCHMARKS)}")
        with tempfile.TemporaryDirectory(prefix="apportion-bench-") as scratch:
            typer.echo(text(name, BENCHMARKS[name](runs, Path(scratch), tiny=tiny)))


if __name__ == "__main__":
    app()
