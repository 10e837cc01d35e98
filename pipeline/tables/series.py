"""Samples of complete jobs as arrays: what readers that join samples to jobs hand on to the segmentation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class JobSeries(NamedTuple):
    """Series of the nodes of some jobs, every job whole.

    Series s has the samples first[s] .. first[s + 1] - 1, their times increasing; job j has the series
    first_series[j] .. first_series[j + 1] - 1, none empty. Jobs and nodes are numbers in lists of names.
    """

    job: np.ndarray  # int64 (jobs)
    first_series: np.ndarray  # int64 (jobs + 1)
    node: np.ndarray  # int64 (series)
    first: np.ndarray  # int64 (series + 1)
    time_s: np.ndarray  # float64 (samples), since the trace's origin
    used_gb: np.ndarray  # float64 (samples)
