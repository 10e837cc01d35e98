"""Mixes of applications on a GPU's SMs: fairness (F), quality of service (Q), process variation (V)."""

import itertools
import re
from pathlib import Path

import polars as pl

from pipeline.warehouse import definitions

MIXES = [f"mix{i}" for i in range(7)]
POLICIES = ["equal_compute", "equal_throughput", "equal_speedup", "max_fair_throughput", "max_throughput"]
MEMBERS = [f"surrogate/{m:04d}" for m in range(8)]
MAPS = range(6)
COMPUTE, MEMORY = ("AES-E", "ID", "RAY", "SAD"), ("BPR", "DVC", "JPEG-D", "NN", "SHA1")
VARIATION_VIEWS = ("gpu_sharing_table_3", "gpu_sharing_variation_claim", "gpu_sharing_assignment_claim")
TABLE_3_MEANS = {"csmf": 1.36, "cfms": 1.41}


def views(claim):
    return VARIATION_VIEWS if claim.startswith("V") else ()


def cells(same, difference) -> list[dict]:
    """Cells of Table 6."""
    return [
        {"mix": m, "policy": p, "interpolation": i, "same_split": same(m, p), "difference": difference(m, p)}
        | {"system_speedup": 1.0 + difference(m, p), "printed_speedup": 1.0}
        for m, p, i in itertools.product(MIXES, POLICIES, ("linear", "pchip"))
    ]


def table_6_apps(name: str) -> dict[str, pl.DataFrame]:
    """Speed-ups of the applications of Table 6: as printed, 1 everywhere, or gains turned to losses."""
    claim = (Path(definitions.__file__).parents[1] / "studies/gpu_sharing/claims/F9.sql").read_text()
    printed = [
        (mix, policy, [float(value) for value in values.split(",")])
        for mix, policy, values in re.findall(r"\('([A-Z0-9+]+)', '(\w+)', \[(.+?)\]\)", claim)
    ]
    results, outcomes = [], []
    stated = {"kind": "stated", "trace": "thesis_table_6", "dynamic": False, "sms": 16, "gamma": 0.0}
    for (mix, policy, values), interpolation in itertools.product(printed, ("linear", "pchip")):
        scenario = f"{mix}/{policy}/{interpolation}"
        names = {"scenario_id": scenario, "mix": mix, "policy": policy, "interpolation": interpolation}
        results.append(stated | names)
        ours = {"exact": values, "alike": [1.0] * len(values), "turned": [2 - value for value in values]}[name]
        outcomes += [{"scenario_id": scenario, "slot": slot, "speedup": value} for slot, value in enumerate(ours)]
    return {"gpu_sharing_result": pl.DataFrame(results), "outcome_gpu_sharing": pl.DataFrame(outcomes)}


def paths(swapped: bool, throughput) -> list[dict]:
    """Figure 17: rounds of both cases, with the printed numbers of SMs; `throughput` of case, application and SMs."""
    printed = {
        "a": [("AES", 8, "RAY", 8), ("AES", 5, "RAY", 11)],
        "b": [("ID", 8, "JPEG", 8), ("ID", 10, "JPEG", 6), ("ID", 11, "JPEG", 5)],
    }
    return [
        {"part": part, "interpolation": i, "round": r, "app": app, "printed_sms": sms}
        | {"sms": 16 - sms if swapped else sms, "throughput": throughput(part, app, sms)}
        for part, rounds in printed.items()
        for r, (one, n, other, m) in enumerate(rounds)
        for (app, sms), i in itertools.product(((one, n), (other, m)), ("linear", "pchip"))
    ]


def qos(**columns) -> dict:
    """A row of gpu_sharing_qos: the default configuration, and what is given."""
    row = {"scenario_id": "s", "member": MEMBERS[0], "sha1_sharpness": 10.0, "mix": "SHA1", "kind": "one_qos"}
    row |= {"qos_apps": "SHA1", "best_effort_app": None, "scheduler": "profile_minimum", "decide_by": "measured"}
    row |= {"qos_level": 100, "midpoint": True, "start": "half", "spare": "idle", "gamma": 1.0, "qos_met": 1.0}
    row |= {"qos_sms": 11, "spare_sms": 19, "least_sms": 11, "idle_w": 0.0, "saved_w": 0.0, "best_effort_gain": None}
    row |= {"rounds": 0, "violations": 0}
    assert set(columns) <= set(row)
    return row | columns


