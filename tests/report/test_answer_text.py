"""The verb `answer`: what the page says of each trace, for a terminal and for other programs."""

import csv
import io
import json

import duckdb
import pytest

from pipeline import answers
from pipeline.answers import gpu, margins, memory, pim, text, traces, unused
from pipeline.answers.sizes import Sizes
from pipeline.runtime.wording import escaped


@pytest.fixture(scope="module")
def found(hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        return answers.found(connection)


def _flat(said: str) -> str:
    return " ".join(said.split())


def _shown(text_of_a_drop: str) -> str:
    """As it is said: with codes for control characters."""
    return _flat(escaped(text_of_a_drop))


def test_each_answer_of_the_page_is_said(hostile_database, found):
    said = _flat(text.answer(hostile_database))
    answered = [trace for trace in found.by_trace if trace["answers"]]
    assert answered
    for trace in answered:
        assert _shown(f"{trace['trace_id']}:") in said
        for answer in trace["answers"]:
            assert _shown(f"{answer['study']}: {answer['about']}") in said
            assert answer["enough"] is None or _shown(answer["enough"]) in said
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


def test_a_line_for_each_trace_fits_a_terminal(hostile_database, found):
    lines = text.answer(hostile_database, form="lines").splitlines()
    assert len(lines) == len(found.by_trace)
    assert all(len(line) <= text.WIDTH for line in lines)
    answers = [{"enough": None, "use": []}, {"enough": "2 GB with priority", "use": []}]
    assert text._line({"trace_id": "mine", "answers": answers}) == "mine: 2 GB with priority"
    assert text._line({"trace_id": "mine", "answers": []}) == "mine: no answer"


def test_the_short_form_leaves_out_settings_where_something_is_enough():
    use = {"range": "at 1 GB", "scheduler": "priority", "rows": [{"response_margin": None}], "also": None}
    read = {"content": "3 jobs", "jobs": 3}
    answer = {"study": "hpc_memory", "about": "3 jobs", "use": [use, use], "enough": "2 GB"}
    trace = {"trace_id": "mine", "kind": "measured", "format": "swf", "answers": [answer]}
    assert text._lines(trace, read, short=True)[2:] == ["    enough: 2 GB"]
    assert text._lines(trace | {"answers": [answer | {"enough": None}]}, read, short=True)[2].startswith("    at 1 GB")


def test_a_machine_of_dpus_is_said_to_have_dpus():
    row = {"jobs": 24, "replicates": 1, "ranks": 2040, "arrival": "queued", "requests": None, "extrapolated_apps": 0}
    assert pim.about(row | {"unit": "dpu"}) == "24 applications, 2040 DPUs, all queued at once"
    assert pim.about(row | {"unit": None}) == "24 applications, 2040 ranks, all queued at once"


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
        assert all(_shown(f"{trace}:") in _flat(said) for trace in its)


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


def _open_row(lo: float, hi: float) -> dict:
    return {
        "scheduler": "a", "runner_up": "b", "verdict": "open", "tied_with": None, "compared": 2,
        "evidence": "intervals",
        "margin": 0.0, "margin_lo": -0.01, "margin_hi": 0.01,
        "response_margin": (lo + hi) / 2, "response_margin_lo": lo, "response_margin_hi": hi,
    }  # fmt: skip


def test_a_difference_whose_interval_excludes_none_is_not_called_open():
    said = memory._also(_open_row(-0.175, -0.028))
    assert said == "less response time than b, whether by 5 % is open"
    assert "open" not in margins.response(_open_row(-0.175, -0.028))
    assert memory._also(_open_row(-0.129, 0.051)) == "open with b"
    assert margins.response(_open_row(-0.129, 0.051)).endswith("to 5.1\u00a0%, open)")


KEPT = {
    "memory_per_node_gb": 133.9, "memory_lo_gb": 128.6, "memory_hi_gb": 178.5, "at_most": False, "blocks": 30,
    "scheduler": "a", "tied_with": "b", "open_with": None, "tried": 6, "loss_bound": 0.01, "response_bound": 0.1,
    "wait_s": 499.2, "unlimited_wait_s": 364.2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "mean_gb", "said"),
    [
        ({}, None, "133.9 GB (128.6–178.5) per node"),
        ({}, 105.0, "1.28 times (1.22–1.7) the mean memory that its jobs use"),
        ({"memory_hi_gb": None}, None, "133.9 GB (above 128.6) per node"),
        ({"memory_lo_gb": None, "memory_hi_gb": None, "blocks": 2}, None, "133.9 GB (no interval) per node"),
        # At the smallest size that was tried the interval still has its upper end.
        (
            {"memory_per_node_gb": 0.0266, "memory_lo_gb": None, "memory_hi_gb": 0.0443, "at_most": True},
            None,
            "≤ 26.6 MB (up to 44.3) per node, the smallest tried",
        ),
        ({"memory_per_node_gb": 1339.0, "memory_lo_gb": 1286.0, "memory_hi_gb": 1785.0}, None,
         "1.339 TB (1.286–1.785) per node"),
    ],
)  # fmt: skip
def test_a_size_that_is_enough_has_its_interval(changed, mean_gb, said):
    assert Sizes("node", mean_gb).enough(KEPT | changed).replace("\u00a0", " ") == said


