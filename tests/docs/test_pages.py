"""What pages quote is what is there."""

import re
from pathlib import Path

import pytest
from documented import DOCS, blocks

from pipeline.runtime.sources import ROOT
from pipeline.stages.add import add

PAGES = sorted(DOCS.rglob("*.md"))


def test_files_of_the_project_are_quoted_as_they_stand():
    quoted = [block for page in PAGES for block in blocks(page) if block.title and (ROOT / block.title).is_file()]
    assert [block.title for block in quoted] == ["pipeline/studies/hpc_memory/claims/M1.sql"]
    for block in quoted:
        assert block.text == (ROOT / block.title).read_text(encoding="utf-8")


def test_make_has_the_targets_that_pages_name():
    named = {
        target
        for page in DOCS.rglob("*.md")
        for target in re.findall(r"(?:^\$ |`)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    known = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert named >= {"doctor", "status", "quick"}
    assert named <= known


def test_verbs_that_pages_name_exist():
    from pipeline.__main__ import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    named = {
        verb
        for page in DOCS.rglob("*.md")
        for verb in re.findall(r"(?:\$ |`)apportion ([a-z][a-z-]+)", page.read_text())
    }
    assert named <= known


@pytest.mark.real
def test_the_log_of_the_quick_start_is_read_as_it_says(trace_data, tmp_path, monkeypatch):
    log = next((trace_data / "hpc" / "swf").glob("SDSC-SP2*.swf.gz"))
    monkeypatch.chdir(tmp_path)
    Path("traces").mkdir()
    text, code = add(log, Path("traces"), "sdsc", copy=True)
    assert code == 1
    said = f"$ apportion add ~/Downloads/{log.name} --name sdsc\n{text}\n```"
    assert said in (DOCS / "getting-started" / "quick-start.md").read_text(encoding="utf-8")
