"""The card that a drop of GPU applications was taken on: stated, looked up by its name, or assumed and said so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from pipeline import gpus
from pipeline.drops import Drop, DropSettings
from pipeline.gpus import ASSUMED, LOOKED_UP, MEASURED, STATED
from pipeline.readers._items import Note, Whole, Yields
from pipeline.runtime.wording import listing

LENGTH = (
    "The length of a run is not known: a replay repeats each application until it takes 30 s alone, as the paper "
    "does. State `repetitions:` of what was profiled for another length."
)
PEAKS = ("peak_gflops", "bandwidth_gbps")


def card(
    settings: DropSettings, devices: Sequence[str] = (), *, sms: int | None = None, curves: bool = False
) -> dict[str, Any]:
    """A row of the table `gpus`, without the trace.

    devices: names in the profiles; sms: SMs in the table of kernels. A number of trace.yaml goes before one of a name
    in it, that before one of a name in a profile. Where neither tells the peaks, curves against SMs show the card and
    its kernels' rates count; else the first card of the table with so many SMs is assumed, and the paper's where none
    has so many.
    """
    named = gpus.find(settings.gpu) or next(filter(None, map(gpus.find, devices)), None)
    sms = settings.sms or sms
    guess = named or gpus.of_size(sms) or gpus.known()[gpus.PAPERS]
    origin = LOOKED_UP if named else ASSUMED
    row: dict[str, Any] = {"gpu": guess.name, "repetitions": settings.repetitions}
    for name in ("sms", *PEAKS):
        stated = sms if name == "sms" else getattr(settings, name)
        if stated is not None:
            row |= {name: stated, f"{name}_origin": STATED}
        elif curves and not named and name in PEAKS:
            row |= {name: None, f"{name}_origin": MEASURED}
        else:
            row |= {name: getattr(guess, name), f"{name}_origin": origin}
    # Numbers alone make no named card.
    if named is None and all(row[f"{name}_origin"] != ASSUMED for name in PEAKS):
        row["gpu"] = None
    return row


def declare(
    drop: Drop,
    kernels: pl.DataFrame,
    devices: Sequence[str] = (),
    *,
    curves: bool = False,
    whole_runs: bool = False,
) -> Yields[None]:
    """The card of a drop, and notes on what is known of it and what assumed.

    kernels: gflops, memory_gbps and gpu_sms of the drop's kernels, of which a class takes both rates;
    whole_runs: whether their times are of runs from their start.
    """
    profiled_sms = None if drop.settings.gpu_sms or devices else kernels["gpu_sms"].max()
    row = card(drop.settings, devices, sms=profiled_sms, curves=curves)
    yield Whole("gpus", pl.DataFrame([{"trace": drop.name} | row], infer_schema_length=None))
    if not kernels.select((pl.col("gflops").is_not_null() & pl.col("memory_gbps").is_not_null()).any()).item():
        return
    # Nsight Compute names a device by its number, which says nothing.
    strange = sorted({device for device in devices if not device.isdigit() and gpus.find(device) is None})
    if strange and ASSUMED in (row[f"{name}_origin"] for name in PEAKS):
        yield Note(drop.name, f"The profiles name {listing(strange, 3)}, of which pipeline/gpus/gpus.csv has no row.")
    yield Note(drop.name, sentence(row))
    if row["repetitions"] is None and not whole_runs:
        yield Note(drop.name, LENGTH)
    peak = row["peak_gflops"]
    above = int((kernels["gflops"].cast(pl.Float64) > peak).sum()) if peak else 0
    if above:
        yield Note(
            drop.name,
            f"{above} of {kernels.height} kernels compute faster than its peak without tensor cores; look at their "
            "unit (GFLOP/s), and at the card.",
        )


def sentence(row: dict[str, Any]) -> str:
    """What is known of a card, in words."""
    if row["peak_gflops_origin"] == MEASURED or row["bandwidth_gbps_origin"] == MEASURED:
        return (
            f"GPU of {row['sms']} SMs ({_origin(row, 'sms')}); the largest rates of its kernels are taken for what it "
            "can do, as there are curves."
        )
    name = row["gpu"] or "not named"
    numbers = (("sms", "SMs"), ("peak_gflops", "GFLOP/s"), ("bandwidth_gbps", "GB/s"))
    facts = ", ".join(f"{row[c]:g} {unit} ({_origin(row, c)})" for c, unit in numbers)
    if ASSUMED in (row["peak_gflops_origin"], row["bandwidth_gbps_origin"]):
        return f"GPU assumed: {name}, {facts}. State `gpu:`, or `peak_gflops:` and `bandwidth_gbps:`, in trace.yaml."
    return f"GPU: {name}, {facts}."


def _origin(row: dict[str, Any], column: str) -> str:
    return row[f"{column}_origin"].replace("_", " ")
