"""What identifies a row of each table in the database, and which rows of other tables it leads back to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KEYS: dict[str, tuple[str, ...]] = {
    # What was read.
    "trace": ("trace_id",),
    "provenance": ("drop", "file"),
    "tally": ("trace_id", "table_name", "fate", "reason", "detail"),
    "job": ("trace_id", "job_id"),
    "phase": ("trace_id", "job_id", "node", "phase"),
    "memory_profile": ("trace_id", "job_id", "node", "memory_gb"),
    "gpu_memory": ("trace_id", "job_id", "node", "gpu"),
    "marginal": ("trace_id", "quantity", "law", "parameter"),
    "distribution": ("trace_id", "quantity", "value"),
    "temporal_class": ("trace_id", "job_id"),
    "recurrent_profile": ("trace_id", "recurrent_job", "memory_gb"),
    "recurrent_run": ("trace_id", "job_id"),
    "pim_run": ("trace_id", "app", "log", "run"),
    "pim_phase": ("trace_id", "app", "log", "run", "position"),
    "perf_point": ("trace_id", "app", "ranks"),
    "queue": ("trace_id", "job_id"),
    "pim_stage": ("trace_id", "app", "stage"),
    "pim_request": ("trace_id", "app"),
    "pim_curve": ("trace_id", "curve"),
    "perf_table": ("trace_id", "curve", "ranks"),
    "pim_model": ("trace_id", "curve", "parameter"),
    "pim_prediction": ("trace_id", "curve", "ranks"),
    "gpu_app": ("trace_id", "app"),
    "kernel": ("trace_id", "app", "kernel"),
    "gpu": ("trace_id",),
    "sm_curve": ("trace_id", "app", "sms", "beside"),
    "sm_fit": ("trace_id", "app"),
    "corun_pair": ("trace_id", "gpu", "app_a", "app_b"),
    "corun_prediction": ("trace_id", "rule", "app_a", "app_b"),
    "corun_parameter": ("trace_id", "rule", "parameter"),
    "corun_choice": ("trace_id", "objective", "rule", "queue"),
    "corun_score": ("trace_id", "rule", "measure"),
    "solo_rate": ("trace_id", "gpu", "app", "gpus"),
    "pair_prediction": ("trace_id", "gpu", "protocol", "rule", "app_a", "app_b"),
    "pair_score": ("trace_id", "gpu", "protocol", "rule", "measure"),
    "best_pair": ("trace_id", "gpu", "app"),
    "slice_point": ("trace_id", "app", "slices", "batch", "processes"),
    "slice_demand": ("trace_id", "demand", "app"),
    "slice_need": ("trace_id", "demand", "method"),
    "log_fidelity": ("trace_id", "setting", "half", "measure"),
    "queue_length": ("trace_id", "setting", "time_s"),
    "slice_plan": ("trace_id", "demand", "method", "gpu", "position"),
    "task": ("trace_id", "taskset_id", "task_id"),
    "task_cost": ("trace_id", "app"),
    "graph": ("trace_id",),
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
    "claim_measured": ("trace_id", "id", "quantity"),
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
        if key[0] == "trace_id" and table != "trace":
            yield Reference(table, "trace", ("trace_id",))
        elif key[0] == "scenario_id" and table != "scenario":
            yield Reference(table, "scenario", ("scenario_id",))
        elif key == ("workload_id",):
            yield Reference(table, "trace", ("trace_id",), optional=True)
            yield Reference("scenario", table, ("workload_id",), study=owner[table])
        elif key[0] == "workload_id":
            yield Reference(table, workload[owner[table]], ("workload_id",))


REFERENCES: list[Reference] = [
    Reference("provenance", "trace", ("drop",)),
    Reference("scenario", "scheduler", ("study", "scheduler")),
    Reference("claim_part", "claim", ("id",)),
    Reference("claim_measured", "claim", ("id",)),
    Reference("pim_phase", "pim_run", ("trace_id", "app", "log", "run")),
    Reference("perf_table", "pim_curve", ("trace_id", "curve")),
    Reference("pim_model", "pim_curve", ("trace_id", "curve")),
    Reference("pim_prediction", "pim_curve", ("trace_id", "curve")),
]
"""What leads back to what, beside what `implied` finds and studies state."""
