"""The verb `answer`: what the page says of each trace, for a terminal and for other programs."""

import csv
import io
import json

import duckdb
import pytest

from pipeline import answers
from pipeline.answers import margins, text


@pytest.fixture(scope="module")
def found(hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        return answers.found(connection)


def _flat(said: str) -> str:
    return " ".join(said.split())


def test_each_answer_of_the_page_is_said(hostile_database, found):
    said = _flat(text.answer(hostile_database))
    answered = [trace for trace in found.by_trace if trace["answers"]]
    assert answered
    for trace in answered:
        assert _flat(f"{trace['trace_id']}:") in said
        for answer in trace["answers"]:
            assert _flat(f"{answer['study']}: {answer['about']}") in said
            assert answer["enough"] is None or _flat(answer["enough"]) in said
            for use in answer["use"]:
                assert use["scheduler"] is None or use["scheduler"] in said


def test_a_trace_without_answers_says_so():
    trace = {"trace_id": "mine", "kind": "measured", "format": "swf", "answers": []}
    said = text._lines(trace, {"content": "3 jobs", "jobs": 3})
    assert said == ["mine: 3 jobs, swf, measured", "  no answer: nothing was replayed from it in this run"]
    assert text._lines(trace, {"content": "1 job", "jobs": 1})[1] == (
        "  no answer: a single job shares the machine with nobody"
    )


def test_lines_fit_a_terminal(hostile_database):
    lines = text.answer(hostile_database).splitlines()
    # A single word may be longer.
    assert [line for line in lines if len(line) > text.WIDTH and len(line.split()) > 2] == []


def test_the_forms_for_programs_have_a_row_per_setting(hostile_database, found):
    settings = sum(len(answer["use"]) or 1 for trace in found.by_trace for answer in trace["answers"])
    rows = json.loads(text.answer(hostile_database, form="json"))
    assert len(rows) == settings
    assert list(rows[0]) == list(text.SCHEMA)
    again = list(csv.DictReader(io.StringIO(text.answer(hostile_database, form="csv"))))
    assert [row["scheduler"] for row in again] == [row["scheduler"] or "" for row in rows]


def test_a_drop_names_all_its_traces(hostile_database, found):
    drop = next(row["drop"] for row in found.traces if row["status"] == "read")
    its = [row["trace_id"] for row in found.traces if row["drop"] == drop and row["status"] == "read"]
    for name in (drop, f"traces/{drop}/"):
        said = text.answer(hostile_database, [name])
        assert all(_flat(f"{trace}:") in _flat(said) for trace in its)


def test_a_refused_drop_has_a_line(hostile_database, found):
    refused = next(row["drop"] for row in found.traces if row["status"] != "read")
    assert f"{refused}: refused" in text.answer(hostile_database, [refused])


def test_an_unknown_trace_is_a_sentence(hostile_database, found):
    known = found.traces[0]["trace_id"]
    with pytest.raises(ValueError, match="did you mean"):
        text.answer(hostile_database, [known + "x"])
    with pytest.raises(FileNotFoundError, match="run `make` first"):
        text.answer(hostile_database.with_name("none.duckdb"))


@pytest.mark.parametrize(
    ("margin", "kind", "lo", "hi", "tied", "said"),
    [
        (0.048, "relative", 0.034, 0.061, False, "4.8 % over b (3.4 % to 6.1 %)"),
        (0.02, "relative", -0.01, 0.05, False, "2.0 % over b (−1.0 % to 5.0 %, open)"),
        (0.0125, "difference", 0.01, 0.015, False, "1.25 points over b (1 points to 1.5 points)"),
        (0.016, "relative", None, None, False, "1.6 % over b (no interval)"),
        (0.185, "cost", 0.1, 0.2, False, "b costs 18.5 % more (10.0 % to 20.0 %)"),
        (0.0, "relative", 0.0, 0.0, True, "tie with b"),
        (None, "relative", None, None, False, None),
    ],
)
def test_a_margin_is_said_with_its_interval(margin, kind, lo, hi, tied, said):
    use = {"runner_up": "b", "margin": margin, "margin_lo": lo, "margin_hi": hi, "margin_kind": kind, "tied": tied}
    shown = margins.text(use)
    assert shown == (said and said.replace(" %", "\u00a0%"))


def test_the_least_margin_is_what_is_sure():
    rows = [
        dict(zip(margins.COLUMNS, ("b", margin, None, None, "relative", False), strict=True))
        for margin in (0.3, 0.1, None, 0.2)
    ]
    assert margins.least(rows)["margin"] == 0.1
    assert margins.text(margins.least(rows), several=True).startswith("at least 10.0")
