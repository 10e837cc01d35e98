"""The optimum, its bound, and what the heuristics make of them."""

from random import Random

import numpy as np
import polars as pl
import pytest
from gpu_partition_cases import metrics_of, random_options, random_tasks, scenario_table, task_table
from gpu_partition_slow import Options, edf

from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition import model
from pipeline.studies.gpu_partition.model import exact
from pipeline.studies.gpu_partition.rules import Allocation, Gpu, Tasks
from pipeline.studies.gpu_partition.schedulers import optimal

HEURISTICS = ("sms", "bf", "one_gpu", "local_search")


def partitions_of(items):
    """All set partitions of a list."""
    if not items:
        yield []
        return
    first, *rest = items
    for others in partitions_of(rest):
        yield [[first], *others]
        for k, group in enumerate(others):
            yield [*others[:k], [first, *group], *others[k + 1 :]]


def fewest(tasks, options):
    """Fewest SMs over all set partitions by trying each; None where some task fits on none."""
    least = {}

    def size(group):
        key = frozenset(task.number for task in group)
        if key not in least:
            members = sorted(group, key=lambda task: task.number)
            least[key] = next((m for m in range(1, options.sms + 1) if edf(members, m, options)), None)
        return least[key]

    totals = ([size(group) for group in partition] for partition in partitions_of(tasks))
    return min((sum(sizes) for sizes in totals if None not in sizes), default=None)


def test_the_optimum_is_that_of_all_set_partitions():
    rng = Random(4)
    sets = {f"s{k}": random_tasks(rng, rng.randint(1, 6), rng.uniform(1, 8), given=k % 2 == 0) for k in range(60)}
    rows = {
        f"x{name}": (name, random_options(rng, scheduler="optimal", sms=rng.choice((8, 12)), execution_mode="scaled"))
        for name in sets
    }
    metrics = metrics_of(gpu_partition.replay({"tasks": task_table(sets, given=True)}, scenario_table(rows)))
    compared = 0
    for scenario, (name, options) in rows.items():
        if "sms_needed" not in metrics[scenario]:
            continue
        best = fewest(sets[name], options)
        assert metrics[scenario]["sms_needed"] == best
        assert metrics[scenario]["schedulable"] == (best <= options.sms)
        compared += 1
    assert compared > 40


def test_no_heuristic_needs_fewer_sms_than_the_optimum_and_local_search_no_more_than_sms():
    rng = Random(8)
    sets = {f"s{k:02d}": random_tasks(rng, rng.randint(2, 9), rng.uniform(2, 14)) for k in range(80)}
    # So many SMs that no union exceeds them: a failing heuristic may report one that the optimum may not have.
    rows = {
        f"{name} {scheduler}": (name, Options(sms=40, scheduler=scheduler, stop="exhaust"))
        for name in sets
        for scheduler in ("sms", "bf", "local_search", "optimal")
    }
    metrics = metrics_of(gpu_partition.replay({"tasks": task_table(sets)}, scenario_table(rows)))
    needed = {key: values["sms_needed"] for key, values in metrics.items() if "sms_needed" in values}
    gaps = []
    for name in sets:
        if f"{name} sms" not in needed:
            continue
        best = needed[f"{name} optimal"]
        assert best <= min(needed[f"{name} {h}"] for h in ("sms", "bf", "local_search"))
        assert needed[f"{name} local_search"] <= needed[f"{name} sms"]
        gaps.append(needed[f"{name} sms"] - best)
    assert len(gaps) > 60
    assert max(gaps) > 0  # else the optimum was not asked anything


