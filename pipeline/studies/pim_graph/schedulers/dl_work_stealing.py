"""migration_duplicates_local, and an idle core takes work of the fullest queue."""

from pipeline.studies.pim_graph.rules import fullest, stealing

CHECKED = "local"
UNIQUE = True
COMPLEXITY = 5


@stealing
def steal(core, machine, scenario, memory, elements):
    """An idle core always takes the head of the fullest queue."""
    return fullest(machine.head, machine.tail)
