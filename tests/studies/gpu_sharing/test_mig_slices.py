"""Splits of a GPU in MIG slices: every layout that NVIDIA's placements allow, and only slices that were measured."""

import itertools

import numpy as np
import polars as pl
import pytest
from gpu_sharing_cases import POLICIES, scenario_table, splits_of, tables

from pipeline.config import Configuration
from pipeline.gpus.mig import layouts
from pipeline.studies import gpu_sharing

PLACES = {1: range(7), 2: (0, 2, 4), 3: (0, 4), 4: (0,), 7: (0,)}
MEMORY = {1: 1, 2: 2, 3: 4, 4: 4, 7: 8}
"""Where each slice may begin and how many of the eight slices of memory it takes (MIG User Guide)."""


def fits(sizes):
    """Whether some placement has each of the slices on memory of its own."""
    for begins in itertools.product(*(PLACES[size] for size in sizes)):
        taken = [
            place for begin, size in zip(begins, sizes, strict=True) for place in range(begin, begin + MEMORY[size])
        ]
        if len(taken) == len(set(taken)):
            return True
    return False


@pytest.mark.parametrize("applications", [1, 2, 3, 4, 5, 7])
def test_layouts_are_those_that_the_placements_allow(applications):
    sound = {sizes for sizes in itertools.combinations_with_replacement(PLACES, applications) if fits(sizes)}
    listed = [tuple(row) for row in layouts(applications).tolist()]
    assert {tuple(sorted(row)) for row in listed} == sound
    assert listed == sorted(listed)
    assert len(set(listed)) == len(listed) == sum(len(set(itertools.permutations(sizes))) for sizes in sound)


def test_more_applications_than_sevenths_fit_on_no_gpu():
    assert layouts(8).shape == (0, 8)


def best(policy, curves, part):
    """The split of a policy by sorting all layouts of measured slices; curves: {slices: throughput} of each slot."""
    cooperative = [curve[7] / len(curves) for curve in curves]
    ranked = []
    for sizes in layouts(len(curves)).tolist():
        if all(size in curve for size, curve in zip(sizes, curves, strict=True)):
            t = [curve[size] for size, curve in zip(sizes, curves, strict=True)]
            ranked.append((sizes, t, [a / b for a, b in zip(t, cooperative, strict=True)]))
    unfair = lambda values: (max(values) - min(values)) / max(values)  # noqa: E731
    fair = [row for row in ranked if min(row[2]) >= 1 - 1e-12]
    key = {
        "equal_compute": lambda row: (round(unfair(row[0]), 9), -sum(row[1]), row[0]),
        "equal_throughput": lambda row: (round(unfair(row[1]), 9), -sum(row[1]), row[0]),
        "equal_speedup": lambda row: (round(unfair(row[2]), 9), -sum(row[1]), row[0]),
        "max_throughput": lambda row: (-sum(row[1]), row[0]),
    }
    if policy == "max_fair_throughput":
        policy, ranked = ("max_throughput", fair) if fair else ("equal_speedup", ranked)
    return [size * part for size in min(ranked, key=key[policy])[0]] if ranked else None


@pytest.mark.parametrize("applications", [2, 3, 4])
def test_policies_choose_the_best_layout_of_measured_slices(applications):
    rng = np.random.default_rng(applications)
    mixes, curves, wanted = {}, {}, {}
    for i in range(60):
        known = []
        for slot in range(applications):
            sizes = sorted({7, *rng.choice([1, 2, 3, 4], rng.integers(2, 5), replace=False).tolist()})
            curve = dict(zip(sizes, np.cumsum(rng.integers(1, 9, len(sizes))).tolist(), strict=True))
            curves[f"{i}/{slot}"] = {14 * size: ipc for size, ipc in curve.items()}
            known.append(curve)
        if best("max_throughput", known, 14):
            mixes[str(i)] = [f"{i}/{slot}" for slot in range(applications)]
            wanted |= {f"{i}-{policy}": best(policy, known, 14) for policy in POLICIES}
    assert len(mixes) > 20
    rows = {
        f"{mix}-{policy}": {"scheduler": policy, "mix_id": mix, "sms": 98, "sizes": "mig"}
        for mix in mixes
        for policy in POLICIES
    }
    result = gpu_sharing.replay(tables(curves, mixes), scenario_table(rows))
    assert {name: list(split) for name, split in splits_of(result).items()} == wanted


