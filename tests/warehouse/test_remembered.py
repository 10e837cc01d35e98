"""Answers of earlier runs: given again where nothing that a query reads has changed, and only there."""

import shutil

import duckdb
import polars as pl
import pytest
from examples import cases

from pipeline.report.remembered import LEADING, Answers, Read, remembering
from pipeline.runtime.study import declared
from pipeline.warehouse.definitions import definitions
from pipeline.warehouse.load import VIEWS
from pipeline.warehouse.schemas import STUDIES

ALWAYS = ("hpc_memory", "gpu_corun")
"""Studies whose views are tried at each landing: that with most views, and that with most scenarios."""
SHARES = "SELECT scheduler, count(*) AS n FROM gpu_corun_result GROUP BY ALL ORDER BY ALL"


@pytest.fixture
def copied(small_database, tmp_path):
    """A copy of the small database that may be changed."""
    return shutil.copyfile(small_database, tmp_path / "copied.duckdb")


def given(database, folder, *queries):
    """Rows of the queries by a report of their own."""
    with duckdb.connect(str(database), read_only=True) as opened, remembering(opened, folder) as connection:
        return [pl.from_arrow(connection.cursor().sql(query).to_arrow_table()) for query in queries]


def changed(database, *statements):
    with duckdb.connect(str(database)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_an_answer_is_given_again_until_what_it_reads_is_loaded_anew(copied, tmp_path):
    (before,) = given(copied, tmp_path / "kept", SHARES)
    assert len(before) > 1
    # Rows that change without their piece are not noticed: nothing was asked.
    changed(copied, "DELETE FROM metric WHERE scenario_id LIKE 'gpu_corun/%'")
    assert given(copied, tmp_path / "kept", SHARES)[0].equals(before)
    changed(copied, "UPDATE loaded SET sha256 = 'other' WHERE piece LIKE 'pim_graph/%'")
    assert given(copied, tmp_path / "kept", SHARES)[0].equals(before)
    changed(copied, "UPDATE loaded SET sha256 = 'other' WHERE piece LIKE 'gpu_corun/%'")
    assert given(copied, tmp_path / "kept", SHARES)[0].is_empty()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE loaded SET sha256 = 'other' WHERE piece = 'code'",
        "UPDATE loaded SET sha256 = 'other' WHERE piece = 'trace'",
        "UPDATE setting SET value = '0' WHERE key = (SELECT min(key) FROM setting)",
    ],
)
def test_code_drops_and_settings_count(copied, tmp_path, statement):
    query = "SELECT count(*) AS n, (SELECT count(*) FROM setting) AS settings FROM trace, metric"
    (before,) = given(copied, tmp_path / "kept", query)
    changed(copied, "DELETE FROM metric")
    assert given(copied, tmp_path / "kept", query)[0].equals(before)
    changed(copied, statement)
    assert given(copied, tmp_path / "kept", query)[0]["n"].to_list() == [0]


def test_a_query_on_the_rows_of_all_studies_depends_on_all(copied, tmp_path):
    query = "SELECT count(*) AS n FROM scenario"
    (before,) = given(copied, tmp_path / "kept", query)
    changed(copied, "DELETE FROM scenario", "UPDATE loaded SET sha256 = 'other' WHERE piece LIKE 'pim_graph/%'")
    assert before["n"][0] > 0
    assert given(copied, tmp_path / "kept", query)[0]["n"].to_list() == [0]


