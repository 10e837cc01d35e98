"""Streams of random numbers: one of its own for each purpose, so that none depends on how much another was used."""

from __future__ import annotations

import zlib

import numpy as np


def stream(seed: int, *key: str | int) -> np.random.Generator:
    """Random stream of its own for a named purpose under a master seed."""
    words = [zlib.crc32(part.encode()) if isinstance(part, str) else part for part in key]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))
