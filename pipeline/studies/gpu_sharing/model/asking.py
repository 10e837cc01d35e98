"""Scenarios as arrays, and what a rule is told of one of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.rules import Flags, Floats, FloatTable, Integers
from pipeline.studies.gpu_sharing.rules import Mix


class Batch(NamedTuple):
    """Scenarios on GPUs of one size; the slots of scenario s are first_slot[s] to first_slot[s + 1]. IPC throughout."""

    sms: int
    first_slot: Integers
    seed: Integers
    """One per scenario, as all up to `migrate_cycles`."""
    gives_spare: Flags
    midpoint: Flags
    clock_row: Integers
    """Row of `clock`."""
    freeing: Integers
    """How an SM is freed, a place in moving.WAYS."""
    migrate_cycles: Floats
    curve: Integers
    """Row of `ipc`; one per slot, as all up to `measured`."""
    cooperative: Floats
    pressure: Floats
    gamma: Floats
    known_gamma: Floats
    """What a rule is to see of `gamma`."""
    block_cycles: Floats
    target: Floats
    """0: none."""
    clock_speedup: Floats
    held: Integers
    """SMs in the last round, and what was measured in it: engines write them."""
    measured: Floats
    ipc: FloatTable
    """Alone on 0, 1, …, S SMs."""
    clock: FloatTable
    """Clocks of the SMs, the fastest first; row 0 is 1 throughout."""
    layouts: Integers
    """Layouts of MIG slices (Mix.layouts) for each number k of applications, from first_layout[k] to the next."""
    first_layout: Integers
    memory: FloatTable
    """Room of rules, for as many slots as the largest mix has."""


@njit(inline="always")
def mix_of(batch, s, rounds, now_cycles, profile, expected):
    """What a rule is told of scenario s; `expected` is what it decides by."""
    a, b = batch.first_slot[s], batch.first_slot[s + 1]
    return Mix(
        batch.sms, batch.seed[s], rounds, now_cycles, profile, expected, batch.cooperative[a:b], batch.pressure[a:b],
        batch.known_gamma[a:b], batch.block_cycles[a:b], batch.target[a:b], batch.gives_spare[s], batch.midpoint[s],
        batch.held[a:b], batch.measured[a:b], batch.clock[batch.clock_row[s]], batch.clock_speedup[a:b],
        batch.layouts[batch.first_layout[b - a] : batch.first_layout[b - a + 1]], batch.memory[: b - a],
    )  # fmt: skip


@njit(cache=True)
def ask(rule, which, batch, split):
    """The split that a rule chooses for each of the scenarios `which` before anything runs, to `split`."""
    for s in which:
        a, b = batch.first_slot[s], batch.first_slot[s + 1]
        split[a:b] = 0
        batch.memory[: b - a] = 0.0
        profile = batch.ipc[batch.curve[a:b]]
        rule(mix_of(batch, s, 0, 0.0, profile, profile), split[a:b])


@njit(cache=True)
def uses_all(sms, split):
    """Whether each has an SM at least and all SMs are used."""
    return split.min() >= 1 and split.max() <= sms and split.sum() == sms


@njit(cache=True)
def room_for(needed, array):
    """The array, or a longer one that begins with it."""
    while needed > len(array):
        array = np.concatenate((array, np.empty_like(array)))
    return array
