"""Rows of figures as the page stores them, made rows again by its own script and by a second reader here."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.report import packing, page

VALUES = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=4) | st.lists(st.integers(0, 3))


def unpacked(stored):
    if isinstance(stored, list):
        return stored
    columns = {
        name: column if isinstance(column, list) else [column["of"][place] for place in column["at"]]
        for name, column in stored["columns"].items()
    }
    return [{name: values[i] for name, values in columns.items()} for i in range(stored["length"])]


@given(st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}), max_size=30))
@settings(max_examples=200, deadline=None)
def test_rows_come_back_as_they_were(rows):
    stored = json.loads(json.dumps(packing.packed(rows)))
    result = unpacked(stored)
    assert result == rows
    assert [[type(v) for v in row.values()] for row in result] == [[type(v) for v in row.values()] for row in rows]


def test_numbers_keep_six_digits_and_rows_of_other_columns_are_left_alone():
    stored = packing.packed([{"x": 1.23456789}, {"x": 2.0}, {"x": 1e300}])
    assert stored == {"length": 3, "columns": {"x": [1.23457, 2, 1e300]}}
    assert packing.packed([{"x": 1}, {"y": 2}]) == [{"x": 1}, {"y": 2}]
    assert packing.packed([{}]) == [{}]


def test_what_repeats_is_stored_once():
    stored = packing.packed([{"name": "largest_first"}, {"name": "priority"}, {"name": "largest_first"}])
    assert stored["columns"]["name"] == {"of": ["largest_first", "priority"], "at": [0, 1, 0]}


@pytest.fixture
def specifications(drawn):
    return {name: figure for name, figure in drawn.items() if figure.chart is not None}


def test_figures_name_the_data_that_they_had(specifications):
    stored = json.loads(page.json_text(page.figure_data(specifications)))
    for name, figure in specifications.items():
        shown = stored["figures"][name]
        own = figure.specification.get("datasets", {})
        assert len(shown["datasets"]) == len(own)
        used = set(re.findall(r'"data":\{"name":"(d\d+)"\}', page.json_text(shown["spec"])))
        assert used <= set(shown["datasets"])
        for key, rows in zip(shown["datasets"], own.values(), strict=True):
            assert len(unpacked(stored["datasets"][key])) == len(rows)


def test_data_of_figures_take_less_than_half_of_what_their_rows_would(specifications):
    plain = sum(len(page.json_text(figure.specification.get("datasets", {}))) for figure in specifications.values())
    assert len(page.json_text(page.figure_data(specifications)["datasets"])) < plain / 2
