"""Memory fixed to the nodes: every job gets its nodes' share from start to end, nothing is reconfigured."""

from pipeline.studies.hpc_memory.rules import asked, grant, share_gb

COMPLEXITY = 1


@asked(first=True, starts=False, ends=False, phases=False)
@grant
def rule(state, workload, machine, room, target_gb):
    """The memory that goes with a job's nodes, from its start to its end."""
    target_gb[state.starting] = share_gb(state, workload, machine)
