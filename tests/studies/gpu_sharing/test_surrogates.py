"""Surrogate curves: they agree with what the thesis prints, whatever else they are."""

import numpy as np
import polars as pl
import pytest

from pipeline.studies.gpu_sharing.workload import surrogates

MEMBERS = 12


@pytest.fixture(scope="module")
def drawn() -> dict[str, pl.DataFrame]:
    return surrogates.draw(MEMBERS, seed=3)


@pytest.fixture(scope="module")
def curve(drawn):
    """Curves by member and application: IPC on 0..30 SMs."""
    return {
        key: np.concatenate([[0.0], frame.sort("sms")["ipc"].to_numpy()])
        for key, frame in drawn["curves"].group_by("member", "app")
    }


def speedups(drawn, app: str, sms: int, controllers: int) -> np.ndarray:
    rows = drawn["clock_speedups"].filter(app=app, sms=sms, memory_controllers=controllers, clock=1.4)
    return rows.sort("member")["speedup"].to_numpy()


def test_there_is_a_curve_of_30_points_for_every_member_and_application(drawn, curve):
    apps = {*surrogates.COMPUTE, *surrogates.MEMORY, *surrogates.QOS, *surrogates.BEST_EFFORT}
    assert set(curve) == {(member, app) for member in range(MEMBERS) for app in apps}
    assert all(len(ipc) == 31 and (np.diff(ipc) >= 0).all() for ipc in curve.values())
    assert len(drawn["apps"]) == len(curve)
    assert len(drawn["clock_speedups"]) == 4 * len(surrogates.CLOCKS) * len(curve)


@pytest.mark.parametrize(
    ("app", "level", "sms"),
    [("SHA1", 100, 11), ("SHA1", 80, 9), ("AES-D", 100, 15), ("AES-D", 80, 12), ("JPEG-D", 80, 11)],
)
def test_the_printed_sizes_are_the_fewest_for_their_level(curve, app, level, sms):
    for member in range(MEMBERS):
        ipc = curve[member, app]
        assert int(np.argmax(ipc >= level / 100 * ipc[30] / 2)) == sms


def test_sha1_needs_160_ipc_for_80_per_cent(curve):
    assert all(curve[member, "SHA1"][30] == pytest.approx(400) for member in range(MEMBERS))


def test_speedups_with_the_clock_are_those_of_figure_4(drawn):
    assert np.abs(speedups(drawn, "DVC", 10, 8) - 1.37).max() <= 0.03
    assert np.abs(speedups(drawn, "DVC", 10, 3) - 1.23).max() <= 0.03
    assert np.abs(speedups(drawn, "SHA1", 10, 8) - 1.39).max() <= 0.03
    assert speedups(drawn, "SHA1", 10, 3).max() <= 1.05
    machines = [(15, 8), (15, 4), (10, 8), (10, 3)]
    least = {
        app: np.min([speedups(drawn, app, *m) for m in machines], axis=0)
        for app in (*surrogates.COMPUTE, *surrogates.MEMORY)
    }
    assert all((least[app] >= 1.3).all() for app in surrogates.COMPUTE)
    assert all((least[app] < 1.3).all() for app in surrogates.MEMORY)
    assert max(speedups(drawn, "NN", *m).max() for m in machines) <= 1.15
    mean = {app: np.mean([speedups(drawn, app, *m) for m in machines], axis=0) for app in surrogates.COMPUTE}
    assert (np.minimum(mean["AES-E"], mean["ID"]) > np.maximum(mean["RAY"], mean["SAD"])).all()


def test_with_all_controllers_a_faster_clock_is_as_good_as_more_sms(drawn, curve):
    """1.4 times the clock on 10 SMs does what 14 SMs do."""
    for app in surrogates.MEMORY:
        ratio = [curve[member, app][14] / curve[member, app][10] for member in range(MEMBERS)]
        assert speedups(drawn, app, 10, 8) == pytest.approx(ratio)


def test_sensitivities_give_the_losses_of_table_5(drawn):
    for app, at_15, at_10 in (("SHA1", 0.182, 0.24), ("JPEG-D", 0.16, 0.232), ("AES-D", 0.003, 0.003)):
        sensitivity = drawn["apps"].filter(app=app)["sensitivity"].to_numpy()
        for other, loss in ((15, at_15), (20, at_10)):
            assert (1 - 1 / (1 + sensitivity * other)) == pytest.approx(loss, abs=0.03)


def test_fewer_members_are_the_first_of_more_and_seeds_differ(drawn):
    fewer = surrogates.draw(4, seed=3)
    for name, frame in fewer.items():
        assert frame.equals(drawn[name].filter(pl.col("member") < 4))
    assert not surrogates.draw(4, seed=4)["curves"].equals(fewer["curves"])


def test_a_condition_that_nothing_meets_is_said(monkeypatch):
    monkeypatch.setattr(surrogates, "MOST_BATCHES", 1)
    with pytest.raises(ValueError, match=r"AES-D: \d+ of 32768 surrogate curves agree with the thesis, not 30000"):
        surrogates.draw(30_000, seed=3)
