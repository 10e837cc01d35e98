"""What a scheduler of this study is: a rule that allocates tasks to partitions.

A rule asks what it wants to know: `least_size`, `holds` and `load` of model, whose `members_of` lists the tasks of a
partition as these take them. The heuristics may begin or end it, too: `merge` of schedulers/_merging.py and `mend` of
schedulers/local_search.py. Rules are compiled by numba, or run as plain Python (simulation/rules.py).
"""

from __future__ import annotations

from typing import NamedTuple

from pipeline.simulation.rules import Floats, Integers, signature


class Tasks(NamedTuple):
    """The n tasks of a set in the order of their ids; times in the set's unit of time."""

    work: Floats
    """Time of the parallel part on one SM."""
    serial_fraction: Floats
    """Serial part, as a share of the work."""
    conflict_factor: Floats
    """Factor on the execution time where another task of the same kind is in the partition; at least 1."""
    kind: Integers
    """0 compute, 1 memory."""
    period: Floats
    """Least time between two releases."""
    deadline: Floats
    """Relative deadline; may exceed the period."""
    alone: Integers
    """The least size on which the task is on time alone (Lemma 2)."""


class Gpu(NamedTuple):
    """The GPU. A size is a position in `sizes`, from 0: a larger one has more SMs, and takes more of the GPU."""

    sms: int
    """SMs that there are."""
    sizes: Integers
    """SMs of a partition of each size."""
    takes: Integers
    """What a partition of each size takes of the `available`: SMs, or for the slices of MIG a measure of their own."""
    available: int
    """Partitions fit beside each other exactly where they take no more than this together."""
    fitting: int
    """The sizes below this one fit on the GPU; those from here on are for unions that need more than there is."""
    literal: bool
    """Whether no number of SMs shortens the serial part."""
    policy: int
    """Scheduling in a partition: one of EDF, NON_PREEMPTIVE_EDF, DM, NON_PREEMPTIVE_DM of model."""
    asked: Integers
    """Tests of schedulability so far (0), those that gave up (1), and the tasks that they and `load` went over (2)."""


class Options(NamedTuple):
    """What the scenario says of how to allocate; a rule may heed it or not, and its file names in OPTIONS what it does.

    In brackets the column of the scenario table.
    """

    act: bool
    """[forbidden] Find first which pairs of tasks do not fit together."""
    decreasing: bool
    """[order] Begin with the largest load, not with the smallest."""
    binary: bool
    """[search] Bisect sizes, not walk them."""
    exhaust: bool
    """[stop] Go on when the partitions fit."""
    of_tasks: bool
    """[forbidden_scope] A failed merge forbids all pairs of tasks of the two partitions, not the two partitions."""
    seed: int
    """[seed] 0 where the table has none."""


class Allocation(NamedTuple):
    """What a rule writes. It begins with every task in a partition of its own, of its least size."""

    partition: Integers
    """Number of each task's partition, 0 to n - 1; -1: in none."""
    size: Integers
    """Size of the partition of each number; those without tasks do not count."""
    counts: Integers
    """Measures of the rule's own: merges (position MERGES) and moves (MOVES); it begins with -1, no such measure."""


@signature
def allocate(tasks: Tasks, gpu: Gpu, options: Options, allocation: Allocation) -> None:
    """Write to `allocation` in which partition each task is, and how large each partition is.

    Every set that a rule sees passes Lemmas 1 and 2: it may be schedulable, and each task is on time alone. A rule asks
    `least_size(tasks, gpu, members, low, high, options.binary)`, the least of the sizes low … high - 1 on which the
    members are schedulable (`high`: on none), `holds(tasks, gpu, members, size)` for one size (each test counts in the
    metric `tests`), and `load(tasks, gpu, members, size)`, their utilisation, which is free. `members` are positions of
    tasks, ascending, as `members_of(allocation.partition, number, members)` writes them to an array of n and returns
    how many they are.

    The set is schedulable if the partitions take no more than gpu.available and all deadlines hold in each, which the
    engine tests itself when the rule has ended. If a task is in no partition, the set has none and fails. What is
    written to `tasks`, `gpu.sizes` and `gpu.takes` changes nothing for others.
    """
