"""Tables with measured shapes: their exponents are those of the logs, and they agree with what the paper prints."""

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

from pipeline.fit import measured_shapes, perf_table
from pipeline.fit.measured_shapes import TABLE_2

GROUP_1 = ("BS", "GEMV", "MLP", "TS")
SHARES = {"W1": (1, 0), "W2": (2, 1), "W3": (1, 1), "W4": (1, 2), "W5": (0, 1)}
"""Jobs of Group 1 and Group 2 in each set (Section 4.1)."""


@pytest.fixture(scope="module")
def tables():
    return measured_shapes.tables(12, seed=3)


def test_the_figures_are_those_of_the_published_logs(trace_data):
    logs = pl.read_csv(trace_data / "pim" / "prim_measurements.csv", infer_schema_length=None)
    shipped = pl.read_csv(measured_shapes.MEASURED)
    assert Counter(shipped["app"]) == dict.fromkeys(TABLE_2, 2)
    names = {
        "to_pim_ms": "cpu_dpu_ms",
        "kernel_ms": "dpu_kernel_ms",
        "between_ms": "inter_dpu_ms",
        "from_pim_ms": "dpu_cpu_ms",
    }
    for row in shipped.iter_rows(named=True):
        log = logs.filter(source="vPIM-full_results", env="native", app=row["app"], n_dpus=row["dpus"])
        assert len(log) == 1
        for ours, theirs in names.items():
            assert row[ours] == (float(log[theirs][0] or 0) or None)


def test_exponents_are_of_one_and_eight_ranks():
    shape = measured_shapes.shapes()["GEMV"]
    assert shape.kernel_exponent == pytest.approx(math.log(78.093 / 623.752667) / math.log(8))
    assert shape.transfer_exponent.tolist() == pytest.approx(
        [math.log(517.555333 / 794.266667) / math.log(8), math.log(1.771 / 1.524333) / math.log(8)]
    )
    assert shape.transfers(np.array([8.0]))[0] == pytest.approx((517.555333 + 1.771) / 1000)
    assert shape.kernel(np.array([1.0, 8.0])).tolist() == pytest.approx([0.623752667, 0.078093])


def test_every_member_has_the_best_rank_counts_of_table_2(tables):
    assert tables.columns == ["member", "app", "ranks", "time_s"]
    assert len(tables) == 12 * 14 * 30
    profiled = tables.filter(pl.col("ranks").is_in(perf_table.profile_points(30)))
    for _, rows in profiled.group_by("member"):
        assert dict(perf_table.build(rows, 30).filter("is_best").select("app", "ranks").iter_rows()) == TABLE_2


def test_every_member_has_se_opt_over_se_full_as_printed(tables):
    for _, rows in tables.group_by("member"):
        time_s = {(app, ranks): value for app, ranks, value in rows.select("app", "ranks", "time_s").iter_rows()}
        gains = []
        for first, second in SHARES.values():
            weight = {app: first / 4 if app in GROUP_1 else second / 10 for app in TABLE_2}
            full = sum(weight[app] * time_s[app, 30] for app in TABLE_2)
            gains.append(full / sum(weight[app] * time_s[app, best] for app, best in TABLE_2.items()))
        assert math.prod(gains) ** (1 / 5) == pytest.approx(1.23, rel=0.1)


def test_times_are_host_transfers_kernel_and_allocation():
    shape = measured_shapes.shapes()["BFS"]
    ours = measured_shapes._times(np.array([[2.0, 0.5, 0.01]]), shape, np.array([1, 8]))[0]
    one = (52.644 + 50.281 + 2.219 + 2 * 533.662) / 1000
    eight = (348.392 + 183.197 + 10.641 + 2 * 484.285) / 1000
    assert ours.tolist() == pytest.approx([one * 1.51, eight + one * (0.5 + 0.08)])


def test_fewer_members_are_the_first_and_another_seed_gives_others(tables):
    few = measured_shapes.tables(3, seed=3)
    assert few.equals(tables.filter(pl.col("member") < 3))
    assert not measured_shapes.tables(3, seed=4).equals(few)
    with pytest.raises(ValueError, match="members is 0"):
        measured_shapes.tables(0, seed=3)


def test_the_ratio_of_the_kernel_is_drawn_over_its_range():
    ratio, *_ = measured_shapes._drawn(np.random.default_rng(1)).T
    least, most = measured_shapes.KERNEL_RATIO
    assert least < ratio.min() < 1.1 * least
    assert most / 1.1 < ratio.max() < most
