"""The page and the figures of a simulated card: everything is there, and says that it was not measured."""

import html
import re

import duckdb
import pytest

from pipeline.report import figures, page

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def connection(card_database):
    with duckdb.connect(str(card_database), read_only=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def whole(card_database, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("page")
    page.build(card_database, folder / "index.html", folder / "figures")
    assert {path.stem for path in (folder / "figures" / "gpu_sharing").glob("*.svg")} >= {"curves", "own_splits"}
    return (folder / "index.html").read_text(encoding="utf-8")


def section(text: str, name: str) -> str:
    """What a section of the page says, blanks as one."""
    result = re.search(rf'<section id="{name}".*?</section>', text, re.DOTALL)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", result)).split())


def test_the_card_has_a_section_with_its_kernels(whole, connection):
    text = section(whole, "cards")
    for kernel in connection.execute("SELECT app FROM gpu_card_kernel").fetchall():
        assert kernel[0] in text
    assert "Nothing here was measured" in text
    assert "of 40 SMs" in text
    assert whole.count('id="gpu_sharing-curves"') == 1


def test_answers_of_the_card_say_that_it_is_generated(whole):
    named = re.findall(r'<span class="name">made_probe</span><span class="meta">(.*?)</span>', whole)
    assert len(named) >= 4
    assert {meta.removeprefix('<span class="origin">') for meta in named} == {"generated"}


@pytest.mark.parametrize("name", ["gpu_sharing/curves", "gpu_sharing/own_splits"])
def test_figures_mark_what_was_not_measured(connection, name):
    panels = figures.draw(connection)[name].frame["panel"].unique()
    assert all(panel.startswith("made_probe (generated)") for panel in panels)


def test_partitions_mark_what_was_not_measured(connection):
    assert "/s000 (generated) by " in figures.draw(connection)["gpu_partition/chosen_partition"].title
