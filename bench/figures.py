"""Figures of a benchmark: times of calls, and the lines of the table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One figure: a number per run, in `unit`. Without numbers the figure is absent, and `note` says why."""

    name: str
    values: Sequence[float]
    unit: str
    note: str = ""


def ratio(name: str, numerator: Sequence[float], denominator: Sequence[float], note: str = "") -> Figure:
    """How many times the one is the other, run by run."""
    return Figure(name, [a / b for a, b in zip(numerator, denominator, strict=True)], "times", note)


def rate(name: str, count: float, seconds: Sequence[float], unit: str, note: str = "") -> Figure:
    """How many of something a second, from the time that all of it takes."""
    return Figure(name, [count / s for s in seconds], f"{unit}/s", note)


def alternating(calls: Mapping[str, Callable[[], object]], runs: int) -> dict[str, list[float]]:
    """CPU seconds of several calls in turn, so that other work of the machine meets all of them alike.

    The first call of each is not counted, since it compiles and fills caches.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(runs):
        for name, call in calls.items():
            began = time.process_time()
            call()
            times[name].append(time.process_time() - began)
    return times


def line(figure: Figure) -> str:
    """A line of the table: name, median, unit, range over the runs, note."""
    middle = _number(statistics.median(figure.values)) if figure.values else "absent"
    spread = f"{_number(min(figure.values))} – {_number(max(figure.values))}" if len(figure.values) > 1 else ""
    return f"  {figure.name:<34}{middle:>14} {figure.unit:<12}{spread:<26}{figure.note}".rstrip()


def text(name: str, figures: Iterable[Figure]) -> str:
    """The table of a benchmark."""
    return "\n".join([name, *map(line, figures)])


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:.3g}"
