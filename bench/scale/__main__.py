"""Ingests and fits large generated traces, each stage as a process: `python -m bench.scale --help`."""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from bench.measure import ChildFailed, child
from bench.scale import page
from bench.scale.cases import CASES
from bench.scale.record import Measurement, Stage, merged, save

log = logging.getLogger("bench.scale")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
LIMIT_S = 7200.0
MOST_REJECTED = 0.001
"""Share of the items of a trace that is measured although they were rejected."""


@app.command()
def main(
    only: Annotated[
        list[str] | None, typer.Option(help="trace to measure, may be given several times; all of them", metavar="NAME")
    ] = None,
    share: Annotated[
        list[float] | None, typer.Option(min=0, max=1, help="share of the full size, may be given several times")
    ] = None,
    scratch: Annotated[Path | None, typer.Option(help="folder for the traces, which are removed at once")] = None,
    record: Annotated[
        bool, typer.Option("--record", help="keep the figures and write docs/scale.md from all that are kept")
    ] = False,
) -> None:
    """Measure time and peak memory of ingest and fit at a tenth and at full size, and print their table."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    log.setLevel(logging.INFO)
    for name in only or ():
        if name not in CASES:
            raise typer.BadParameter(f"{name!r} is not a trace; known: {', '.join(CASES)}", param_hint="--only")
    found = []
    for name in only or CASES:
        for part in sorted(share or [0.1, 1.0]):
            with tempfile.TemporaryDirectory(prefix="apportion-scale-", dir=scratch) as folder:
                found.append(measured(name, part, Path(folder)))
            log.info("%s", found[-1])
    if record:
        save(found)
        page.write()
    typer.echo(page.table(merged([], found)))


def measured(name: str, share: float, folder: Path) -> Measurement:
    """Make the trace in `folder` and take both stages as processes; one that fails says why in its note.

    Raises RuntimeError where many rows were rejected, since then not all were read; Marconi100 has its faults.
    """
    drop, ingested, fitted = folder / "drop", folder / "ingested", folder / "fitted"
    items = CASES[name].make(drop, share)
    size = sum(file.stat().st_size for file in drop.rglob("*") if file.is_file())
    log.info("%s: %d %s, %.2f GB on disk", name, items, CASES[name].items, size / 1e9)
    command = [sys.executable, "-m", "pipeline", "--quiet"]
    stages = {}
    for stage, arguments in (
        ("ingest", ["ingest", drop, "--target", ingested]),
        ("fit", ["fit", ingested, "--target", fitted]),
    ):
        try:
            done = child([*command, *arguments], LIMIT_S)
        except (ChildFailed, TimeoutError) as problem:
            stages[stage] = Stage(None, None, None, str(problem))
            break
        stages[stage] = Stage(done.wall_s, done.cpu_s, done.peak_gb)
        rejected = pl.read_parquet(ingested / "rejected_rows.parquet")
        if rejected.height > MOST_REJECTED * items:
            raise RuntimeError(f"{name}: {rejected.height} rows were rejected, the first as {rejected.row(0)}")
    return Measurement(name, share, items, size / 1e9, stages)


if __name__ == "__main__":
    app()
