"""Tables that a replay takes."""

from pipeline.runtime.study import REQUIRED, Table, count, number, text

INPUTS = {
    "jobs": Table(
        {
            "workload_id": text("workload", REQUIRED),
            "job_id": text("job", REQUIRED),
            "submit_s": number("submission", "s", REQUIRED),
            "nodes": count("nodes", REQUIRED, min=1),
            "walltime_s": number("limit of its run time; null = the run time", "s", min_exclusive=0),
            "position": count("order among jobs submitted together; null = by their ids"),
            "request_gb": number("memory asked for, per node; null = its largest phase", "GB", min=0),
            "sensitivity": number("slowdown if all of its memory were in the pool, less 1", "1", 0.0, min=0),
            "sensitivity_class": text("class that its sensitivity is of", "given"),
        },
        key=("workload_id", "job_id"),
    ),
    "phases": Table(
        {
            "workload_id": text("workload", REQUIRED),
            "job_id": text("job", REQUIRED),
            "phase": count("its number in the job", REQUIRED),
            "duration_s": number("duration at full speed", "s", REQUIRED, min_exclusive=0),
            "memory_gb": number("memory per node", "GB", REQUIRED, min=0),
        },
        key=("workload_id", "job_id", "phase"),
    ),
}
