"""The answer for a file that was never added, beside that of the stages that a project runs."""

import json
from pathlib import Path

import duckdb
import examples
import polars as pl
import pytest
import yaml
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

from pipeline import __main__ as verbs
from pipeline import config
from pipeline.report import answers
from pipeline.stages import one_file

SMALL = Path(__file__).parent / "small"
DROPS = examples.cases(("lublin_like", "prim_like", "thesis_table_6"), ("lublin_like",))


@pytest.fixture(scope="module")
def settings():
    return config.parse({path.stem: yaml.safe_load(path.read_text()) for path in SMALL.glob("*.yaml")})


@pytest.mark.slow
@pytest.mark.parametrize("drop", DROPS)
def test_the_answer_is_that_of_the_project(drop, settings, small_database, tmp_path):
    said = []
    assert one_file.build(examples.trace(drop), tmp_path / "results", settings, said.append) == drop
    alone = tmp_path / "results" / one_file.DATABASE
    ours, theirs = (json.loads(answers.text(database, [drop], "json")) for database in (alone, small_database))
    for one, other in zip(ours, theirs, strict=True):
        for name in one.keys() - {"place"}:  # among more traces
            near = isinstance(one[name], float)
            assert one[name] == (pytest.approx(other[name], rel=1e-9, abs=1e-12) if near else other[name]), name
    assert ours
    query = f"SELECT * FROM recommendation WHERE split_part(trace, '/', 1) = '{drop}' ORDER BY ALL"
    rows = []
    for database in (alone, small_database):
        with duckdb.connect(str(database), read_only=True) as connection:
            rows.append(pl.from_arrow(connection.sql(query).to_arrow_table()))
    # Sums of floats are in another order among more rows.
    assert_frame_equal(*rows, rel_tol=1e-12)
    assert len(rows[0])
    assert said[0].startswith("reading")


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "my table.csv"
    file.write_text("app,sms,time_s\n" + "".join(f"{app},{sms},{4 / sms}\n" for app in "ab" for sms in (1, 2, 4)))
    return file


def test_the_verb_answers_for_a_file_and_leaves_nothing(table, tmp_path, monkeypatch):
    monkeypatch.setattr(one_file, "build", _tiny)
    before = sorted(tmp_path.rglob("*"))
    run = CliRunner().invoke(verbs.app, ["answer", str(table)], catch_exceptions=False)
    # No study takes it.
    assert run.exit_code == 3
    assert "my-table: " in run.stdout
    assert sorted(tmp_path.rglob("*")) == before
    folder = tmp_path / "kept"
    monkeypatch.setattr(answers, "said_of", lambda *_, **__: 1 / 0)
    CliRunner().invoke(verbs.app, ["answer", str(table), "--keep", str(folder)])
    assert sorted(tmp_path.rglob("*")) == before
    monkeypatch.undo()
    monkeypatch.setattr(one_file, "build", _tiny)
    CliRunner().invoke(verbs.app, ["answer", str(table), "--keep", str(folder)], catch_exceptions=False)
    assert (folder / one_file.DATABASE).is_file()
    again = CliRunner().invoke(verbs.app, ["answer", str(table), "--keep", str(folder)])
    assert (again.exit_code, "not empty" in again.output) == (2, True)


def test_a_path_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(answers, "knows", lambda *_: False)
    database = tmp_path / "apportion.duckdb"
    for _ in range(2):
        with pytest.raises(FileNotFoundError, match=r"nofile\.swf is not there"):
            CliRunner().invoke(verbs.app, ["answer", "nofile.swf", "--database", str(database)], catch_exceptions=False)
        database.touch()


BUILD = one_file.build


def _tiny(source, results, say, **ask):
    """The build with no study to replay: what is read is answered."""
    return BUILD(source, results, config.parse({"studies": ["pim_graph"]}), say, **ask)


LAUNCHES = {
    "kernel,gflops,time_s\nk,5,1\nk,6,2\nk,-1,1\n": "missing: memory_gbps (would lead to recommended_gpu_corun)",
    "job_id,time_s,used_gb\na,0,1\na,9,2\n": "missing: a table of jobs (would lead to recommended_hpc_memory)",
}


@pytest.mark.parametrize("text", LAUNCHES)
def test_without_an_answer_it_is_said_what_is_missing(text, tmp_path):
    file = tmp_path / ("kernels.csv" if "kernel" in text else "samples.csv")
    file.write_text(text)
    _tiny(file, tmp_path / "results", lambda _: None)
    said = answers.text(tmp_path / "results" / one_file.DATABASE).splitlines()
    assert f"  {LAUNCHES[text]}" in said
    assert said[0].startswith(("kernels: 1 profiled GPU application,", "samples: 2 samples,"))
    # Launches that became one row are none that was not used.
    assert "launches_merged" not in "".join(said)
    assert ("  not used: 1 of 2 kernels rejected" in "\n".join(said)) == ("kernel" in text)


def test_pairs_that_look_like_speeds_are_doubted_in_the_answer(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("app_a,app_b,slowdown_a,slowdown_b\nx,y,0.6,0.7\nx,z,0.5,0.9\n")
    BUILD(file, tmp_path / "results", config.parse({"studies": ["gpu_corun"]}), lambda _: None)
    said = " ".join(answers.text(tmp_path / "results" / one_file.DATABASE).split())
    assert "In 2 of 2 pairs both slowdowns are below 1, so they look like speeds." in said


def test_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path):
    file = tmp_path / "words.txt"
    file.write_text("nothing that anybody would replay\n")
    with pytest.raises(ValueError, match="words: refused"):
        one_file.build(file, tmp_path / "results", say=lambda _: None)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        one_file.build(tmp_path / "none.csv", tmp_path / "results", say=lambda _: None)


def test_what_is_new_is_asked_for_alone(table):
    run = CliRunner().invoke(verbs.app, ["answer", str(table), "lanl_cm5"])
    assert (run.exit_code, "one such file or folder at a time" in " ".join(run.output.split())) == (2, True)
    run = CliRunner().invoke(verbs.app, ["answer", "lanl_cm5", "--keep", "kept"])
    assert run.exit_code == 2
