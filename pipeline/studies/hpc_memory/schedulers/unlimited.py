"""The baseline: every job has all the memory it needs at once (the paper's machine with 256 GB per node)."""

from pipeline.studies.hpc_memory.rules import asked, grant

COMPLEXITY = 0


@asked(unbounded=True)
@grant
def rule(state, workload, machine, room, target_gb):
    """All that each job needs."""
    for slot in state.running:
        target_gb[slot] = state.need_gb[slot]
