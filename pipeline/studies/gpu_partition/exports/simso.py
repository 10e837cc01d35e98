"""Partitions of gpu_partition as simulations of SimSo (XML), one per partition: tasks under EDF on one processor.

SimSo: Chéramy, Hladik, Déplanche, WATERS 2014. A partition is what its tasks share and does one at a time, so it is one
processor; a task's worst case is its execution time on the partition's SMs, conflicts included. One unit of time of
the set is one millisecond of SimSo, which counts in cycles, here millionths of it. All tasks are released at 0; where
periods are whole numbers the simulation lasts for their hyperperiod, but for no more than 1000 of the longest periods.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree

import polars as pl

from pipeline.export.source import Source
from pipeline.runtime import storage

FORMAT = "simso"
TAKES = "<scenario_id>"
TARGET = "partitions"
STUDY = "gpu_partition"
POLICY = ("preemptive", "edf")
CYCLES_PER_MS = 1_000_000
MOST_PERIODS = 1000

TASKS_SQL = """\
SELECT task_id, period, deadline, partition, partition_sms, execution_time
FROM outcome_gpu_partition
JOIN task_gpu_partition USING (task_id)
WHERE scenario_id = $1 AND taskset_id = $2
ORDER BY partition, task_id"""


def write(source: Source, what: str, target: Path) -> str:
    """Write the partitions of a scenario of gpu_partition into the folder `target`, which is replaced as a whole.

    Raises ValueError for a scenario in which a task has no partition, or with another policy than preemptive EDF.
    """
    scenario = source.scenario(what, STUDY)
    policy = (scenario["edf"], scenario["priority"])
    if policy != POLICY:
        raise ValueError(
            f"scenario {what!r} runs {' '.join(policy)} in its partitions; this writes preemptive EDF alone"
        )
    tasks = source.rows(TASKS_SQL, what, scenario["workload_id"])
    without = tasks["partition"].null_count()
    if without:
        raise ValueError(f"scenario {what!r} has no partition for {without} of {len(tasks)} tasks; nothing can be run")
    with storage.replacing_folder(target) as folder:
        for (number,), partition in tasks.group_by("partition", maintain_order=True):
            sms = partition["partition_sms"][0]
            text = simulation(partition)
            (folder / f"partition_{number:03d}_{sms}_sms.xml").write_text(text, encoding="utf-8")
    return f"{target}: {len(tasks)} tasks in {tasks['partition'].n_unique()} partitions of {what}"


def simulation(tasks: pl.DataFrame) -> str:
    """One processor and its tasks as XML of SimSo.

    tasks: task_id, period, deadline, execution_time, in the unit of time of the set.
    """
    top = ElementTree.Element(
        "simulation",
        {"duration": str(round(horizon(tasks) * CYCLES_PER_MS)), "cycles_per_ms": str(CYCLES_PER_MS), "etm": "wcet"},
    )
    overheads = {"overhead": "0", "overhead_activate": "0", "overhead_terminate": "0"}
    ElementTree.SubElement(top, "sched", overheads | {"class": "simso.schedulers.EDF_mono"})
    ElementTree.SubElement(top, "caches", {"memory_access_time": "100"})
    processors = ElementTree.SubElement(top, "processors")
    free = {"cl_overhead": "0", "cs_overhead": "0", "speed": "1.0"}
    ElementTree.SubElement(processors, "processor", {"name": "partition", "id": "1"} | free)
    element = ElementTree.SubElement(top, "tasks")
    for number, task in enumerate(tasks.iter_rows(named=True), start=1):
        ElementTree.SubElement(
            element,
            "task",
            {
                "name": f"t{number} {re.sub('[^a-zA-Z0-9_-]', '_', task['task_id'])}",
                "id": str(number),
                "task_type": "Periodic",
                "abort_on_miss": "no",
                "period": str(task["period"]),
                "activationDate": "0",
                "list_activation_dates": "",
                "deadline": str(task["deadline"]),
                "base_cpi": "1.0",
                "instructions": "0",
                "mix": "0.5",
                "WCET": str(task["execution_time"]),
                "ACET": "0",
                "preemption_cost": "0",
                "et_stddev": "0",
            },
        )
    ElementTree.indent(top, "  ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(top, encoding="unicode") + "\n"


def horizon(tasks: pl.DataFrame) -> float:
    """Length of the simulation: the hyperperiod, which holds every pattern of a set that begins together, or less."""
    periods = tasks["period"].to_list()
    most = MOST_PERIODS * max(periods)
    if all(period == int(period) for period in periods):
        return float(min(math.lcm(*map(int, periods)), most))
    return float(most)