def test_targets_are_met_on_measured_slices_only():
    curves = {"a": {28: 2.0, 56: 5.0, 98: 8.0}}
    rows = {
        str(level): {"scheduler": "profile_minimum", "mix_id": "a", "sms": 98, "sizes": "mig", "qos_level": level}
        for level in (20, 50, 51, 125, 126, 200)
    }
    runs = gpu_sharing.replay(tables(curves, {"a": ["a"]}), scenario_table(rows))["metrics"].filter(metric="least_sms")
    assert dict(runs.select("scenario_id", "value").iter_rows()) == {
        "20": 28,
        "50": 28,
        "51": 56,
        "125": 56,
        "126": 98,
        "200": 98,
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sms": 100}, "has no sevenths"),
        ({"scheduler": "dynamic_max_throughput"}, "takes no MIG slices; these do: cooperative, equal_compute"),
        ({"scheduler": "profile_minimum"}, "has one application, not 2"),
        ({"sizes": "slices"}, "sizes"),
    ],
)
def test_what_cannot_be_in_slices_is_named(changed, message):
    row = {"scheduler": "max_throughput", "mix_id": "m", "sms": 98, "sizes": "mig"} | changed
    curves = {app: {14: 1.0, 98: 2.0, 100: 3.0} for app in "ab"}
    with pytest.raises(ValueError, match=message):
        gpu_sharing.replay(tables(curves, {"m": ["a", "b"]}), scenario_table({"x": row}))


def catalog(*, mig):
    points = {
        "a": {1: 5.0, 2: 3.0, 7: 1.0},
        "b": {3: 4.0, 4: 3.0, 7: 2.0},
        "c": {4: 2.0, 7: 1.0},
        "d": {1: 2.0, 2: 1.0},
    }
    rows = [("t", app, 14 * n, time, n if mig else None) for app, curve in points.items() for n, time in curve.items()]
    schema = {"trace": pl.String, "app": pl.String, "sms": pl.Int64, "time_s": pl.Float64, "mig_slices": pl.Int64}
    return {
        "traces": pl.DataFrame({"trace": ["t"], "kind": ["measured"]}),
        "sm_curves": pl.DataFrame(rows, schema=schema, orient="row").with_columns(ipc=pl.lit(None, pl.Float64)),
    }


def test_workloads_of_slices_have_mixes_that_fit_and_schedulers_that_take_slices():
    config, trace_catalog = Configuration(), catalog(mig=True)
    scenarios = gpu_sharing.scenarios(config, trace_catalog)
    workloads = gpu_sharing.workloads(config, trace_catalog)
    ours = scenarios.filter(pl.col("workload_id").str.contains("/t/"))
    assert set(ours["sizes"]) == {"mig"}
    # d was never measured on the whole GPU; b and c have no slices that fit beside each other but 3 and 4.
    mixes = set(workloads["workloads"].filter(trace="t", kind="mixes")["mix"])
    assert mixes == {"a+b", "a+c", "b+c"}
    assert not any(ours["scheduler"].str.starts_with("dynamic"))
    assert set(workloads["workloads"].filter(trace="t", kind="qos")["mix"]) == {"a", "b", "c"}
    assert workloads["workloads"].filter(trace="t", kind="variation").is_empty()
    replayed = gpu_sharing.replay(workloads, ours)
    assert set(replayed["outcomes"]["sms"]) <= {14 * n for n in (1, 2, 3, 4, 7)}
    assert set(workloads["sm_curves"].filter(curve_set="t", app="a")["mig_slices"]) == {1, 2, 7}


def test_a_curve_that_is_no_slices_is_shared_as_before():
    scenarios = gpu_sharing.scenarios(Configuration(), catalog(mig=False))
    assert set(scenarios["sizes"]) == {"any"}
