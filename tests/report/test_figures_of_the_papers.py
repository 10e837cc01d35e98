"""The files of the figures, and the list of the papers' figures (docs/reference/figures.md) against what is drawn."""

import json
import re
from collections import defaultdict
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).resolve().parents[2]
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
NUMBERED = {
    "HiPC 2024": (range(1, 11), range(1, 2)),
    "ICS 2025": (range(1, 12), range(1, 4)),
    "Zahaf": (range(1, 10), range(0)),
    "IPDPS 2019": (range(1, 8), range(1, 6)),
    "Thesis": (range(1, 28), range(1, 8)),
}
"""Numbers of the figures and tables that each paper has."""
NAME = re.compile(r"`([a-z_]+/[a-z_0-9]+)`")


@pytest.fixture
def folder(pages) -> Path:
    """The figures as files, beside the page."""
    return pages["full"].parent.parent / "figures"


@pytest.fixture(scope="module")
def listed() -> list[tuple[str, str, str]]:
    """Rows of docs/reference/figures.md: paper, number as printed, what is there."""
    rows, paper = [], ""
    for line in (ROOT / "docs" / "reference" / "figures.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            paper = next(name for name in NUMBERED if line.removeprefix("## ").startswith(name))
        elif line.startswith("| ") and not line.startswith("| in the paper"):
            number, _, here = (cell.strip() for cell in line.strip("|").split("|"))
            rows.append((paper, number, here))
    return rows


def test_the_list_for_programs_has_every_figure(drawn, folder):
    listing = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    assert [figure["name"] for figure in listing] == [n for n, figure in drawn.items() if figure.chart is not None]
    assert all((folder / f"{figure['name']}.svg").read_text().startswith("<svg") for figure in listing)


def test_every_figure_that_is_drawn_is_on_the_list_of_the_papers_figures_and_no_other(drawn, listed):
    assert {name for *_, here in listed for name in NAME.findall(here)} == set(drawn)


def test_every_figure_and_table_of_the_papers_is_on_the_list_once(listed):
    result = defaultdict(list)
    for paper, number, _ in listed:
        if number != "–":
            kind, _, which = number.partition(" ")
            result[paper, kind].append(ROMAN.get(which) or int(which))
    for paper, (of_figures, of_tables) in NUMBERED.items():
        assert sorted(result[paper, "Figure"]) == list(of_figures), paper
        assert sorted(result[paper, "Table"]) == list(of_tables), paper


def test_what_is_not_drawn_says_why(listed):
    for paper, number, here in listed:
        reasons = ("not derivable: a sketch", "not derivable: a list", "not derivable: a measurement", "view `")
        assert NAME.match(here) or here.startswith(reasons) or "not in the text" in here, (paper, number)


def test_a_figure_names_the_number_that_it_is_listed_under(drawn, listed):
    for paper, number, here in listed:
        kind, _, which = number.partition(" ")
        if number == "–" or here.startswith("not derivable"):
            continue
        for name in NAME.findall(here):
            after = re.search(rf"{kind}s? (.*)", drawn[name].source)
            assert after and re.search(rf"\b{which}(?![0-9])", after[1]), (paper, number, name, drawn[name].source)


def test_views_on_the_list_are_in_the_database(hostile_database, listed):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        views = {name for (name,) in connection.execute("SELECT view_name FROM duckdb_views()").fetchall()}
    named = {name for *_, here in listed for name in re.findall(r"view `(\w+)`", here)}
    assert named
    assert named <= views
