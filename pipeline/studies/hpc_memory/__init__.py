"""Disaggregated memory on an HPC machine: EASY backfilling over nodes, memory shared among the running jobs."""

from pipeline.studies.declaration import REQUIRED, UNREAD, Metric, Study, count, flag, number, offering, text

STUDY = Study(
    place=1,
    title="Memory of HPC nodes",
    about="disaggregated memory (HiPC 2024)",
    takes=("jobs", "samples", "phases"),
    headline="utilisation",
    metrics={
        "utilisation": Metric(
            "useful node-seconds until the last release, as a share of all: sum of nodes times seconds at full speed",
            "1",
            "more",
        ),
        "busy_utilisation": Metric(
            "node-seconds of running jobs, slowed ones too, until the last release, as a share of all", "1"
        ),
        "mean_response_s": Metric("mean of end - release", "s", "less"),
        "mean_wait_s": Metric("mean of start - release", "s", "less"),
        "makespan_s": Metric("last end since the first release", "s", "less"),
        "reconfigurations": Metric("instants at which an allotment of memory changed", "1", "less"),
        "moved_gb": Metric("memory that changed hands at them", "GB", "less"),
        "rejected_jobs": Metric("jobs that need more nodes than there are", "1", "less"),
        "steady_utilisation": Metric("utilisation after the warm-up", "1", "more"),
        "steady_response_s": Metric("mean response of jobs released after the warm-up", "s", "less"),
        "steady_wait_s": Metric("mean wait of jobs released after the warm-up", "s", "less"),
        "steady_slowdown": Metric("mean of response over run time at full speed, after the warm-up", "1", "less"),
    },
    parameters={
        "nodes": count("nodes of the machine", REQUIRED, min=1),
        "memory_gb": number("fast memory of the whole machine; null = unlimited", "GB", min=0),
        "memory_per_node_gb": number("fast memory of the machine divided by its nodes", "GB", UNREAD, min=0),
        "alpha": number("speed of a job without fast memory, as a share of full speed", "1", 0.03, max=1),
        "tau_s": number("duration of a reconfiguration of the memory", "s", 1.0, min=0),
        "reconfiguration": text("serial, incremental or restart", "serial"),
        "backfilling": text("easy, easy_per_event, fcfs or memory_aware_easy", "easy"),
        "free_start": flag("whether memory decided at a job's start is usable at once", False),
        "largest_by": text("size for largest_first: memory or nodes", "memory"),
        "spans": count("parts that the replay after its warm-up is cut into; 0 = none", 0, min=0),
        "timeline": flag("whether the replay is kept instant by instant", False),
    },
    keys=("memory_gb",),
    tables=(
        "job",
        "phase",
        "memory_profile",
        "gpu_memory",
        "marginal",
        "distribution",
        "temporal_class",
        "recurrent_profile",
        "recurrent_run",
    ),
    looks={
        "aggregated": "amber",
        "priority": "blue",
        "stochastic": "purple",
        "oldest_first": "green",
        "largest_first": "red",
        "cost_aware": "violet",
        "unlimited": "grey",
    },
)

__getattr__ = offering(__name__, targets="replay")
