"""Disaggregated memory on an HPC machine: EASY backfilling over nodes, memory shared among the running jobs."""

from pipeline.runtime.study import REQUIRED, UNREAD, Answer, Metric, Study, choice, count, flag, number, offering, text

STUDY = Study(
    place=1,
    title="Memory of HPC nodes",
    about="disaggregated memory (HiPC 2024)",
    takes=("jobs", "samples", "phases"),
    headline="utilisation",
    answers={
        "memory": Answer(
            "Memory of an HPC machine",
            "A scheduler is judged by utilisation and by response time, after a warm-up of a tenth of the time. Two "
            "are a tie where both differ by less than one point of utilisation and 5 % of response time, by their "
            "paired intervals; of a tie the simplest is named. Memory is enough where the loss of utilisation stays "
            "within the bound and the mean response time does not grow by more than is accepted, both against "
            "unlimited memory, there and at every larger size that was tried. Sizes that the log does not tell are "
            "multiples of their mean.",
            of=("job", "phase"),
        ),
    },
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
        "alpha": number(
            "speed of a job without fast memory, as a share of full speed", "1", 0.03, min_exclusive=0, max=1
        ),
        "tau_s": number("duration of a reconfiguration of the memory", "s", 1.0, min=0),
        "reconfiguration": choice("serial, incremental or restart", "serial", "incremental", "restart"),
        "backfilling": choice(
            "easy, easy_per_event, fcfs, memory_aware_easy or reserve",
            "easy",
            "easy_per_event",
            "fcfs",
            "memory_aware_easy",
            "reserve",
        ),
        "reserve_depth": count("reserve: waiting jobs that hold a reservation; 1 = EASY, -1 = all", 1, min=-1),
        "reservations": choice("reserve: recomputed at every pass, or kept until the job starts", "recomputed", "kept"),
        "backfill_interval_s": number("reserve: least time between two backfill passes", "s", 0.0, min=0),
        "backfill_depth": count("reserve: waiting jobs that a backfill pass looks at; -1 = all", -1, min=-1),
        "backfill_resolution_s": number("reserve: what expected ends are rounded up to a multiple of", "s", 0.0, min=0),
        "backfill_window_s": number("reserve: how far ahead a reservation may lie; -1 = any time", "s", -1.0, min=-1),
        "launch_lag_s": number("reserve: from the decision to start a job to its start", "s", 0.0, min=0),
        "release_lag_s": number("reserve: from the end of a job to its nodes being free", "s", 0.0, min=0),
        "kill_at_limit": flag("reserve: whether a job ends at its limit", False),
        "queue_order": text("reserve: who is first in the queue, a file of orders/", "submit"),
        "age_weight": number("queue_order multifactor: priority of a whole age", "1", 0.0, min=0),
        "age_max_s": number("queue_order multifactor: wait that is a whole age", "s", 604_800.0, min_exclusive=0),
        "size_weight": number("queue_order multifactor: priority of a job as large as the machine", "1", 0.0, min=0),
        "dialect": text("the parameters of reserve that are not their defaults, in words; empty = none", UNREAD),
        "free_start": flag("whether memory decided at a job's start is usable at once", False),
        "largest_by": choice("size for largest_first: memory or nodes", "memory", "nodes"),
        "knowledge": text("what the scheduler knows of a job's memory: own, given, history, trace or bins", "own"),
        "spans": count("parts that the replay after its warm-up is cut into; 0 = none", 0, min=0),
        "timeline": flag("whether the replay is kept instant by instant", False),
    },
    keys=("memory_gb",),
    traits=("PROFILE",),
    tables=(
        "job",
        "phase",
        "memory_profile",
        "gpu_memory",
        "marginal",
        "distribution",
        "temporal_class",
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
