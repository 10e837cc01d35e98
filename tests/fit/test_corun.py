"""Rules on pairs: parameters of a known law are found, folds do not see what they are judged on."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import scipy

from pipeline.fit import corun
from pipeline.stages import ingest
from pipeline.synthetic import nvprof, write_nvprof

RULES = {rule.name: rule for rule in corun.RULES}


def made_up(n=8, seed=1):
    rng = np.random.default_rng(seed)
    return corun.Measured(
        tuple("abcdefghij"[:n]),
        *(rng.uniform(low, high, n) for low, high in ((2.0, 9.0), (0.2, 1.0), (0.1, 2.0), (0.1, 2.0))),
        rng.uniform(0, 1, (n, 2)),
        rng.integers(0, 5, n),
        np.full((n, n), np.nan),
    )


def following(apps, rule, parameters):
    slowdown = rule.offset + rule.terms(apps) @ np.array(parameters)
    np.fill_diagonal(slowdown, np.nan)
    return replace(apps, slowdown=slowdown)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("always_corun", [1.4]), ("slate_table1", [1.1, 1.6]), ("constant_delay", [0.4]), ("shared_kernels", [0.7]),
        ("shared_resources", [0.6, 0.3, 0.8]),
    ],
)  # fmt: skip
def test_a_rule_finds_its_own_law_also_in_pairs_it_has_not_seen(name, parameters):
    apps = following(made_up(10), RULES[name], parameters)
    assert corun.fit(RULES[name], apps) == pytest.approx(np.array(parameters))
    predicted, fits = corun.held_out(RULES[name], apps)
    known = np.isfinite(apps.slowdown)
    assert predicted[known] == pytest.approx(apps.slowdown[known])
    assert fits.shape == (45, len(parameters))
    queue = np.array([[0, 3, 5, 7]])
    off = ~np.eye(4, dtype=bool)
    assert corun.unseen(RULES[name], apps, queue)[0][off] == pytest.approx(apps.slowdown[np.ix_(*[queue[0]] * 2)][off])


def test_predictions_do_not_depend_on_what_they_are_judged_on():
    rng = np.random.default_rng(3)
    apps = made_up()
    apps = replace(apps, slowdown=1 + rng.uniform(0, 1, apps.slowdown.shape))
    for rule in corun.RULES:
        before, _ = corun.held_out(rule, apps)
        changed = apps.slowdown.copy()
        changed[[2, 5]] *= 3
        changed[:, [2, 5]] *= 3
        after, _ = corun.held_out(rule, replace(apps, slowdown=changed))
        assert after[2, 5] == before[2, 5]
        assert after[5, 2] == before[5, 2]
        assert after[0, 1] != before[0, 1]


def test_resources_against_a_general_solver():
    apps = made_up(seed=7)
    apps = replace(apps, slowdown=1 + np.random.default_rng(8).uniform(0, 1, apps.slowdown.shape))
    rows = [(a, b) for a in range(8) for b in range(8) if a != b]
    design, target = [], []
    for a, b in rows:
        together = min(1.0, max(apps.demand[a, 0] + apps.demand[b, 0], apps.demand[a, 1] + apps.demand[b, 1]))
        shared = (
            min(apps.start_s[a], apps.start_s[b]),
            min(apps.copy_s[a], apps.copy_s[b]),
            together * min(apps.kernel_s[a], apps.kernel_s[b]),
        )
        design.append([use / apps.alone_s[a] for use in shared])
        target.append(apps.slowdown[a, b] - 1)
    theirs = scipy.optimize.lsq_linear(design, target, bounds=(0, np.inf), tol=1e-14).x
    assert corun.fit(RULES["shared_resources"], apps) == pytest.approx(theirs, abs=1e-6)


def test_unmeasured_pairs_are_neither_fitted_nor_predicted():
    apps = following(made_up(), RULES["constant_delay"], [0.5])
    slowdown = apps.slowdown.copy()
    slowdown[0, 1] = np.nan
    apps = replace(apps, slowdown=slowdown)
    assert (0, 1) not in apps.pairs
    predicted, _ = corun.held_out(RULES["constant_delay"], apps)
    assert np.isnan(predicted[[0, 1], [1, 0]]).all()
    assert np.isfinite(predicted).sum() == 2 * 27


def test_orders_are_averaged_and_strangers_left_out():
    profiles = pl.DataFrame({
        "app": ["b", "a", "c"], "start_s": 1.0, "span_s": [2.0, 3.0, 4.0], "kernel_s": 1.0, "copy_s": 1.0,
        "gflops": [10.0, 20.0, 40.0], "memory_gbps": 5.0, "dram_gbps": [1.0, 2.0, None],
    })  # fmt: skip
    pairs = pl.DataFrame({
        "app_a": ["a", "b", "a", "a", "a"], "app_b": ["b", "a", "c", "ghost", "a"],
        "slowdown_a": [1.2, 1.6, 9.0, 9.0, 9.0], "slowdown_b": [1.5, 1.4, 9.0, 9.0, 9.0],
        "alone_a_s": [7.0, None, None, None, None], "alone_b_s": [None] * 5,
    }, schema_overrides={"alone_a_s": pl.Float64, "alone_b_s": pl.Float64})  # fmt: skip
    apps = corun.measured(profiles, pairs)
    assert apps.apps == ("a", "b")
    assert apps.slowdown[0, 1] == pytest.approx((1.2 + 1.4) / 2)
    assert apps.slowdown[1, 0] == pytest.approx((1.5 + 1.6) / 2)
    # Measured alone where it was, else the start and span of the profile; shares are of the largest of the drop.
    assert apps.alone_s.tolist() == [7.0, 3.0]
    assert apps.demand.tolist() == [[0.5, 1.0], [0.25, 0.5]]


def test_the_generated_drop_tells_the_shares_it_was_made_with(tmp_path):
    write_nvprof(tmp_path / "made", seed=5)
    ingest.ingest(tmp_path / "made", tmp_path / "ingest")
    apps = corun.measured(
        *(pl.read_parquet(tmp_path / "ingest" / f"{name}.parquet") for name in ("gpu_apps", "corun_pairs"))
    )
    drawn = nvprof.draw_apps(5)
    assert apps.apps == tuple(sorted(app.name for app in drawn))
    by_name = {app.name: app for app in drawn}
    assert apps.start_s == pytest.approx([by_name[name].start_s for name in apps.apps], rel=1e-5)
    assert apps.kernel_s == pytest.approx([by_name[n].launches * by_name[n].launch_s for n in apps.apps], rel=1e-5)
    most = max(app.gflops for app in drawn), max(app.dram_gbps for app in drawn)
    shares = [(by_name[n].gflops / most[0], by_name[n].dram_gbps / most[1]) for n in apps.apps]
    assert apps.demand == pytest.approx(np.array(shares), rel=1e-4)
    assert corun.fit(RULES["shared_resources"], apps) == pytest.approx(list(nvprof.SHARES.values()), abs=0.15)
