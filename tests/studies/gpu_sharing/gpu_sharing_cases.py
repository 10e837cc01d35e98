"""Curves and mixes for tests of gpu_sharing, and the best of all their splits by exact arithmetic and itertools."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl

from pipeline.studies.gpu_sharing.model.asking import Batch

POLICIES = ("equal_compute", "equal_throughput", "equal_speedup", "max_fair_throughput", "max_throughput")


def random_curves(rng, sms, apps, *, step=1):
    """Points in whole numbers on every `step`-th number of SMs and on all, rising or with dips and plateaus."""
    curves = {}
    for app in apps:
        value, curve = 0, {}
        for n in sorted({*range(step, sms + 1, step), sms}):
            value = max(1, value + rng.choice([0, 1, 2, 3, 5, 8, -1]))
            curve[n] = value
        curves[app] = curve
    return curves


def tables(curves, mixes):
    """Inputs of `replay`: sm_curves and mixes ({mix_id: applications})."""
    points = [(app, n, float(ipc)) for app, curve in curves.items() for n, ipc in curve.items()]
    slots = [(mix, slot, app) for mix, apps in mixes.items() for slot, app in enumerate(apps)]
    return {
        "sm_curves": pl.DataFrame(points, schema=["app", "sms", "ipc"], orient="row"),
        "mixes": pl.DataFrame(slots, schema={"mix_id": pl.String, "slot": pl.Int64, "app": pl.String}, orient="row"),
    }


def scenario_table(rows):
    """One row per scenario: {scenario_id: columns}."""
    return pl.DataFrame([{"scenario_id": name, **columns} for name, columns in rows.items()])


def one_scenario(isolated, *, S=None, gamma=None, pressure=None, **stated):
    """Arrays of one scenario with a slot for each curve of `isolated` (IPC on 0, 1, … SMs) on S SMs."""
    k, S = len(isolated), isolated.shape[1] - 1 if S is None else S
    gamma = np.zeros(k) if gamma is None else np.asarray(gamma, float)
    batch = Batch(
        sms=S, first_slot=np.array([0, k]), seed=np.zeros(1, np.int64), gives_spare=np.zeros(1, bool),
        midpoint=np.zeros(1, bool), clock_row=np.zeros(1, np.int64), freeing=np.zeros(1, np.int64),
        migrate_cycles=np.zeros(1), curve=np.arange(k),
        cooperative=isolated[:, S] / k, pressure=np.ones(k) if pressure is None else np.asarray(pressure, float),
        gamma=gamma, known_gamma=gamma, block_cycles=np.ones(k), target=np.zeros(k), clock_speedup=np.ones(k),
        held=np.zeros(k, np.int64), measured=np.zeros(k), ipc=np.ascontiguousarray(isolated, float),
        clock=np.ones((1, S)), layouts=np.zeros(0, np.int64), first_layout=np.zeros(k + 2, np.int64),
        memory=np.zeros((k, S + 2)),
    )  # fmt: skip
    return batch._replace(**stated)


def at(curve, n):
    """Throughput on n SMs: straight lines through (0, 0) and the points, exactly."""
    points = [(0, Fraction(0)), *((m, Fraction(v)) for m, v in sorted(curve.items()))]
    for (a, low), (b, high) in zip(points, points[1:]):  # noqa: B905, RUF007
        if a <= n <= b:
            return low + (high - low) * Fraction(n - a, b - a)
    raise ValueError(n)


def all_splits(sms, k):
    """Every way to give k applications all SMs, at least one each, in lexicographic order: bars between stars."""
    for bars in combinations(range(1, sms), k - 1):
        edges = (0, *bars, sms)
        yield tuple(b - a for a, b in zip(edges, edges[1:]))  # noqa: B905, RUF007


def unfairness(values):
    return Fraction(max(values) - min(values)) / max(values)


def brute_force(policy, throughput, isolated, sms):
    """The split that the page's table asks for, with nothing but sorting; throughput(slot, n), isolated(slot)."""
    k = len(isolated)
    if policy == "equal_compute":
        return tuple(sms // k + (i >= k - sms % k) for i in range(k))
    cooperative = [value / k for value in isolated]
    ranked = []
    for split in all_splits(sms, k):
        t = [throughput(i, n) for i, n in enumerate(split)]
        s = [a / b for a, b in zip(t, cooperative, strict=True)]
        ranked.append((split, t, s))
    fair = [row for row in ranked if min(row[2]) >= 1]
    if policy == "equal_throughput":
        key = lambda row: (unfairness(row[1]), -sum(row[1]), row[0])  # noqa: E731
    elif policy == "equal_speedup" or (policy == "max_fair_throughput" and not fair):
        key = lambda row: (unfairness(row[2]), -sum(row[1]), row[0])  # noqa: E731
    else:
        key = lambda row: (-sum(row[1]), row[0])  # noqa: E731
        ranked = fair if policy == "max_fair_throughput" else ranked
    return min(ranked, key=key)[0]


def splits_of(result):
    """{scenario_id: split} of the outcomes."""
    rows = result["outcomes"].group_by("scenario_id", maintain_order=True).agg("sms")
    return {name: tuple(split) for name, split in rows.iter_rows()}


def metric(result, name):
    """{scenario_id: value} of a measure."""
    rows = result["metrics"].filter(pl.col("metric") == name)
    return dict(rows.select("scenario_id", "value").iter_rows())
