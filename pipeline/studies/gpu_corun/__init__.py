"""Which kernels share a GPU, and how: Slate's policy and resizing, MPS, time slicing, and the best split of a pair."""

from pipeline.runtime.study import UNREAD, Answer, Metric, Study, choice, count, flag, number, offering, text

STUDY = Study(
    place=3,
    title="Kernels side by side on a GPU",
    about="kernels that share a GPU (Slate, IPDPS 2019)",
    takes=("kernels",),
    brief=True,
    headline="makespan_s",
    answers={
        "kernels": Answer(
            "Kernels side by side on a GPU",
            "The scheduler to use has the most throughput of each pair or kind of queue; ties go to the simpler one.",
            of=("kernel",),
        ),
        "pairs": Answer(
            "Who shares a GPU with whom",
            "The pairing with the most weighted speedup over taking turns, by the pairs that were measured. "
            "best_pairs('trace') has all of them. What the model of profiles says under MPS stands beside it where it "
            "was asked.",
            of=("best_pair",),
        ),
    },
    metrics={
        "makespan_s": Metric("last end of an application since the first arrival", "s", "less"),
        "kernel_makespan_s": Metric("last end of a kernel since the first is ready", "s", "less"),
        "antt": Metric("average normalised turnaround time: mean of T / T alone under CUDA", "1", "less"),
        "stp": Metric("system throughput: sum of T alone under CUDA / T", "1", "more"),
    },
    parameters={
        "sms": count("streaming multiprocessors of the GPU", 30, min=1),
        "gpu": text("card that classes and bandwidth are of; null = not named", UNREAD),
        "gpu_origin": text(
            "where its numbers come from: published, stated, looked_up (by its name), measured (largest rates of its "
            "kernels) or assumed",
            UNREAD,
        ),
        "peak_gflops": number("peak rate of the card; null = by its kernels", "GFLOP/s", UNREAD, min_exclusive=0),
        "model_id": text("model of the kernels: default, an admissible draw, or a trace"),
        "split": choice(
            "how two kernels under Slate share the SMs: equal, best or saturate", "equal", "best", "saturate"
        ),
        "symmetry": choice(
            "how Slate reads its asymmetric Table I: printed, either or both", "printed", "either", "both"
        ),
        "task_size": count("blocks a task of Slate", 10, min=1),
        "cached": flag("whether of the runs of a kernel in a workload the first alone pays for injection", False),
        "bandwidth_gbps": number("sustainable DRAM bandwidth of the GPU", "GB/s", 450.0, min_exclusive=0),
        "knee": number("share of that bandwidth from which latency grows", "1", 0.8, min_exclusive=0, max=1),
        "latency": number("growth of SM-bound work at full bandwidth", "1", 0.5, min=0),
        "switching_loss": number("time that slicing adds while several are active, as a share", "1", 0.06, min=0),
        "overlap": number("speed that the leftover policy adds while another waits, as a share", "1", 0.0, min=0),
        "mps_overhead": number("overhead of MPS, as a share of the application", "1", 0.01, min=0),
        "communication": number(
            "client-daemon communication of Slate, as a share of the application", "1", 0.04, min=0
        ),
        "injection": number("code injection of Slate, as a share of the application", "1", 0.015, min=0),
        "resize_s": number("pause of a kernel whose SMs change", "s", 0.0, min=0),
        "medium_gflops": number("rate from which a kernel computes with medium intensity", "GFLOP/s", 56.0, min=0),
        "high_gflops": number("rate from which it does so with high intensity", "GFLOP/s", 496.0, min=0),
        "medium_memory_gbps": number("rate from which its memory intensity is medium", "GB/s", 182.0, min=0),
        "high_memory_gbps": number("rate from which it is high", "GB/s", 492.0, min=0),
        "timeline": flag("whether the replay is kept instant by instant", False),
    },
    drawn=(
        "model_id",
        "bandwidth_gbps",
        "knee",
        "latency",
        "switching_loss",
        "overlap",
        "mps_overhead",
        "communication",
        "injection",
        "resize_s",
        "medium_gflops",
        "high_gflops",
        "medium_memory_gbps",
        "high_memory_gbps",
    ),
    traits=("OPTIONS", "MOST_APPLICATIONS"),
    tables=(
        "kernel",
        "gpu_app",
        "gpu",
        "corun_pair",
        "task_cost",
        "solo_rate",
        "best_pair",
    ),
    looks={
        "cuda": "grey",
        "mps": "amber",
        "slate": "green",
    },
    batch=16384,
)

__getattr__ = offering(__name__, intensity="pipeline.gpus.intensity", coruns="pipeline.gpus.intensity")
