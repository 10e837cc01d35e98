"""The page: same bytes, nothing loaded, hostile names harmless, empty tables fine."""

import base64
import gzip
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

from pipeline import drops
from pipeline.drops import shipped
from pipeline.report import answers, page
from pipeline.runtime import sources, threads
from pipeline.runtime.study import declared
from pipeline.runtime.wording import escaped

SHOWN = escaped(HOSTILE)
"""As a reader sees it: with a code for the character that breaks lines."""


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
def built(pages) -> Path:
    return pages["full"]


@pytest.fixture(scope="module")
def outline(built) -> Outline:
    return Outline(built.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bare_page(pages) -> Path:
    return pages["bare"]


def test_two_builds_are_the_same_bytes_on_several_threads_too(built, hostile_database, tmp_path, monkeypatch):
    monkeypatch.setenv(threads.CORES, "3")
    again = _build(hostile_database, tmp_path)
    assert again.read_bytes() == built.read_bytes()
    ours, theirs = again.parent.parent / "figures", built.parent.parent / "figures"
    files = sorted(p.relative_to(ours) for p in ours.rglob("*.svg"))
    assert len(files) > 20
    for file in files:
        assert (ours / file).read_bytes() == (theirs / file).read_bytes(), file


def test_the_page_is_small(built):
    assert built.stat().st_size < 2_500_000


def test_hostile_names_are_text(built, outline):
    raw = built.read_text(encoding="utf-8")
    assert HOSTILE not in raw
    assert html.escape(SHOWN).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in raw
    assert SHOWN in outline.text
    assert "<b>this</b>" in outline.text
    assert not [tag for tag, _ in outline.elements if tag in ("img", "b", "iframe", "object", "embed", "link", "base")]
    assert not [name for _, attributes in outline.elements for name in attributes if name.startswith("on")]


def test_figure_data_survive_hostile_names(outline):
    data = json.loads(gzip.decompress(base64.b64decode(outline.scripts[1])))
    names = json.dumps([data["datasets"][name] for name in data["figures"]["hpc_memory/memory_for_loss"]["datasets"]])
    assert json.dumps(HOSTILE)[1:-1] in names


def test_only_the_pages_own_scripts_may_run(outline):
    policy = next(a["content"] for tag, a in outline.elements if tag == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'")
    # Vega, the data of the figures, and the page's own.
    assert len(outline.scripts) == 2 + len(page.SCRIPTS)
    for script in outline.scripts[2:]:
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
    said = outline.text.partition("Memory of an HPC machine")[2].partition("Figures")[2]
    for subject in ("with assumed memory", "phased jobs", "dynamic jobs"):
        assert subject in said
    assert re.search(r"GB \([^)]*\) per node with (aggregated|priority|oldest_first|largest_first|stochastic)", said)


def test_answers_for_pim_machines_name_a_scheduler_for_every_set(outline):
    said = outline.text.partition("Ranks of a PIM machine")[2]
    for words in (
        "Tables with measured shapes that agree with Table 2 of PIM-CARE",
        "Proxies of VirtualPIM's sets",
        "24 applications × 2 batches, 30 ranks, all queued at once",
        "request half the",
    ):
        assert words in said, words
    assert re.search(r"sets? W1(–W\d)?\s+(se_|sm_|pim_|care_)", said)
    give = said.partition("Ranks to give an application")[2]
    assert f"1 rank: {SHOWN}" in give
    # (1 + 8) / (1 + 1) s on all 8 ranks.
    assert "would take 4.5 times as long" in give


def test_every_topic_of_a_study_with_answers_has_a_table_and_its_query(outline, hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        topics = connection.sql("SELECT DISTINCT study, topic FROM answer").fetchall()
    assert len({study for study, _ in topics}) > 4
    for study, topic in topics:
        assert declared()[study].answers[topic].title in outline.text
        assert f"FROM answer_{study} WHERE topic = '{topic}'" in outline.text


def test_every_study_has_a_section_with_its_schedulers_parameters_and_figures(outline, hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        ran = [row[0] for row in connection.execute("SELECT DISTINCT study FROM scenario").fetchall()]
        nodes = connection.execute("SELECT DISTINCT nodes FROM scenario WHERE nodes IS NOT NULL ORDER BY 1").fetchall()
        ((meaning,),) = connection.execute(
            "SELECT comment FROM duckdb_columns() WHERE table_name = 'scenario' AND column_name = 'nodes'"
        ).fetchall()
    sections = {a["id"]: a for tag, a in outline.elements if tag == "section"}
    figures = [a["id"] for tag, a in outline.elements if tag == "figure"]
    assert {*sources.studies(), *ran} <= set(sections)
    assert len(figures) == len(set(figures)) > 40
    assert f"nodes{meaning}{', '.join(str(n) for (n,) in nodes)}" in outline.text


def test_figures_of_dropped_traces_come_before_the_folded_ones(built, drawn):
    page = built.read_text(encoding="utf-8")
    for study in declared():
        section = page[page.index(f'<section id="{study}"') :].partition("</section>")[0]
        before, _, folded = section.partition('<details class="papers"')
        for name, figure in drawn.items():
            if name.startswith(f"{study}/") and figure.panel != "explore":
                place = f'<figure id="{name.replace("/", "-")}"'
                assert (place in before, place in folded) == (figure.traces, not figure.traces), name


def test_every_trace_that_was_read_has_an_answer_or_none(outline):
    answers = outline.text.partition("Your traces")[2].partition("Memory of an HPC machine")[0]
    assert SHOWN in answers
    assert "per node with" in answers
    assert f"1 rank: {SHOWN}" in answers
    assert "all its jobs on 8 nodes" in answers
    assert f"memory is assumed: series of {SHOWN}" in answers
    assert "broken" not in answers


def test_a_claim_says_why_it_differs_and_what_it_rests_on(outline, hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        rows = connection.execute(
            "SELECT id, study, paper, verdict, differs, scenarios, scenarios_sql FROM claim"
        ).fetchall()
    shown = {a["id"]: a for tag, a in outline.elements if tag == "tr" and a.get("id", "").startswith("claim-")}
    assert len(shown) == len(rows)
    for id_, study, paper, verdict, differs, scenarios, sql in rows:
        attributes = shown[f"claim-{id_}"]
        assert (attributes["data-study"], attributes["data-paper"], attributes["data-verdict"]) == (
            study,
            paper,
            verdict,
        )
        if verdict == "reproduced":
            assert differs is None
        elif differs is not None:
            assert f"Why: {differs}" in outline.text
        if sql is not None:
            assert f"rests on {scenarios:,} scenarios" in outline.text
            assert f"FROM scenario WHERE scenario_id IN ({sql})" in outline.text


def test_the_query_for_a_claims_scenarios_gives_as_many(hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        claims = connection.execute("SELECT scenarios, scenarios_sql FROM claim WHERE scenarios > 0").fetchall()
        for scenarios, sql in claims:
            counted = connection.execute(f"SELECT count(*) FROM scenario WHERE scenario_id IN ({sql})").fetchall()
            assert counted == [(scenarios,)], sql


def _dropped(*names, status="read"):
    return [
        {"trace": name, "drop": name.partition("/")[0], "kind": "measured", "format": "swf", "status": status}
        for name in names
    ]


def test_a_trace_without_replays_has_no_answers_and_a_refused_one_is_none():
    dropped = [*_dropped("a", "b"), *_dropped("c", status="refused")]
    trace_rows = answers.by_trace(
        dropped, [{"trace": "a", "amount": "7 SMs"}, {"trace": None, "amount": "of the paper"}]
    )
    assert [(row["trace"], [answer["amount"] for answer in row["answers"]]) for row in trace_rows] == [
        ("a", ["7 SMs"]),
        ("b", []),
    ]


def test_own_traces_come_before_examples_that_ship():
    trace_rows = answers.by_trace(_dropped("kth_sp2/kth_sp2", "my_log", "zoo"), [])
    assert [(row["trace"], row["own"]) for row in trace_rows] == [
        ("my_log", True),
        ("zoo", True),
        ("kth_sp2/kth_sp2", False),
    ]


def test_the_drops_called_examples_are_those_that_ship():
    assert set(shipped.SHIPPED) == {folder.key for folder in drops.discover([sources.ROOT / "traces"])}


@pytest.fixture(scope="module")
def changed_text(hostile_database, tmp_path_factory) -> str:
    """Text of the page with a drop of many files and a claim of several numbers."""
    folder = tmp_path_factory.mktemp("changed")
    database = folder / "changed.duckdb"
    shutil.copy(hostile_database, database)
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "INSERT INTO provenance SELECT 'many', 'log' || i, 100, repeat('d', 64), 2 FROM range(50) t(i)"
        )
        connection.execute("UPDATE claim SET unit = 'share', value = 0.5, lo = 0.1, hi = 0.9 WHERE id = 'M4'")
        connection.execute(
            "INSERT INTO claim_part VALUES "
            "('M4', 'at <i>dusk</i>', 'value', true, 0.02, 0.031, 0.03, 0.032, 'not reproduced'), "
            "('M4', 'at noon', 'always', false, 1, 0.5, NULL, NULL, 'not reproduced'), "
            "('M4', 'at dawn', 'more', false, NULL, NULL, NULL, NULL, 'not derivable')"
        )
    return Outline(_build(database, folder).read_text(encoding="utf-8")).text


def test_many_files_are_summed_up_by_drop(changed_text):
    assert "many505.0 kB100" in changed_text.partition("Provenance")[2].partition("Every file")[0]


def test_a_claim_of_several_numbers_shows_its_parts(changed_text):
    for text in ("50\u00a0% of parts", "at <i>dusk</i>", "3.1\u00a0% [3, 3.2]", "not reproduced", "at dawn", "above 0"):
        assert text in changed_text, text


def test_a_bare_database_gives_a_page_that_says_what_is_missing(bare_page):
    said = Outline(bare_page.read_text(encoding="utf-8")).text
    for sentence in ("There is no trace", "No row, file or drop was rejected", "No file was read",
                     "No dropped trace has jobs", "not derivable"):  # fmt: skip
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
