"""Sizes of memory in words: amounts per node, or multiples of a mean that is assumed and that nobody states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pipeline.runtime.quantities import memory_unit, number

FEWEST_BLOCKS = 5
"""Blocks below which the study gives no interval."""


class Sizes(NamedTuple):
    """How the sizes of a workload are said.

    unit: what the log counts, node or core; mean_gb: the assumed mean that sizes are multiples of, None: of none.
    """

    unit: str = "node"
    mean_gb: float | None = None

    @property
    def each(self) -> str:
        """What follows an amount."""
        return "the mean memory that its jobs use" if self.mean_gb else f"per {self.unit}"

    def scaled(self, *gb: float) -> tuple[list[str], str]:
        """Sizes as numbers of one unit, and the unit."""
        if self.mean_gb:
            return [f"{each / self.mean_gb:.3g}" for each in gb], "times"
        unit, size = memory_unit(*gb)
        return [number(each / size) for each in gb], unit

    def range(self, least_gb: float, most_gb: float) -> str:
        """Sizes from one to another, `105–147 GB` or `1–1.4 times the mean`."""
        numbers, unit = self.scaled(least_gb, most_gb)
        the_mean = " the mean" if self.mean_gb else ""
        return f"{'–'.join(dict.fromkeys(numbers))}\u00a0{unit}{the_mean}"

    def enough(self, kept: Mapping[str, Any]) -> str:
        """The least memory that is enough with its interval, `133.9 GB (128.6–178.5) per node`.

        kept: a row of smallest_memory_for_loss that has a size.
        """
        ends = [kept[name] for name in ("memory_lo_gb", "memory_hi_gb")]
        (size, *known), unit = self.scaled(kept["memory_per_node_gb"], *(end for end in ends if end is not None))
        lo, hi = (None if end is None else known.pop(0) for end in ends)
        smallest = ", the smallest tried" if kept["at_most"] else ""
        return (
            f"{'≤ ' if kept['at_most'] else ''}{size}\u00a0{unit} ({_within(lo, hi, kept['blocks'])}) "
            f"{self.each}{smallest}"
        )


def _within(lo: str | None, hi: str | None, blocks: int) -> str:
    """An interval in words, also one of which the sizes that were tried leave an end open."""
    if lo and hi:
        return f"{lo}–{hi}"
    if lo or hi:
        return f"above {lo}" if lo else f"up to {hi}"
    return "no interval" if blocks < FEWEST_BLOCKS else "interval beyond the sizes tried"
