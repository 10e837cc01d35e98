"""Neighbours go to the stacks in turn and are checked before; data is fetched where it lies."""

from pipeline.studies.pim_graph.rules import placing

CHECKED = "all"
UNIQUE = False
COMPLEXITY = 1
POINTER = 0
"""Word of its memory in which a core keeps how far its pointer is from its own stack."""


@placing
def place(core, vertex, neighbours, queue, machine, scenario, memory):
    """To the stacks in turn: each core has a pointer, which stands at its own stack at first and is never reset."""
    stacks = scenario.stacks
    turn = core + memory[core, POINTER]
    if turn >= stacks:
        turn -= stacks
    for j in range(len(queue)):
        queue[j] = turn
        turn += 1
        if turn == stacks:
            turn = 0
    memory[core, POINTER] = turn - core if turn >= core else turn - core + stacks
