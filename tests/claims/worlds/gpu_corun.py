"""Pairs and single kernels on six machines, six draws of kernels, three splits of the SMs."""

import itertools

VIEWS = ("gpu_corun_claim",)
KERNELS = ["BS", "GS", "MM", "RG", "TR"]
PAIRS = ["-".join(pair) for pair in itertools.combinations_with_replacement(KERNELS, 2)]
PRINTED = {"GS-RG": 0.35, "BS-MM": -0.02, "GS-GS": 0.24, "BS-RG": 0.3, "MM-RG": 0.12, "RG-TR": 0.12, "RG-RG": 0.1}
MACHINES, DRAWS, SPLITS = 6, 6, ("equal", "best", "saturate")


def runs_of(gain=lambda pair, machine, draw, split: PRINTED.get(pair, 0.1), corun=lambda pair: "RG" in pair.split("-"),
            alone=lambda kernel: 0.02, mps=0.06, mps_alone=-0.01) -> list[dict]:  # fmt: skip
    """Rows of gpu_corun_result of Slate on every pair and every kernel alone; gains are over MPS."""
    rows = []
    for machine, draw, split in itertools.product(range(MACHINES), range(DRAWS), SPLITS):
        of = {"machine": f"m{machine:04d}", "draw": f"k{draw:02d}", "split": split, "scheduler": "slate", "sms": 30,
              "symmetry": "printed", "task_size": 10}  # fmt: skip
        for pair in PAIRS:
            over_mps = gain(pair, machine, draw, split)
            rows.append(
                of | {"kind": "pair", "pair": pair, "gain_over_mps": over_mps, "kernel_gain_over_mps": over_mps,
                      "gain_over_cuda": (1 + over_mps) * (1 + mps) - 1, "corun": corun(pair)}
            )  # fmt: skip
        for kernel in KERNELS:
            over_mps = alone(kernel)
            rows.append(
                of | {"kind": "alone", "pair": kernel, "gain_over_mps": over_mps, "kernel_gain_over_mps": over_mps,
                      "gain_over_cuda": (1 + over_mps) * (1 + mps_alone) - 1, "corun": False}
            )  # fmt: skip
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
    curve = [
        {"trace": t, "app": app, "sms": n, "ipc": None, "beside": None,
         "time_s": 1 / min(n, saturates_at or 30) if app == "Stream" else 1 / n}
        for t in traces for app in ("Stream", "gemm") for n in range(1, 31)
    ]  # fmt: skip
    # A point beside another application is none of the stream's curve, however fast.
    curve += [row | {"sms": 2, "time_s": 0.1, "beside": "gemm"} for row in curve if row["sms"] == 1]
    return {"sm_curve": curve, "trace": [{"trace": t, "kind": kind} for t in traces]}


def world(name, claim):
    if claim == "S11":
        return curves({"exact": 9, "alike": 1, "turned": 21}[name])
    gain = {"exact": as_printed(claim), "alike": lambda *_: 0.0, "turned": lambda *at: -as_printed(claim)(*at)}[name]
    share = {"exact": lambda pair: "RG" in pair.split("-"), "alike": lambda pair: False,
             "turned": lambda pair: "RG" not in pair.split("-")}[name]  # fmt: skip
    alone = {"exact": 0.02, "alike": 0.0, "turned": -0.05}[name]
    mps = {"exact": 0.06, "alike": 0.0, "turned": -0.06}[name]
    return {"gpu_corun_result": runs_of(gain, share, lambda kernel: alone, mps, 0.0 if name == "alike" else -0.01)}


def views(claim):
    return ("fig_gpu_corun_1",) if claim == "S11" else VIEWS