def test_a_new_drop_leaves_the_answers_of_studies_that_do_not_replay_it(copied, tmp_path):
    queries = ("FROM modelled_and_measured_pairs", "SELECT trace FROM trace")
    answers = given(copied, tmp_path / "kept", *queries)
    assert all(map(len, answers))
    changed(
        copied,
        "INSERT INTO trace BY NAME (SELECT * REPLACE ('other' AS drop, 'other' AS trace) FROM trace LIMIT 1)",
        "UPDATE loaded SET sha256 = 'other' WHERE piece = 'trace'",
        "INSERT INTO loaded VALUES ('hpc_memory/trace-other', 'x')",
        "UPDATE corun_pair SET slowdown_a = 1",
    )
    pairs, asked = given(copied, tmp_path / "kept", *queries)
    assert pairs.equals(answers[0])
    assert len(asked) == len(answers[1]) + 1
    changed(copied, "UPDATE trace SET note = 'other'")
    assert not given(copied, tmp_path / "kept", *queries)[0].equals(answers[0])


def test_the_ledger_is_always_asked_for(copied, tmp_path):
    query = "SELECT count(*) AS n FROM claim"
    assert given(copied, tmp_path / "kept", query)[0]["n"][0] > 0
    changed(copied, "DELETE FROM claim")
    assert given(copied, tmp_path / "kept", query)[0]["n"].to_list() == [0]


def test_what_is_not_asked_for_is_forgotten(copied, tmp_path):
    folder = tmp_path / "kept"
    given(copied, folder, SHARES, "SELECT count(*) FROM trace", SHARES)
    assert len(list(folder.iterdir())) == 2
    given(copied, folder, SHARES)
    assert len(list(folder.iterdir())) == 1


def test_views_and_macros_are_followed_to_their_tables(connection, tmp_path):
    answers = Answers(connection, tmp_path)

    def reads(sql):
        return answers.reads(connection, sql)

    asked = "SELECT extract(year FROM now()) AS job FROM metric AS a, trace JOIN (FROM kernel) USING (trace)"
    assert reads(asked) == {Read("trace", None), Read("kernel", None), Read("metric", None)}
    assert reads("FROM trace") == {Read("trace", None), Read(LEADING, None)}
    read = reads("FROM recommended_gpu_corun")
    assert {Read(table, "gpu_corun") for table in ("scenario", "metric", "trace", "student_t")} <= read
    assert {each.study for each in read} == {"gpu_corun"}
    assert Read("steady_memory_tiers", "memory_tiers") in reads("FROM memory_mix_at([0.1], 0.1)")
    assert Read("trace", None) in reads("SELECT known_name('trace', 'a', ['b'])") | reads("FROM trace_content")
    # Each view can be followed; one is a table that the paper prints.
    assert [each.name for each in definitions(*VIEWS) if not reads(f"FROM {each.name}")] == ["gpu_sharing_table_3"]


@pytest.mark.parametrize("study", cases(declared(), ALWAYS))
def test_views_of_a_study_read_no_other_study_nor_traces_that_nothing_tells_of(copied, study):
    names = [each.name for each in definitions(*(folder for folder in VIEWS if study in folder.parts))]
    assert names
    with duckdb.connect(str(copied), config={"threads": 1}) as connection:
        rows = {name: sorted(map(repr, connection.execute(f"FROM {name}").fetchall())) for name in names}
        for table in ("metric", "scenario"):
            connection.execute(
                f"DELETE FROM {table} WHERE NOT coalesce(split_part(scenario_id, '/', 1) = $1, false)", [study]
            )
        for other in STUDIES.keys() - {study}:
            for table in STUDIES[other].RESULTS:
                connection.execute(f"DELETE FROM {table}")
        for name in names:
            alone = sorted(map(repr, connection.execute(f"FROM {name}").fetchall()))
            assert alone == rows[name], name
        # A trace more, of what neither the study nor another table knows.
        connection.execute(
            "INSERT INTO trace BY NAME (SELECT * REPLACE ('other' AS drop, trace || '/' AS trace) FROM trace)"
        )
        answers = Answers(connection, copied.parent / "kept")
        for name in names:
            if Read(LEADING, study) in answers.reads(connection, f"FROM {name}"):
                continue
            alone = sorted(map(repr, connection.execute(f"FROM {name}").fetchall()))
            assert alone == rows[name], name
    assert any(rows.values())
