"""The pages on the database: all that is in it, once, and links that lead somewhere."""

import re

import pytest

from pipeline import database_reference, tables
from pipeline.tables.keys import KEYS, REFERENCES
from pipeline.warehouse.definitions import MACROS, VIEWS, definitions

PAGES = {name: make() for name, make in database_reference.pages().items()}


def headings(text):
    return re.findall(r"^### (.+)$", text, re.MULTILINE)


def anchor(heading):
    """As GitHub and Python-Markdown make it."""
    return re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-")


def test_everything_stands_on_one_page():
    described = [h for name, text in PAGES.items() if name != "docs/database.md" for h in headings(text)]
    there = [*tables.DATABASE_NAME.values(), *tables.RESULTS, "student_t"]
    there += [definition.signature for definition in definitions(VIEWS, MACROS)]
    assert sorted(described) == sorted(there)


def test_every_column_of_a_table_is_described():
    page = PAGES["docs/database/shared.md"]
    (scenario,) = re.findall(r"^### scenario$(.*?)^### ", page, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^\| `(\w+)` \|", scenario, re.MULTILINE) == list(tables.Scenario.columns())


def test_links_of_the_index_lead_to_headings():
    links = re.findall(r"\]\(database/(\w+)\.md#([^)]+)\)", PAGES["docs/database.md"])
    assert len(links) > 150
    for study, target in links:
        assert target in {anchor(heading) for heading in headings(PAGES[f"docs/database/{study}.md"])}, (study, target)


@pytest.mark.parametrize("name", PAGES)
def test_diagrams_name_tables_and_their_keys(name):
    (diagram,) = re.findall(r"```mermaid\nerDiagram\n(.*?)```", PAGES[name], re.DOTALL)
    lines = re.findall(r'^    (\w+) (?:\|\||\|o|\}\|)--o\{ (\w+) : "(.+)"$', diagram, re.MULTILINE)
    assert len(lines) >= 4
    known = {(reference.parent, reference.child) for reference in REFERENCES}
    for parent, child, _ in lines:
        assert (parent, child) in known
        assert {parent, child} <= set(KEYS)
    for table, body in re.findall(r"^    (\w+) \{\n(.*?)^    \}", diagram, re.MULTILINE | re.DOTALL):
        assert tuple(re.findall(r"^ +\w+ (\w+) PK", body, re.MULTILINE)) == KEYS[table]


def test_a_view_stands_on_the_page_of_the_study_that_it_reads():
    assert "### ranks_to_give" in PAGES["docs/database/pim_ranks.md"]
    assert "### recommended_corun_scheduler" in PAGES["docs/database/gpu_corun.md"]
    assert "### smallest_memory_at(accepted_losses)" in PAGES["docs/database/hpc_memory.md"]
    assert "### compare(scheduler_a, scheduler_b)" in PAGES["docs/database/shared.md"]


@pytest.mark.parametrize("name", PAGES)
def test_every_block_that_is_opened_is_closed(name):
    fences = [line for line in PAGES[name].splitlines() if line.startswith("```")]
    assert [bool(re.fullmatch(r"```\w*", line)) for line in fences] == [True] * len(fences)
    assert len(fences) % 2 == 0
    assert all(line == "```" for line in fences[1::2])
