"""Figures of Chapter 6 of gpu_sharing from the example drop and a small ensemble."""

import shutil

import duckdb
import pytest

from pipeline.report import figures
from pipeline.studies.gpu_sharing.figures import fairness as gpu_fairness
from pipeline.studies.gpu_sharing.figures import splits as gpu_splits

NAMES = [name for name in vars(gpu_fairness) if name.startswith(figures.PREFIX)]


@pytest.fixture(scope="module")
def drawn(small_database):
    with duckdb.connect(str(small_database), read_only=True) as connection:
        return {name: getattr(gpu_fairness, name)(connection) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_each_figure_is_drawn_with_its_axes_named(drawn, name):
    text = figures.svg(drawn[name])
    assert text.startswith("<svg")
    assert "undefined" not in text
    assert "NaN" not in text


def test_the_table_has_35_cells_and_one_that_differs(drawn):
    frame = drawn["fig_table_6"].frame
    assert len(frame) == 35
    assert frame.filter(~frame["same_split"])["label"].to_list() == ["10/6\n≠ 11/5"]


def test_each_pair_names_the_splits_of_all_five_policies(drawn):
    frame = drawn["fig_splits"].frame
    for (_,), rows in frame.filter(frame["line"] == "system").group_by("mix"):
        assert sorted("".join(rows["letters"].drop_nulls())) == sorted(gpu_fairness.CODES.values())


def test_pairs_of_dropped_curves_are_drawn_with_the_split_of_each_policy(small_database, tmp_path):
    """The example drop under another name is a trace like any other."""
    copy = tmp_path / "apportion.duckdb"
    shutil.copy(small_database, copy)
    with duckdb.connect(str(copy)) as connection:
        assert gpu_splits.fig_own_splits(connection).frame.is_empty()
        for table in ("workload_gpu_sharing", "trace"):
            connection.execute(f"UPDATE {table} SET trace = 'mine' WHERE trace = 'thesis_table_6'")
        figure = gpu_splits.fig_own_splits(connection)
    assert figures.svg(figure).startswith("<svg")
    frame = figure.frame
    assert 1 < frame["panel"].n_unique() <= gpu_splits.PAIRS
    for (panel,), rows in frame.group_by("panel"):
        first, second = panel.removeprefix("mine (generated): ").split(" + ")
        assert rows.select("slot", "line").unique().sort("slot").rows() == [(None, "system"), (0, first), (1, second)]
        assert sorted("".join(rows.filter(role="system")["letters"].drop_nulls())) == sorted(
            gpu_fairness.CODES.values()
        )
    for slot in (0, 1):
        assert frame.filter(slot=slot).select("panel", "line").unique()["line"].is_unique().all()
