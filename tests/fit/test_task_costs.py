"""Costs of tasks: curves of C(m) = a/m + b give a and b back, pairs the worst slowdown beside the own kind."""

import logging

import polars as pl
import pytest

from pipeline import tables
from pipeline.fit import gpu

SIZES = (1, 2, 4, 8, 16)


def curves(*apps, rate=False, beside=None, sizes=SIZES, trace="t"):
    """sm_curves of applications (app, a, b); as rates of a thousand over the time where `rate`."""
    rows = [
        {"trace": trace, "app": app, "sms": m, "time_s": None if rate else a / m + b,
         "ipc": 1000 / (a / m + b) if rate else None, "beside": beside, "origin": "given"}
        for app, a, b in apps for m in sizes
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=tables.polars_schema(tables.SmCurve))


def pairs(*rows, trace="t"):
    """corun_pairs of (app_a, app_b, slowdown_a, slowdown_b)."""
    names = ("app_a", "app_b", "slowdown_a", "slowdown_b")
    known = [{"trace": trace} | dict(zip(names, row, strict=True)) for row in rows]
    return pl.DataFrame(known, schema=tables.polars_schema(tables.CorunPair))


def costs(of_curves, of_pairs=None):
    fit_tables = gpu.fit(of_curves, of_pairs if of_pairs is not None else pairs())
    return fit_tables["task_costs"]


def test_times_give_the_work_and_the_serial_fraction_of_their_law():
    task_costs = costs(curves(("x", 32.0, 0.5), ("y", 8.0, 2.0)))
    assert task_costs.select("app", "unit", "machine_sms", "least_sms", "points").rows() == [
        ("x", "s", 16, 1, 5),
        ("y", "s", 16, 1, 5),
    ]
    assert task_costs["work"].to_list() == pytest.approx([32.0, 8.0])
    assert task_costs["serial_fraction"].to_list() == pytest.approx([0.5 / 32, 2 / 8])
    assert task_costs["r2"].to_list() == pytest.approx([1.0, 1.0])
    # Even the second is 20 % faster on 16 SMs than on 8.
    assert task_costs["kind"].to_list() == ["compute", "compute"]


def test_rates_give_times_in_units_of_that_on_the_most_sms():
    task_costs = costs(curves(("x", 32.0, 0.5), rate=True))
    assert task_costs["unit"].to_list() == ["time on the most SMs"]
    assert task_costs["work"].item() == pytest.approx(32 / 2.5)
    assert task_costs["serial_fraction"].item() == pytest.approx(0.5 / 32)


def test_rates_beside_times_cannot_be_compared_and_are_left_out(caplog):
    with caplog.at_level(logging.WARNING):
        task_costs = costs(pl.concat([curves(("x", 32.0, 0.5)), curves(("y", 8.0, 2.0), rate=True)]))
    assert task_costs["app"].to_list() == ["x"]
    assert "t: y: rates, but no times" in caplog.text


def test_an_application_that_gains_nothing_is_no_task(caplog):
    with caplog.at_level(logging.WARNING):
        task_costs = costs(curves(("x", 32.0, 0.5), ("flat", 0.0, 2.0)))
    assert task_costs["app"].to_list() == ["x"]
    assert "flat gains nothing from more SMs" in caplog.text


def test_curves_beside_others_make_no_tasks_but_tell_the_size_of_the_gpu():
    others = curves(("z", 4.0, 1.0), beside="x", sizes=(1, 24))
    of_mix = curves(("A+B/A", 4.0, 1.0), sizes=(1, 20))
    task_costs = costs(pl.concat([curves(("x", 32.0, 0.5)), others, of_mix]))
    assert task_costs.select("app", "machine_sms").rows() == [("x", 24)]


def test_conflicts_are_the_worst_measured_beside_the_own_kind():
    # m1 and m2 stop gaining at a quarter of the GPU: memory; c1 and c2 do not.
    memory = [(name, 1.0, 4.0) for name in ("m1", "m2")]
    compute = [(name, 32.0, 0.0) for name in ("c1", "c2")]
    measured = pairs(
        ("m1", "m2", 1.8, 2.1), ("m2", "m1", 1.5, 1.9), ("m1", "c1", 5.0, 6.0), ("c1", "c1", 0.9, 0.95),
        ("m2", "unknown", 9.0, 9.0),
    )  # fmt: skip
    task_costs = costs(curves(*memory, *compute), measured)
    assert dict(task_costs.select("app", "kind").rows()) == {
        "m1": "memory", "m2": "memory", "c1": "compute", "c2": "compute"
    }  # fmt: skip
    factors = {
        app: (factor, n) for app, factor, n in task_costs.select("app", "conflict_factor", "conflict_pairs").rows()
    }
    # Slowdowns below 1 are noise; c2 was beside nobody.
    assert factors == {"m1": (1.9, 2), "m2": (2.1, 2), "c1": (1.0, 2), "c2": (None, 0)}


def test_conflicts_on_sms_of_their_own_go_before_pairs_that_share_all():
    apps = (("x", 32.0, 0.0), ("y", 16.0, 0.0))
    beside = [
        curves((app, 1.5 * a, b), beside=other, sizes=(4, 8)) for (app, a, b), other in zip(apps, "yx", strict=True)
    ]
    # Not measured alone on six SMs: nothing to compare with.
    beside.append(curves(("x", 96.0, 0.0), beside="y", sizes=(6,)))
    task_costs = costs(pl.concat([curves(*apps), *beside]), pairs(("x", "y", 2.0, 2.1)))
    assert task_costs["conflict_factor"].to_list() == pytest.approx([1.5, 1.5])
    assert task_costs["conflict_pairs"].to_list() == [2, 2]


def test_traces_have_nothing_to_do_with_each_other():
    both = pl.concat([curves(("x", 32.0, 0.0), trace="s"), curves(("x", 16.0, 0.0), trace="t")])
    task_costs = costs(both, pairs(("x", "x", 1.4, 1.3), trace="s"))
    assert task_costs.select("trace", "conflict_factor").rows() == [("s", 1.4), ("t", None)]


def test_no_curves_no_costs():
    assert costs(tables.empty(tables.SmCurve)).is_empty()
