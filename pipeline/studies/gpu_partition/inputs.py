"""The table that a replay takes."""

from pipeline.runtime.study import REQUIRED, Table, choice, number, text

INPUTS = {
    "tasks": Table(
        {
            "taskset_id": text("task set", REQUIRED),
            "task_id": text("task", REQUIRED),
            "period": number("period, in the unit of all times of the set", "1", REQUIRED, min_exclusive=0),
            "deadline": number("relative deadline", "1", REQUIRED, min_exclusive=0),
            "work": number("execution time on one SM", "1", REQUIRED, min_exclusive=0),
            "kind": choice("what limits its kernels", "compute", "memory", required=True),
            "serial_fraction": number("part that SMs do not shorten; null = 0.02 or 0.1 by kind", "1", min=0),
            "conflict_factor": number("longer beside its like; null = 1.2 or 2.3 by kind", "1", min=1),
        },
        key=("taskset_id", "task_id"),
    )
}