def table(rows: list[dict]) -> pl.DataFrame:
    """Rows of gpu_sharing_qos as a table."""
    return pl.DataFrame(rows, schema_overrides={"best_effort_app": pl.String, "best_effort_gain": pl.Float64})


def convergence(path, best=(15, 10)) -> dict[str, pl.DataFrame]:
    """The path of SHA1 from all SMs, round by round and not in order."""
    runs, rounds = [], []
    for i, member in enumerate(MEMBERS):
        for start, steps in (("all", path), ("half", list(best))):
            scenario = f"{member}/{start}"
            of_run = {"scenario_id": scenario, "member": member, "start": start}
            of_run["sha1_sharpness"] = 4.0 if i < 5 else 20.0
            runs.append(qos(scheduler="dynamic_linear", midpoint=False, qos_level=80, **of_run))
            rounds += [{"scenario_id": scenario, "round": r, "sms": n} for r, n in reversed(list(enumerate(steps)))]
    return {"gpu_sharing_qos": table(runs), "round_gpu_sharing": pl.DataFrame(rounds)}


def variation(speedup, applications: int = 2) -> pl.DataFrame:
    """Rows of gpu_sharing_variation: speedup(mix, scheduler, clocking, assignment, member, map number)."""
    alike = [("BPR", "NN"), ("AES-E", "ID"), ("JPEG-D", "DVC"), ("RAY", "SAD"), ("DVC", "SHA1")]
    pairs = [*itertools.product(COMPUTE, MEMORY), *alike]
    threes = itertools.combinations((*COMPUTE, *MEMORY), 3)
    mixes = pairs if applications == 2 else [mix for mix in threes if 0 < len(set(mix) & set(COMPUTE)) < 3]
    rows = []
    for mix, scheduler, member, i in itertools.product(mixes, ("even_split", "profile"), MEMBERS, MAPS):
        bound = [app in COMPUTE for app in mix]
        classes = "compute" if all(bound) else "mixed" if any(bound) else "memory"
        name = "+".join(mix)
        one = speedup(name, scheduler, "global", None, member, i)
        ways = [("per_sm", "cfms"), ("per_sm", "csmf")] + ([("global", None)] if i == 0 else [])
        for clocking, assignment in ways:
            value = one if clocking == "global" else speedup(name, scheduler, clocking, assignment, member, i)
            row = {"member": member, "reading": "default", "map_seed": i if clocking == "per_sm" else None, "mix": name}
            row |= {"applications": applications, "classes": classes, "scheduler": scheduler, "clocking": clocking}
            rows.append(row | {"assignment": assignment, "speedup": value, "over_global": value / one})
    return pl.DataFrame(rows, schema_overrides={"map_seed": pl.Int64, "assignment": pl.String})


def printed_table_3() -> dict[str, dict[str, float]]:
    """Table 3 of the thesis as the view has it."""
    import duckdb

    connection = duckdb.connect()
    connection.execute(definitions.files_of("gpu_sharing_table_3")[-1].read_text())
    rows = connection.execute("SELECT mix, csmf, cfms FROM gpu_sharing_table_3").fetchall()
    return {mix: {"csmf": csmf, "cfms": cfms} for mix, csmf, cfms in rows}


def _speedups(claim):
    """Speed-ups with which a claim on variation is met to the digit: not all printed numbers go together."""
    cells = printed_table_3()

    def speedup(mix, scheduler, clocking, assignment, member, i):
        profile = scheduler == "profile"
        if claim in ("V3", "V4", "V8"):
            return 1.3 if assignment is None else cells[mix][assignment]
        if claim == "V9":
            return (1.5 if profile else 1.3) * (1.1 if mix.startswith(("AES-E", "ID")) else 1.0)
        if claim == "V1":
            return {None: 1.2, "cfms": 1.2 * (1.2 if profile else 1.18), "csmf": 1.3}[assignment]
        if claim == "V2":
            return 1.0 if assignment is None else 1.46 if profile else 1.36
        if claim == "V6":
            return {None: 1.0, "cfms": 1.41 if profile else 1.33, "csmf": 1.36}[assignment]
        behind = profile and mix == "AES-E+ID+NN"
        over = (1.43 if profile else 1.42) - 0.1 * behind
        return over / 1.19 if assignment is None else over

    return speedup


