"""Intervals and verdicts of the ledger."""

import duckdb
import numpy as np
import pytest
from scipy import stats

from pipeline.claims import evaluate, verdicts
from pipeline.claims.verdicts import IN_PART, INPUT, NOT_DERIVABLE, NOT_REPRODUCED, OPEN, REPRODUCED, Estimate
from pipeline.runtime import sources


def test_mean_interval_is_scipys():
    values = np.random.default_rng(1).normal(3, 2, 17).tolist()
    ours = verdicts.mean_interval(values)
    lo, hi = stats.t.interval(0.95, 16, loc=np.mean(values), scale=stats.sem(values))
    assert (ours.value, ours.lo, ours.hi) == pytest.approx((np.mean(values), lo, hi), rel=1e-12)


@pytest.mark.parametrize(("successes", "count"), [(0, 5), (3, 5), (5, 5), (30, 30), (1, 1000)])
def test_wilson_is_scipys(successes, count):
    ours = verdicts.wilson(successes, count)
    theirs = stats.binomtest(successes, count).proportion_ci(0.95, method="wilson")
    assert (ours.lo, ours.hi) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "paper", "digit", "ours", "expected"),
    [
        ("value", 0.002, 0.001, Estimate(0.0030, 0.0024, 0.0036, 30), REPRODUCED),  # within half a digit
        ("value", 0.002, 0.001, Estimate(0.0030, 0.0026, 0.0034, 30), IN_PART),
        ("value", 0.5, 0.0, Estimate(0.56, 0.54, 0.58, 30), REPRODUCED),  # within ten per cent
        ("value", 0.02, 0.001, Estimate(-0.01, -0.012, -0.008, 30), NOT_REPRODUCED),  # sign
        ("value", 0.002, 0.001, Estimate(0.03, 0.02, 0.04, 30), NOT_REPRODUCED),  # order of magnitude
        ("at_most", 0.02, 0.01, Estimate(0.024, 0.02, 0.028, 10), REPRODUCED),
        ("at_most", 0.02, 0.01, Estimate(-0.5, -0.6, -0.4, 10), REPRODUCED),
        ("at_most", 0.02, 0.01, Estimate(0.026, 0.0255, 0.0265, 10), IN_PART),
        ("yes_no", 1.0, 0.0, verdicts.wilson(28, 30), REPRODUCED),
        ("yes_no", 1.0, 0.0, verdicts.wilson(20, 30), IN_PART),
        ("yes_no", 1.0, 0.0, verdicts.wilson(10, 30), NOT_REPRODUCED),
        ("value", 1.0, 0.0, Estimate(None, None, None, 0), NOT_DERIVABLE),
        ("value", 0.02, 0.01, Estimate(0.02, 0.01, 0.03, 4), NOT_DERIVABLE),  # too few to say
        ("value", 0.02, 0.01, Estimate(0.02, None, None, 1), NOT_DERIVABLE),
        ("input", None, 0.0, Estimate(1.0, 1.0, 1.0, 1), "input"),
    ],
)
def test_verdicts(kind, paper, digit, ours, expected):
    assert verdicts.verdict(kind, paper, digit, ours) == expected


def write(folder, name, header, sql):
    (folder / "study" / "claims").mkdir(parents=True, exist_ok=True)
    (folder / "study" / "claims" / f"{name}.sql").write_text(f"/*\n{header}\n*/\n{sql}\n")


HEADER = "source: s\nstatement: t\nunit: share\nconfiguration: c\n"


