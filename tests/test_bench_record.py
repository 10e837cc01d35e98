"""Figures of the benchmarks are kept a benchmark at a time, and the page is that of what was kept."""

import pytest
from typer.testing import CliRunner

from bench import benchmarks, page, record, results
from bench.__main__ import app


def run(benchmark, *values, name="kernel", note='with "quotes", commas and | bars'):
    return results.table(benchmark, [results.Figure(name, values, "ms", note)])


def test_a_run_replaces_its_benchmarks_and_leaves_the_others(tmp_path):
    path = tmp_path / "record.csv"
    assert record.load(path).is_empty()
    record.save(run("graphs", 1.0, 1 / 3, 2.5), path)
    record.save(run("easy", name="absent", note=""), path)
    record.save(run("graphs", 0.1 + 0.2, name="other"), path)
    saved = record.load(path)
    assert dict(saved.schema) == results.SCHEMA
    assert saved.rows() == [
        ("easy", "absent", None, None, None, "ms", 0, ""),
        ("graphs", "other", 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2, "ms", 1, 'with "quotes", commas and | bars'),
    ]


def test_the_page_has_a_section_a_benchmark_and_bars_do_not_cut_its_cells():
    text = page.text(run("replays", 1.0, 3.0))
    assert "## replays\n\n" in text
    assert '| kernel | 2 | ms | 1 – 3 | 2 | with "quotes", commas and / bars |' in text


def test_the_page_is_that_of_the_record():
    assert page.PAGE.read_text(encoding="utf-8") == page.text(record.load(record.RECORD)), "python -m bench --record"


def test_what_is_kept_is_of_benchmarks_that_are_there_and_says_its_day():
    saved = record.load(record.RECORD)
    assert set(saved["benchmark"]) == set(benchmarks.found())
    for _, figures in saved.group_by("benchmark"):
        assert "mean over a minute" in figures.filter(figure="load")["note"].item()


def test_what_comes_first_on_the_page_is_in_the_record_with_its_figure():
    figures = {row[:2] + row[3:4]: row[2] for row in results.cells(record.load(record.RECORD))}
    assert set(page.GLANCE) <= set(figures)
    lines = page.text(record.load(record.RECORD)).partition("\n## easy")[0].splitlines()
    for (benchmark, name, unit), words in page.GLANCE.items():
        assert f"| {words} | {figures[benchmark, name, unit]} {unit} | [{benchmark}](#{benchmark}) |" in lines


def test_a_run_is_recorded_with_its_load(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORD", tmp_path / "record.csv")
    monkeypatch.setattr(page, "PAGE", tmp_path / "performance.md")
    options = ["--only", "replays", "--tiny", "--runs", "1", "--record", "--output", str(tmp_path / "bench.parquet")]
    done = CliRunner().invoke(app, options)
    assert done.exit_code == 0, done.output
    assert record.load(record.RECORD)["figure"][0] == "load"
    assert page.PAGE.read_text(encoding="utf-8").count("\n## ") == 2


@pytest.mark.parametrize("name", ["papers", ""])
def test_an_unknown_benchmark_is_named_with_those_there_are(name):
    done = CliRunner().invoke(app, ["--only", name])
    assert done.exit_code == 2
    assert "is not a benchmark" in done.output
