"""Local memory beside a shared pool: requests that batch systems wait for, and jobs that the pool slows."""

from pipeline.runtime.study import REQUIRED, Answer, Metric, Study, choice, count, flag, number, offering

STUDY = Study(
    place=7,
    title="Local memory and a pool",
    about="local memory beside a pool (requests, sensitivity)",
    takes=("jobs", "samples", "phases"),
    headline="steady_utilisation",
    answers={
        "mix": Answer(
            "Local memory and a pool",
            "The scheduler to use keeps the bounds on utilisation and response time with the cheapest mix of "
            "local memory and pool. The mixes are the machines that were tried, at the prices of the "
            "configuration.",
            of=("job", "phase"),
        ),
    },
    metrics={
        "steady_utilisation": Metric(
            "useful node-seconds after the warm-up over those of the machine; a job's work counts evenly over its run",
            "1",
            "more",
        ),
        "steady_loss": Metric("1 - useful node-seconds after the warm-up / those with all memory local", "1", "less"),
        "steady_response_s": Metric(
            "mean response of the jobs that ran and were released after the warm-up", "s", "less"
        ),
        "steady_response_ratio": Metric(
            "sum of their responses / that of the same jobs with all memory local", "1", "less"
        ),
        "steady_wait_s": Metric("mean wait of these jobs", "s", "less"),
        "makespan_s": Metric("last end since the first release", "s", "less"),
        "rejected_jobs": Metric("jobs that were not run", "1", "less"),
        "rejected_work": Metric("node time of the jobs that were not run, as a share of that of all", "1", "less"),
        "requeued_jobs": Metric("jobs that were put back once, because their growth did not fit", "1", "less"),
        "lost_work": Metric("node time of the runs that they lost, over that of all jobs at full speed", "1", "less"),
        "pool_used": Metric("mean of the pool that is held from first release to last end, as a share of it", "1"),
        "pool_peak_gb": Metric("most of the pool that is held at once", "GB"),
    },
    parameters={
        "nodes": count("nodes of the machine", REQUIRED, min=1),
        "local_per_node_gb": number("memory of each node; null = as much as any job asks for", "GB", min=0),
        "pool_per_node_gb": number(
            "memory that all nodes share, divided by their number; null = unlimited", "GB", min=0
        ),
        "alpha": number(
            "speed of a job without fast memory, as a share of full speed", "1", 0.03, min_exclusive=0, max=1
        ),
        "sensitivity_scale": number("what each job's sensitivity to pool memory is multiplied by", "1", 1.0, min=0),
        "backfilling": choice("easy, fcfs or reserve", "easy", "fcfs", "reserve"),
        "reserve_depth": count("reserve: waiting jobs that hold a reservation; 1 = EASY, -1 = all", 1, min=-1),
        "growth": choice("a job whose growth does not fit: wait (at a slower speed) or requeue", "wait", "requeue"),
        "tau_s": number("duration of a reconfiguration of the memory", "s", 1.0, min=0),
        "spans": count("parts that the replay after its warm-up is cut into; 0 = none", 0, min=0),
        "keep_outcomes": flag("whether start and end of each job are kept", True),
    },
    keys=("local_per_node_gb", "pool_per_node_gb"),
    synthetic=False,
    looks={
        "requested_local": "grey",
        "requested_spread": "amber",
        "static_pool": "purple",
        "static_used": "red",
        "dynamic_pool": "violet",
        # As in hpc_memory: a scheduler looks the same in every figure.
        "priority": "blue",
        "oldest_first": "green",
    },
)

__getattr__ = offering(__name__)
