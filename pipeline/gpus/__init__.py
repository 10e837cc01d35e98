"""Common GPUs by the name that profilers print: gpus.csv, one row a card with the source of its numbers.

A card that is not in the table is stated by its numbers (`sms`, `peak_gflops`, `bandwidth_gbps`), or added as a row.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("gpus.csv")
PAPERS = "TITAN Xp"
"""The card that Slate's thresholds are stated on, assumed where nothing is known of another."""
STATED, LOOKED_UP, MEASURED, ASSUMED, PUBLISHED = "stated", "looked_up", "measured", "assumed", "published"
"""Where a number of a card comes from: trace.yaml or the configuration, the table by a name, rates of kernels that show
the card, nothing that is known of it, or the paper."""


class Gpu(NamedTuple):
    """A card: streaming multiprocessors, compute capability, peak single-precision rate (GFLOP/s) without tensor cores,
    and peak bandwidth of its memory (GB/s)."""

    name: str
    sms: int
    capability: str
    peak_gflops: float
    bandwidth_gbps: float
    source: str


@cache
def known() -> dict[str, Gpu]:
    """The cards of the table, by name."""
    with TABLE.open(encoding="utf-8", newline="") as rows:
        return {
            row["name"]: Gpu(
                row["name"],
                int(row["sms"]),
                row["capability"],
                float(row["peak_gflops"]),
                float(row["bandwidth_gbps"]),
                row["source"],
            )
            for row in csv.DictReader(rows)
        }


def find(device: str | None) -> Gpu | None:
    """The card of a device as printed (`NVIDIA A100-SXM4-40GB (0)`), None where the table has none of this name."""
    name = re.sub(r"^NVIDIA | \(\d+\)$", "", (device or "").strip(), flags=re.IGNORECASE).casefold()
    return next((gpu for gpu in known().values() if gpu.name.casefold() == name), None)


def of_size(sms: int | None) -> Gpu | None:
    """The first card of the table with so many SMs."""
    return next((gpu for gpu in known().values() if gpu.sms == sms), None)
