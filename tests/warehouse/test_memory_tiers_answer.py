"""What is said of local memory and a pool: the mix, its price and how sure it is; or that nothing tried is enough."""

import duckdb
import pytest
import words

MIX = """
CREATE TABLE memory_mix_for_loss AS
SELECT
    't' AS trace, 'w' AS workload, 'static_pool' AS scheduler, 0.01 AS loss_bound, 0.1 AS response_bound,
    {local} AS local_per_node_gb, 16.0 AS pool_per_node_gb, 10 AS nodes, {usd} AS usd, {lo} AS usd_lo, {hi} AS usd_hi,
    {today} AS usd_today, 3000.0 - {usd} AS usd_saved, {place} AS place, {tied} AS tied_with,
    'requests are assumed' AS assumed, NULL AS warnings
"""
BASIS = """
CREATE TABLE memory_tiers_basis AS
SELECT 'w' AS workload, 't' AS trace, 1234 AS jobs, 'measured' AS origin
"""
TRACES = """
CREATE TABLE trace AS SELECT * FROM (VALUES
    ('t', 'read', 'measured', 'measured', {unit}, 1), ('u', 'read', 'measured', NULL, 'core', NULL),
    ('v', 'refused', NULL, NULL, NULL, NULL), ('shared', 'read', 'measured', 'measured', 'core', 32),
    ('gpus', 'read', 'measured', NULL, 'gpu', NULL), ('series', 'read', 'measured', NULL, NULL, NULL)
) AS each(trace, status, kind, memory_origin, unit, cores_per_node);
CREATE TABLE job AS SELECT * FROM (VALUES ('t'), ('u'), ('u'), ('v'), ('gpus'), ('shared')) AS each(trace);
CREATE TABLE setting AS SELECT 'studies' AS key, {studies} AS value
"""
RECOMMENDED = """
CREATE TABLE recommended_memory_tiers AS
SELECT
    't' AS trace, 'loss of utilisation up to 1 %' AS setting, {scheduler} AS scheduler, NULL::VARCHAR AS runner_up,
    NULL::DOUBLE AS margin, NULL::DOUBLE AS margin_lo, NULL::DOUBLE AS margin_hi, 'cost' AS margin_kind,
    NULL::BOOLEAN AS tied
"""


def rows(scheduler="'static_pool'", studies="'null'", unit="NULL", **given):
    facts = {
        "local": "32.0",
        "usd": "2500.0",
        "lo": "2400.0",
        "hi": "2600.0",
        "place": "1",
        "tied": "NULL::VARCHAR",
        "today": "3000.0",
    } | given
    with duckdb.connect() as connection:
        connection.execute(MIX.format(**facts))
        connection.execute(BASIS)
        connection.execute(RECOMMENDED.format(scheduler=scheduler))
        connection.execute(TRACES.format(studies=studies, unit=unit))
        words.create(connection, "answer_memory_tiers")
        return connection.sql("FROM answer_memory_tiers ORDER BY place").to_arrow_table().to_pylist()


def row(scheduler="'static_pool'", **given):
    return rows(scheduler, **given)[0]


def test_the_answer_has_the_mix_its_price_and_the_interval():
    result = row()
    assert result["about"] == "1,234 jobs on 10 nodes"
    assert result["setting"] == "loss of utilisation up to 1 %"
    assert result["amount"] == (
        "32\xa0GB local and 16\xa0GB of pool per node with static_pool: 2,500 USD (2,400–2,600) instead of "
        "3,000 USD today; at most 1.0\xa0% utilisation lost, 10\xa0% more response time"
    )
    assert result["assumed"] == "requests are assumed"


@pytest.mark.parametrize(
    "given, said",
    [
        ({"lo": "NULL::DOUBLE", "hi": "NULL::DOUBLE"}, "2,500 USD (no interval)"),
        ({"hi": "NULL::DOUBLE"}, "2,500 USD (above 2,400: no machine that was tried is surely enough)"),
        ({"tied": "'dynamic_pool'"}, "; dynamic_pool may cost as little"),
        ({"today": "NULL::DOUBLE"}, "(2,400–2,600); at most"),
    ],
)
def test_how_sure_it_is_is_said(given, said):
    assert said in row(**given)["amount"]


def test_where_nothing_is_enough_that_is_said():
    result = row(
        "NULL", local="NULL::DOUBLE", usd="NULL::DOUBLE", lo="NULL::DOUBLE", hi="NULL::DOUBLE", place="NULL::INTEGER"
    )
    assert result["amount"] == "no mix that was tried is enough"
    assert result["scheduler"] is None


@pytest.mark.parametrize("studies", ["'null'", """'["hpc_memory", "memory_tiers"]'"""])
def test_why_a_log_without_memory_has_no_answer_is_said(studies):
    shared, _, other = sorted(rows(studies=studies), key=lambda row: row["trace"])
    assert (other["trace"], other["about"], other["setting"]) == ("u", "2 jobs", None)
    assert other["amount"].startswith("cannot be said: the trace tells neither the memory that its jobs used")
    assert "its jobs share nodes" in shared["amount"]


def test_nothing_is_said_where_the_study_was_not_asked():
    assert [each["trace"] for each in rows(studies="""'["hpc_memory"]'""")] == ["t"]


@pytest.mark.parametrize(("unit", "word"), [("NULL", "node"), ("'core'", "core")])
def test_where_the_log_counts_cores_memory_is_per_core(unit, word):
    result = row(unit=unit)
    assert result["about"] == f"1,234 jobs on 10 {word}s"
    assert f"of pool per {word} with static_pool" in result["amount"]