def _turned(speedup, claim):
    """CFMS and CSMF, Even-Split and Profile exchanged, and gains turned to losses, where they are what is claimed."""
    other = {"cfms": "csmf", "csmf": "cfms", None: None}

    def exchanged(mix, scheduler, clocking, assignment, member, i):
        if claim in ("V3", "V4"):
            return speedup(mix, scheduler, clocking, other[assignment], member, i)
        scheduler = "profile" if scheduler == "even_split" else "even_split"
        gain = speedup(mix, scheduler, clocking, other[assignment], member, i)
        return 1 / gain if assignment is None else gain**-1.5

    return exchanged


def world(name, claim):
    return {"F": _fairness, "Q": _quality, "V": _variation}[claim[0]](name, claim)


def _variation(name, claim):
    if claim == "V10":
        spread = {"exact": 0.004, "alike": 0.0, "turned": -0.002}[name]
        maps = [
            {"map_seed": i, "sms": sms, "sm": sm, "frequency": 1.0 + (0.4 + spread * sms) * (sm == 1)}
            for i, sms, sm in itertools.product(MAPS, (8, 15, 30, 60, 120), range(2))
        ]
        return {"gpu_sharing_variation": variation(lambda *_: 1.0), "sm_map_gpu_sharing": maps}
    exact = _speedups(claim)
    speedup = {"exact": exact, "alike": lambda *_: 1.0, "turned": _turned(exact, claim)}[name]
    maps = [{"map_seed": 0, "sms": 30, "sm": sm, "frequency": 1.0 + sm / 29 * 0.4} for sm in range(30)]
    return {"gpu_sharing_variation": variation(speedup, 3 if claim == "V5" else 2), "sm_map_gpu_sharing": maps}


def _fairness(name, claim):
    if claim in ("F1", "F2"):
        # Where nothing differs each policy gives what equal_compute does.
        policies = {"exact": POLICIES, "alike": ["equal_compute"], "turned": []}[name]
        cell = cells(lambda m, p: p in policies, lambda m, p: 0.0 if p in policies else 0.3)
        return {"fig_gpu_sharing_table_6": cell}
    if claim == "F9":
        return table_6_apps(name)
    if claim == "F3":
        greedy, equal = {"exact": (0.4, 1.0), "alike": (1.0, 1.0), "turned": (1.1, 0.9)}[name]
        least = {"max_throughput": greedy, "equal_speedup": equal}
        rows = [
            {"source": s, "member": m, "interpolation": "linear", "sms": 16, "policy": p, "least_speedup": v}
            for s, m, (p, v) in itertools.product(("ensemble", "a trace"), range(20), least.items())
        ]
        return {"fig_gpu_sharing_15": rows}
    if claim == "F8":
        of = {"exact": (0.9, 0.2), "alike": (0.5, 0.5), "turned": (0.2, 0.9)}[name]
        unfair = {"max_throughput": of[0], "max_fair_throughput": of[1], "equal_speedup": of[1]}
        system = {"max_throughput": 1.5, "max_fair_throughput": 1.5 - of[1], "equal_speedup": 1.5 - (of[0] + of[1]) / 2}
        kinds = ("sms", "throughput", "speedup")
        rows = [
            {"source": "ensemble", "member": m, "interpolation": "linear", "sms": 16, "policy": p}
            | {"system_speedup": system[p]}
            | dict.fromkeys((f"unfairness_{kind}" for kind in kinds), unfair[p])
            for m, p in itertools.product(range(20), unfair)
        ]
        return {"fig_gpu_sharing_15": rows}
    if claim == "F4":
        of = {"trace": "thesis_table_6", "member": None, "interpolation": "linear", "family": "mixes/thesis_table_6"}
        of |= {"applications": 2, "sms": 16, "gamma": 0.0, "initial": "equal"}
        pairs = {"exact": 21, "alike": 1, "turned": 0}[name]
        rows = [of | {"mix": f"p{i}", "policy": p, "found_in_two": i < pairs} for i in range(21) for p in POLICIES]
        return {"gpu_sharing_dynamic": rows}
    if claim == "F6":
        of = {"sms": 16, "interpolation": "linear", "gamma": 0.002, "scheduler": "equal_speedup", "dynamic": False}
        rows = [
            of
            | {"family": f"f{m}", "mix": f"p{i}", "member": m, "decide_by": how, "applications": 2}
            | {"split": [8, 8] if name == "exact" or how == "profile" else [9 + i, 7 - i]}
            for m, i, how in itertools.product(range(6), range(4), ("measured", "profile"))
        ]
        return {"gpu_sharing_result": rows}
    # Work is within 5 % of the ideal's after |gap| * cycles / 5 %: 0.43 * 50K; (0.2 * 24K + 0.3364 * 11K) in the other.
    gap = {("a", "AES", 8): 1.43, ("a", "RAY", 8): 0.8, ("b", "ID", 8): 1.2, ("b", "ID", 10): 1.33636}
    times = {"exact": 1.0, "alike": 0.0, "turned": 10.0}[name]

    def throughput(part, app, sms):
        return 1 + times * (gap.get((part, app, sms), 1.0) - 1)

    return {"fig_gpu_sharing_17": paths(name != "exact" and claim == "F5", throughput)}


