"""migration_remote, and an idle core takes half of the queue of a victim that it draws at random.

Random victims and half of what they have: Blumofe and Leiserson (JACM 1999), Hendler and Shavit (PODC 2002). A core
draws once a trial; if the victim has nothing, or one element, which its owner is about to take, it goes without.
"""

from pipeline.studies.pim_graph.rules import PASS, draw, stealing

CHECKED = "all"
UNIQUE = False
COMPLEXITY = 4
DRAWN = 0
"""Word of its memory in which a core counts what it has drawn."""


@stealing
def steal(core, machine, scenario, memory, elements):
    """Half of the elements of any queue but the core's own, each as likely."""
    memory[core, DRAWN] += 1
    step = 1 + draw(scenario.seed, core, memory[core, DRAWN]) % (scenario.stacks - 1)
    victim = (core + step) % scenario.stacks
    elements[0] = (machine.tail[victim] - machine.head[victim]) // 2
    return victim if elements[0] else PASS
