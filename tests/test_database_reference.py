"""The pages on the database: all that is in it, once."""

import re

import pytest

from pipeline import tables
from pipeline.reference.database import TITLES, page_markdown
from pipeline.warehouse.definitions import MACROS, VIEWS, definitions
from pipeline.warehouse.schemas import RESULTS, Scenario

PAGES = {study: page_markdown(study) for study in TITLES}


def headings(text):
    return re.findall(r"^### (.+)$", text, re.MULTILINE)


def test_everything_stands_on_one_page():
    described = [heading for text in PAGES.values() for heading in headings(text)]
    there = [*tables.DATABASE_NAME.values(), *RESULTS, "student_t"]
    there += [definition.signature for definition in definitions(*VIEWS, *MACROS)]
    assert sorted(described) == sorted(there)


def test_every_column_of_a_table_is_described():
    (scenario,) = re.findall(r"^### scenario$(.*?)^### ", PAGES["shared"], re.MULTILINE | re.DOTALL)
    assert re.findall(r"^\| `(\w+)` \|", scenario, re.MULTILINE) == list(Scenario.columns())


def test_a_view_stands_on_the_page_of_the_study_that_it_reads():
    assert "### ranks_to_give" in PAGES["pim_ranks"]
    assert "### recommended_gpu_corun" in PAGES["gpu_corun"]
    assert "### smallest_memory_at(accepted_losses, accepted_growth)" in PAGES["hpc_memory"]
    assert "### compare(scheduler_a, scheduler_b)" in PAGES["shared"]


@pytest.mark.parametrize("study", PAGES)
def test_every_block_that_is_opened_is_closed(study):
    fences = [line for line in PAGES[study].splitlines() if line.startswith("```")]
    assert [bool(re.fullmatch(r"```\w*", line)) for line in fences] == [True] * len(fences)
    assert len(fences) % 2 == 0
    assert all(line == "```" for line in fences[1::2])
