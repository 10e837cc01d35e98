"""The verb `answer`: what the page says of each trace, for a terminal and for other programs."""

import csv
import io
import json

import duckdb
import pytest
import words

from pipeline.report import answers
from pipeline.runtime.wording import escaped


@pytest.fixture(scope="module")
def asked(hostile_database):
    """The traces of the hostile database, and those that were read with their answers."""
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        traces = answers.traces(connection)
        return traces, answers.by_trace(traces, answers.answers(connection))


@pytest.fixture(scope="module")
def whole(hostile_database):
    """What the verb says of all traces."""
    return answers.text(hostile_database)


def _flat(said: str) -> str:
    return " ".join(said.split())


def _shown(text_of_a_drop: str) -> str:
    """As it is said: with codes for control characters."""
    return _flat(escaped(text_of_a_drop))


def test_each_answer_of_the_page_is_said(whole, asked):
    said = _flat(whole)
    answered = [trace for trace in asked[1] if trace["answers"]]
    assert answered
    for trace in answered:
        assert _shown(f"{trace['trace']}:") in said
        for answer in trace["answers"]:
            assert _shown(f"{answer['study']}: {answer['about']}") in said
            for note in ("amount", "details", "assumed", "how_true"):
                assert answer[note] is None or _shown(answer[note]) in said
            for use in answer["use"]:
                assert use["scheduler"] is None or use["scheduler"] in said


TRACE = {
    "trace": "mine",
    "kind": "measured",
    "format": "swf",
    "content": "3 jobs",
    "jobs": 3,
    "unused": None,
    "failed": None,
}
ANSWER = {
    "study": "hpc_memory", "about": "3 jobs", "use": [], "measure": "enough", "amount": "2 GB with priority",
    "details": None, "assumed": None, "how_true": None,
}  # fmt: skip


def test_a_trace_without_answers_says_so():
    said = answers._lines(TRACE | {"answers": [], "missing": ["missing: rates"]})
    assert said == [
        "mine: 3 jobs, swf, measured",
        "  no answer: nothing was replayed from it in this run",
        "  missing: rates",
    ]
    assert answers._lines(TRACE | {"jobs": 1, "answers": [], "missing": []})[1] == (
        "  no answer: a single job shares the machine with nobody"
    )


def test_a_trace_that_a_study_could_not_replay_says_why():
    said = answers._lines(TRACE | {"failed": "pim_ranks could not replay it: no times", "answers": [ANSWER]})
    assert said[1] == "  failed: pim_ranks could not replay it: no times"
    assert said[-1] == "    enough: 2 GB with priority"


def test_lines_fit_a_terminal(whole):
    lines = whole.splitlines()
    # A single word may be longer.
    assert [line for line in lines if len(line) > answers.WIDTH and len(line.split()) > 2] == []


def test_a_line_for_each_trace_fits_a_terminal(hostile_database, asked):
    lines = answers.text(hostile_database, form="lines").splitlines()
    assert len(lines) == len(asked[1])
    assert all(len(line) <= answers.WIDTH for line in lines)
    assert answers._line(TRACE | {"answers": [ANSWER | {"amount": None}, ANSWER]}) == "mine: 2 GB with priority"
    assert answers._line(TRACE | {"answers": []}) == "mine: no answer"


def test_the_short_form_leaves_out_settings_where_something_is_enough():
    use = {"setting": "at 1 GB", "scheduler": "priority", "also": None, "gain": None}
    answer = ANSWER | {"use": [use, use]}
    assert answers._lines(TRACE | {"answers": [answer]}, short=True)[2:] == ["    enough: 2 GB with priority"]
    none = answer | {"amount": None}
    assert answers._lines(TRACE | {"answers": [none]}, short=True)[2].startswith("    at 1 GB")


@pytest.mark.parametrize(
    ("scheduler", "also", "said"),
    [("a", "tie with b", "a; tie with b"), (None, "tie", "any, all tie"), (None, None, "none will do")],
)
def test_what_to_use_is_said(scheduler, also, said):
    assert answers.said({"scheduler": scheduler, "also": also, "gain": None}) == said