def _paths_of_two(steps) -> dict[str, pl.DataFrame]:
    """SMs of JPEG-D and SHA1 round by round, in every member."""
    given = {"mix": "JPEG-D+SHA1", "kind": "two_qos", "scheduler": "dynamic_linear", "qos_level": 80}
    runs = [qos(scenario_id=member, member=member, **given) for member in MEMBERS]
    slots = [(member, slot, app) for member in MEMBERS for slot, app in enumerate(("JPEG-D", "SHA1"))]
    rounds = [
        {"scenario_id": member, "round": number, "slot": slot, "sms": step[slot]}
        for member, slot, _ in slots
        for number, step in enumerate(steps)
    ]
    outcomes = [{"scenario_id": member, "slot": slot, "app": app} for member, slot, app in slots]
    written = {"round_gpu_sharing": pl.DataFrame(rounds), "outcome_gpu_sharing": pl.DataFrame(outcomes)}
    return {"gpu_sharing_qos": table(runs)} | written


SAVED = {100: (2.6, 6.9), 95: (5.8, 11.2), 90: (8.8, 15.8), 85: (13.0, 22.2), 80: (18.1, 28.6)}


def _quality(name, claim):
    if claim == "Q1":
        return convergence({"exact": [30, 12, 9], "alike": [30, 30], "turned": [9, 12, 30]}[name])
    if claim == "Q9":
        steps = {"exact": [(15, 15), (12, 13), (11, 9)], "alike": [(15, 15)], "turned": [(11, 9), (12, 15)]}[name]
        return _paths_of_two(steps)
    rows = []
    for member in MEMBERS:
        if claim == "Q2":
            gain = {"exact": 1.2, "alike": 1.0, "turned": 0.8}[name]
            given = {"member": member, "kind": "qos_best_effort", "best_effort_gain": gain}
            rows += [qos(mix=f"SHA1+{app}", best_effort_app=app, **given) for app in ("Fractals", "ID", "RAY")]
        elif claim in ("Q3", "Q8"):
            scale = {"exact": 1.0, "alike": 0.0, "turned": -1.0}[name]
            gated = {"Q3": SAVED, "Q8": {100: (2.6, 7.0)}}[claim]
            for level, (idle, watts) in gated.items():
                given = {"kind": "two_qos", "spare": "gated", "idle_w": scale * idle, "saved_w": scale * watts}
                rows += [qos(member=member, mix=f"pair {i}", qos_level=level, **given) for i in range(6)]
            given = {"kind": "qos_best_effort", "best_effort_gain": 1 + 0.1757 * scale}
            rows += [qos(member=member, mix=f"pair {i}", **given) for i in range(15)]
        elif claim == "Q4":
            ends = {"exact": 11, "alike": 15, "turned": 30}[name]
            rows += [
                qos(member=member, kind=kind, mix=kind, scheduler="dynamic_linear", qos_level=80, qos_sms=ends)
                for kind in ("one_qos", "two_qos", "qos_best_effort")
            ]
        elif claim == "Q5":
            held = {"exact": 19, "alike": 30, "turned": 41}[name]
            rows.append(qos(member=member, mix="JPEG-D+SHA1", kind="two_qos", qos_sms=held))
        else:
            assert claim == "Q7"
            given = {"mix": "JPEG-D+JPEG-D", "kind": "two_qos", "scheduler": "dynamic_linear", "qos_level": 80}
            rows.append(qos(member=member, qos_sms={"exact": 24, "alike": 30, "turned": 6}[name], **given))
    return {"gpu_sharing_qos": table(rows)}
