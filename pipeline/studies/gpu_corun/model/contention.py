"""Kernels that share SMs and bandwidth: what each reaches of its full speed (docs/models/gpu_corun.md)."""

from __future__ import annotations

from typing import NamedTuple

from numba import njit

from pipeline.simulation.easy import leaf
from pipeline.simulation.rules import Floats, Integers


class Machine(NamedTuple):
    """A GPU: streaming multiprocessors, DRAM bandwidth (GB/s), and what sharing costs (docs/models/gpu_corun.md)."""

    sms: int
    bandwidth_gbps: float
    knee: float
    latency: float
    switching_loss: float
    overlap: float
    resize_s: float


class Applications(NamedTuple):
    """Applications of a workload by position, in arrays of one length.

    ready_s: end of the set-up, seconds since the first arrival; loop_s: work, seconds alone under CUDA; dram_gbps:
    demand at full speed, at most the machine's; saturation: share of the SMs from which it is no faster; speed:
    progress of the loop at full speed, 1 under CUDA; kind: class of Table I, 0 to 4 for L_M/L_C, L_M/M_C, L_M/H_C, M_M
    and H_M; computing: intensity by the rate of computing alone, 0 to 2 for L, M and H.
    """

    ready_s: Floats
    loop_s: Floats
    dram_gbps: Floats
    saturation: Floats
    speed: Floats
    kind: Integers
    computing: Integers


@leaf
def latency_at(used, machine):
    """l(ρ): latency over that of an idle memory, at this share of the bandwidth."""
    if used <= machine.knee:
        return 1.0
    return 1.0 + machine.latency * (used - machine.knee) / (1.0 - machine.knee)


@leaf
def _reached(on, i, slower, machine, apps):
    """Share of full speed that an application reaches on so many SMs where memory makes it `slower` times as slow."""
    return min(1.0, on / machine.sms / (apps.saturation[i] * slower))


@leaf
def _slower(i, now, machine, apps):
    """How many times as slow memory of latency `now` makes an application as its own demand does."""
    return max(1.0, now / latency_at(apps.dram_gbps[i] / machine.bandwidth_gbps, machine))


@njit(cache=True, inline="always")
def progress(count, machine, apps, who, sms, shares):
    """Write to `shares` what the first `count` of the applications `who` reach of full speed on `sms` SMs side by side.

    Any number of them: the paper leaves open what more than two do to each other, and no equation is of two. Demands
    are summed in the order of `who`; one that pauses has 0 SMs.
    """
    demand = 0.0
    for k in range(count):
        shares[k] = _reached(sms[k], who[k], 1.0, machine, apps)
        demand += shares[k] * apps.dram_gbps[who[k]]
    now = latency_at(min(1.0, demand / machine.bandwidth_gbps), machine)
    if now > 1.0:
        demand = 0.0
        for k in range(count):
            shares[k] = _reached(sms[k], who[k], _slower(who[k], now, machine, apps), machine, apps)
            demand += shares[k] * apps.dram_gbps[who[k]]
    if demand > machine.bandwidth_gbps:
        granted = machine.bandwidth_gbps / demand
        for k in range(count):
            shares[k] *= granted


@leaf
def progress_of_two(a, b, on_a, on_b, machine, apps):
    """What applications a and b reach of full speed on so many SMs each: the numbers of `progress`, without arrays."""
    x_a, x_b = _reached(on_a, a, 1.0, machine, apps), _reached(on_b, b, 1.0, machine, apps)
    demand = x_a * apps.dram_gbps[a] + x_b * apps.dram_gbps[b]
    now = latency_at(min(1.0, demand / machine.bandwidth_gbps), machine)
    if now > 1.0:
        x_a = _reached(on_a, a, _slower(a, now, machine, apps), machine, apps)
        x_b = _reached(on_b, b, _slower(b, now, machine, apps), machine, apps)
        demand = x_a * apps.dram_gbps[a] + x_b * apps.dram_gbps[b]
    granted = machine.bandwidth_gbps / demand if demand > machine.bandwidth_gbps else 1.0
    return x_a * granted, x_b * granted