def test_enough_names_who_ties_and_asks_for_a_mean_that_nobody_states():
    said = traces.enough(KEPT | {"open_with": "c, d"}, Sizes("node", 105.0)).replace("\u00a0", " ")
    assert "the mean memory that its jobs use with a (tie with b; open with c, d): at most 1 %" in said
    assert said.endswith("say mean_memory_gb in trace.yaml to have it in GB")
    assert "GB" not in said.removesuffix("to have it in GB")
    said = traces.enough(KEPT | {"tied_with": "b, c", "tried": 3}, Sizes())
    assert "with any scheduler, all tie" in said
    assert "trace.yaml" not in said


@pytest.mark.parametrize(
    ("wait_s", "unlimited_s", "said"),
    [
        (499.2, 364.2, "users wait 37 % longer (8.32 instead of 6.07 min)"),
        (8244.0, 8352.0, "users wait 1 % less (2.29 instead of 2.32 h)"),
        (21.0, 0.024, "users wait 21 instead of 0.024 s"),
        (21.0, 0.0, "users wait 21 instead of 0 s"),
        (5688.0, 5688.0, "users wait as long as with unlimited memory (94.8 min)"),
        (0.4, 0.0, "users wait less than a second"),
    ],
)
def test_waits_are_compared_in_one_unit_and_in_percent(wait_s, unlimited_s, said):
    assert traces.waits(wait_s, unlimited_s).replace("\u00a0", " ") == said


def test_used_memory_that_is_a_default_gives_no_amount():
    row = {
        "trace_id": "mine", "kind": "replayed", "memory_origin": "default", "use": [], "enough": {}, "kept": KEPT,
        "sizes": Sizes("node", 0.4), "assumed": None, "warnings": "Used memory is a default.", "offered_load": 0.5,
        "unit": "node", "share_of_log": 1.0, "nodes": 8,
    }  # fmt: skip
    (answer,) = traces._memory({"trace_id": "mine"}, [row], {})
    assert answer["enough"].startswith("cannot be said: used memory is a default of the site, no measurement")
    assert "used_memory_gb" in answer["enough"]
    (answer,) = traces._memory({"trace_id": "mine"}, [row | {"memory_origin": "measured"}], {})
    assert "times" in answer["enough"]


