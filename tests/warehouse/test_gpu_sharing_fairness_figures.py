"""Figures of Chapter 6 of gpu_sharing from the example drop and a small ensemble."""

import duckdb
import pytest

from pipeline.report import figures, gpu_fairness

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
    assert frame.filter(~frame["same_split"])["label"].to_list() == ["10 / 6 not 11 / 5"]


def test_each_pair_names_the_splits_of_all_five_policies(drawn):
    frame = drawn["fig_splits"].frame
    for (_,), rows in frame.filter(frame["line"] == "system").group_by("mix"):
        assert sorted("".join(rows["letters"].drop_nulls())) == sorted(gpu_fairness.CODES.values())
