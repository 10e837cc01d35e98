"""The page: same bytes, nothing loaded, hostile names harmless, empty tables fine."""

import base64
import hashlib
import html
import json
import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from hostile import HOSTILE

from pipeline.report import page


class Outline(HTMLParser):
    """Elements and visible text of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text += data

    def handle_endtag(self, tag):
        self._inside = ""


def _build(database: Path, folder: Path) -> Path:
    page.build(database, folder / "report" / "index.html", folder / "figures")
    return folder / "report" / "index.html"


@pytest.fixture(scope="module")
def built(hostile_database, tmp_path_factory) -> Path:
    return _build(hostile_database, tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def outline(built) -> Outline:
    return Outline(built.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bare_page(bare_database, tmp_path_factory) -> Path:
    return _build(bare_database, tmp_path_factory.mktemp("bare_page"))


def test_two_builds_are_the_same_bytes(built, hostile_database, tmp_path):
    again = _build(hostile_database, tmp_path)
    assert again.read_bytes() == built.read_bytes()
    ours, theirs = again.parent.parent / "figures", built.parent.parent / "figures"
    files = sorted(p.relative_to(ours) for p in ours.rglob("*.svg"))
    assert len(files) == 25
    for file in files:
        assert (ours / file).read_bytes() == (theirs / file).read_bytes(), file


def test_the_page_is_small(built):
    assert built.stat().st_size < 8_000_000


def test_hostile_names_are_text(built, outline):
    raw = built.read_text(encoding="utf-8")
    assert HOSTILE not in raw
    assert html.escape(HOSTILE).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in raw
    assert HOSTILE in outline.text
    assert "<b>this</b>" in outline.text
    assert not [tag for tag, _ in outline.elements if tag in ("img", "b", "iframe", "object", "embed", "link", "base")]
    assert not [name for _, attributes in outline.elements for name in attributes if name.startswith("on")]


def test_figure_data_survive_hostile_names(outline):
    data = json.loads(outline.scripts[0])
    names = json.dumps(data["figures"]["hpc_memory/traces"]["spec"])
    assert json.dumps(HOSTILE)[1:-1] in names


def test_only_the_pages_own_scripts_may_run(outline):
    policy = next(a["content"] for tag, a in outline.elements if tag == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'")
    assert len(outline.scripts) == 3
    for script in outline.scripts[1:]:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_nothing_is_loaded(built, outline):
    loading = [(tag, value) for tag, attributes in outline.elements for name, value in attributes.items()
               if name in ("src", "srcset", "data", "poster", "action", "background")
               or (name == "href" and not value.startswith("#"))]  # fmt: skip
    assert loading == []
    style = built.read_text(encoding="utf-8").partition("<style>")[2].partition("</style>")[0]
    assert not re.search(r"url\(|@import", style)


def test_structure_serves_readers_and_screen_readers(outline):
    tags = [tag for tag, _ in outline.elements]
    assert ("html", {"lang": "en"}) in outline.elements
    assert tags.count("h1") == tags.count("main") == tags.count("title") == 1
    assert any(a.get("name") == "viewport" for tag, a in outline.elements if tag == "meta")
    assert all("scope" in a for tag, a in outline.elements if tag == "th")
    ids = [a["id"] for _, a in outline.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.elements:
        assert attributes.get("aria-labelledby", ids[0]) in ids
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(below - above <= 1 for above, below in pairwise(levels))


def test_the_page_holds_reasons_claims_and_provenance(outline):
    for said in ("submit_s_negative", "row 3: submit_s is -3", "format_unknown", "refused", "0123456789ab", "M1", "M10",
                 "reproduced", "HiPC 2024, Section VI-A.1, Figure 4", "FROM hpc_memory_paper"):  # fmt: skip
        assert said in outline.text, said
    assert "0123456789abc" not in outline.text


def test_answers_name_a_scheduler_and_a_size_for_each_workload(outline):
    answers = outline.text.partition("Enough for a loss of up to 5")[2].partition("Figures")[0]
    for kind in ("replayed", "composed", "phased", "dynamic"):
        assert kind in answers
    assert re.search(r"\d GB\s+(aggregated|priority|oldest_first|largest_first|stochastic)", answers)


def test_a_claim_of_several_numbers_shows_its_parts(hostile_database, tmp_path):
    database = tmp_path / "parts.duckdb"
    shutil.copy(hostile_database, database)
    with duckdb.connect(str(database)) as connection:
        connection.execute("UPDATE claim SET unit = 'share', value = 0.5, lo = 0.1, hi = 0.9 WHERE id = 'M4'")
        connection.execute(
            "INSERT INTO claim_part VALUES ('M4', 'at <i>dusk</i>', 0.02, 0.031, 0.03, 0.032, 'not reproduced')"
        )
        connection.execute("INSERT INTO claim_part VALUES ('M4', 'at dawn', 0.02, NULL, NULL, NULL, 'not derivable')")
    said = Outline(_build(database, tmp_path).read_text(encoding="utf-8")).text
    for text in ("50\u00a0% of parts", "at <i>dusk</i>", "3.1\u00a0% [3, 3.2]", "not reproduced", "at dawn"):
        assert text in said, text


def test_a_bare_database_gives_a_page_that_says_what_is_missing(bare_page):
    said = Outline(bare_page.read_text(encoding="utf-8")).text
    for sentence in ("No trace was dropped", "No row, file or drop was rejected", "No file was read",
                     "No dropped trace has jobs", "No replay was kept", "not derivable"):  # fmt: skip
        assert sentence in said, sentence
    assert not re.search(r"\bNone\b|\bnan\b|Undefined", said)


def test_a_missing_database_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="run `make` first"):
        page.build(tmp_path / "no.duckdb", tmp_path / "index.html", tmp_path / "figures")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.002, "share", "0.2\u00a0%"), (-0.0128, "points of utilisation", "−1.28\u00a0points"),
     (1.0, "yes/no", "100\u00a0%"), (7.0, "nodes", "7\u00a0nodes"), (None, "share", "–")],
)  # fmt: skip
def test_quantities_carry_their_unit(value, unit, text):
    assert page.quantity(value, unit) == text


def test_json_cannot_end_its_element():
    assert "<" not in page.json_text({"name": HOSTILE})
    assert json.loads(page.json_text({"name": HOSTILE})) == {"name": HOSTILE}
