"""How many blocks of a kernel a GPU holds at once.

Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and data sheets of the devices.
"""

from __future__ import annotations

import polars as pl

from pipeline import gpus

LIMITS = {
    "3.5": (2048, 16, 65536, 49152),
    "3.7": (2048, 16, 131072, 114688),
    "5.0": (2048, 32, 65536, 65536),
    "5.2": (2048, 32, 65536, 98304),
    "6.0": (2048, 32, 65536, 65536),
    "6.1": (2048, 32, 65536, 98304),
    "7.0": (2048, 32, 65536, 98304),
    "7.5": (1024, 16, 65536, 65536),
    "8.0": (2048, 32, 65536, 167936),
    "8.6": (1536, 16, 65536, 102400),
    "8.9": (1536, 24, 65536, 102400),
    "9.0": (2048, 32, 65536, 233472),
}
"""Threads, blocks, registers and bytes of shared memory of an SM, by compute capability."""
WARP = 32
REGISTER_UNIT = 256
SHARED_UNIT = 256


def known_device(device: str | None, sms: int | None, capability: str | None) -> tuple[int, str] | None:
    """SMs and compute capability of a device as printed (`NVIDIA A100-SXM4-40GB (0)`); what is given goes before."""
    named = gpus.find(device)
    sms, capability = sms or (named and named.sms), capability or (named and named.capability)
    return (sms, capability) if sms and capability in LIMITS else None


def waves(blocks: pl.Expr, threads: pl.Expr, registers: pl.Expr, shared_b: pl.Expr, gpu: tuple[int, str]) -> pl.Expr:
    """Blocks of a launch over those that all SMs hold at once.

    registers: of a thread; shared_b: shared memory of a block (B). Registers are handed out by the warp, 256 at a time,
    shared memory 256 B at a time. Null where a block does not fit on an SM.
    """
    sms, capability = gpu
    most_threads, most_blocks, most_registers, most_shared = LIMITS[capability]
    warps = (threads / WARP).ceil()
    of_warp = (registers * WARP / REGISTER_UNIT).ceil() * REGISTER_UNIT
    of_block = (shared_b / SHARED_UNIT).ceil() * SHARED_UNIT
    resident = pl.min_horizontal(
        pl.lit(float(most_blocks)),
        (most_threads / (warps * WARP)).floor(),
        ((most_registers / of_warp).floor() / warps).floor(),
        (most_shared / of_block).floor(),
    )
    return pl.when(resident >= 1).then(blocks / (sms * resident))
