"""A rule of one's own allocates what it says, and what is wrong with it is said."""

from pathlib import Path
from random import Random
from types import ModuleType

import polars as pl
import pytest
from gpu_partition_cases import metrics_of, random_options, random_tasks, scenario_table, task_table
from gpu_partition_slow import duration

from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition import schedulability
from pipeline.studies.gpu_partition.rules import allocate
from pipeline.studies.gpu_partition.schedulers import SCHEDULERS, check

FILE = Path(__file__).parent / "own" / "first_fit.py"


def fits(tasks, m, options):
    """Whether tasks are schedulable on m SMs, by the pure tests."""
    test = schedulability.edf_qpa if options.edf == "preemptive" else schedulability.edf_non_preemptive
    return test([(duration(task, tasks, m, options), task.period, task.deadline) for task in tasks])


def first_fit(tasks, options):
    """Partitions as (SMs, numbers of the tasks), in no order; None where SMs run out."""
    sign = -1 if options.order == "decreasing" else 1
    partitions, left = [], options.sms
    for task in sorted(tasks, key=lambda t: (sign * ((1 + t.beta) * t.work / t.period), t.number)):
        for p in partitions:
            union = sorted([*p["tasks"], task], key=lambda t: t.number)
            sms = next((m for m in range(p["sms"], p["sms"] + left + 1) if fits(union, m, options)), None)
            if sms is not None:
                left -= sms - p["sms"]
                p.update(sms=sms, tasks=union)
                break
        else:
            sms = next((m for m in range(1, left + 1) if fits([task], m, options)), None)
            if sms is None:
                return None
            left -= sms
            partitions.append({"sms": sms, "tasks": [task]})
    return sorted((p["sms"], [t.number for t in p["tasks"]]) for p in partitions)


def test_first_fit_allocates_as_its_reference_in_plain_python(own_scheduler):
    name = own_scheduler("gpu_partition", FILE)
    rng = Random(17)
    sets, rows = {}, {}
    for k in range(150):
        options = random_options(rng, scheduler=name)
        share = rng.uniform(0.05, 0.3) if options.execution_mode == "literal" else rng.uniform(0.3, 1.0)
        sets[f"s{k}"] = random_tasks(rng, rng.randint(1, 10), share * options.sms)
        rows[f"x{k:03d}"] = (f"s{k}", options)
    result = gpu_partition.replay({"tasks": task_table(sets)}, scenario_table(rows))
    metrics = metrics_of(result)
    outcomes = result["outcomes"].partition_by("scenario_id", as_dict=True, maintain_order=True)
    held = failed = 0
    for scenario, (taskset, options) in rows.items():
        task_rows = outcomes[scenario,]
        if str(task_rows["rejected"][0]).startswith(("overloaded", "a task is late")):
            continue
        expected = first_fit(sets[taskset], options)
        assert metrics[scenario]["schedulable"] == (expected is not None), options
        assert "merges" not in metrics[scenario]
        if expected is None:
            failed += 1
            assert set(task_rows["rejected"]) == {"the scheduler finds no partition for a task"}
            continue
        held += 1
        groups = task_rows.group_by("partition").agg(pl.col("partition_sms").first(), pl.col("task_id"))
        assert expected == sorted((sms, sorted(int(task[1:]) for task in ids)) for _, sms, ids in groups.iter_rows()), (
            options
        )
    assert held > 60
    assert failed > 5


@allocate
def beyond(tasks, gpu, options, allocation):
    """A partition that there is not."""
    allocation.partition[1] = 7


@allocate
def too_large(tasks, gpu, options, allocation):
    """A size that there is not."""
    allocation.size[1] = len(gpu.sizes)


@allocate
def boasting(tasks, gpu, options, allocation):
    """All tasks on one SM, and tasks that need nothing."""
    tasks.work[:] = 0.0
    gpu.takes[:] = 0
    allocation.partition[:] = 0
    allocation.size[0] = 0


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (beyond, "scheduler mine, scenario 'x': task 1 of 2 is in partition 7; partitions are 0 to 1"),
        (too_large, "task 1 of 2 is in partition 1 of size 8; partitions are 0 to 1 .-1: none., sizes 0 to 7"),
        (boasting, None),
    ],
)
def test_what_a_rule_writes_is_checked(rule, sentence, monkeypatch):
    module = ModuleType("mine")
    module.rule = rule
    monkeypatch.setitem(SCHEDULERS, "mine", module)
    tasks = pl.DataFrame(
        {"taskset_id": "a", "task_id": [1, 2], "period": 10.0, "deadline": 10.0, "work": 30.0, "kind": "compute"}
    )
    scenario = pl.DataFrame({"scenario_id": ["x"], "taskset_id": ["a"], "scheduler": ["mine"], "sms": [8]})
    if sentence is None:
        assert metrics_of(gpu_partition.replay({"tasks": tasks}, scenario))["x"]["schedulable"] == 0
        return
    with pytest.raises(ValueError, match=sentence):
        gpu_partition.replay({"tasks": tasks}, scenario)


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({}, "mine.py has no rule"),
        ({"rule": "merge"}, "mine.py: rule is 'merge'; a function that begins with @allocate would be right"),
        (
            {"rule": SCHEDULERS["one_gpu"].rule, "OPTIONS": "order"},
            "OPTIONS is 'order'; a tuple of some of forbidden, order, search, stop",
        ),
        ({"rule": SCHEDULERS["one_gpu"].rule, "OPTIONS": ("sizes",)}, "a tuple of some of forbidden, order"),
        (
            {"rule": SCHEDULERS["one_gpu"].rule, "EXACT_UP_TO": 0},
            "EXACT_UP_TO is 0; a whole number of at least 1 would be right",
        ),
    ],
)
def test_what_a_file_may_not_say_is_an_error_that_names_it(stated, sentence):
    module = ModuleType("pipeline.studies.gpu_partition.schedulers.mine")
    vars(module).update(stated)
    with pytest.raises(ValueError, match=sentence):
        check(module)
