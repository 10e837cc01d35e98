"""The pages on the database: all that is in it, once, and links that lead somewhere."""

import re
from xml.etree import ElementTree

import pytest

from pipeline import tables
from pipeline.reference import database as database_reference
from pipeline.warehouse.definitions import MACROS, VIEWS, definitions
from pipeline.warehouse.schemas import KEYS, RESULTS, Scenario

MADE = {name: make() for name, make in database_reference.pages().items()}
PAGES = {name: text for name, text in MADE.items() if name.endswith(".md")}
PICTURES = {name: text for name, text in MADE.items() if name.endswith(".svg")}
SVG = "{http://www.w3.org/2000/svg}"


def boxes(picture):
    """Tables of a picture, each with the columns and their marks that stand in its box."""
    table_columns, names, columns = {}, [], []
    for text in ElementTree.fromstring(picture).iter(f"{SVG}text"):
        if text.get("class") == "name":
            if columns:
                names, columns = [], []
            names.append(text.text)
            table_columns[text.text] = columns
        else:
            columns.append((text.text.strip(), text.find(f"{SVG}tspan").text))
            for name in names:
                table_columns[name] = columns
    return table_columns


def headings(text):
    return re.findall(r"^### (.+)$", text, re.MULTILINE)


def anchor(heading):
    """As GitHub and Python-Markdown make it."""
    return re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-")


def test_everything_stands_on_one_page():
    described = [h for name, text in PAGES.items() if name != "database/index.md" for h in headings(text)]
    there = [*tables.DATABASE_NAME.values(), *RESULTS, "student_t"]
    there += [definition.signature for definition in definitions(*VIEWS, *MACROS)]
    assert sorted(described) == sorted(there)


def test_every_column_of_a_table_is_described():
    page = PAGES["database/shared.md"]
    (scenario,) = re.findall(r"^### scenario$(.*?)^### ", page, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^\| `(\w+)` \|", scenario, re.MULTILINE) == list(Scenario.columns())


def test_links_of_the_index_lead_to_headings():
    links = re.findall(r"\]\((\w+)\.md#([^)]+)\)", PAGES["database/index.md"])
    assert len(links) > 150
    for study, target in links:
        assert target in {anchor(heading) for heading in headings(PAGES[f"database/{study}.md"])}, (study, target)


@pytest.mark.parametrize("name", PICTURES)
def test_every_page_shows_its_picture(name):
    page = PAGES["database/index.md" if name.endswith("/all.svg") else name.replace(".svg", ".md")]
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+\.svg)\)", page)
    assert shown == [name.removeprefix("database/")]


@pytest.mark.parametrize("study", list(database_reference.TITLES))
def test_pictures_show_the_tables_of_the_page_with_their_keys(study):
    page, picture = PAGES[f"database/{study}.md"], PICTURES[f"database/{study}.svg"]
    tables_of_page = set(headings(page.partition("\n## Tables\n")[2])) & set(KEYS)
    drawn = boxes(picture)
    assert tables_of_page <= drawn.keys()
    for table in tables_of_page:
        assert tuple(column for column, marks in drawn[table] if "PK" in marks) == KEYS[table]


def test_the_index_leads_from_traces_to_metrics():
    drawn = boxes(PICTURES["database/all.svg"])
    assert {
        "trace",
        "scenario",
        "metric",
        "claim",
        *(f"workload_{study}" for study in ("gpu_corun", "pim_graph")),
    } <= set(drawn)
    assert [column for column, _ in drawn["scenario"]] == ["scheduler", "study", "workload_id"]
    assert drawn["metric"] == drawn["outcome_pim_graph"] == [("scenario_id", "text PK, FK")]


def test_a_view_stands_on_the_page_of_the_study_that_it_reads():
    assert "### ranks_to_give" in PAGES["database/pim_ranks.md"]
    assert "### recommended_gpu_corun" in PAGES["database/gpu_corun.md"]
    assert "### smallest_memory_at(accepted_losses, accepted_growth)" in PAGES["database/hpc_memory.md"]
    assert "### compare(scheduler_a, scheduler_b)" in PAGES["database/shared.md"]


@pytest.mark.parametrize("name", PAGES)
def test_every_block_that_is_opened_is_closed(name):
    fences = [line for line in PAGES[name].splitlines() if line.startswith("```")]
    assert [bool(re.fullmatch(r"```\w*", line)) for line in fences] == [True] * len(fences)
    assert len(fences) % 2 == 0
    assert all(line == "```" for line in fences[1::2])
