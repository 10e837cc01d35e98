"""The GPU unpartitioned: all tasks on all SMs, with the conflicts that this brings (paper, 1G)."""

import numpy as np

from pipeline.studies.gpu_partition.model import holds
from pipeline.studies.gpu_partition.rules import allocate

COMPLEXITY = 1


@allocate
def rule(tasks, gpu, options, allocation):
    """One partition, the largest that the GPU has."""
    allocation.partition[:] = 0
    allocation.size[0] = gpu.fitting - 1
    holds(tasks, gpu, np.arange(len(tasks.work)), gpu.fitting - 1)  # a test that counts