def test_parts_settings_and_order(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    sql = """SELECT s AS setting, i AS replicate, v + i / 1000 AS value FROM range(5) AS r(i),
        (VALUES ('default', 1.0), ('other', 5.0)) AS t(s, v)"""
    write(tmp_path, "A10", HEADER + "kind: value\ndigit: 0.1\npaper_value: 1.0", sql)
    sql = """SELECT 'default' AS setting, p AS part, i AS replicate, v AS value FROM range(5) AS r(i),
        (VALUES ('a', 1.0), ('b', 2.0)) AS t(p, v)"""
    write(tmp_path, "A2", HEADER + "kind: value\ndigit: 0.1\nparts: {a: 1.0, b: 3.0}", sql)
    write(tmp_path, "A3", HEADER + "kind: not_derivable", "-- nothing")
    with duckdb.connect() as connection:
        tables = evaluate.ledger(connection)
    claim = {row["id"]: row for row in tables["claim"].iter_rows(named=True)}
    assert list(claim) == ["A2", "A3", "A10"]
    assert (claim["A2"]["value"], claim["A2"]["verdict"]) == (0.5, IN_PART)
    assert [(p["part"], p["verdict"]) for p in tables["claim_part"].iter_rows(named=True)] == [
        ("a", REPRODUCED),
        ("b", IN_PART),
    ]
    assert claim["A3"]["verdict"] == NOT_DERIVABLE
    assert (claim["A10"]["verdict"], claim["A10"]["robustness"]) == (REPRODUCED, 0.5)


def test_nothing_is_derived_from_few_replicates_of_the_parts_and_such_settings_do_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    rows = (
        "SELECT s AS setting, p AS part, i AS replicate, true AS value FROM range({}) AS r(i), "
        "(VALUES ('a'), ('b')) AS t(p), (VALUES ('default', {}), ('few', 4)) AS u(s, n) WHERE i < n"
    )
    header = HEADER.replace("share", "yes/no") + "kind: yes_no\nparts: {a: 1, b: 1}"
    write(tmp_path, "A1", header, rows.format(4, 4))
    write(tmp_path, "A2", header, rows.format(30, 30))
    with duckdb.connect() as connection:
        few, enough = evaluate.ledger(connection)["claim"].iter_rows(named=True)
    assert (few["verdict"], few["value"], few["replicates"], few["robustness"]) == (NOT_DERIVABLE, None, 4, None)
    assert (enough["verdict"], enough["value"], enough["replicates"]) == (REPRODUCED, 1.0, 30)
    assert enough["robustness"] is None
    assert "few" in enough["settings"]


def test_the_ledger_as_text_shows_every_part(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    rows = (
        "SELECT 'default' AS setting, p AS part, i AS replicate, v AS value "
        "FROM range(9) AS r(i), (VALUES {}) AS t(p, v)"
    )
    write(
        tmp_path, "A1", HEADER + "kind: value\ndigit: 0.1\nparts: {a: 1.0, b: 3.0}", rows.format("('a', 1), ('b', 2)")
    )
    write(tmp_path, "A2", HEADER + "kind: value\ndigit: 0.1\npaper_value: 1.5", rows.format("('', 1.5)"))
    duckdb.connect(str(tmp_path / "a.duckdb")).close()
    assert evaluate.ledger_text(tmp_path / "a.duckdb").splitlines() == [
        "  A1  reproduced in part  t",
        "      1 of 2 parts reproduced (n = 9)",
        "        a: paper 1, ours 1 [1, 1], reproduced",
        "        b: paper 3, ours 2 [2, 2], reproduced in part",
        "  A2  reproduced          t",
        "      paper 1.5 share, ours 1.5 [1.5, 1.5] (n = 9)",
    ]


def test_a_claim_without_a_header_or_a_column_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    (tmp_path / "study" / "claims").mkdir(parents=True)
    (tmp_path / "study" / "claims" / "B1.sql").write_text("SELECT 1")
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"B1\.sql"):
        evaluate.ledger(connection)
    write(tmp_path, "B1", HEADER + "kind: value\npaper_value: 1", "SELECT 1 AS value")
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"(?s)B1\.sql.*digit"):
        evaluate.ledger(connection)
    good = HEADER + "kind: value\ndigit: 1\npaper_value: 1"
    write(tmp_path, "B1", good, "SELECT 'default' AS setting, 1 AS replicate, v AS value FROM range(2) AS r(v)")
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"B1\.sql.*twice"):
        evaluate.ledger(connection)
    write(tmp_path, "B1", good, "SELECT 1 AS value")
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"B1\.sql.*setting"):
        evaluate.ledger(connection)


def test_every_claim_file_is_read_and_named_after_its_claim():
    files = sorted((sources.PACKAGE / "studies").glob("*/claims/*.sql"))
    assert {"M1", "M4", "M6", "M10"} <= {path.stem for path in files}
    for path in files:
        header, sql = evaluate.read(path)
        assert header.source
        assert header.kind in ("input", "not_derivable") or "setting" in sql


