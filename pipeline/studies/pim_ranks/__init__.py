"""Sharing the ranks of a processing-in-memory machine: PIM-CARE, VirtualPIM, their baselines and exact optima."""

from pipeline.runtime.study import REQUIRED, Answer, Metric, Study, choice, count, number, offering, text

STUDY = Study(
    place=2,
    title="Ranks of a PIM machine",
    about="ranks of a PIM machine (PIM-CARE, ICS 2025)",
    takes=("pim_runs", "perf_points"),
    headline="throughput_per_s",
    answers={
        "schedulers": Answer(
            "Ranks of a PIM machine",
            "The scheduler to use has the best mean throughput; of a tie it is the simpler one. Two are a tie where "
            "the 95 % interval of their paired ratio includes 1 and the means differ by no more than 1 %.",
            of=("perf_table", "queue"),
        ),
        "ranks": Answer(
            "Ranks to give an application",
            "The best number of ranks is the smallest whose speed is above 95 % of the largest (Algorithm 1 of PIM-"
            "CARE). In brackets: what the measurements leave open between and beyond them.",
            of=("perf_table",),
        ),
    },
    metrics={
        "throughput_per_s": Metric("jobs / makespan", "1/s", "more"),
        "att_s": Metric("average turnaround time: mean of end - arrival", "s", "less"),
        "makespan_s": Metric("last end since the first arrival", "s", "less"),
        "rank_utilisation": Metric("rank-seconds held, as a share of all until the last end", "1", "more"),
        "overhead_share": Metric("time that the scheduler adds, as a share of execution time: an input", "1"),
        "makespan_lower_bound_s": Metric("no schedule of these jobs ends earlier", "s"),
        "profiling_s": Metric(
            "time of the profile runs of all applications of the queue, one after the other", "s", "less"
        ),
        "rejected_jobs": Metric(
            "jobs that ask for more ranks than there are, or all of a set for which no best schedule is proven",
            "1",
            "less",
        ),
    },
    parameters={
        "ranks": count("ranks of the PIM machine", REQUIRED, min=1),
        "table_id": text("set of performance tables that its applications have"),
        "window": count("scheduling window of PIM-CARE", 6, min=1),
        "ooo_window": count("how far sm_opt_ooo looks down the queue; null = to its end", min=1),
        "perf_at": choice("ranks at which PIM-CARE looks up speeds: leftover or available", "leftover", "available"),
        "overhead": number("cost of the scheduler as a share of execution time; null = its own", "1", min=0),
        "coop_limit": number("Fine's rank-time over Coarse's up to which Co-op runs Fine", "1", 1.1, min=0),
        "profiling_ratio": number(
            "share of the numbers of ranks at which applications are profiled, as schedulers know them (Algorithm 1); "
            "null = their times on all are known",
            "1",
            min_exclusive=0,
            max=1,
        ),
        "threshold": number(
            "THOpt of Algorithm 1: the share of the largest speed that best_ranks reaches; null = best_ranks as given, "
            "or 0.95 of a profile",
            "1",
            min_exclusive=0,
        ),
        "objective": choice("what optimal minimises: makespan or att", "makespan", "att"),
    },
    drawn=("table_id",),
    traits=("NEEDS",),
    tables=(
        "pim_run",
        "pim_phase",
        "perf_point",
        "queue",
        "pim_stage",
        "pim_request",
        "pim_curve",
        "perf_table",
        "pim_model",
        "pim_prediction",
    ),
    looks={
        "se_full": "grey",
        "se_opt": "amber",
        "sm_opt_fcfs": "blue",
        "sm_opt_ooo": "purple",
        "pim_care": "green",
        "care_floor": "red",
        "virtual_pim_coop": "violet",
    },
    batch=4096,
)

__getattr__ = offering(__name__)
