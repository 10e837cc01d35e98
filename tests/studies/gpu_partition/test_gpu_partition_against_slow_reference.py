"""The compiled merging gives the allocations, merges and tests of the slow reference, under every option."""

from itertools import product
from random import Random

import pytest
from gpu_partition_cases import metrics_of, random_options, random_tasks, scenario_table, task_table
from gpu_partition_slow import Options, allocate, conflicting

from pipeline.studies import gpu_partition


def compare(sets, rows, given=False):
    """Hold a replay of the scenarios against the reference; the number that merged something, or failed a lemma."""
    result = gpu_partition.replay({"tasks": task_table(sets, given)}, scenario_table(rows))
    metrics = metrics_of(result)
    outcomes = result["outcomes"].partition_by("scenario_id", as_dict=True, maintain_order=True)
    merged = lemma = 0
    for scenario, (name, options) in rows.items():
        slow, ours = allocate(sets[name], options), metrics[scenario]
        task_rows = outcomes[scenario,]
        lemma += slow.failed_lemma
        if slow.failed_lemma:
            assert set(ours) == {"schedulable", "tests", "steps", "workload_lower", "workload_upper"}
            assert (ours["schedulable"], ours["tests"], ours["steps"]) == (0, 0, 0)
            assert task_rows["partition"].null_count() == len(task_rows)
            continue
        needed = sum(p.sms for p in slow.partitions)
        assert ours["sms_needed"] == needed, (scenario, options)
        assert ours["schedulable"] == (needed <= options.sms)
        assert (ours["merges"], ours["tests"]) == (slow.merges, slow.tests), (scenario, options)
        assert ours["partitions"] == len(slow.partitions)
        groups = {}
        for task, partition, sms, conflict in task_rows.select(
            "task_id", "partition", "partition_sms", "conflict"
        ).iter_rows():
            groups.setdefault((partition, sms), []).append((int(task[1:]), conflict))
        assert sorted((sms, sorted(tasks)) for (_, sms), tasks in groups.items()) == sorted(
            (p.sms, sorted((t.number, conflicting(t, p.tasks)) for t in p.tasks)) for p in slow.partitions
        )
        merged += slow.merges > 0
    return merged, lemma


@pytest.mark.slow
@pytest.mark.parametrize("given", [False, True])
def test_random_sets_under_random_options(given):
    rng = Random(7 + given)
    sets, rows = {}, {}
    for k in range(500):
        options = random_options(rng)
        literal = options.execution_mode == "literal"
        share = rng.uniform(0.05, 0.3) if literal else rng.uniform(0.4, 1.0)
        sets[f"s{k}"] = random_tasks(rng, rng.randint(1, 14), share * options.sms, given)
        rows[f"x{k:03d}"] = (f"s{k}", options)
    merged, lemma = compare(sets, rows, given)
    assert merged > 200
    assert lemma > 5


@pytest.mark.slow
def test_every_combination_of_options_on_the_same_sets():
    rng = Random(3)
    sets = {f"s{k}": random_tasks(rng, 18, load) for k, load in enumerate((9.0, 12.0))}
    names = ("scheduler", "forbidden", "order", "edf", "search", "stop", "forbidden_scope")
    values = (("sms", "bf"), ("inactive", "act"), ("decreasing", "increasing"), ("preemptive", "non_preemptive"),
              ("binary", "linear"), ("fit", "exhaust"), ("partitions", "tasks"))  # fmt: skip
    rows = {
        f"{name} {chosen}": (name, Options(sms=16, **dict(zip(names, chosen, strict=True))))
        for name in sets
        for chosen in product(*values)
    }
    merged, _ = compare(sets, rows)
    assert merged == len(rows)


def test_a_union_may_need_more_sms_than_there_are():
    # Two tasks of 6 SMs each on a machine of 8: 9 SMs hold both, which is fewer than 12 and more than there are.
    rng = Random(5)
    oversized = 0
    for k in range(200):
        sets = {"s": random_tasks(rng, 4, 7.0)}
        options = Options(sms=8, stop="exhaust", scheduler=rng.choice(("sms", "bf")))
        slow = allocate(sets["s"], options)
        if not slow.failed_lemma and max(p.sms for p in slow.partitions) > 8:
            compare(sets, {f"x{k}": ("s", options)})
            oversized += 1
    assert oversized > 3
