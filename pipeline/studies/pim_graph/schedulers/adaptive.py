"""Ours: early checks, late checks or the baseline, as a trial is fastest with; steals only where that ends sooner."""

from pipeline.studies.pim_graph.rules import ALL, NOBODY, Policy, fullest, stealing
from pipeline.studies.pim_graph.schedulers.baseline import place as in_turn

COMPLEXITY = 6


@stealing
def where_it_ends_sooner(core, machine, scenario, memory, elements):
    """The head of the fullest queue, where it is done with it before the owner would be through with all.

    A stolen task takes as long as one of its owner and what is then remote. A core that is idle later ends later.
    """
    clock, own = machine.clock, machine.own
    queue = fullest(machine.head, machine.tail)
    task = own[0] // own[1] if own[1] else scenario.s + scenario.cl
    trips = 2 if scenario.checked == ALL else 3
    further = (2 if scenario.software else 1) * scenario.steal + trips * (scenario.qr - scenario.ql)
    owner_ends = clock[queue] + (machine.tail[queue] - machine.head[queue]) * task
    return queue if clock[core] + further + task < owner_ends else NOBODY


CANDIDATES = (
    Policy("all", unique=False, place=in_turn),
    Policy("all", unique=False, steal=where_it_ends_sooner),
    Policy("local", unique=True, steal=where_it_ends_sooner),
)