@pytest.mark.parametrize("mode", ["scaled", "literal"])
def test_the_bound_of_the_linear_program_is_below_the_optimum(mode):
    rng = Random(12)
    for _ in range(40):
        tasks = random_tasks(rng, rng.randint(1, 7), rng.uniform(0.5, 6) if mode == "scaled" else rng.uniform(0.1, 0.8))
        work, beta, factor, T, D = (
            np.array([getattr(task, name) for task in tasks])
            for name in ("work", "beta", "factor", "period", "deadline")
        )
        kind = np.array([int(task.kind == "memory") for task in tasks])
        literal, sizes = mode == "literal", model.sizes(12, False)
        alone = model.least_alone(sizes, work, beta, D, literal)
        if (alone < 0).any():
            continue
        given = Tasks(work, beta, factor, kind, T, D, alone)
        gpu = Gpu(12, sizes, sizes, 12, len(sizes), literal, model.EDF, np.zeros(3, np.int64))
        least = exact.lower_bound(given, gpu)
        allocation = Allocation(np.arange(len(tasks)), np.full(len(tasks), -1), np.full(2, -1))
        optimal.rule(given, gpu, None, allocation)
        where, size = allocation.partition, allocation.size
        leads = where == np.arange(len(tasks))
        assert (size[leads] >= 0).all()
        assert (size[~leads] == -1).all()
        assert least <= sizes[size[size >= 0]].sum() + 1e-6
        # Every SM does one unit of work in a unit of time, at most.
        assert least >= (work / T).sum() - 1e-6


def test_large_sets_have_a_bound_and_no_partitions():
    rng = Random(6)
    sets = {"light": random_tasks(rng, 20, 10.0), "heavy": random_tasks(rng, 20, 56.0)}
    modes = {"light": "scaled", "heavy": "literal"}
    rows = {name: (name, Options(scheduler="optimal", execution_mode=modes[name])) for name in sets}
    result = gpu_partition.replay({"tasks": task_table(sets)}, scenario_table(rows))
    metrics = metrics_of(result)
    assert "schedulable" not in metrics["light"]
    assert 10 <= metrics["light"]["sms_lower"] <= 68
    assert metrics["heavy"]["schedulable"] == 0
    assert result["outcomes"]["partition"].null_count() == 40
    assert result["outcomes"].filter(pl.col("scenario_id") == "light")["rejected"].str.contains("more than 12").all()


def test_scheduled_workload_lies_between_its_bounds_and_one_gpu_at_the_upper():
    rng = Random(14)
    sets = {f"s{k}": random_tasks(rng, rng.randint(4, 16), rng.uniform(2, 30), given=True) for k in range(60)}
    rows = {f"{s} {h}": (s, random_options(rng, scheduler=h, sms=40)) for s in sets for h in HEURISTICS}
    metrics = metrics_of(gpu_partition.replay({"tasks": task_table(sets, given=True)}, scenario_table(rows)))
    uppers = 0
    for scenario, values in metrics.items():
        assert values["workload_lower"] <= values["workload_upper"] + 1e-9
        if "scheduled_workload" not in values:
            continue
        low, high = values["workload_lower"] * (1 - 1e-12), values["workload_upper"] * (1 + 1e-12)
        assert low <= values["scheduled_workload"] <= high
        kinds = [task.kind for task in sets[scenario.split()[0]]]
        if scenario.endswith("one_gpu") and min(kinds.count("compute"), kinds.count("memory")) >= 2:
            assert values["scheduled_workload"] == pytest.approx(values["workload_upper"])
            uppers += 1
    assert uppers > 20


@pytest.mark.slow
def test_nothing_is_accepted_that_is_overloaded():
    rng = Random(15)
    sets = {f"s{k}": random_tasks(rng, 12, rng.uniform(2, 9)) for k in range(100)}
    rows = {f"{s} {h}": (s, Options(sms=8, scheduler=h)) for s in sets for h in (*HEURISTICS, "optimal")}
    metrics = metrics_of(gpu_partition.replay({"tasks": task_table(sets)}, scenario_table(rows)))
    seen = [0, 0]
    for values in metrics.values():
        held = values["schedulable"] == 1
        seen[held] += 1
        assert not held or values["workload_lower"] <= 8 * (1 + 1e-9)
        assert not held or values["scheduled_workload"] <= values["sms_needed"] * (1 + 1e-9)
    assert min(seen) > 20
