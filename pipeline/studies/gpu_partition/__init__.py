"""Partitions of a GPU's streaming multiprocessors for real-time kernels that are in each other's way."""

from pipeline.runtime.study import REQUIRED, Answer, Metric, Study, choice, count, offering, text

STUDY = Study(
    place=5,
    title="Partitions of a GPU for real-time tasks",
    about="partitions of a GPU for real-time kernels (Zahaf et al. 2021)",
    takes=("tasks", "sm_curves"),
    headline="schedulable",
    answers={
        "tasks": Answer(
            "Partitions of a GPU for real-time tasks",
            "The scheduler to use keeps all deadlines of the largest share of task sets. If two tie (the paired "
            "interval includes 0), it is the simpler one. Enough: the SMs that it needs for the most demanding set.",
            of=("task", "sm_curve"),
        ),
        "slices": Answer(
            "Slices of GPUs that serve a set of models",
            "The fewest GPUs whose slices keep the rate and the latency of each model, against whole ones for each. "
            "Which slices: best_slices('trace').",
            of=("slice_need",),
        ),
    },
    metrics={
        "schedulable": Metric("1 where the partitions fit the GPU and hold all deadlines, else 0", "1", "more"),
        "sms_needed": Metric("SMs of all partitions", "SMs", "less"),
        "partitions": Metric("partitions", "1"),
        "tasks_per_partition": Metric("tasks / partitions", "1"),
        "scheduled_workload": Metric("sum of work / period, as conflicts in the partitions make it", "SMs"),
        "workload_lower": Metric("the same without any conflict", "SMs"),
        "workload_upper": Metric("the same with all conflicts", "SMs"),
        "merges": Metric("merges of partitions", "1", "less"),
        "moves": Metric("tasks moved by local search", "1", "less"),
        "tests": Metric("schedulability tests", "1", "less"),
        "steps": Metric("tasks that the sums of the analysis went over: what its time is made of", "1", "less"),
        "undecided": Metric("partitions whose size no search proved", "1", "less"),
        "sms_lower": Metric("no set of partitions needs fewer", "SMs"),
        "analysis_s": Metric("time that the analysis took: differs from run to run", "s", "less"),
    },
    parameters={
        "sms": count("streaming multiprocessors of the GPU", 68, min=1),
        "taskset_id": text("task set that is partitioned: the workload", REQUIRED),
        "forbidden": choice(
            "inactive, or act: pairs of tasks that do not fit together are found first", "inactive", "act"
        ),
        "order": choice(
            "order of the first operand of a merge by utilisation: decreasing or increasing", "decreasing", "increasing"
        ),
        "execution_mode": choice(
            "whether more SMs shorten the serial part, too: scaled or literal", "scaled", "literal"
        ),
        "edf": choice("preemptive or non_preemptive", "preemptive", "non_preemptive"),
        "priority": choice("scheduling in a partition: edf or dm (fixed, by deadline)", "edf", "dm"),
        "search": choice("search of a union's size: binary or linear", "binary", "linear"),
        "stop": choice("when merging ends: fit (as soon as the partitions fit) or exhaust", "fit", "exhaust"),
        "forbidden_scope": choice(
            "what a failed merge forbids: partitions or tasks (all pairs of theirs)", "partitions", "tasks"
        ),
        "sizes": choice("sizes of partitions: any, or mig (slices of sevenths)", "any", "mig"),
    },
    keys=("taskset_id",),
    traits=("OPTIONS", "EXACT_UP_TO"),
    tables=("task", "slice_point", "slice_demand", "slice_need", "slice_plan"),
    looks={
        "one_gpu": "grey",
        "bf": "amber",
        "sms": "blue",
        "local_search": "green",
    },
    batch=4096,
)

__getattr__ = offering(__name__, schedulability="")
