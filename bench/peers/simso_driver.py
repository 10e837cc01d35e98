"""Has SimSo simulate task sets (TARGET simulate SETS) or draw some (TARGET generate TASKS LOAD COUNT).

Files are JSON: sets of tasks, and at TARGET a verdict a set or its largest utilisation. Prints the seconds it took.

This is run by the interpreter of SimSo's environment, without the packages of this project.
"""

import json
import sys
import time
from pathlib import Path

from simso.configuration import Configuration
from simso.core import Model
from simso.generator.task_generator import UUniFastDiscard

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


def main(target: str, wanted: str, *arguments: str) -> None:
    """Simulate or draw, and write what was found."""
    if wanted == "simulate":
        sets = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
        began = time.perf_counter()
        found = [held(tasks, until) for tasks, until in sets]
    else:
        tasks, load, count = int(arguments[0]), float(arguments[1]), int(arguments[2])
        began = time.perf_counter()
        found = UUniFastDiscard(tasks, load, count)
    elapsed_s = time.perf_counter() - began
    if wanted == "generate":
        found = [max(shares) for shares in found]
    Path(target).write_text(json.dumps(found), encoding="utf-8")
    sys.stdout.write(f"{elapsed_s}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
