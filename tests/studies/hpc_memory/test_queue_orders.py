"""Orders of the queue: each by hand, and each in replays beside a slow reference that sorts by it."""

import math
import sys
from types import ModuleType

import pytest
from reserve_cases import DEPTHS, RESERVATIONS, assert_as_slow, cases, compiled
from reserve_slow import Job

from pipeline.studies.hpc_memory import batch_system
from pipeline.studies.hpc_memory.orders import ORDERS, rule_of
from pipeline.studies.hpc_memory.rules import Weights, key

WEIGHTS = Weights(0.0, 604_800.0, 0.0, 1)
BY_HAND = {
    "submit": 60.0,
    "priority": -7.0,
    "shortest_limit": 20.0,
    "smallest": 8.0,
    "largest": -8.0,
    "wfp3": -64.0,  # (40 / 20)^3 * 8
    "unicef": -2 / 3,  # 40 / (3 * 20)
    "f1": math.log10(20) * 8 + 870 * math.log10(60),
    "multifactor": -7.0,
}


@pytest.mark.parametrize("order", ORDERS)
def test_by_hand(order):
    """A job of 8 nodes, 20 s and priority 7, submitted at 60, seen at 100."""
    assert rule_of(order)(100.0, 60.0, 8, 20.0, 7.0, WEIGHTS) == pytest.approx(BY_HAND[order])


def test_multifactor_counts_age_and_size():
    """Half an age of 1000 and a quarter of the machine of 400, beside a priority of 7; no wait counts more than one."""
    weights = Weights(1000.0, 80.0, 400.0, 32)
    assert rule_of("multifactor")(100.0, 60.0, 8, 20.0, 7.0, weights) == -607.0
    assert rule_of("multifactor")(900.0, 60.0, 8, 20.0, 7.0, weights) == -1107.0


@pytest.mark.parametrize(("nodes", "submit"), [(1, 0.0), (2, 0.5)])
def test_small_jobs_at_the_beginning_have_a_place(nodes, submit):
    """Logarithms of one node and of no time are none."""
    for order in ORDERS:
        assert math.isfinite(rule_of(order)(submit, submit, nodes, 0.5, 0.0, WEIGHTS))


def slow_key(order):
    if order == "submit":
        return None
    rule = rule_of(order)
    return lambda now, job: rule(float(now), float(job.submit), job.nodes, float(job.limit), job.priority, WEIGHTS)


@pytest.mark.parametrize("order", ORDERS)
def test_replays(order):
    def draw(rng):
        columns = {"reserve_depth": rng.choice(DEPTHS), "queue_order": order}
        if rng.random() < 0.3:
            return [columns | {"backfill_interval_s": rng.choice((2, 5)), "backfill_depth": rng.choice((-1, 2))}]
        return [columns | {"reservations": rng.choice(RESERVATIONS), "launch_lag_s": rng.choice((0, 1))}]

    assert_as_slow(cases(5, 300, draw), slow_key(order))


def test_each_order_is_another():
    drawn = cases(6, 100, lambda rng: [{"queue_order": order} for order in ORDERS])
    result = compiled(drawn)
    schedules = {order: result[k :: len(ORDERS)] for k, order in enumerate(ORDERS)}
    # Without weights, only the job's own priority counts.
    assert schedules.pop("multifactor") == schedules["priority"]
    for order, order_schedules in schedules.items():
        assert all(order_schedules != other for name, other in schedules.items() if name != order), order


def test_an_order_of_ones_own(monkeypatch):
    """Least node-seconds first; what is no number comes last."""

    @key
    def rule(now_s, submit_s, nodes, limit_s, priority, weights):
        return nodes * limit_s if priority == 0 else math.nan

    least = ModuleType("pipeline.studies.hpc_memory.orders.least")
    monkeypatch.setattr(least, "rule", rule, raising=False)
    monkeypatch.setitem(sys.modules, least.__name__, least)
    monkeypatch.setattr(batch_system, "ORDERS", (*ORDERS, "least"))
    jobs = [Job(0, 0, 1, 10, 10), Job(1, 1, 1, 1, 1, 1), Job(2, 2, 1, 5, 5), Job(3, 3, 1, 4, 4)]
    (schedule,) = compiled([(jobs, {"nodes": 1, "queue_order": "least"})])
    assert schedule == {0: (0, 10), 3: (10, 14), 2: (14, 19), 1: (19, 20)}


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"queue_order": "wfp"}, "unknown queue_order 'wfp'.*did you mean .*wfp3"),
        ({"age_weight": 1.0}, "age_weight is 1.0; it is read where queue_order is multifactor"),
        ({"queue_order": "multifactor", "age_max_s": 0.0}, "age_max_s is 0.0 in row 1; it must be above 0"),
        ({"backfilling": "fcfs", "queue_order": "f1"}, "queue_order is f1; it is a parameter of backfilling reserve"),
    ],
)
def test_refused(columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        compiled([([Job(0, 0, 1, 1, 1)], {"nodes": 1} | columns)])


@pytest.mark.parametrize("order", ORDERS)
def test_rows_have_no_order_and_replays_repeat(order):
    drawn = cases(7, 50, lambda rng: [{"reserve_depth": -1, "queue_order": order}])
    result = compiled(drawn)
    assert compiled([(jobs[::-1], columns) for jobs, columns in drawn]) == result == compiled(drawn)


def test_a_file_with_another_rule_is_refused(monkeypatch):
    wrong = ModuleType("pipeline.studies.hpc_memory.orders.wrong")
    monkeypatch.setattr(wrong, "rule", min, raising=False)
    monkeypatch.setitem(sys.modules, wrong.__name__, wrong)
    with pytest.raises(ValueError, match=r"orders/wrong.py: rule is .* a function that begins with @key would be"):
        rule_of("wrong")
