"""Maps of SM frequencies: their correlation and distribution are those that were asked for."""

import numpy as np
import pytest
from scipy import stats

from pipeline.studies.gpu_sharing.model import sm_map

MAPS = 300


@pytest.fixture(scope="module")
def fields() -> np.ndarray:
    """Standardised threshold voltages of many maps, shape (maps, grid, grid)."""
    maps = np.stack([sm_map.threshold_voltages(seed) for seed in range(MAPS)])
    return (maps / sm_map.THRESHOLD_V - 1) / sm_map.RELATIVE_SD


@pytest.mark.parametrize("point", [(0, 0), (48, 48), (95, 10)])
def test_a_point_is_normal_with_sd_6_4_per_cent(fields, point):
    values = fields[:, *point]
    assert stats.kstest(values, "norm").pvalue > 0.001
    assert stats.ttest_1samp(values, 0).pvalue > 0.001
    spread = (MAPS - 1) * values.var(ddof=1)
    assert stats.chi2.ppf(0.0005, MAPS - 1) < spread < stats.chi2.ppf(0.9995, MAPS - 1)


@pytest.mark.parametrize("lag", [1, 6, 12, 24, 36, 48, 60, 90])
@pytest.mark.parametrize("axis", [(1, 0), (0, 1)])
def test_correlation_falls_off_spherically_and_ends_at_half_the_die(fields, lag, axis):
    here, there = fields[:, 2, 3], fields[:, 2 + lag * axis[0], 3 + lag * axis[1]]
    d = lag / sm_map.GRID / 0.5
    expected = 1 - 1.5 * d + 0.5 * d**3 if d < 1 else 0.0
    r = np.corrcoef(here, there)[0, 1]
    # Fisher's transformation is nearly normal with this standard error.
    assert abs(np.arctanh(r) - np.arctanh(expected)) < 4 / np.sqrt(MAPS - 3)


def test_the_torus_gives_the_correlation_exactly():
    """The spectrum never goes negative, so that its inverse is the correlation, over the whole die."""
    amplitude = sm_map._amplitudes()
    covariance = np.fft.ifft2(amplitude**2).real
    i, j = np.mgrid[: sm_map.GRID, : sm_map.GRID]
    assert covariance[: sm_map.GRID, : sm_map.GRID] == pytest.approx(
        sm_map.spherical(np.hypot(i, j) / sm_map.GRID), abs=1e-9
    )


def test_frequencies_are_the_slowest_points_rescaled():
    threshold = sm_map.threshold_voltages(7)
    rows, columns = np.arange(96) * 5 // 96, np.arange(96) * 6 // 96
    slowest = [
        ((1 - threshold[np.ix_(rows == r, columns == c)].max()) ** 1.3) for r in range(5) for c in range(6)
    ]  # the slowest point has the highest threshold
    ours = sm_map.frequencies(7, 30)
    assert (ours.min(), ours.max()) == (1.0, 1.4)
    assert np.argsort(ours).tolist() == np.argsort(slowest).tolist()
    assert np.corrcoef(ours, slowest)[0, 1] == pytest.approx(1.0)


def test_neighbours_are_more_alike_than_strangers():
    maps = np.stack([sm_map.frequencies(seed, 30) for seed in range(100)]).reshape(-1, 5, 6)
    beside = np.abs(np.diff(maps, axis=2)).mean(axis=(1, 2))
    across = np.abs(maps[:, :, 0] - maps[:, :, 5]).mean(axis=1)
    assert stats.ttest_rel(beside, across, alternative="less").pvalue < 1e-6


@pytest.mark.parametrize(("sms", "shape"), [(30, (5, 6)), (16, (4, 4)), (7, (3, 3)), (68, (8, 9)), (1, (1, 1))])
def test_every_sm_has_points_and_the_last_row_may_be_short(sms, shape):
    sm = sm_map.sm_of_points(sms)
    assert set(np.unique(sm)) - {-1} == set(range(sms))
    assert (-1 in sm) == (shape[0] * shape[1] > sms)
    assert len(sm_map.frequencies(0, sms)) == sms


def test_seeds_tell_maps_apart_and_one_sm_runs_at_the_base_clock():
    assert sm_map.frequencies(1, 30).tolist() == sm_map.frequencies(1, 30).tolist()
    assert sm_map.frequencies(1, 30).tolist() != sm_map.frequencies(2, 30).tolist()
    assert sm_map.frequencies(1, 1).tolist() == [1.0]
    with pytest.raises(ValueError, match="sms is 0"):
        sm_map.frequencies(1, 0)


def test_a_die_is_scaled_once_and_more_sms_vary_more():
    """By hand: every SM's slowest point by the scale of the same die cut into 6 times 5, over the slowest of them."""
    cut = np.arange(96) * 11 // 96
    for seed in range(20):
        points = (1 - sm_map.threshold_voltages(seed)) ** 1.3
        slowest = [points[np.ix_(cut == r, cut == c)].min() for r in range(11) for c in range(11)][:120]
        of_30 = [part.min() for rows in np.array_split(points, 5) for part in np.array_split(rows, 6, axis=1)]
        scaled = 1 + 0.4 * (np.array(slowest) - min(of_30)) / (max(of_30) - min(of_30))
        ours = sm_map.frequencies(seed, 120)
        # 96 points do not divide by 5, so the 30 parts differ by a row of points.
        assert ours == pytest.approx(scaled / scaled.min(), rel=0.02)
        assert np.ptp(ours) > np.ptp(sm_map.frequencies(seed, 30)) == pytest.approx(0.4)


def test_a_cluster_has_the_clock_of_its_slowest():
    own = sm_map.frequencies(5, 30)
    for size in (1, 3, 4, 30):
        shared = sm_map.frequencies(5, 30, cluster_sms=size)
        wanted = [min(own[sm // size * size : (sm // size + 1) * size]) for sm in range(30)]
        assert shared.tolist() == wanted
