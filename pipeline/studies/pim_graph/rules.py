"""What a scheduler of this study decides, as rules: where new work goes (`placing`), and whom an idle core robs
(`stealing`).

Elements are pairs of a vertex and a candidate for its state. Each stack has a core and a queue of them; a level ends
when all queues are empty (docs/models/pim_graph.md). A scheduler's file has a rule of each signature by the names
`place` and `steal`, or leaves it out.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.rules import Integers, IntegerTable, Rule, signature

Vertices = Annotated[np.ndarray, "int32", 1]
BFS, SSSP, BC = range(3)
"""Values of `Scenario.algorithm`."""
NONE, LOCAL, ALL = range(3)
"""Values of `Scenario.checked`: places of CHECKED."""
CHECKED = ("none", "local", "all")
"""Words for whose state is looked at before an element is enqueued: see `Policy`."""
PASS, NOBODY = -1, -2
"""What a rule `stealing` may return beside a queue."""
WORDS = 8
"""Words that rules may remember for each stack."""


class Scenario(NamedTuple):
    """What a rule is told of the scenario.

    algorithm: BFS, SSSP or BC; stacks: their number; block: vertices a stack, v lies with stack v // block.
    Cycles: ql, qr of a local and a remote access, s a queue's service, e interval of enqueues, cl a task's own work, cd
    that of a discarded element (0 where none is discarded); software: the queues' pointers are moved by atomics;
    per_task: these reserve slots once a task and queue, and the core waits; mlp: remote accesses of a set under way at
    once (0 = all, or no neighbours are checked elsewhere). checked, unique: as of `Policy`; seed: the scenario's, for
    rules that draw at random; steal: cycles that an element of another queue is under way (0 where nobody steals).
    """

    algorithm: int
    stacks: int
    block: int
    ql: int
    qr: int
    s: int
    e: int
    cl: int
    cd: int
    software: bool
    per_task: bool
    mlp: int
    checked: int
    unique: bool
    seed: int
    steal: int


class Machine(NamedTuple):
    """The machine at the instant at which a rule is asked; to be read, not written.

    level: from 0; in the second pass of BC it counts down. clock: int64[stacks], cycle that each core has come to;
    busy: int64[stacks], cycles of its tasks in this level; head, tail, vertex: queue q holds the elements of
    vertex[head[q]:tail[q]]; own: int64[2], cycles and number of the tasks of this traversal that cores took from their
    own queues; first: v has first[v + 1] - first[v] out-edges.
    """

    level: int
    clock: Integers
    busy: Integers
    head: Integers
    tail: Integers
    vertex: Vertices
    own: Integers
    first: Integers


@signature
def placing(
    core: int, vertex: int, neighbours: Vertices, queue: Vertices, machine: Machine, scenario: Scenario,
    memory: IntegerTable,
) -> None:  # fmt: skip
    """Write to `queue` where the elements of one task go.

    Asked once a task that enqueues anything, when `core` has expanded `vertex`. neighbours: int32[k], vertices of the
    elements, in the order in which they are issued; queue: int32[k], the stack to whose queue each goes, which is the
    owner of its vertex where it is not written. What another stack executes, it reads and writes remotely. memory:
    int64[stacks, WORDS], 0 when the scenario begins, to read and write as one likes; it is kept from call to call,
    level to level and root to root, and `steal` has the same.

    A queue that there is not ends the replay with a ValueError.
    """


@signature
def stealing(core: int, machine: Machine, scenario: Scenario, memory: IntegerTable, elements: Integers) -> int:
    """Return the queue that an idle core takes work of now; PASS: it takes none; NOBODY: no core does.

    Asked before each task for the idle cores whose clock is before that of every core with work, in the order of clock
    and number, until one takes something; after PASS the next is asked, after NOBODY the next core with work acts.
    The clock of an idle core stands, so that it may steal later what it would not before, at that cycle.
    elements: int64[1], how many it takes from the head of that queue, 1 where it is not written; memory: as of
    `placing`.

    One access, of `scenario.steal` (software queues: twice that), brings them all. The first is executed at once, the
    others lie in the core's own queue from then on, for others to steal, too: each is a dequeue from the one queue and
    an enqueue to the other in words. In the second pass of BC, too, idle cores may steal.

    A queue that there is not, none of its elements or more than it holds end the replay with a ValueError.
    """


class Policy(NamedTuple):
    """A way to place work: two properties of the queues' hardware that are no decisions at run time, and two rules.

    checked: whose state is looked at before an element is enqueued, that of `none`, of neighbours `local` to the
    executor, or of `all`; with `all` the state is written at once, otherwise an element is checked when it is dequeued;
    unique: the queues are hash sets, in which an element waits once; place, steal: rules `placing` and `stealing`;
    without them each element goes to the owner of its vertex, and nobody steals.
    """

    checked: str
    unique: bool
    place: Rule | None = None
    steal: Rule | None = None


@njit(inline="always")
def fullest(head, tail) -> int:
    """The queue with most elements, the first of several."""
    queue, most = 0, tail[0] - head[0]
    for q in range(1, len(head)):
        held = tail[q] - head[q]
        if held > most:
            queue, most = q, held
    return queue


@njit(cache=True)
def draw(seed: int, core: int, count: int) -> int:
    """A number from 0 to 2^32 - 1 that looks random, the same for the same three numbers wherever it is asked for.

    A counter-based generator: Wellons' 32-bit mixer, whose products stay below 2^63, over one number after another.
    """
    word = _mixed(seed)
    word = _mixed(word ^ core)
    return _mixed(word ^ count)


@njit(cache=True)
def _mixed(word: int) -> int:
    word = (word + 0x9E3779B9) & 0xFFFFFFFF
    word = ((word ^ word >> 16) * 0x21F0AAAD) & 0xFFFFFFFF
    word = ((word ^ word >> 15) * 0x735A2D97) & 0xFFFFFFFF
    return word ^ word >> 15
