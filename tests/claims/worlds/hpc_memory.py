"""Phased and dynamic workloads at memory sizes, alphas and times of a reconfiguration, six batches."""

import itertools

import numpy as np

VIEWS = ()
BATCHES = 6
ALPHAS = (0.01, 0.03, 0.1, 0.3, 0.5)
SIZES = ("1–6 nodes", "7–12 nodes", "13–18 nodes", "19–24 nodes")
UNLIMITED = 0.9


def runs_of(rows) -> list[dict]:
    """Rows of hpc_memory_paper with what follows from the given columns."""
    base = {"setting": "default", "alpha": 0.03, "tau_s": 1.0, "unlimited_utilisation": UNLIMITED}
    full = []
    for number, given in enumerate(rows):
        run = base | given
        run.setdefault("scenario_id", str(number))
        run["workload"] = f"{run['kind']}/{run['setting']}"
        run["normalised"] = run["utilisation"] / run["unlimited_utilisation"]
        run["loss"] = 1 - run["normalised"]
        full.append(run)
    return full


def grid(utilisation, kind, schedulers, sizes, batches=BATCHES, alphas=(0.03,), taus=(1.0,), **more) -> list[dict]:
    """Runs of every combination; `utilisation` is a function of scheduler, size, alpha, tau and batch."""
    return [
        {"kind": kind, "scheduler": s, "memory_per_node_gb": float(m), "alpha": a, "tau_s": t, "batch": b}
        | {"utilisation": utilisation(s, m, a, t, b)}
        | more
        for s, m, a, t, b in itertools.product(schedulers, sizes, alphas, taus, range(batches))
    ]


def _lost(lost):
    """Utilisation of which `lost` gives the share of that with unlimited memory that is lost."""
    return lambda *at: UNLIMITED * (1 - lost(*at))


def _phased(name):
    """Share lost on phased workloads by scheduler and size."""
    exact = {
        "priority": {105: 1 - 0.85 / UNLIMITED, 125: 0.007, 128: 0.007, 150: 0.002, 200: 0.001},
        "oldest_first": {105: 1 - 0.84 / UNLIMITED, 125: 0.01, 128: 0.01, 150: 0.0015, 200: 0.0005},
        "largest_first": {105: 1 - 0.81 / UNLIMITED, 125: 0.02, 128: 0.02, 150: 0.001, 200: 0.0005},
        "aggregated": {105: 0.3, 125: 0.2, 128: 0.2, 150: 0.1, 200: 0.0},
    }
    if name == "exact":
        return lambda s, m, a, t, b: exact[s][m]
    if name == "alike":
        return lambda s, m, a, t, b: 0.0
    worst = dict(zip(exact, reversed(exact), strict=True))
    return lambda s, m, a, t, b: exact[worst[s]][{105: 200, 125: 150, 128: 150, 150: 125, 200: 105}[m]]


def _at_105(name, other, gain):
    """Utilisations of Priority and another at 105 GB."""
    lead = {"exact": gain, "alike": 0.0, "turned": -gain}[name]
    return grid(lambda s, *_: 0.85 - (0 if s == "priority" else lead), "phased", ["priority", other], [105, 150])


def reconfiguration(lower_at=None) -> list[dict]:
    """Utilisation against tau that meets M9, but for one size of one tau."""
    of_tau = {1.0: 0.88, 10.0: 0.879, 40.0: 0.86, 1000.0: 0.5}

    def utilisation(s, m, a, t, b):
        if s == "aggregated":
            return (0.87 if m > 200 else 0.7) - 0.3 * ((t, m) == lower_at)
        return of_tau[t] - 0.05 * ((t, m) == lower_at)

    aggregated = [r for r in grid(utilisation, "phased", ["aggregated"], [105, 200, 225, 256]) if r["tau_s"] == 1]
    return aggregated + grid(utilisation, "phased", ["priority"], [105, 200, 225, 256], taus=tuple(of_tau))


def alphas(phased, dynamic, setting="default"):
    """Runs at each alpha, as M15 asks for."""
    runs = grid(phased, "phased", ["priority"], [105, 150], alphas=ALPHAS, setting=setting)
    return runs + grid(dynamic, "dynamic", ["priority", "stochastic"], [105, 150], alphas=ALPHAS, setting=setting)


