"""Pairs and single kernels on six machines, six draws of kernels, three splits of the SMs."""

import itertools

VIEWS = ("gpu_corun_claim",)
KERNELS = ["BS", "GS", "MM", "RG", "TR"]
PAIRS = ["-".join(pair) for pair in itertools.combinations_with_replacement(KERNELS, 2)]
PRINTED = {"GS-RG": 0.35, "BS-MM": -0.02, "GS-GS": 0.24, "BS-RG": 0.3, "MM-RG": 0.12, "RG-TR": 0.12, "RG-RG": 0.1}
MACHINES, DRAWS, SPLITS = 6, 6, ("equal", "best", "saturate")


def with_rg(pair: str) -> bool:
    return "RG" in pair.split("-")


def _run(kind, pair, over_mps, mps, corun) -> dict:
    """A run whose gain over CUDA is that over MPS and MPS's own."""
    over_cuda = (1 + over_mps) * (1 + mps) - 1
    gains = {"gain_over_mps": over_mps, "kernel_gain_over_mps": over_mps, "gain_over_cuda": over_cuda}
    return {"kind": kind, "pair": pair, "corun": corun} | gains


def runs_of(
    gain=lambda pair, *_: PRINTED.get(pair, 0.1), corun=with_rg, alone=lambda kernel: 0.02, mps=0.06, mps_alone=-0.01
) -> list[dict]:
    """Rows of gpu_corun_result of Slate on every pair and every kernel alone; gains are over MPS."""
    rows = []
    for machine, draw, split in itertools.product(range(MACHINES), range(DRAWS), SPLITS):
        of = {"machine": f"m{machine:04d}", "draw": f"k{draw:02d}", "split": split, "scheduler": "slate"}
        of |= {"sms": 30, "symmetry": "printed", "task_size": 10, "cached": False}
        rows += [of | _run("pair", pair, gain(pair, machine, draw, split), mps, corun(pair)) for pair in PAIRS]
        rows += [of | _run("alone", kernel, alone(kernel), mps_alone, False) for kernel in KERNELS]
    return rows


def as_printed(claim: str):
    """Gain over MPS of each pair with which a claim is met to the digit: not all printed numbers go together."""
    known = {"S2": 0.11, "S3": 1.18 / 1.06 - 1, "S6": 0.3055}
    if claim in known:
        return lambda pair, *_: known[claim]
    return lambda pair, *_: PRINTED.get(pair, 0.1)


def curves(saturates_at: int | None, kind: str = "measured") -> dict[str, list[dict]]:
    """Curves of a stream on 30 SMs in six traces, which gain nothing from so many SMs on (None: all gain)."""
    traces = [f"t{i}" for i in range(6)]
    most_used = {"Stream": saturates_at or 30, "gemm": 30}
    curve = [
        {"trace": t, "app": app, "sms": n, "ipc": None, "beside": None, "time_s": 1 / min(n, most)}
        for t, (app, most), n in itertools.product(traces, most_used.items(), range(1, 31))
    ]
    # A point beside another application is none of the stream's curve, however fast.
    curve += [row | {"sms": 2, "time_s": 0.1, "beside": "gemm"} for row in curve if row["sms"] == 1]
    return {"sm_curve": curve, "trace": [{"trace": t, "kind": kind} for t in traces]}


def world(name, claim):
    if claim == "S11":
        return curves({"exact": 9, "alike": 1, "turned": 21}[name])
    gain = {"exact": as_printed(claim), "alike": lambda *_: 0.0, "turned": lambda *at: -as_printed(claim)(*at)}[name]
    share = {"exact": with_rg, "alike": lambda pair: False, "turned": lambda pair: not with_rg(pair)}[name]
    alone = {"exact": 0.02, "alike": 0.0, "turned": -0.05}[name]
    mps = {"exact": 0.06, "alike": 0.0, "turned": -0.06}[name]
    return {"gpu_corun_result": runs_of(gain, share, lambda kernel: alone, mps, 0.0 if name == "alike" else -0.01)}


def views(claim):
    return ("fig_gpu_corun_1",) if claim == "S11" else VIEWS
