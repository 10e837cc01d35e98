"""What identifies a row of each table in the database, and which rows of other tables it leads back to."""

from __future__ import annotations

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
    "corun_pair": ("trace_id", "app_a", "app_b"),
    "corun_prediction": ("trace_id", "rule", "app_a", "app_b"),
    "corun_parameter": ("trace_id", "rule", "parameter"),
    "corun_choice": ("trace_id", "objective", "rule", "queue"),
    "corun_score": ("trace_id", "rule", "measure"),
    "task": ("trace_id", "taskset_id", "task_id"),
    "task_cost": ("trace_id", "app"),
    "graph": ("trace_id",),
    # What every study has, and the ledger.
    "scenario": ("scenario_id",),
    "metric": ("scenario_id", "metric"),
    "scheduler": ("study", "scheduler"),
    "setting": ("key",),
    "student_t": ("replicates",),
    "claim": ("id",),
    "claim_part": ("id", "part"),
    "claim_measured": ("trace_id", "id", "quantity"),
    # Workloads and outcomes of the studies.
    "workload": ("workload_id",),
    "job_hpc_memory": ("workload_id", "job_id"),
    "outcome_hpc_memory": ("scenario_id", "job_id"),
    "timeline_hpc_memory": ("scenario_id", "job_id", "time_s"),
    "span_hpc_memory": ("scenario_id", "span"),
    "steady_hpc_memory": ("workload", "scheduler", "memory_per_node_gb"),
    "paired_hpc_memory": ("workload", "memory_per_node_gb", "scheduler", "other"),
    "workload_pim_ranks": ("workload_id",),
    "queue_pim_ranks": ("workload_id", "job_id"),
    "perf_table_pim_ranks": ("table_id", "app", "ranks"),
    "outcome_pim_ranks": ("scenario_id", "job_id"),
    "workload_gpu_corun": ("workload_id",),
    "queue_gpu_corun": ("workload_id", "position"),
    "kernel_gpu_corun": ("model_id", "kernel"),
    "outcome_gpu_corun": ("scenario_id", "position"),
    "timeline_gpu_corun": ("scenario_id", "position", "start_s"),
    "workload_gpu_sharing": ("workload_id",),
    "mix_gpu_sharing": ("mix_id", "slot"),
    "curve_gpu_sharing": ("curve_set", "app", "sms"),
    "outcome_gpu_sharing": ("scenario_id", "slot"),
    "round_gpu_sharing": ("scenario_id", "round", "slot"),
    "surrogate_gpu_sharing": ("curve_set", "app"),
    "clock_speedup_gpu_sharing": ("curve_set", "app", "sms", "memory_controllers"),
    "sm_map_gpu_sharing": ("map_seed", "sm"),
    "workload_gpu_partition": ("workload_id",),
    "task_gpu_partition": ("taskset_id", "task_id"),
    "outcome_gpu_partition": ("scenario_id", "task_id"),
    "measured_gpu_partition": ("scenario_id", "metric"),
    "workload_pim_graph": ("workload_id",),
    "neighbours_pim_graph": ("workload_id", "level", "stack", "neighbour_stack"),
    "outcome_pim_graph": ("scenario_id", "level"),
}
"""Columns that identify a row of a table; some may be null. A table that is not here (rejected_row) has no key."""


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


def _references() -> list[Reference]:
    found = []
    for table, key in KEYS.items():
        if key[0] == "trace_id" and table != "trace":
            found.append(Reference(table, "trace", ("trace_id",)))
        elif key[0] == "scenario_id" and table != "scenario":
            found.append(Reference(table, "scenario", ("scenario_id",)))
        elif table.startswith("workload"):
            study = table.removeprefix("workload").removeprefix("_") or "hpc_memory"
            found.append(Reference(table, "trace", ("trace_id",), optional=True))
            found.append(Reference("scenario", table, ("workload_id",), study=study))
        elif key[0] == "workload_id":
            study = table.partition("_")[2]
            found.append(
                Reference(table, "workload" if study == "hpc_memory" else f"workload_{study}", ("workload_id",))
            )
    return found


REFERENCES: list[Reference] = [
    *_references(),
    Reference("provenance", "trace", ("drop",)),
    Reference("scenario", "scheduler", ("study", "scheduler")),
    Reference("claim_part", "claim", ("id",)),
    Reference("claim_measured", "claim", ("id",)),
    Reference("pim_phase", "pim_run", ("trace_id", "app", "log", "run")),
    Reference("perf_table", "pim_curve", ("trace_id", "curve")),
    Reference("pim_model", "pim_curve", ("trace_id", "curve")),
    Reference("pim_prediction", "pim_curve", ("trace_id", "curve")),
    Reference("scenario", "perf_table_pim_ranks", ("table_id",), study="pim_ranks"),
    Reference("scenario", "kernel_gpu_corun", ("model_id",), study="gpu_corun"),
    Reference("scenario", "mix_gpu_sharing", ("mix_id",), study="gpu_sharing"),
    Reference("scenario", "task_gpu_partition", ("taskset_id",), study="gpu_partition"),
    Reference("mix_gpu_sharing", "curve_gpu_sharing", ("curve_set", "app")),
    Reference("workload_gpu_sharing", "curve_gpu_sharing", ("curve_set",)),
]
"""What leads back to what."""