@pytest.mark.exhaustive
def test_the_forms_for_programs_have_a_row_per_setting_and_one_for_a_trace_without(hostile_database, asked):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        query = "SELECT count(*) FROM answer JOIN trace USING (trace) WHERE status = 'read'"
        ((settings,),) = connection.execute(query).fetchall()
        query = "SELECT trace, status FROM trace WHERE status <> 'read' OR trace NOT IN (SELECT trace FROM answer)"
        silent = connection.execute(query).fetchall()
        columns = [name for name, *_ in connection.execute("DESCRIBE answer").fetchall()]
    rows = json.loads(answers.text(hostile_database, form="json"))
    assert silent
    assert (
        len(rows) - len(silent)
        == settings
        >= sum(len(answer["use"]) for trace in asked[1] for answer in trace["answers"])
    )
    assert list(rows[0]) == [*columns, "unused", "failed"]
    assert sorted(row["trace"] for row in rows if row["study"] is None) == sorted(trace for trace, _ in silent)
    assert {row["failed"] for row in rows if row["trace"] in dict(silent)} >= {"refused"}
    again = list(csv.DictReader(io.StringIO(answers.text(hostile_database, ["bare"], form="csv"))))
    assert again
    assert [row["scheduler"] for row in again] == [row["scheduler"] or "" for row in rows if row["trace"] == "bare"]


def test_a_drop_names_all_its_traces(hostile_database, asked):
    drop = next(row["drop"] for row in asked[0] if row["status"] == "read")
    names = [row["trace"] for row in asked[0] if row["drop"] == drop and row["status"] == "read"]
    for name in (drop, f"traces/{drop}/"):
        said = answers.text(hostile_database, [name])
        assert all(_shown(f"{trace}:") in _flat(said) for trace in names)
        assert answers.knows(hostile_database, name)
    assert not answers.knows(hostile_database, f"elsewhere/{drop}")


def test_a_named_trace_has_the_answers_that_it_has_among_all(hostile_database, asked):
    for trace in asked[1]:
        with duckdb.connect(str(hostile_database), read_only=True) as connection:
            assert answers.answers(connection, [trace["trace"]]) == trace["answers"]


def test_a_refused_drop_has_a_line(hostile_database, asked):
    refused = next(row["drop"] for row in asked[0] if row["status"] != "read")
    assert f"{refused}: refused" in answers.text(hostile_database, [refused])


def test_an_unknown_trace_is_a_sentence(hostile_database, asked):
    known = asked[0][0]["trace"]
    with pytest.raises(ValueError, match="did you mean"):
        answers.text(hostile_database, [known + "x"])
    with pytest.raises(FileNotFoundError, match="run `make` first"):
        answers.text(hostile_database.with_name("none.duckdb"))


def test_a_database_of_another_version_is_a_sentence(tmp_path):
    with duckdb.connect(str(tmp_path / "old.duckdb")) as connection:
        connection.execute("CREATE TABLE trace (trace VARCHAR)")
    with pytest.raises(ValueError, match="another version of this project; run `make` again"):
        answers.text(tmp_path / "old.duckdb")


def test_the_size_that_is_enough_has_a_line(hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        missing = connection.execute("""
            SELECT workload, memory_per_node_gb FROM enough_memory
            WHERE memory_per_node_gb IS NOT NULL AND abs(loss_bound - 0.01) < 1e-9
            EXCEPT SELECT workload, memory_per_node_gb FROM recommended_hpc_memory
        """).fetchall()
        enough = connection.execute(
            "SELECT amount FROM answer_hpc_memory WHERE amount LIKE '%per node with%'"
        ).fetchall()
    assert enough
    assert missing == []


def test_memory_that_is_assumed_is_a_multiple_of_its_mean(hostile_database):
    said = _flat(answers.text(hostile_database, ["bare"]))
    assert "times the mean" in said
    assert " GB" not in said.replace("to have it in GB", "")


def test_what_was_rejected_has_its_share_and_its_reason():
    with duckdb.connect() as connection:
        connection.execute("""
            CREATE TABLE tally AS SELECT * FROM (VALUES
                ('mine', 'jobs', 'used', NULL, 110, NULL), ('mine', 'jobs', 'rejected', 'too_short', 81, NULL),
                ('mine', 'jobs', 'rejected', 'no_nodes', 9, NULL), ('mine', 'jobs', 'observed', 'odd', 7, NULL),
                ('mine', 'samples', 'left_out', 'of_no_job', 5, 'no job runs then'),
                ('all', 'jobs', 'used', NULL, 3, NULL)
            ) AS each(trace, table_name, fate, reason, "rows", detail);
            CREATE TABLE rejected_row AS SELECT * FROM (VALUES
                ('mine', 'jobs', 'a.csv', 9, 'too_short', 'run time 1 s'),
                ('mine', 'jobs', 'a.csv', 2, 'too_short', 'run time 0 s')
            ) AS each(trace, table_name, file, "row", reason, detail)
        """)
        words.create(connection, "unused")
        said = [(trace, each.replace("\u00a0", " ")) for trace, each in connection.execute("FROM unused").fetchall()]
    assert said == [
        (
            "mine",
            "90 of 200 jobs rejected (45.0 %): mainly too_short (run time 0 s), 90 % of these; "
            "5 of 5 samples left out (100.0 %): of_no_job (no job runs then)",
        )
    ]