def responses(grown, all_grown=2.0) -> dict[str, list[dict]]:
    """Response times of M13: how many times those of each class of sizes grow, and that of all jobs."""
    runs, result, response = [], [], []
    for kind, scheduler in (("phased", "priority"), ("dynamic", "stochastic")):
        for batch, name in itertools.product(range(BATCHES), ("unlimited", scheduler)):
            scenario, whole = f"{kind}{batch}{name}", name == "unlimited"
            run = {"kind": kind, "scheduler": name, "batch": batch, "utilisation": 0.8, "scenario_id": scenario}
            runs.append(run | {"memory_per_node_gb": None if whole else 105.0})
            mean = 100.0 * (1 if whole else all_grown)
            result.append({"scenario_id": scenario, "mean_response_s": mean, "unlimited_response_s": 100.0})
            response += [
                {"scenario_id": scenario, "size": size, "mean_response_s": 50.0 * (1 if whole else grown(kind, size))}
                for size in SIZES
            ]
    return {"hpc_memory_paper": runs_of(runs), "hpc_memory_result": result, "hpc_memory_response": response}


GRID_16 = [105.0, 115.0, 120.0, 125.0, 135.0, 150.0, 160.0, 175.0, 190.0, 200.0]


def lucky(starts: dict[str, list[float]], better: set[float]) -> dict[str, list[dict]]:
    """Dynamic runs of Stochastic at ten sizes, better than the baseline at some; starts of three jobs in each run."""
    runs = grid(lambda s, m, a, t, b: 0.91 if m in better else 0.89, "dynamic", ["stochastic"], GRID_16)
    for run in runs:
        run["scenario_id"] = f"ours{run['batch']}-{run['memory_per_node_gb']}"
    base = {"kind": "dynamic", "scheduler": "unlimited", "utilisation": 0.9, "memory_per_node_gb": None}
    unlimited = [base | {"batch": b, "scenario_id": f"base{b}"} for b in range(BATCHES)]
    outcomes = [
        {"scenario_id": run["scenario_id"], "job_id": str(j), "start_s": s}
        for run in [*runs, *unlimited]
        for j, s in enumerate(starts["base" if run["scheduler"] == "unlimited" else "ours"])
    ]
    return {"hpc_memory_paper": runs_of([*runs, *unlimited]), "outcome_hpc_memory": outcomes}


def month(trace_id="m100_2205", kind="measured", format_name="marconi100", jobs=200, node_memory='"max"',
          phase_s=1000.0, memory_gb=105.0, most_phases=33) -> dict[str, list[dict]]:  # fmt: skip
    """Tables of a trace: jobs of 7 nodes, 17 phases of 1000 s and 105 GB in the mean, and short ones of no account."""
    rng = np.random.default_rng(7)
    nodes = rng.integers(1, 14, jobs)
    job, phase = [], []
    for j in range(jobs):
        job.append({"trace": trace_id, "job_id": str(j), "submit_s": 10.0 * j, "nodes": int(nodes[j])})
        for p in range(int(rng.integers(1, most_phases + 1))):
            row = {"trace": trace_id, "job_id": str(j), "phase": p, "duration_s": float(rng.exponential(phase_s))}
            row["memory_gb"] = float(rng.uniform(0, 2 * memory_gb))
            phase += [row | {"node": None}, row | {"node": "n1", "memory_gb": 1.0}]
    for j in range(jobs, 2 * jobs):
        job.append({"trace": trace_id, "job_id": str(j), "submit_s": 10.0 * j, "nodes": 40})
        phase.append(
            {"trace": trace_id, "job_id": str(j), "phase": 0, "duration_s": 59.0, "memory_gb": 900.0, "node": None}
        )
    setting = [{"key": "fit.node_memory", "value": node_memory}]
    trace = [{"trace": trace_id, "format": format_name, "kind": kind, "nodes": 980}]
    return {"job": job, "phase": phase, "setting": setting, "trace": trace}


def known(knowledge: str, ahead: float) -> list[dict]:
    """Dynamic runs of Aggregated, and of Stochastic that knows so much and loses so much less."""
    alike = {"release": "load", "load": 0.9, "job_nodes": "uniform", "reconfiguration": "serial", "backfilling": "easy"}
    runs = grid(
        lambda s, *_: 0.8 + ahead * (s == "stochastic"), "dynamic", ["aggregated", "stochastic"], [105, 125, 150],
        free_start=False, **alike,
    )  # fmt: skip
    return [run | {"knowledge": knowledge if run["scheduler"] == "stochastic" else None} for run in runs_of(runs)]


FOUR = ["priority", "oldest_first", "largest_first", "aggregated"]


