"""Each format's page, followed literally: its files are written, its commands run, its output compared."""

import re
import shutil

import pytest
from documented import DOCS, FORMATS, blocks, commands, write_files

from pipeline import drops, tables
from pipeline.readers import _recognise
from pipeline.runtime.sources import ROOT
from pipeline.stages import ingest

DROPS = DOCS / "guides" / "data-drops.md"
READERS = {module.FORMAT: module for module in _recognise.reader_modules()}
PAGES = {page.stem: page for page in sorted(FORMATS.glob("*.md"))}
SECTIONS = ("## Look at it", "## Traps", "## trace.yaml", "## What it gives")


def test_each_format_has_a_page_and_each_page_a_format():
    assert PAGES.keys() == READERS.keys()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_true(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(PAGES[name], tmp_path)
    checks = list(commands(PAGES[name]))
    assert any(" check " in command.line for command in checks)
    for command in checks:
        drop = tmp_path / command.line.split()[-1]
        if not drop.exists() and (shipped := ROOT / drop.relative_to(tmp_path)).is_dir():
            shutil.copytree(shipped, drop)
        output, code = command.run()
        assert output == command.output, output
        if " check " not in command.line:
            assert code == 0
            continue
        summary = ingest.ingest(drop, tmp_path / "out" / drop.name)
        assert summary.format == name
        assert summary.code == code
        # What the reader says it gives comes out of the example.
        given = {path.stem for path in (tmp_path / "out" / drop.name).glob("*.parquet")}
        given |= {"samples"} if summary.rows["samples"] else set()
        assert given & set(READERS[name].GIVES)


@pytest.mark.parametrize("name", sorted(PAGES.keys() - {"marconi100", "prim"}))
def test_pages_have_the_same_sections_and_settings_that_exist(name):
    text = PAGES[name].read_text(encoding="utf-8")
    assert [section for section in SECTIONS if f"\n{section}\n" in text] == list(SECTIONS)


@pytest.mark.parametrize("name", PAGES)
def test_settings_shown_are_settings(name, tmp_path):
    for number, block in enumerate(b for b in blocks(PAGES[name]) if b.language == "yaml"):
        if "trace_roots:" in block.text or "sweeps:" in block.text:
            continue
        drop = tmp_path / f"drop{number}"
        drop.mkdir()
        (drop / "trace.yaml").write_text(block.text)
        assert drops.load(drop).settings.model_fields_set, "a block of no settings shows nothing"


def test_the_table_of_formats_names_each_with_its_page():
    text = DROPS.read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[`(\w+)`\]\(\.\./formats/(\w+)\.md\) \|", text, re.MULTILINE)
    assert sorted(listed) == [(name, name) for name in sorted(READERS)]


def test_every_setting_of_a_drop_is_explained():
    text = DROPS.read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text.partition("## trace.yaml")[2].partition("\n## ")[0], re.MULTILINE)
    assert sorted(listed) == sorted(drops.DropSettings.model_fields)


def test_canonical_tables_have_their_columns():
    text = DROPS.read_text(encoding="utf-8").partition("## Canonical tables")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (\w+) \| (.+?) \|$", text, re.MULTILINE))
    # What a drop may hold by these names, and how the package calls it where it differs.
    inner = {"perf_table": "perf_points", "queue": "queued_apps", "stages": "pim_stages", "requests": "pim_requests",
             "sm_curve": "sm_curves"}  # fmt: skip
    assert set(rows) >= {"jobs", "phases", "profiles", "tasks", "samples", "perf_table", "queue", "kernels"}
    for name, columns in rows.items():
        schema = tables.CANONICAL.get(inner.get(name, name))
        if schema is None:
            continue
        known = {*schema.columns(), "timestamp"}
        named = set(re.findall(r"\b[a-z]\w*_\w+\b", re.sub(r"\(.*?\)", "", columns)))
        assert named <= known, (name, named - known)
