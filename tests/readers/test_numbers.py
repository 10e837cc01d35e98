"""Decimal marks: what a file's texts show, and that a number is never read with a mark of the wrong kind."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.drops import Refusal
from pipeline.readers._numbers import COMMA, POINT, decimal_mark, number


def texts(*values, whole=()):
    rows = [(i + 2, value, value in whole) for i, value in enumerate(values)]
    return pl.DataFrame(rows, schema={"row": pl.Int64, "text": pl.String, "whole": pl.Boolean}, orient="row")


def read(values, mark):
    return pl.DataFrame({"text": values}).select(number(pl.col("text"), mark))["text"].to_list()


@pytest.mark.parametrize("value", ["1,530.2", "410.5", "0.125", "1,234,567", "1234.567", ".5", "1.234e-3", "12."])
def test_texts_that_show_a_decimal_point(value):
    assert decimal_mark(texts("7", value, "1,234")) == POINT


@pytest.mark.parametrize("value", ["1.530,2", "410,5", "0,125", "1.234.567", "1234,567", ",5", "1,234e-3", "1 530,2"])
def test_texts_that_show_a_decimal_comma(value):
    assert decimal_mark(texts("7", value, "1.234")) == COMMA


def test_a_file_that_contradicts_itself_is_refused_with_both_rows():
    with pytest.raises(Refusal, match=r"1\.530,2 has a decimal comma, and 1\.51 in row 2 a decimal point") as caught:
        decimal_mark(texts("1.51", "7", "1.530,2"))
    assert (caught.value.reason, caught.value.row) == ("decimal_marks_mixed", 4)


def test_a_comma_that_may_be_either_is_refused_unless_another_text_or_a_count_shows_what_it_is():
    with pytest.raises(Refusal, match="1,234 may have a decimal comma or one that parts thousands"):
        decimal_mark(texts("1,234", "5"))
    assert decimal_mark(texts("1,234", "0.5")) == POINT
    assert decimal_mark(texts("1,234", "5", whole=("1,234",))) == POINT
    assert decimal_mark(texts("1.234", "5", whole=("1.234",))) == COMMA


def test_other_texts_count_for_nothing():
    assert decimal_mark(texts("(1024, 2, 1)", "high", None, "1.2.3", "7")) == POINT


def test_numbers_by_their_mark():
    assert read(["1,530.2", "410,5", "1,234", "12,34", "1e3", "nan", None, "", "."], POINT) == [
        1530.2, None, 1234.0, None, 1000.0, None, None, None, None
    ]  # fmt: skip
    assert read(["1.530,2", "410,5", "1.234", "410.5", "1\u202f530,2", "1'530'200,2", "15 30"], COMMA) == [
        1530.2, 410.5, 1234.0, None, 1530.2, 1530200.2, None
    ]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1e9).map(lambda x: round(x, 2)), min_size=1, max_size=6))
def test_a_file_printed_in_either_locale_reads_the_same(values):
    english = [f"{value:,.2f}" for value in values]
    german = [text.translate(str.maketrans(",.", ".,")) for text in english]
    assert read(english, decimal_mark(texts(*english))) == values
    assert read(german, decimal_mark(texts(*german))) == values