def test_columns_and_cells_are_shared_where_the_answers_are_the_same():
    def row(*sizes):
        bounds = (0.005, 0.01, 0.02, 0.05)
        return {"enough": {b: KEPT | {"memory_per_node_gb": gb} for b, gb in zip(bounds, sizes, strict=True)}}

    same, two, last = row(9, 9, 9, 9), row(9, 9, 8, 8), row(9, 9, 8, 7)
    bounds = list(same["enough"])
    assert memory.columns([same], bounds) == [bounds]
    assert memory.columns([same, two], bounds) == [bounds[:2], bounds[2:]]
    columns = memory.columns([same, two, last], bounds)
    assert columns == [bounds[:2], bounds[2:3], bounds[3:]]
    assert memory.cells(same, columns) == [columns]
    assert memory.cells(two, columns) == [columns[:1], columns[1:]]
    assert memory.losses(bounds) == "0.5\u00a0% to 5\u00a0%"
    assert memory.losses(bounds[:1]) == "0.5\u00a0%"


def test_the_size_that_is_enough_has_a_line(found):
    told = [row for row in found.memory if row["kept"] and row["kept"]["memory_per_node_gb"] is not None]
    assert told
    for row in told:
        sizes = {its["memory_per_node_gb"] for use in row["use"] for its in use["rows"]}
        assert row["kept"]["memory_per_node_gb"] in sizes, row["title"]


def test_memory_that_is_assumed_is_a_multiple_of_its_mean(hostile_database):
    said = _flat(text.answer(hostile_database, ["bare"]))
    assert "times the mean" in said
    assert " GB" not in said.replace("to have it in GB", "")


def test_what_was_rejected_has_its_share_and_its_reason(tmp_path):
    with duckdb.connect(str(tmp_path / "told.duckdb")) as connection:
        connection.execute("""
            CREATE TABLE tally AS SELECT * FROM (VALUES
                ('mine', 'jobs', 'used', NULL, 110, NULL), ('mine', 'jobs', 'rejected', 'too_short', 81, NULL),
                ('mine', 'jobs', 'rejected', 'no_nodes', 9, NULL), ('mine', 'jobs', 'observed', 'odd', 7, NULL),
                ('mine', 'samples', 'left_out', 'of_no_job', 5, 'no job runs then'),
                ('all', 'jobs', 'used', NULL, 3, NULL)
            ) AS each(trace_id, table_name, fate, reason, "rows", detail);
            CREATE TABLE rejected_row AS SELECT * FROM (VALUES
                ('mine', 'jobs', 'a.csv', 9, 'too_short', 'run time 1 s'),
                ('mine', 'jobs', 'a.csv', 2, 'too_short', 'run time 0 s')
            ) AS each(trace_id, table_name, file, "row", reason, detail)
        """)
        said = {trace: each.replace("\u00a0", " ") for trace, each in unused.sentences(connection).items()}
    assert said == {
        "mine": "90 of 200 jobs rejected (45.0 %): mainly too_short (run time 0 s), 90 % of these; "
        "5 of 5 samples left out (100.0 %): of_no_job (no job runs then)"
    }


def test_the_least_margin_is_what_is_sure():
    rows = [
        dict(zip(margins.COLUMNS, ("b", margin, None, None, "relative", False), strict=True))
        for margin in (0.3, 0.1, None, 0.2)
    ]
    assert margins.least(rows)["margin"] == 0.1
    assert margins.text(margins.least(rows), several=True).startswith("at least 10.0")


def test_enough_sms_hold_every_set_and_what_holds_some_is_counted():
    def row(load, held, sms, sets=2):
        return {"utilisation": load, "sets_held": held, "sms_enough": sms, "replicates": sets}

    rows = [row(2.5, 2, 5.0), row(3.5, 1, 8.0), row(4.5, None, None)]
    assert gpu._enough_sms(rows) == "5 SMs hold every set up to load 2.5; 1 of 2 sets fit at load 3.5"
    assert gpu._enough_sms([row(2.5, 1, 5.0, sets=1)]) == "5 SMs hold the set"
    assert gpu._enough_sms([row(4.5, None, None)]) == gpu.NOTHING
