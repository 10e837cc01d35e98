"""The second value of claims, on dropped cards: verdicts, names, and what is refused."""

import duckdb
import pytest

from pipeline.claims import evaluate, measured, verdicts
from pipeline.claims.verdicts import NOT_REPRODUCED, REPRODUCED

HEADER = "source: s\nstatement: t\nunit: share\npaper_value: 0.3\ndigit: 0.1\nkind: value\nconfiguration: c\n"


@pytest.fixture
def card():
    """A database of two traces without anything in them."""
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE trace AS FROM (VALUES ('mine', 'measured'), ('made', 'generated')) AS t(trace, kind)"
        )
        yield connection


def rule(folder, name, sql, header=HEADER):
    (folder / "study" / "claims" / "measured").mkdir(parents=True, exist_ok=True)
    (folder / "study" / "claims" / "measured" / f"{name}.sql").write_text(f"/*\n{header}*/\n{sql}\n")


def test_each_trace_has_its_own_verdict_and_origin(tmp_path, monkeypatch, card):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    rule(tmp_path, "A10_far", "SELECT 'made' AS trace, i AS replicate, 0.9 + i / 1000 AS value FROM range(9) AS r(i)")
    sql = "SELECT t AS trace, i AS replicate, 0.29 + i / 100 AS value FROM range(5) AS r(i), "
    rule(tmp_path, "A2_near", sql + "(VALUES ('mine'), ('made')) AS v(t)")
    rows = list(measured.ledger(card).iter_rows(named=True))
    assert [(row["id"], row["quantity"], row["trace"], row["origin"], row["verdict"]) for row in rows] == [
        ("A2", "near", "made", "generated", REPRODUCED),
        ("A2", "near", "mine", "measured", REPRODUCED),
        ("A10", "far", "made", "generated", NOT_REPRODUCED),
    ]
    assert (rows[0]["value"], rows[0]["replicates"]) == (pytest.approx(0.31), 5)
    assert rows[0]["lo"] < 0.31 < rows[0]["hi"]


@pytest.mark.parametrize(("values", "verdict"), [([0.28, 0.33], REPRODUCED), ([-0.8, 0.2], NOT_REPRODUCED)])
def test_few_values_are_judged_as_they_are_without_an_interval(values, verdict):
    # An interval of two values would hold nearly any paper's value.
    header, _ = evaluate.read(next(iter(evaluate.files())))
    header = header.model_copy(update={"kind": "value", "paper_value": 0.3, "digit": 0.1})
    ours, said = measured.judged(header, values)
    assert (ours.lo, ours.hi, ours.replicates, said) == (None, None, 2, verdict)


@pytest.mark.parametrize(
    ("name", "sql", "sentence"),
    [
        ("A1", "SELECT 1", "<ID>_<quantity>"),
        ("A1_x", "SELECT 1 AS value", r"A1_x\.sql.*trace, replicate and value"),
        ("A1_x", "SELECT 'mine' AS trace, 1 AS replicate, v AS value FROM range(2) AS r(v)", r"A1_x\.sql.*twice"),
    ],
)
def test_what_is_no_quantity_is_named(tmp_path, monkeypatch, card, name, sql, sentence):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    rule(tmp_path, name, sql)
    with pytest.raises(ValueError, match=f"(?s){sentence}"):
        measured.ledger(card)


def test_every_quantity_is_of_a_claim_of_the_ledger_and_of_its_paper():
    claims = {path.stem: path for path in evaluate.files()}
    for path in measured.files():
        header, _ = evaluate.read(path)
        claim = claims[measured.asked(path)[0]]
        assert claim.parent == path.parent.parent
        assert header.paper == evaluate.read(claim)[0].paper
        assert header.kind not in verdicts.NOT_JUDGED
