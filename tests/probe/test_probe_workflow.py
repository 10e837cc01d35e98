"""A simulated card through every stage: each study says something of it, and nowhere does it pass for a measured one.

Numbers are compared with the drop's own files, by other means than the pipeline's.
"""

import duckdb
import numpy as np
import polars as pl
import pytest
import yaml

from probe.card import SimulatedCard

pytestmark = pytest.mark.exhaustive

CARD = "made_probe"
ANSWERS = {
    "recommended_gpu_sharing": "trace",
    "best_gpu_partner": "trace",
    "sms_for_qos": "curves",
    "recommended_gpu_corun": "trace",
    "recommended_gpu_partition": "trace",
    "gpu_card_kernel": "trace",
    "gpu_card_pair": "trace",
    "gpu_kernel_intensity": "trace",
}
"""Views and tables that speak of a card, and their column for the trace."""


@pytest.fixture(scope="module")
def ask(card_database):
    with duckdb.connect(str(card_database), read_only=True) as connection:
        yield lambda sql: pl.from_arrow(connection.sql(sql).to_arrow_table())


@pytest.fixture(scope="module")
def curves(card_drop) -> pl.DataFrame:
    """Points of the drop by its own files, kernels by the names that the drop gives them."""
    aliases = yaml.safe_load((card_drop / "trace.yaml").read_text())["aliases"]
    return pl.read_csv(card_drop / "sm_curve.csv").with_columns(pl.col("app", "beside").replace(aliases))


@pytest.fixture(scope="module")
def alone(curves) -> dict[str, dict[int, float]]:
    """Seconds of each kernel alone, by SMs."""
    rows = curves.filter(pl.col("beside").is_null())
    return {app: dict(of.select("sms", "time_s").iter_rows()) for (app,), of in rows.group_by("app")}


@pytest.fixture(scope="module")
def beside(curves) -> dict[tuple[str, str, int], float]:
    """Seconds of each kernel beside each other one, by its SMs."""
    rows = curves.drop_nulls("beside").select("app", "beside", "sms", "time_s")
    return {row[:3]: row[3] for row in rows.iter_rows()}


@pytest.mark.parametrize(("view", "column"), ANSWERS.items())
def test_every_study_speaks_of_the_card_and_says_that_it_is_generated(ask, view, column):
    assert ask(f"SELECT DISTINCT {column} AS trace, origin FROM {view}").rows() == [(CARD, "generated")]


def test_nothing_of_the_card_is_called_measured(ask):
    assert ask("SELECT kind FROM trace").rows() == [("generated",)]
    assert ask("SELECT DISTINCT origin FROM workload_gpu_sharing").rows() == [("generated",)]
    assert ask("SELECT DISTINCT origin FROM workload_gpu_corun").rows() == [("generated",)]
    assert ask("SELECT DISTINCT origin FROM workload_gpu_partition").rows() == [("composed",)]
    conflicts = ask("SELECT DISTINCT conflict_origin FROM task_gpu_partition")["conflict_origin"].to_list()
    assert set(conflicts) <= {"generated", "assumed"}
    assert "generated" in conflicts


def test_fits_are_least_squares_and_kernels_saturate_where_nothing_later_is_faster(ask, alone):
    rows = ask("SELECT app, a_s, b_s, fit_error, saturation_sms, kind FROM gpu_card_kernel").rows()
    assert len(rows) == 6
    for app, a_s, b_s, error, saturation, kind in rows:
        sms, seconds = (np.array(column) for column in zip(*sorted(alone[app].items()), strict=True))
        (slope, origin), *_ = np.linalg.lstsq(np.stack([1 / sms, np.ones(len(sms))], axis=1), seconds, rcond=None)
        if origin < 0:
            slope, origin = (seconds / sms).sum() / (1 / sms**2).sum(), 0.0
        assert (a_s, b_s) == pytest.approx((slope, origin), rel=1e-6, abs=1e-12)
        assert error == pytest.approx(np.max(np.abs(slope / sms + origin - seconds) / seconds), rel=1e-4)
        enough = [n for n in sms if (seconds[sms >= n] <= 1.05 * seconds[sms >= n].min()).all()
                  and seconds[sms == n] <= 1.05 * seconds[sms >= n].min()]  # fmt: skip
        assert saturation == min(enough)
        assert kind == ("memory" if saturation <= 0.8 * SimulatedCard.SMS else "compute")


def test_sharing_replays_the_curves_alone_and_not_those_beside_another(ask, alone):
    points = ask("SELECT app, sms, ipc FROM curve_gpu_sharing").rows()
    expected = {(app, n): of[SimulatedCard.SMS] / t for app, of in alone.items() for n, t in of.items()}
    assert {row[:2]: row[2] for row in points} == pytest.approx(expected)


def test_tasks_cost_what_the_curves_say(ask):
    rows = ask("""SELECT task.work, a_s, task.serial_fraction, b_s FROM task_gpu_partition AS task
        JOIN gpu_card_kernel USING (app)""").rows()
    assert len(rows) == 2 * 2 * 6
    for work, a_s, serial, b_s in rows:
        assert (work, serial * work) == pytest.approx((a_s, b_s), rel=1e-9, abs=1e-15)


def test_coruns_are_replayed_on_the_card_s_own_machine(ask, card_drop):
    kernels = pl.read_csv(card_drop / "kernels.csv")
    machine = ask("SELECT DISTINCT sms, bandwidth_gbps, high_gflops FROM scenario WHERE study = 'gpu_corun'").row(0)
    assert machine == pytest.approx(
        (SimulatedCard.SMS, kernels["memory_gbps"].max(), kernels["gflops"].max() * 496 / 1525)
    )
    unlike = ask("""SELECT count(*) AS n FROM kernel_gpu_corun JOIN gpu_card_kernel ON app = kernel
        WHERE saturation IS DISTINCT FROM saturation_share""").item()
    assert unlike == 0
