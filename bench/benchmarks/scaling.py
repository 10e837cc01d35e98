"""How the time of EASY backfilling grows with the length of the log."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np

from bench import logs
from bench.kernel import Kernel, deepest_queue
from bench.measure import seconds
from bench.results import Figure
from bench.settings import Settings

JOBS, TINY_JOBS = (10_000, 100_000, 1_000_000), (100, 200, 400)


def run(settings: Settings) -> Iterator[Figure]:
    """Kernel time at each length, and the exponent of a power law through the medians."""
    sizes = settings.size(JOBS, TINY_JOBS)
    medians = []
    for count in sizes:
        kernel = Kernel(logs.inputs(logs.jobs(count)), "unlimited", logs.PROCESSORS)
        times = seconds(kernel.run, settings.runs)
        medians.append(statistics.median(times))
        queue = deepest_queue(kernel.jobs.model.release_s, kernel.start_s)
        note = f"{1e9 * medians[-1] / count:.0f} ns a job, at most {queue} waiting"
        yield Figure(f"kernel, {count:,} jobs", [1000 * s for s in times], "ms", note)
    exponent = np.polyfit(np.log(sizes), np.log(medians), 1)[0]
    yield Figure("exponent", [float(exponent)], "1", "time ~ jobs to this power; 1 is linear")
