"""The trial of seeds says which verdicts depend on the seed."""

import duckdb
import pytest

from reliability.trials import seeds


def claim(verdict="reproduced", value=1.0, robustness=None, parts=None, half=0.1):
    return {"verdict": verdict, "value": value, "lo": value - half, "hi": value + half, "robustness": robustness,
            "parts": parts}  # fmt: skip


def test_one_verdict_under_all_seeds_passes():
    found = seeds.report({1: {"M1": claim(value=1.0)}, 2: {"M1": claim(value=1.05)}})
    assert found.passed
    assert not found.details


def test_a_verdict_that_turns_is_shown_with_its_values():
    found = seeds.report(
        {1: {"M1": claim(), "M2": claim()}, 2: {"M1": claim("reproduced in part", 1.5), "M2": claim()}}
    )
    assert not found.passed
    assert found.details[0].rows == [["M1", "reproduced: 1 [0.9, 1.1]", "reproduced in part: 1.5 [1.4, 1.6]"]]
    assert {f.figure: f.value for f in found.findings}["values whose intervals lie apart"] == "1"


def test_parts_and_robustness_that_turn_are_shown():
    part = {"part": "a", "value": 2.0}
    one = claim(robustness=0.5, parts=[part | {"verdict": "reproduced"}])
    other = claim(robustness=0.8, parts=[part | {"verdict": "not reproduced"}])
    found = seeds.report({1: {"M1": one}, 3: {"M1": other}})
    assert found.passed
    assert [table.rows for table in found.details] == [
        [["M1, a", "reproduced: 2", "not reproduced: 2"]], [["M1", "50%", "80%"]],
    ]  # fmt: skip


def test_a_single_seed_and_other_claims_are_refused():
    with pytest.raises(ValueError, match="at least two master seeds are needed; given: 1"):
        seeds.report({1: {"M1": claim()}})
    with pytest.raises(ValueError, match="seeds 1 and 2 hold different claims: M2"):
        seeds.report({1: {"M1": claim()}, 2: {"M1": claim(), "M2": claim()}})


def test_the_ledger_of_a_database_is_read(small_database_of_claims):
    seed, claims = seeds.ledger(small_database_of_claims)
    assert seed == 7
    assert claims["M1"]["parts"] is None
    assert [part["part"] for part in claims["M2"]["parts"]] == ["a", "b"]


@pytest.fixture
def small_database_of_claims(tmp_path):
    path = tmp_path / "apportion.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE setting AS SELECT 'seed' AS key, '7' AS value")
        connection.execute("""CREATE TABLE claim AS SELECT unnest(['M1', 'M2']) AS id, 1.0 AS value, 0.9 AS lo,
            1.1 AS hi, 'reproduced' AS verdict, NULL::DOUBLE AS robustness""")
        connection.execute("""CREATE TABLE claim_part AS SELECT 'M2' AS id, unnest(['b', 'a']) AS part, 1.0 AS value,
            'reproduced' AS verdict""")
    return path
