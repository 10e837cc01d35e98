"""The mechanistic model: its parameters come back from exact times; what few points leave open is bounded."""

import numpy as np
import pytest
from scipy.optimize import linprog

from pipeline.fit import rank_model

RANKS = np.array([1, 6, 11, 16, 21, 26, 30])


def test_parameters_come_back_from_exact_times():
    shrink = 1 / np.minimum(RANKS, 14)
    phases = {
        "host": np.full(7, 0.3),
        "kernel": 0.1 + 3 * shrink,
        "cpu_dpu": 0.2 + 1.0 * shrink + 0.01 * RANKS,
        "dpu_cpu": 0.5 * shrink + 0.002 * RANKS,
        "alloc": 0.05 * RANKS,
    }
    model = rank_model.fit(RANKS, phases, 30)
    expected = {"host": 0.3, "kernel_const": 0.1, "kernel": 3.0, "parallel_const": 0.2, "parallel": 1.5,
                "serial": 0.012, "alloc": 0.05, "sat": 14.0}  # fmt: skip
    assert {name: model.parameters[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    assert model.parameters["duplicated"] is None
    assert not model.underdetermined
    assert model.residual_s < 1e-9
    assert model.predicted_s[RANKS - 1] == pytest.approx(sum(phases.values()))


def test_a_trace_without_phases_is_fitted_as_a_whole():
    model = rank_model.fit(RANKS, {"total": 0.7 + 2 / RANKS + 0.03 * RANKS}, 30)
    assert model.parameters["host"] == pytest.approx(0.7)
    assert model.parameters["kernel"] == pytest.approx(2)
    assert model.parameters["serial"] == pytest.approx(0.03)
    assert model.parameters["parallel"] is None
    # No saturation shows, so the largest is believed.
    assert model.parameters["sat"] == 30


def test_terms_are_never_negative_and_the_residual_says_what_is_left():
    times = np.array([5.0, 1.0, 4.0, 0.5, 3.0, 2.0, 2.5])
    model = rank_model.fit(RANKS, {"kernel": times}, 30)
    assert all(value is None or value >= 0 for value in model.parameters.values())
    difference = model.predicted_s[RANKS - 1] - times
    assert model.residual_s == pytest.approx(np.sqrt(np.mean(difference**2)))
    assert model.residual_s > 0.5


def test_noise_is_fitted_as_well_as_any_admissible_parameters_do():
    rng = np.random.default_rng(5)
    times = (0.4 + 3 / np.minimum(RANKS, 9) + 0.02 * RANKS) * rng.uniform(0.95, 1.05, 7)
    model = rank_model.fit(RANKS, {"cpu_dpu": times}, 30)
    error = np.sum((model.predicted_s[RANKS - 1] - times) ** 2)
    for _ in range(2000):
        constant, shared, per_rank = rng.uniform(0, [1, 5, 0.1])
        other = constant + shared / np.minimum(RANKS, rng.integers(1, 31)) + per_rank * RANKS
        assert error <= np.sum((other - times) ** 2) + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("times", [(2.0, 0.7), (0.5, 0.9), (1.0, 1.0)])
def test_bounds_of_two_points_are_those_of_linear_programming(times):
    # With a given saturation the admissible parameters are a polytope, and times at any rank count are linear in them.
    measured = np.array([1, 8])
    model = rank_model.fit(measured, {"cpu_dpu": np.array(times)}, 30)
    assert model.underdetermined and model.free_terms == 4
    assert model.predicted_s[measured - 1] == pytest.approx(times)
    bounds = np.full((30, 2), [np.inf, -np.inf])
    for sat in range(1, 31):
        equal = np.array([[1, 1 / min(r, sat), r] for r in (1, 8)])
        for ranks in range(1, 31):
            cost = np.array([1, 1 / min(ranks, sat), ranks])
            for sign, column, pick in ((1, 0, min), (-1, 1, max)):
                result = linprog(sign * cost, A_eq=equal, b_eq=times, bounds=(0, None))
                if result.success:
                    bounds[ranks - 1, column] = pick(bounds[ranks - 1, column], sign * result.fun)
    assert model.ensemble_s.min(axis=0) == pytest.approx(bounds[:, 0], rel=1e-6)
    assert model.ensemble_s.max(axis=0) == pytest.approx(bounds[:, 1], rel=1e-6)


def test_a_cost_a_rank_is_believed_only_where_the_points_ask_for_it():
    falling = rank_model.fit(np.array([1, 8]), {"cpu_dpu": np.array([2.0, 0.7])}, 30)
    rising = rank_model.fit(np.array([1, 8]), {"cpu_dpu": np.array([0.5, 0.9])}, 30)
    assert falling.parameters["serial"] == 0 and falling.high["serial"] > 0
    assert rising.parameters["serial"] > 0


def test_what_cannot_be_fitted_is_said():
    with pytest.raises(ValueError, match="1 points at 1 rank counts"):
        rank_model.fit(np.array([1]), {"kernel": np.array([1.0])}, 30)
    with pytest.raises(ValueError, match="unknown phase 'kernels'"):
        rank_model.fit(np.array([1, 2]), {"kernels": np.array([1.0, 2.0])}, 30)


def test_a_saturation_beyond_the_points_is_open_whatever_the_number_of_points():
    ranks = np.array([1, 2, 3, 4, 6, 8])
    model = rank_model.fit(ranks, {"kernel": 0.1 + 3 / ranks}, 30)
    assert not model.underdetermined
    # Anything from no gain beyond 8 ranks to all of it fits the points alike.
    assert model.ensemble_s[:, 29].max() == pytest.approx(0.1 + 3 / 8)
    assert model.ensemble_s[:, 29].min() == pytest.approx(0.1 + 3 / 30) == model.predicted_s[29]
    assert model.ensemble_s[:, ranks - 1] == pytest.approx(np.tile(0.1 + 3 / ranks, (len(model.ensemble_s), 1)))


def test_a_machine_of_thousands_of_units_is_fitted_at_some_saturations():
    units = np.array([1, 16, 64, 256, 640, 2560])
    model = rank_model.fit(units, {"kernel": 0.1 + 3 / np.minimum(units, 640)}, 2560)
    assert model.parameters["sat"] == 640
    assert model.residual_s < 1e-9
