"""From samples to a data drop: the tables `sm_curve`, `kernels` and `corun_pairs`, and every sample beside them."""

from __future__ import annotations

import csv
import gzip
import io
import statistics
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import combinations_with_replacement
from pathlib import Path

import yaml

from probe import plan
from probe.card import Card, Clock, Facts, Sample, Work

SM_CURVE = ("app", "sms", "beside", "time_s", "least_s", "most_s", "repetitions")
KERNELS = ("kernel", "gflops", "memory_gbps", "blocks", "launch_s", "integer_gops", "tasks")
PAIRS = ("app_a", "app_b", "slowdown_a", "slowdown_b", "alone_a_s", "alone_b_s", "corun_a_s", "corun_b_s")
MEASUREMENTS = ("purpose", "kernel", "sms", "beside", "task_size", "repetition", "time_s")

Timed = dict[plan.Line, list[float]]
"""Seconds of each launch of a line."""


def write(
    folder: Path,
    card: Card,
    facts: Facts,
    lines: Sequence[plan.Line],
    samples: Iterable[Sample],
    scale: float,
    day: date | None,
) -> None:
    """Write the drop into an empty folder.

    `day` is when it was measured, None where it was not. Raises ValueError where a line has no sample, or not all SMs
    of its team worked.
    """
    timed = _by_line(lines, samples)
    _table(folder / "sm_curve.csv", SM_CURVE, _curves(timed))
    _table(folder / "kernels.csv", KERNELS, _kernels(timed, facts, card.work(scale)))
    _table(folder / "corun_pairs.csv", PAIRS, _pairs(timed, facts))
    rows = [
        (line.purpose, line.kernel, line.sms, line.neighbour, line.task_size, repetition, time_s)
        for line, times in timed.items()
        for repetition, time_s in enumerate(times)
    ]
    _table(folder / "measurements.csv.gz", MEASUREMENTS, rows)
    settings = {
        "kind": "generated" if card.generated else "measured",
        "sms": facts.sms,
        "note": _note(card, facts, scale, day),
    }
    text = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True, width=120)
    (folder / "trace.yaml").write_text(text, encoding="utf-8")


def _by_line(lines: Sequence[plan.Line], samples: Iterable[Sample]) -> Timed:
    timed: Timed = {line: [] for line in lines}
    for sample in samples:
        line = lines[sample.line]
        if sample.sms_at_work != line.sms:
            raise ValueError(
                f"{sample.sms_at_work} of {line.sms} SMs have worked on {line.kernel}; larger problems (--scale) give "
                "every SM something to do"
            )
        timed[line].append(sample.time_s)
    empty = [line for line, times in timed.items() if not times]
    if empty:
        raise ValueError(f"{len(empty)} measurements are missing, the first is {empty[0]}")
    return timed


def _curves(timed: Timed) -> list[tuple]:
    """Medians against SMs, alone and beside each other kernel on the rest of the card."""
    rows = [
        (line.kernel, line.sms, line.neighbour, statistics.median(times), min(times), max(times), len(times))
        for line, times in timed.items()
        if line.purpose in (plan.ALONE, plan.SPLIT)
    ]
    return sorted(rows, key=lambda row: (row[0], row[2] or "", row[1]))


def _kernels(timed: Timed, facts: Facts, works: dict[str, Work]) -> list[tuple]:
    """Each kernel alone on the whole card, by what it counts itself; launch_s: time of one launch."""
    rows = []
    for kernel in sorted(facts.places):
        time_s = _alone(timed, kernel, facts.sms)
        work = works[kernel]
        rates = (work.flop / time_s / 1e9, work.bytes / time_s / 1e9)
        rows.append(
            (kernel, *rates, facts.places[kernel] * facts.sms, time_s, work.integer_ops / time_s / 1e9, work.tasks)
        )
    return rows


def _pairs(timed: Timed, facts: Facts) -> list[tuple]:
    """Two kernels that both have all SMs and half of the places for blocks on each, against either alone."""
    rows = []
    for a, b in combinations_with_replacement(sorted(facts.places), 2):
        alone = [_alone(timed, kernel, facts.sms) for kernel in (a, b)]
        beside = [
            statistics.median(timed[plan.Line(plan.OVERLAP, kernel, facts.sms, other)])
            for kernel, other in ((a, b), (b, a))
        ]
        rows.append((a, b, beside[0] / alone[0], beside[1] / alone[1], *alone, *beside))
    return rows


def _alone(timed: Timed, kernel: str, sms: int) -> float:
    return statistics.median(timed[plan.Line(plan.ALONE, kernel, sms)])


def _note(card: Card, facts: Facts, scale: float, day: date | None) -> str:
    when = f"measured on {day.isoformat()} by python -m probe" if day else "simulated, not measured"
    note = f"{facts.described}; {when}, problems of scale {scale:g}. {_clocks(card.clocks())}"
    return (
        note + "sm_curve: SMs from the first on, a neighbour on all others; corun_pairs: both on all SMs with half of "
        "the places for blocks on each. Rates are counted work over time."
    )


def _clocks(clocks: Sequence[Clock]) -> str:
    if not clocks:
        return ""
    mhz, degrees = [clock.sm_mhz for clock in clocks], [clock.temperature_c for clock in clocks]
    return (
        f"SM clock {min(mhz):.0f} to {max(mhz):.0f} MHz, median {statistics.median(mhz):.0f}; {min(degrees):.0f} to "
        f"{max(degrees):.0f} °C. "
    )


def _table(path: Path, names: Sequence[str], rows: Sequence[tuple]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(value) for value in row] for row in rows)
    content = text.getvalue().encode()
    # Without the time of packing: the same measurements make the same bytes.
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def _cell(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value
