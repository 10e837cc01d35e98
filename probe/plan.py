"""What is measured: each kernel on growing numbers of SMs, and every two of them side by side."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

ALONE, SPLIT, OVERLAP, TASK_SIZE = "alone", "split", "overlap", "task_size"
TASK_SIZES = (1, 2, 5, 10, 20, 50)
"""Tasks that a block pulls at once; 10 is Slate's."""
EVERY_COUNT_UP_TO = 32


@dataclass(frozen=True)
class Line:
    """One measurement.

    `sms` of the card are the kernel's, from the first on; a neighbour has all others, or with `overlap` both have all
    SMs and half of the places for blocks on each.
    """

    purpose: str
    kernel: str
    sms: int
    neighbour: str | None = None
    task_size: int = 1


def counts(sms: int) -> list[int]:
    """Numbers of SMs to measure: every one of a small card, some twenty of a large one, the halves and quarters in."""
    if sms <= EVERY_COUNT_UP_TO:
        return list(range(1, sms + 1))
    few = {1, 2, 3, 4, 6, 8, 10, 12, 16}
    even = {round(sms * part / 16) for part in range(2, 17)}
    return sorted(few | even | set(splits(sms)))


def splits(sms: int) -> list[int]:
    """SMs of the first of two kernels: a quarter, half, three quarters of the card, where these differ."""
    return sorted({max(1, sms // 4), sms // 2, sms - max(1, sms // 4)} - {0, sms})


def lines(kernels: Sequence[str], sms: int, seed: int) -> list[Line]:
    """Every measurement, shuffled: a card that warms up then slows all curves alike, not the end of each.

    Raises ValueError for a card of one SM, which cannot be shared by SMs.
    """
    if sms < 2:
        raise ValueError(f"the card has {sms} SM; two or more can be shared")
    made = [Line(ALONE, kernel, count) for kernel in kernels for count in counts(sms)]
    made += [Line(TASK_SIZE, kernel, sms, task_size=size) for kernel in kernels for size in TASK_SIZES]
    for kernel in kernels:
        for neighbour in kernels:
            made += [Line(SPLIT, kernel, count, neighbour) for count in splits(sms)]
            made.append(Line(OVERLAP, kernel, sms, neighbour))
    random.Random(seed).shuffle(made)
    return made


def text(line: Line, sms: int, places: dict[str, int]) -> str:
    """The line as the measuring program reads it; `places`: blocks of each kernel that fit on an SM.

    The neighbour has the SMs above the kernel's.
    """
    if line.purpose == OVERLAP:
        a, b = (f"{max(1, places[kernel] // 2)}" for kernel in (line.kernel, line.neighbour))
        return f"{line.kernel} 0 {sms} {line.task_size} {a} {line.neighbour} 0 {sms} {b}"
    beside = f" {line.neighbour} {line.sms} {sms} 0" if line.neighbour else ""
    return f"{line.kernel} 0 {line.sms} {line.task_size} 0{beside}"
