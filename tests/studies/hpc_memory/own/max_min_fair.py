"""Max-Min Fair: the same memory per node for every job, up to its current need; what it leaves goes to the others.

Weighted max-min fairness by progressive filling (Bertsekas and Gallager, Data Networks, 1992, Section 6.5.2), weights
the nodes.
"""

from pipeline.studies.hpc_memory.rules import grant

COMPLEXITY = 4


@grant
def rule(state, workload, machine, room, target_gb):
    """Jobs that need no more than an equal part of what is left have their need; the others share the rest."""
    left_gb, nodes = state.available_gb, 0
    for slot in state.running:
        target_gb[slot] = -1.0
        nodes += workload.nodes[state.job[slot]]
    per_node_gb, met = 0.0, True
    while met and nodes > 0:
        met, per_node_gb = False, left_gb / nodes
        for slot in state.running:
            part_gb = per_node_gb * workload.nodes[state.job[slot]]
            if target_gb[slot] < 0 and state.need_gb[slot] <= part_gb:
                target_gb[slot] = state.need_gb[slot]
                left_gb -= state.need_gb[slot]
                nodes -= workload.nodes[state.job[slot]]
                met = True
    for slot in state.running:
        if target_gb[slot] < 0:
            target_gb[slot] = per_node_gb * workload.nodes[state.job[slot]]
