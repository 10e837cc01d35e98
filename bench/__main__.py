"""Runs the benchmarks and prints their table: `python -m bench --help`."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from bench import benchmarks, gate, origin, page, record, results
from bench.results import Figure
from bench.settings import Settings
from pipeline.runtime import storage

log = logging.getLogger("bench")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def main(
    only: Annotated[
        list[str] | None,
        typer.Option(help="benchmark to run, may be given several times; by default all", metavar="NAME"),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="runs of each measurement; of long ones about half as many")] = 5,
    output: Annotated[Path, typer.Option(help="table of the figures, Parquet")] = Path("results/bench.parquet"),
    keep: Annotated[
        bool, typer.Option("--record", help="keep the figures and write the page Performance from all that are kept")
    ] = False,
    against: Annotated[
        Path | None, typer.Option(help="committed ratios to hold the run against; exit code 1 where one is worse")
    ] = None,
    renew: Annotated[
        bool, typer.Option("--renew", help="write the run's ratios into the file of --against instead of judging it")
    ] = False,
    tiny: Annotated[
        bool, typer.Option("--tiny", help="sizes of a few jobs, to see that everything runs; the figures mean nothing")
    ] = False,
) -> None:
    """Measure times and peak memory, and peers beside them; medians over the runs, with the range."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    log.setLevel(logging.INFO)
    known = benchmarks.found()
    for name in only or ():
        if name not in known:
            raise typer.BadParameter(f"{name!r} is not a benchmark; known: {', '.join(known)}", param_hint="--only")
    if renew and against is None:
        raise typer.BadParameter("--renew needs the file of ratios: --against bench/ratios.csv", param_hint="--renew")
    ratios = None if against is None else gate.load(against)
    chosen = only or known
    measured = []
    with tempfile.TemporaryDirectory(prefix="apportion-bench-") as scratch:
        settings = Settings(runs, Path(scratch), tiny=tiny)
        for name, module in known.items():
            if name not in chosen:
                continue
            log.info("%s: %s", name, (module.__doc__ or "").splitlines()[0])
            before = os.getloadavg()[0]
            figures = list(module.run(settings))
            measured.append(results.table(name, [_machine([before, os.getloadavg()[0]]), *figures]))
    frame = pl.concat(measured)
    storage.write(frame, output)
    typer.echo(results.text(frame))
    if keep:
        record.save(frame, record.RECORD)
        page.write()
    log.info("written to %s", output)
    if ratios is None:
        return
    if renew:
        with storage.replacing_file(against) as part:
            gate.renewed(frame, ratios).write_csv(part)
        return
    verdict = gate.judge(frame, ratios)
    typer.echo(verdict.text())
    raise typer.Exit(1 if verdict.worse else 0)


def _machine(load: list[float]) -> Figure:
    """What a benchmark was measured on, and what else the machine did."""
    of = ", ".join(filter(None, (origin.day(), origin.commit(), origin.machine())))
    return Figure("load", load, "processes", f"{of}; mean over a minute, before and after")


if __name__ == "__main__":
    app()
