"""Sporadic tasks run job by job on one partition: what the tests of schedulability say, seen to happen."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.gpu_partition.model import DM, EDF, NON_PREEMPTIVE_EDF

NO_MISS = -1.0
TOLERANCE = 1e-9


@njit(cache=True)
def first_miss(
    C: np.ndarray, T: np.ndarray, D: np.ndarray, offset: np.ndarray, until: float, policy: int
) -> tuple[float, np.ndarray]:
    """Run the jobs that tasks release at offset, offset + T, … before `until` to their ends.

    C execution times, T periods, D relative deadlines, offset first releases, one unit of time; policy as in model (EDF
    and DM with ties to the earlier task). Returns the first absolute deadline that is missed (NO_MISS: none is) and the
    longest response time of each task up to then.
    """
    n = len(C)
    by_deadline = policy in (EDF, NON_PREEMPTIVE_EDF)
    preemptive = policy in (EDF, DM)
    released = np.zeros(n, np.int64)
    ended = np.zeros(n, np.int64)
    left = C.copy()
    longest = np.zeros(n)
    t = offset.min() if n else 0.0
    running = -1
    while True:
        coming = np.inf
        for i in range(n):
            due = offset[i] + released[i] * T[i]
            while due < until and due <= t + TOLERANCE * max(1.0, t):
                released[i] += 1
                due = offset[i] + released[i] * T[i]
            if due < until:
                coming = min(coming, due)
        if preemptive or running < 0:
            running, urgency = -1, np.inf
            for i in range(n):
                if ended[i] < released[i]:
                    key = offset[i] + ended[i] * T[i] + D[i] if by_deadline else D[i]
                    if key < urgency - TOLERANCE * max(1.0, abs(key)):
                        running, urgency = i, key
        if running < 0:
            if coming == np.inf:
                return NO_MISS, longest
            t = coming
            continue
        end = t + left[running]
        if preemptive and coming < end - TOLERANCE * max(1.0, t):
            left[running] -= coming - t
            t = coming
            continue
        t = end
        release = offset[running] + ended[running] * T[running]
        longest[running] = max(longest[running], t - release)
        ended[running] += 1
        left[running] = C[running]
        if t > release + D[running] + TOLERANCE * max(1.0, t):
            return release + D[running], longest
        running = -1