def test_an_input_of_several_numbers_is_an_input(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    write(tmp_path, "C1", HEADER + "kind: input\nparts: {a: 1, b: 2}", "SELECT 'default' AS setting")
    with duckdb.connect() as connection:
        ledger = evaluate.ledger(connection)
    assert ledger["claim"].select("verdict", "value").row(0) == (INPUT, None)
    assert ledger["claim_part"].select("part", "paper_value", "verdict").rows() == [
        ("a", 1.0, INPUT),
        ("b", 2.0, INPUT),
    ]


EVIDENCE = "kind: value\ndigit: 0.1\npaper_value: 9.0\ndiffers: It does.\nevidence: "
FIVE = "SELECT 'default' AS setting, i AS replicate, 1.0 AS value FROM range(5) AS r(i)"


def test_a_reason_is_shown_by_its_query(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    write(tmp_path, "A1", HEADER + EVIDENCE + "SELECT 2 > 1 AS holds, 2.5 AS ours, 'x' AS what", FIVE)
    write(tmp_path, "A2", HEADER + EVIDENCE + "SELECT NULL AS holds", FIVE)
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"A1\.sql: its evidence gives"):
        evaluate.ledger(connection)
    write(tmp_path, "A1", HEADER + EVIDENCE + "SELECT 2 > 1 AS holds, 2.5 AS ours, NULL AS other", FIVE)
    with duckdb.connect() as connection:
        shown = evaluate.ledger(connection)["claim"].select("evidence_holds", "evidence_shows").rows()
    assert shown == [(True, "ours 2.5, other no value"), (False, "")]


@pytest.mark.parametrize("cores", [1, 3])
def test_claims_share_the_rows_of_a_view(tmp_path, monkeypatch, cores):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    monkeypatch.setenv("APPORTION_CORES", str(cores))
    claims = 6
    for number in range(1, claims + 1):
        write(
            tmp_path,
            f"A{number}",
            HEADER + "kind: value\ndigit: 0.1\npaper_value: 1.0\nscenarios: ran",
            "SELECT 'default' AS setting, replicate, drawn AS value FROM ran",
        )
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE VIEW ran AS SELECT 's' || i AS scenario_id, i AS replicate, random() AS drawn FROM range(5) r(i)"
        )
        ledger = evaluate.ledger(connection)["claim"]
        assert "kept_views" not in str(connection.execute("SHOW DATABASES").fetchall())
    assert ledger["value"].n_unique() == 1
    assert ledger["scenarios"].to_list() == [5] * claims


@pytest.mark.parametrize("query", ["SELECT 1", "SELECT true FROM range(2)", "SELECT true WHERE false", "SELECT x"])
def test_evidence_that_is_none_is_named(tmp_path, monkeypatch, query):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    write(tmp_path, "A1", HEADER + EVIDENCE + query, FIVE)
    with duckdb.connect() as connection, pytest.raises(ValueError, match=r"A1\.sql: its evidence"):
        evaluate.ledger(connection)


@pytest.mark.parametrize(
    ("kind", "paper", "ours", "expected"),
    [
        ("value", 1.0, Estimate(1.0, 0.4, 1.6, 9), IN_PART),  # the interval is wider than the value is large
        ("value", 1.0, Estimate(2.1, 2.0, 2.2, 9), NOT_REPRODUCED),  # beyond a factor of two
        ("value", 0.0, Estimate(0.001, -0.004, 0.006, 9), REPRODUCED),
        ("value", 0.0, Estimate(0.001, -0.009, 0.011, 9), NOT_REPRODUCED),
        ("more", None, Estimate(0.1, 0.01, 0.2, 9), REPRODUCED),
        ("more", None, Estimate(0.1, -0.01, 0.2, 9), NOT_REPRODUCED),
        ("more", None, Estimate(0.0, 0.0, 0.0, 9), NOT_REPRODUCED),
        ("always", 1.0, Estimate(1.0, None, None, 9), REPRODUCED),
        ("always", 1.0, Estimate(0.99, None, None, 900), NOT_REPRODUCED),
    ],
)
def test_verdicts_are_strict(kind, paper, ours, expected):
    assert verdicts.verdict(kind, paper, 0.01, ours) == expected


@pytest.mark.parametrize(
    ("main", "verdict"), [("", IN_PART), ("main: [a]\n", IN_PART), ("main: [b]\n", NOT_REPRODUCED)]
)
def test_in_part_is_the_main_part_or_half_of_all(tmp_path, monkeypatch, main, verdict):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    sql = """SELECT 'default' AS setting, p AS part, i AS replicate, 1.0 AS value FROM range(5) AS r(i),
        (VALUES ('a'), ('b')) AS t(p)"""
    write(tmp_path, "A1", HEADER + main + "kind: value\ndigit: 0.1\nparts: {a: 1.0, b: 9.0}", sql)
    with duckdb.connect() as connection:
        assert evaluate.ledger(connection)["claim"]["verdict"].to_list() == [verdict]


