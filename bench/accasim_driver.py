"""Runs in AccaSim's environment: `accasim_driver.py LOG SYSTEM RESULTS`; prints the simulation's seconds."""

import collections
import collections.abc
import sys

# AccaSim was written when the abstract base classes still had their old names.
for name in ("Mapping", "MutableMapping", "Sequence", "Iterable", "Callable"):
    setattr(collections, name, getattr(collections.abc, name))


def main(log, system, results):
    """Write `sched-<log name>` (job id; start) to the folder `results`."""
    from accasim.base.allocator_class import FirstFit
    from accasim.base.scheduler_class import EASYBackfilling
    from accasim.base.simulator_class import Simulator

    simulator = Simulator(
        log,
        system,
        EASYBackfilling(FirstFit()),
        statistics_output=False,
        show_statistics=False,
        RESULTS_FOLDER_PATH=results,
        LOG_LEVEL="WARNING",
        SCHEDULE_OUTPUT={
            "format": "{job_id};{start_time}",
            "attributes": {"job_id": ("id", "str"), "start_time": ("start_time", "int")},
        },
    )
    simulator.start_simulation()
    sys.stdout.write(f"{simulator.end_simulation_time - simulator.start_simulation_time}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
