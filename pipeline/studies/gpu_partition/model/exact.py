"""A lower bound on the SMs that partitions of many tasks need."""

from __future__ import annotations

import numpy as np
import scipy

from pipeline.studies.gpu_partition.model import execution_time


def lower_bound(tasks, gpu) -> float:
    """SMs that no partitions can do with less of: a linear program; `tasks` and `gpu` as in rules.py.

    Tasks are spread over partitions of each size, no partition is loaded above 1, no task is where it would be late
    alone, and a task takes no more of a size than there are partitions of it. Conflicts and deadlines are left out.
    """
    sizes = gpu.sizes[: gpu.fitting]
    n, m = len(tasks.work), len(sizes)
    task, size = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    may = size >= tasks.alone[:, None]
    i, s = task[may], size[may]
    x = np.arange(len(i))
    C = np.array(
        [
            execution_time(tasks.work[a], tasks.serial_fraction[a], 1.0, sizes[b], gpu.literal)
            for a, b in zip(i, s, strict=True)
        ]
    )
    columns = len(x) + m
    once = scipy.sparse.coo_array((np.ones(len(x)), (i, x)), shape=(n, columns))
    loads = scipy.sparse.coo_array(
        (
            np.concatenate([C / tasks.period[i], -np.ones(m)]),
            (np.concatenate([s, np.arange(m)]), np.concatenate([x, len(x) + np.arange(m)])),
        ),
        shape=(m, columns),
    )
    within = scipy.sparse.coo_array(
        (
            np.concatenate([np.ones(len(x)), -np.ones(len(x))]),
            (np.concatenate([x, x]), np.concatenate([x, len(x) + s])),
        ),
        shape=(len(x), columns),
    )
    cost = np.concatenate([np.zeros(len(x)), sizes.astype(float)])
    solution = scipy.optimize.linprog(
        cost, scipy.sparse.vstack([loads, within]), np.zeros(m + len(x)), once, np.ones(n), method="highs"
    )
    if not solution.success:
        raise RuntimeError(f"the bound's linear program: {solution.message}")
    return float(solution.fun)
