"""Runs task sets through SimSo: file of task sets (JSON), file for its verdicts. Prints the seconds of the simulations.

This is run by the interpreter of SimSo's environment, without the packages of this project.
"""

import json
import sys
import time
from pathlib import Path

from simso.configuration import Configuration
from simso.core import Model

CYCLES = 1000


def held(tasks: list[list[int]], until: int) -> bool:
    """Whether preemptive EDF meets all deadlines of tasks (C, T, D) that are released together."""
    configuration = Configuration()
    configuration.cycles_per_ms = CYCLES
    configuration.duration = until * CYCLES
    for number, (work, period, deadline) in enumerate(tasks):
        configuration.add_task(
            name=f"task {number}", identifier=number, period=period, activation_date=0, wcet=work, deadline=deadline
        )
    configuration.add_processor(name="processor", identifier=1)
    configuration.scheduler_info.clas = "simso.schedulers.EDF_mono"
    configuration.check_all()
    model = Model(configuration)
    model.run_model()
    return not any(job.exceeded_deadline for task in model.results.tasks.values() for job in task.jobs)


def main(source: str, target: str) -> None:
    """Read (tasks, until) of each set, write its verdicts."""
    sets = json.loads(Path(source).read_text(encoding="utf-8"))
    began = time.perf_counter()
    verdicts = [held(tasks, until) for tasks, until in sets]
    elapsed_s = time.perf_counter() - began
    Path(target).write_text(json.dumps(verdicts), encoding="utf-8")
    sys.stdout.write(f"{elapsed_s}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
