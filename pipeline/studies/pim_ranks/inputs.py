"""Tables that a replay takes; all but the queue may have a column table_id."""

from pipeline.runtime.study import REQUIRED, Table, choice, count, number, text

QUEUE = {
    "queue": Table(
        {
            "workload_id": text("workload", REQUIRED),
            "job_id": text("job", REQUIRED),
            "app": text("application", REQUIRED),
            "arrival_s": number("arrival", "s", REQUIRED),
        },
        key=("workload_id", "job_id"),
    )
}
TIMES = Table(
    {
        "app": text("application", REQUIRED),
        "ranks": count("ranks that it runs on", REQUIRED, min=1),
        "time_s": number("its time there", "s", REQUIRED, min_exclusive=0),
    }
)
PREDICTED = "predicted_perf_tables"
"""Table of the times by which schedulers decide, where it is given; jobs run by perf_tables."""
HOST_TIMES = {"time_s": number("time of host work", "s", min=0)}
KERNEL_TIMES = {
    "input_s": number("time of the transfer before a kernel", "s", min=0),
    "kernel_s": number("time of a kernel", "s", min=0),
    "output_s": number("time of the transfer after a kernel", "s", min=0),
    "serial_s": number("time that more ranks do not shorten", "s", min=0),
}
TABLES = {
    "perf_tables": TIMES,
    "best_ranks": Table(
        {
            "app": text("application", REQUIRED),
            "best_ranks": count("fewest ranks near its best speed, by Algorithm 1", REQUIRED, min=1),
        }
    ),
    "stages": Table(
        {
            "app": text("application", REQUIRED),
            "stage": number("its place in the application", "1", REQUIRED),
            "kind": choice("what runs", "host_pre", "kernel", "host_mid", "host_post", required=True),
            **HOST_TIMES,
            **KERNEL_TIMES,
        }
    ),
    "requests": Table(
        {"app": text("application", REQUIRED), "ranks": count("ranks that it asks for", REQUIRED, min=1)}
    ),
    PREDICTED: TIMES,
}
"""Of each scheduler those that it reads."""
