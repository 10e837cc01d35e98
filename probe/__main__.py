"""Measure this machine's GPU and leave a data drop: `python -m probe traces/my_card_probe`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from pipeline.runtime import storage
from probe import drop, plan
from probe.card import RealCard, Sample, SimulatedCard

PROGRAM = Path(__file__).parents[1] / "build" / "probe"

app = typer.Typer(add_completion=False)


@app.command()
def measure(
    target: Annotated[Path, typer.Argument(help="folder of the drop, as traces/my_card_probe; must not be there yet")],
    simulate: Annotated[bool, typer.Option(help="no GPU: a simulated card, marked as generated")] = False,
    seed: Annotated[int, typer.Option(help="seed of the order of the measurements, and of a simulated card")] = 1,
    scale: Annotated[float, typer.Option(min=1e-4, max=16, help="size of the problems; 1 suits a large card")] = 1.0,
    repetitions: Annotated[int, typer.Option(min=3, max=200, help="launches of a measurement at most")] = 15,
    seconds: Annotated[float, typer.Option(min=0.01, help="time of a measurement at most")] = 0.2,
    kernels: Annotated[list[str] | None, typer.Option("--kernel", help="this one only; may be repeated")] = None,
    program: Annotated[Path, typer.Option(help="the measuring program")] = PROGRAM,
) -> None:
    """Measure time against SMs of every kernel, alone and beside every other, and write tables that a replay reads.

    Nothing else should run on the card meanwhile. Exit codes: 0 written, 1 a kernel is wrong or the card fails, 2 wrong
    use.
    """
    try:
        if target.exists():
            raise FileExistsError(f"{target} is there already; name another folder or remove it")
        card = SimulatedCard(seed) if simulate else RealCard(program)
        facts = card.facts()
        facts = facts.only(kernels) if kernels else facts
        lines = plan.lines(sorted(facts.places), facts.sms, seed)
    except (FileExistsError, FileNotFoundError, ValueError) as error:
        _end(error, 2)
    except RuntimeError as error:
        _end(error, 1)
    print(facts.described, file=sys.stderr)
    try:
        wrong = card.check()
        if wrong:
            raise RuntimeError(f"wrong results on this card: {', '.join(wrong)}; nothing is measured")
        samples = _told(card.time(lines, scale, repetitions, seconds), len(lines))
        with storage.replacing_folder(target) as folder:
            drop.write(folder, card, facts, lines, samples, scale, None if simulate else date.today())
    except (RuntimeError, ValueError) as error:
        _end(error, 1)
    print(f"{target}: {len(lines)} measurements; apportion check {target}", file=sys.stderr)


def _told(samples: Iterable[Sample], lines: int) -> Iterator[Sample]:
    """The samples, with progress and the time left on the terminal every few seconds."""
    begun = told = time.monotonic()
    for sample in samples:
        now = time.monotonic()
        if now - told > 5 and sample.line:
            told = now
            left = (now - begun) / sample.line * (lines - sample.line)
            print(f"{sample.line} of {lines} measurements, about {left:.0f} s left", file=sys.stderr)
        yield sample


def _end(error: Exception, code: int) -> None:
    print(f"probe: {error}", file=sys.stderr)
    raise typer.Exit(code)


if __name__ == "__main__":
    app()
