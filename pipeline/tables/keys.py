"""What identifies a row of each table in the database, and which rows of other tables it leads back to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KEYS: dict[str, tuple[str, ...]] = {
    # What was read.
    "trace": ("trace",),
    "provenance": ("drop", "file"),
    "tally": ("trace", "table_name", "fate", "reason", "detail"),
    "job": ("trace", "job_id"),
    "phase": ("trace", "job_id", "node", "phase"),
    "memory_profile": ("trace", "job_id", "node", "memory_gb"),
    "gpu_memory": ("trace", "job_id", "node", "gpu"),
    "marginal": ("trace", "quantity", "law", "parameter"),
    "distribution": ("trace", "quantity", "value"),
    "temporal_class": ("trace", "job_id"),
    "pim_run": ("trace", "app", "log", "run"),
    "pim_phase": ("trace", "app", "log", "run", "position"),
    "perf_point": ("trace", "app", "ranks"),
    "queue": ("trace", "job_id"),
    "pim_stage": ("trace", "app", "stage"),
    "pim_request": ("trace", "app"),
    "pim_curve": ("trace", "curve"),
    "perf_table": ("trace", "curve", "ranks"),
    "pim_model": ("trace", "curve", "parameter"),
    "pim_prediction": ("trace", "curve", "ranks"),
    "gpu_app": ("trace", "app"),
    "kernel": ("trace", "app", "kernel"),
    "gpu": ("trace",),
    "sm_curve": ("trace", "app", "sms", "beside"),
    "sm_fit": ("trace", "app"),
    "corun_pair": ("trace", "gpu", "app_a", "app_b"),
    "solo_rate": ("trace", "gpu", "app", "gpus"),
    "best_pair": ("trace", "gpu", "app"),
    "slice_point": ("trace", "app", "slices", "batch", "processes"),
    "slice_demand": ("trace", "demand", "app"),
    "slice_need": ("trace", "demand", "method"),
    "log_fidelity": ("trace", "setting", "half", "measure"),
    "queue_length": ("trace", "setting", "time_s"),
    "slice_plan": ("trace", "demand", "method", "gpu", "position"),
    "task": ("trace", "taskset_id", "task_id"),
    "task_cost": ("trace", "app"),
    "graph": ("trace",),
    # What every study has, and the ledger.
    "scenario": ("scenario_id",),
    "metric": ("scenario_id", "metric"),
    "scheduler": ("study", "scheduler"),
    "setting": ("key",),
    "failure": ("study", "part", "stage"),
    "loaded": ("piece",),
    "student_t": ("replicates",),
    "claim": ("id",),
    "claim_part": ("id", "part"),
    "assumption": ("study", "name"),
}
"""Columns that identify a row of a table that is no study's; some may be null."""


@dataclass(frozen=True)
class Reference:
    """Rows of `child` lead back to one or several rows of `parent`, by columns of one name."""

    child: str
    parent: str
    columns: tuple[str, ...]
    study: str | None = None
    """Of a child that all studies share: the study whose rows refer to this parent."""
    optional: bool = False
    """Whether rows may refer to none: the columns are null."""


def implied(keys: Mapping[str, tuple[str, ...]], owner: Mapping[str, str]) -> Iterator[Reference]:
    """References that follow from the keys of tables: `owner` is the study of each table that is a study's."""
    workload = {owner[table]: table for table, key in keys.items() if table in owner and key == ("workload_id",)}
    for table, key in keys.items():
        if key[0] == "trace" and table != "trace":
            yield Reference(table, "trace", ("trace",))
        elif key[0] == "scenario_id" and table != "scenario":
            yield Reference(table, "scenario", ("scenario_id",))
        elif key == ("workload_id",):
            yield Reference(table, "trace", ("trace",), optional=True)
            yield Reference("scenario", table, ("workload_id",), study=owner[table])
        elif key[0] == "workload_id":
            yield Reference(table, workload[owner[table]], ("workload_id",))


REFERENCES: list[Reference] = [
    Reference("provenance", "trace", ("drop",)),
    Reference("scenario", "scheduler", ("study", "scheduler")),
    Reference("claim_part", "claim", ("id",)),
    Reference("pim_phase", "pim_run", ("trace", "app", "log", "run")),
    Reference("perf_table", "pim_curve", ("trace", "curve")),
    Reference("pim_model", "pim_curve", ("trace", "curve")),
    Reference("pim_prediction", "pim_curve", ("trace", "curve")),
]
"""What leads back to what, beside what `implied` finds and studies state."""
