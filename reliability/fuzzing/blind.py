"""Fuzzing without a view of the coverage: mutants of the seeds, one after the other, by a seeded generator."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from random import Random

from reliability.fuzzing.container import Files
from reliability.fuzzing.oracle import Fault
from reliability.fuzzing.targets import Target

KEPT = 200
"""Mutants that further ones are made of, beside the seeds."""


def inputs(target: Target, seed: int) -> Iterator[Files]:
    """The seeds of a target, then mutants of them and of one another without end."""
    random = Random(f"{target.name} {seed}")
    pool = list(target.seeds)
    yield from target.seeds
    while True:
        mutant = target.mutate(random.choice(pool), random)
        yield mutant
        if len(pool) < len(target.seeds) + KEPT:
            pool.append(mutant)
        elif random.random() < 0.05:
            pool[random.randrange(len(target.seeds), len(pool))] = mutant


def run(target: Target, seed: int, most: int, seconds: float = math.inf) -> tuple[int, dict[str, tuple[Fault, Files]]]:
    """Examine up to `most` inputs, in up to so many seconds of CPU time: how many, and the first of each fault."""
    found: dict[str, tuple[Fault, Files]] = {}
    until = time.process_time() + seconds
    count = 0
    for files in inputs(target, seed):
        if count >= most or time.process_time() > until:
            break
        fault = target.examine(files)
        count += 1
        if fault is not None:
            found.setdefault(fault.key, (fault, files))
    return count, found
