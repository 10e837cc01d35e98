"""Slurm's multifactor priority without fair share: age, size, and the job's own priority."""

# ruff: noqa: ARG001 - a rule takes what its signature says, and need not look at all of it

from pipeline.studies.hpc_memory.rules import key


@key
def rule(now_s, submit_s, nodes, limit_s, priority, weights):
    """Minus the weighted sum; age and size are shares of the largest that count."""
    age = min((now_s - submit_s) / weights.age_max_s, 1.0)
    return -(weights.age * age + weights.size * nodes / weights.machine_nodes + priority)
