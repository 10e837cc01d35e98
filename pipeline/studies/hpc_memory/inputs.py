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
            "priority": number("higher goes first", "1", 0.0),
            "user": text("who submitted it"),
            "name": text("what it is called"),
            "log_start_s": number("start in the log", "s"),
            "log_end_s": number("end in the log", "s"),
            "requested_memory_gb": number("memory asked for, per node", "GB", min=0),
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
PROFILE = Table(
    {
        "workload_id": text("workload", REQUIRED),
        "job_id": text("job", REQUIRED),
        "memory_gb": number("memory per node", "GB", REQUIRED, min=0),
        "probability": number("share of the job's time", "1", REQUIRED, min=0),
    }
)
PROFILES = {"profiles": PROFILE, "given": PROFILE}
"""Of the jobs that have one: what is true of a job, else its own phases, and what its drop says of it."""