def test_a_claim_of_numbers_that_are_all_in_part_is_in_part(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    sql = """SELECT 'default' AS setting, p AS part, i AS replicate, 1.5 AS value FROM range(5) AS r(i),
        (VALUES ('a'), ('b')) AS t(p)"""
    write(tmp_path, "A1", HEADER + "kind: value\ndigit: 0.1\nparts: {a: 1.0, b: 2.9}", sql)
    with duckdb.connect() as connection:
        assert evaluate.ledger(connection)["claim"]["verdict"].to_list() == [IN_PART]


@pytest.mark.parametrize(
    ("holds", "verdict"),
    [(20, REPRODUCED), (19, REPRODUCED), (18, OPEN), (2, OPEN), (1, NOT_REPRODUCED), (0, NOT_REPRODUCED)],
)
@pytest.mark.parametrize("kind", ["yes_no", "always", "more"])
@pytest.mark.parametrize("header", ["ensemble: true\n", "pooled: {default: ''}\n"])
def test_a_statement_on_an_ensemble_is_open_between_5_and_95_per_cent(
    tmp_path, monkeypatch, header, kind, holds, verdict
):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    value = f"i < {holds}" if kind != "more" else f"{holds} - i - 0.5"
    paper = "" if kind == "more" else "paper_value: 1\n"
    sql = f"SELECT 'default' AS setting, i AS replicate, {value} AS value FROM range(20) AS r(i)"
    write(tmp_path, "A1", HEADER + header + paper + f"kind: {kind}\n", sql)
    with duckdb.connect() as connection:
        claim = evaluate.ledger(connection)["claim"]
    assert claim.select("verdict", "value", "lo").row(0) == (verdict, holds / 20, None)


@pytest.mark.parametrize(
    ("main", "shares", "verdict"),
    [
        ("", (0.5, 0.0, 0.0), NOT_REPRODUCED),
        ("", (0.5, 1.0, 0.0), OPEN),
        ("", (1.0, 1.0, 0.5), IN_PART),
        ("main: [a]\n", (0.5, 0.0, 0.0), OPEN),
        ("main: [a]\n", (1.0, 0.5, 0.0), IN_PART),
    ],
)
def test_a_claim_is_open_where_what_is_open_would_decide_it(tmp_path, monkeypatch, main, shares, verdict):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    parts = ", ".join(f"('{name}', {share})" for name, share in zip("abc", shares, strict=True))
    sql = f"""SELECT 'default' AS setting, part, i AS replicate, i < 10 * share AS value
        FROM range(10) AS r(i), (VALUES {parts}) AS t(part, share)"""
    write(tmp_path, "A1", HEADER + main + "ensemble: true\nkind: yes_no\nparts: {a: yes, b: yes, c: yes}", sql)
    with duckdb.connect() as connection:
        assert evaluate.ledger(connection)["claim"]["verdict"].to_list() == [verdict]


def test_a_reading_of_an_ensemble_is_pooled_and_compared_with_the_default(tmp_path, monkeypatch):
    """Where settings are named other/m0, other/m1, … the setting other is over them."""
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    sql = """SELECT setting, i AS replicate, value + i / 100 AS value FROM range(6) AS r(i),
        (VALUES ('default', 1.0), ('m0', 1.0), ('m1', 1.0), ('other', 1.3), ('other/m0', 1.3), ('other/m1', 1.3))
        AS v(setting, value)"""
    write(tmp_path, "A1", HEADER + "kind: value\ndigit: 0.1\npaper_value: 1.0\npooled: {default: ''}", sql)
    with duckdb.connect() as connection:
        claim = evaluate.ledger(connection)["claim"].row(0, named=True)
    default, other, *members = claim["settings"].split("; ")
    assert default.endswith("reproduced (reproduced in 50% of its settings)")
    assert other.endswith("reproduced in part (reproduced in 0% of its settings)")
    assert [text.partition(":")[0] for text in members] == ["m0", "m1", "other/m0", "other/m1"]


def test_a_claim_that_lacks_one_of_its_numbers_is_not_derived(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path)
    sql = "SELECT 'default' AS setting, 'a' AS part, i AS replicate, 1.0 AS value FROM range(5) AS r(i)"
    write(tmp_path, "A1", HEADER + "kind: value\ndigit: 0.1\nparts: {a: 1.0, b: yes}", sql)
    with duckdb.connect() as connection:
        assert evaluate.ledger(connection)["claim"]["verdict"].to_list() == [NOT_DERIVABLE]
