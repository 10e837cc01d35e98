"""Sharing the streaming multiprocessors of a GPU: fairness, quality of service, process variation."""

from pipeline.runtime.study import REQUIRED, Answer, Metric, Study, choice, count, counts, flag, number, offering, text

STUDY = Study(
    place=4,
    title="SMs of a GPU among applications",
    about="SMs of a GPU among applications (thesis, Chapters 3 to 6)",
    takes=("sm_curves",),
    brief=True,
    headline="system_speedup",
    answers={
        "sms": Answer(
            "SMs of a GPU shared by applications",
            "The policy to use has the largest system speed-up over taking turns among those that slow no application "
            "down on average. If another policy is faster but slows an application down, it is named beside it.",
            of=("sm_curve",),
        ),
        "target": Answer(
            "SMs of a GPU for a part of an application's speed",
            "The fewest SMs, or the smallest measured MIG slice, on which an application alone reaches the part of its "
            "speed on the whole GPU.",
            of=("sm_curve",),
        ),
    },
    metrics={
        "system_speedup": Metric("sum of throughput over that of cooperative multitasking", "1", "more"),
        "least_speedup": Metric("speed-up of the application that gains least", "1", "more"),
        "total_throughput": Metric("sum of throughput: instructions a cycle, or the curves' other rate", "1", "more"),
        "unfairness_sms": Metric("(max - min) / max of the SMs", "1", "less"),
        "unfairness_throughput": Metric("(max - min) / max of throughput", "1", "less"),
        "unfairness_speedup": Metric("(max - min) / max of speed-up", "1", "less"),
        "rounds": Metric("splits tried after the start", "1", "less"),
        "converged": Metric("1 where a round changed nothing, 0 where splits came again", "1", "more"),
        "realloc_cycles": Metric("cycle at which the last SM changed hands", "cycles", "less"),
        "cycles_to_5_percent": Metric(
            "cycle from which on all are within 5 % of the final split's work", "cycles", "less"
        ),
        "qos_met": Metric("share of the applications with a target that meet it in the end", "1", "more"),
        "spare_sms": Metric("SMs less those of applications with a target", "1", "more"),
        "least_sms": Metric("fewest SMs with which all targets are met", "1", "less"),
        "saved_w": Metric("spare SMs times the power that each saves", "W", "more"),
        "best_effort_gain": Metric(
            "sum of throughput of the best-effort applications over that of cooperative multitasking", "1", "more"
        ),
        "violations": Metric("rounds times applications below their target", "1", "less"),
        "violation_cycles": Metric(
            "cycles below their target, of all applications, until the last round is measured", "cycles", "less"
        ),
        "restarted_work": Metric("instructions done again, as thread blocks were ended to free SMs", "1", "less"),
        "equal_work_speedup": Metric("speed-up over cooperative multitasking for equal work", "1", "more"),
        "mean_clock": Metric("mean frequency of the SMs, the slowest being 1", "1"),
    },
    parameters={
        "sms": count("streaming multiprocessors of the GPU; null = what the scheduler's question has, 16 or 30", min=1),
        "mix_id": text("mix of applications that run at once", REQUIRED),
        "interpolation": choice("between the points of a curve: linear or pchip", "linear", "pchip"),
        "sizes": choice(
            "parts of the GPU: any, or mig (slices of sevenths that are measured, no line between)", "any", "mig"
        ),
        "gamma": number("contention: slowdown for each SM of the others and unit of pressure", "1", 0.0, min=0),
        "decide_by": choice(
            "what a policy looks at: measured (beside the others) or profile (curves alone)", "measured", "profile"
        ),
        "initial": choice("start of a dynamic allocation: equal or profile", "equal", "profile"),
        "freeing": choice(
            "how an SM is freed: wait (until its thread blocks end), migrate (their state is moved) or terminate (they "
            "are ended and start again)",
            "wait",
            "migrate",
            "terminate",
        ),
        "migrate_cycles": number("time to move the state of an SM", "cycles", 2088.0, min=0),
        "qos_level": number(
            "target of QoS applications, of half their throughput on all SMs: 200 = all of it", "%", 100.0, min=0
        ),
        "qos_slots": counts("slots of the mix that have a QoS target", [0]),
        "midpoint": flag("whether a QoS application shrinks to the mid-point at most", False),
        "start": choice("SMs that QoS applications start with: half or all", "half", "all"),
        "spare": choice("what happens to spare SMs: idle, gated or best_effort", "idle", "gated", "best_effort"),
        "idle_w": number("power that an SM saves that is left idle", "W", 2.2, min=0),
        "gated_w": number("power that an SM saves that is power-gated", "W", 3.4, min=0),
        "clocking": choice("clock of the SMs: global (the slowest SM's) or per_sm", "per_sm", "global"),
        "assignment": choice(
            "SMs for compute-bound applications: cfms (fast ones) or csmf (slow ones)", "cfms", "csmf"
        ),
        "map_seed": count("seed of the map of SM frequencies", 0, min=0),
        "threshold_v": number("mean threshold voltage of the map of SM frequencies", "V", 0.42, min=0),
        "voltage_exponent": number("exponent of an SM's frequency against V - V_th", "1", 1.3, min=0),
        "cluster_sms": count("neighbouring SMs that share one clock where clocking is per_sm", 1, min=1),
        "controllers": choice(
            "memory controllers at which an application's speed-up with the clock is taken: shared (its part of them) "
            "or left (all of them where no other application is memory-bound)",
            "shared",
            "left",
        ),
    },
    drawn=("map_seed",),
    keys=("mix_id",),
    traits=("FAMILY", "MIG"),
    tables=(
        "sm_curve",
        "sm_fit",
    ),
    batch=65536,
)

__getattr__ = offering(__name__)
