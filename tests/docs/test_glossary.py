"""The glossary: in alphabetical order, every term in use elsewhere, every entry linked to a heading that exists."""

import re

import pytest
from documented import DOCS

from pipeline.runtime.sources import ROOT

GLOSSARY = DOCS / "reference" / "glossary.md"
TEXT = GLOSSARY.read_text("utf-8")
ENTRIES = dict(re.findall(r"^\* \*\*(.+?)\*\*: (.+?)(?=^\* |\Z)", TEXT, re.MULTILINE | re.DOTALL))
PAGES = [ROOT / "README.md", *sorted(path for path in DOCS.rglob("*.md") if path != GLOSSARY)]


@pytest.fixture(scope="module")
def elsewhere() -> str:
    return "\n".join(page.read_text("utf-8") for page in PAGES)


def anchors(page: str) -> set[str]:
    """Anchors of a page's headings, as the site makes them."""
    headings = re.findall(r"^#+ (.+)$", (GLOSSARY.parent / page).read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


def test_entries_are_in_alphabetical_order():
    assert len(ENTRIES) == TEXT.count("\n* ") >= 60
    assert list(ENTRIES) == sorted(ENTRIES, key=str.casefold)


@pytest.mark.parametrize("term", ENTRIES)
def test_term_is_in_use_and_its_links_hold(term, elsewhere):
    assert re.search(rf"\b{re.escape(term)}s?\b", elsewhere, re.IGNORECASE)
    links = re.findall(r"\]\(([^)#]+)#?([^)]*)\)", ENTRIES[term])
    assert links
    for page, anchor in links:
        assert not anchor or anchor in anchors(page), f"{page}#{anchor}"
