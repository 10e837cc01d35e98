"""The page of the trials says what their records say."""

import re

import pytest

from pipeline.runtime.sources import ROOT
from reliability import page, record, trials
from reliability.__main__ import main
from reliability.record import Details, Finding, Report

REPORT = Report(
    [Finding("runs killed", "3", "one | two"), Finding("bytes that differ", "0")],
    True,
    [Details("Left over", ["file", "why"], [["a.py", "says nothing"]])],
)


def test_page_is_what_the_records_say():
    assert page.PAGE.read_text(encoding="utf-8") == page.text(record.load()), "run `python -m reliability page`"


def test_a_record_comes_back_as_it_was_kept(tmp_path):
    record.save("faults", ["--times", "3"], REPORT, tmp_path)
    (kept,) = record.load(tmp_path).values()
    assert kept.report == REPORT
    assert kept.command == "python -m reliability faults --times 3"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", kept.day)


def test_every_record_belongs_to_a_trial():
    assert record.load().keys() <= trials.found().keys()


def test_cells_do_not_break_the_table(tmp_path):
    assert "one \\| two" in page._table(("", "", ""), [("runs killed", "3", "one | two")])


@pytest.mark.parametrize("name", trials.found())
def test_a_trial_says_what_it_does(name, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert "--record" in capsys.readouterr().out
    assert (ROOT / "reliability" / "trials" / f"{name}.py").is_file()


def test_help_names_every_trial(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert [name for name in trials.found() if f"\n    {name} " not in said] == []
