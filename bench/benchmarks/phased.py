"""A thousand jobs with memory phases, 125 GB per node, under each scheduler."""

from __future__ import annotations

from collections.abc import Iterator

from bench.kernel import Kernel
from bench.measure import seconds
from bench.results import Figure, rates
from bench.settings import Settings
from pipeline.config import Configuration
from pipeline.studies import hpc_memory

JOBS, TINY_JOBS = 1000, 20
MEMORY_PER_NODE_GB = 125.0
GOAL = {"priority": "goal: at least 250,000"}


def workload(jobs: int, seed: int = 1) -> tuple[dict, int]:
    """Tables of one batch of phased jobs, and the nodes of its machine."""
    sweep = {"workload": "phased", "batches": 1, "jobs": jobs, "memory_per_node_gb": [MEMORY_PER_NODE_GB]}
    config = Configuration.model_validate({"seed": seed, "hpc_memory": {"sweeps": {"bench": sweep}, "timeline": 0}})
    inputs = hpc_memory.workloads(config, {})
    return inputs, inputs["workloads"]["nodes"][0]


def run(settings: Settings) -> Iterator[Figure]:
    """Speed of the kernel by scheduler, one thread."""
    inputs, nodes = workload(settings.size(JOBS, TINY_JOBS))
    count, phases = len(inputs["jobs"]), len(inputs["phases"])
    yield Figure("jobs", [count], "jobs", f"{phases} phases, {nodes} nodes, {MEMORY_PER_NODE_GB:g} GB per node")
    for scheduler in hpc_memory.SCHEDULERS:
        kernel = Kernel(inputs, scheduler, nodes, MEMORY_PER_NODE_GB * nodes)
        instants = kernel.instants()
        times = seconds(kernel.run, 5 * settings.runs)
        yield Figure(scheduler, [1000 * s for s in times], "ms")
        yield rates(scheduler, count, times, "jobs/s", GOAL.get(scheduler, ""))
        yield Figure(f"{scheduler}, instants", [instants], "instants")
        yield rates(scheduler, instants, times, "instants/s")