def world(name, claim):
    if claim == "M18":
        memory, phases = (20.0, 1) if name == "alike" else (300.0, 120)
        return month() if name == "exact" else month(phase_s=50.0, memory_gb=memory, most_phases=phases)
    if claim == "M24":
        share = {"exact": 0.4, "alike": 0.5001, "turned": 0.8}[name]
        pieces = [
            {"trace": "m", "time_s": 3600.0 * hour, "duration_s": 3600.0, "share": share + 0.3 * (hour % 24 < 10)}
            for hour in range(24 * 20)
        ]
        return {"machine_memory": pieces, "trace": [{"trace": "m", "kind": "measured", "format": "marconi100"}]}
    if claim == "M13":
        grown = {"exact": 2.9, "alike": 1.0, "turned": 3.1}[name]
        return responses(lambda kind, size: grown, 1.0 if name == "alike" else 2.0)
    if claim == "M16":
        better = {"exact": {200.0}, "alike": set(), "turned": set(GRID_16)}[name]
        return lucky({"base": [0.0, 1.0, 2.0], "ours": [0.0, 5.0, 3.0]}, better)
    if claim in ("M22", "M23"):
        ahead = {"exact": 0.05, "alike": 0.0, "turned": -0.05}[name]
        return {"hpc_memory_result": known({"M22": "trace", "M23": "bins"}[claim], ahead)}
    return {"hpc_memory_paper": runs_of(_runs(name, claim))}


def _runs(name, claim):
    if claim == "M7":
        lead = {"exact": 0.01, "alike": 0.0, "turned": -0.01}[name]
        others = ["oldest_first", "largest_first"]
        return grid(lambda s, *_: 0.85 + lead * (s in others), "phased", ["priority", *others], [105, 150])
    if claim in ("M4", "M5"):
        return _at_105(name, *{"M4": ("oldest_first", 0.02), "M5": ("largest_first", 0.04)}[claim])
    if claim in ("M1", "M2", "M3", "M6", "M14", "M20"):
        return grid(_lost(_phased(name)), "phased", FOUR, [105, 125, 150, 200])
    if claim == "M8":
        leads = {"exact": (0.005, -0.003, 0.0), "alike": (0.0, 0.0, 0.0), "turned": (-0.3, 0.3, 0.0)}[name]
        lead = dict(zip((105, 150, 256), leads, strict=True))
        both = ["priority", "oldest_first"]
        return grid(lambda s, m, *_: 0.8 + lead[m] * (s == "priority"), "phased", both, list(lead), alphas=ALPHAS)
    if claim == "M9":
        turned = {1.0: 0.5, 10.0: 0.86, 40.0: 0.88, 1000.0: 0.89}
        return {
            "exact": reconfiguration,
            "alike": lambda: [row | {"utilisation": 0.9} for row in reconfiguration()],
            "turned": lambda: [
                row | {"utilisation": 0.1 if row["scheduler"] == "aggregated" else turned[row["tau_s"]]}
                for row in reconfiguration()
            ],
        }[name]()
    if claim in ("M10", "M11", "M12", "M21"):
        shares = {"stochastic": (0.15, 0.05, 0.02), "aggregated": (0.25, 0.15, 0.1), "priority": (0.4, 0.3, 0.2)}
        lost = {s: dict(zip((105, 125, 150), of_sizes, strict=True)) for s, of_sizes in shares.items()}
        if claim == "M11":
            # What is lost of the machine and of what unlimited memory reaches is the same where that is all of it.
            lost["stochastic"][105] = 0.195
        if name == "turned":
            lost |= {"stochastic": lost["priority"], "priority": lost["stochastic"]}
        whole = 0.995 if claim == "M11" else UNLIMITED

        def reached(s, m, *_):
            return whole * (1 - (0.0 if name == "alike" else lost[s][m]))

        return grid(reached, "dynamic", list(lost), [105, 125, 150], unlimited_utilisation=whole)
    if claim == "M15":
        rise = {"exact": 0.02, "alike": 0.0, "turned": -0.02}[name]

        def utilisation(s, m, a, t, b):
            lower = {"exact": 0.05, "alike": 0.0, "turned": -0.05}[name]
            return 0.9 * (0.982 + rise * a) - lower * (s == "priority")

        return alphas(utilisation, utilisation)
    if claim == "M17":
        gap = {"exact": 0.0, "alike": None, "turned": 0.3}[name]
        at = {105: 0.7, 150: 0.8}

        def phased(s, m, *_):
            return UNLIMITED if gap is None else at[m]

        def dynamic(s, m, *_):
            return UNLIMITED if gap is None else at[m] - gap

        return grid(phased, "phased", ["aggregated"], at) + grid(dynamic, "dynamic", ["aggregated"], at)
    lead = {"exact": 0.05, "alike": 0.0, "turned": -0.05}[name]
    assert claim == "M19"
    return grid(lambda *_: 0.85, "phased", ["priority"], [105]) + grid(
        # What Figure 8 draws is normalised.
        lambda *_: UNLIMITED * (0.85 - lead),
        "dynamic",
        ["stochastic"],
        [105],
    )
