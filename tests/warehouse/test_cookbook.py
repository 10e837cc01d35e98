"""The documentation's queries run on another database than that whose output is shown, and give the columns shown."""

import pytest

from pipeline.reference import documented_output
from pipeline.runtime.sources import ROOT

ASKED = [
    pytest.param(query, id=f"{path.stem}:{query.line}")
    for path in documented_output.documents()
    for query in documented_output.queries(path.read_text(encoding="utf-8"))
]
IN_SQL = [parameter for parameter in ASKED if parameter.values[0].sql]
COOKBOOK = [parameter for parameter in ASKED if parameter.id.startswith("cookbook:")]
STAND_INS = {
    "kth_sp2/kth_sp2": "lublin_like/lublin_like",
    "lanl_cm5/lanl_cm5": "marconi_like",
    "prim_upmem": "prim_like",
    "luxembourg_roads": "amazon_like",
    "cudasdk_scan": "scan",
}
"""Drops and applications of the tests in place of those of the default run."""


def test_the_cookbook_has_queries():
    assert len(COOKBOOK) >= 30


@pytest.mark.parametrize("query", COOKBOOK)
def test_the_cookbook_s_query_answers(fetch, query):
    sql = query.sql
    for ours, here in STAND_INS.items():
        sql = sql.replace(f"'{ours}'", f"'{here}'")
    assert fetch(sql) != []


@pytest.mark.parametrize("query", IN_SQL)
def test_the_output_shown_has_the_query_s_columns(fetch, query):
    columns = [row[0] for row in fetch(f"DESCRIBE {query.sql}")]
    shown = [name.strip() for name in query.output[1].strip("│").split("┆")]
    assert shown == columns
    # At least one row: what is shown is an answer.
    assert len(query.output) > 4


@pytest.mark.parametrize("query", [parameter for parameter in ASKED if parameter.values[0].traces])
def test_an_answer_shown_is_of_a_drop_that_ships(query):
    for trace in query.traces:
        assert (ROOT / "traces" / trace).is_dir()
        assert any(line.startswith((f"{trace}:", f"{trace}/{trace}:")) for line in query.output)
