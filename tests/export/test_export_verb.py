"""The verb export: it says what there is, and errors are sentences."""

import re

import pytest
from typer.testing import CliRunner

from pipeline import export
from pipeline.__main__ import app
from pipeline.runtime.sources import ROOT


def run(*arguments):
    return CliRunner().invoke(app, ["export", *map(str, arguments)])


def test_without_a_format_it_says_what_each_writes_with_the_command():
    text = run().output
    for name, module in export.formats().items():
        assert f"{name}: {module.__doc__.splitlines()[0]}" in text
        assert f"apportion export {name}" in text


def test_a_format_a_target_and_a_name_that_are_missing_or_wrong(source, tmp_path):
    target = tmp_path / "x"
    for arguments, said in {
        ("swff", "x"): "'swff' is no format; known: batsim, simso, swf; did you mean 'swf'?",
        ("batsim",): "batsim needs to be told what to write, as: export batsim <scenario_id>",
    }.items():
        failed = run(*arguments, "--target", target, "--database", source.database)
        assert failed.exit_code
        assert str(failed.exception) == said
    assert run("swf", "told/told", "--database", source.database).exit_code == 2
    absent = run("swf", "told/told", "--target", target, "--database", tmp_path / "none.duckdb")
    assert "none.duckdb is not there; run `make` first" in str(absent.exception)
    assert not list(tmp_path.iterdir())


def test_a_scenario_of_another_study_and_one_that_is_nearly_right(source, scenario, tmp_path):
    chosen = scenario("hpc_memory")
    with pytest.raises(ValueError, match="is of hpc_memory; this format takes those of gpu_partition"):
        export.export("simso", source, chosen, tmp_path / "x")
    with pytest.raises(ValueError) as error:
        export.export("batsim", source, chosen[:-1], tmp_path / "x")
    assert f"did you mean '{chosen}'?" in str(error.value)


def test_a_failed_export_leaves_what_was_there(source, scenario, tmp_path):
    target = tmp_path / "partitions"
    target.mkdir()
    (target / "mine.txt").write_text("kept")
    with pytest.raises(ValueError):
        export.export("simso", source, scenario("gpu_partition", "workload_id LIKE 'generated/%'"), target)
    assert (target / "mine.txt").read_text() == "kept"


def test_what_was_written_is_said(source, tmp_path):
    done = run("swf", "told/told", "--target", tmp_path / "a.swf", "--database", source.database)
    assert done.exit_code == 0, done.output
    assert "3 jobs, jobs of a trace told/told" in done.output


def test_the_page_on_other_programs_shows_what_the_verb_says_and_its_query_runs(source):
    text = (ROOT / "docs" / "guides" / "database.md").read_text(encoding="utf-8")
    assert f"$ apportion export\n{export.overview()}\n```" in text
    (query,) = re.findall(r"```sql\n(.*?)```", text, flags=re.DOTALL)
    assert source.rows(query).columns == ["scenario_id"]
