"""What the default run gave for the claims, as the repository keeps it and shows it."""

import json
import re

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

from pipeline import config
from pipeline.__main__ import app
from pipeline.claims import evaluate, markdown, record, verdicts
from pipeline.claims.verdicts import IN_PART, REPRODUCED

PAPERS = {"HiPC 2024", "ICS 2025", "IPDPS 2019", "Zahaf et al. 2021", "thesis"}


@pytest.fixture(scope="module")
def ledger():
    return record.ledger()


@pytest.fixture
def one_claim(tmp_path, monkeypatch):
    """A folder of claims with one that holds one of its two numbers, and a database of the default configuration."""
    monkeypatch.setattr(evaluate, "FOLDER", tmp_path / "studies")
    (tmp_path / "studies" / "hpc_memory" / "claims").mkdir(parents=True)
    file = tmp_path / "studies" / "hpc_memory" / "claims" / "Z1.sql"
    file.write_text(
        "/*\nsource: paper, Figure 1\nstatement: a | b\nunit: share\nkind: value\ndigit: 0.01\nconfiguration: c\n"
        "parts: {early: 0.5, late: 0.9}\ndiffers: Late is early.\nscenarios: run WHERE kind = 'x'\n*/\n"
        "SELECT 'default' AS setting, part, i AS replicate, 0.5 + i / 1e4 AS value "
        "FROM range(5) AS r(i), (VALUES ('early'), ('late')) AS t(part)"
    )
    leaves = config.leaves(config.Configuration().model_dump(mode="json"))
    setting = pl.DataFrame({"key": list(leaves), "value": [json.dumps(value) for value in leaves.values()]})
    with duckdb.connect(str(tmp_path / "run.duckdb")) as connection:
        connection.register("given", setting.to_arrow())
        connection.execute("CREATE TABLE setting AS FROM given")
        connection.execute("CREATE TABLE trace (trace TEXT, kind TEXT)")
        connection.execute(
            "CREATE TABLE run AS SELECT i // 2 AS scenario_id, if(i < 6, 'x', 'y') AS kind FROM range(9) AS r(i)"
        )
    return tmp_path


def test_the_record_is_of_todays_claims():
    assert record.problems() == []


def test_every_claim_of_the_five_papers_is_there(ledger):
    claims, _ = ledger
    assert len(claims) == claims["id"].n_unique()
    assert set(claims["paper"]) == PAPERS
    # What each paper promises as a whole: one sentence of its abstract or conclusion at least.
    assert set(claims.drop_nulls("headline")["paper"]) == PAPERS
    assert claims.filter(verdict="").is_empty()


def test_what_differs_has_a_reason_and_what_does_not_has_none(ledger):
    recorded = dict(ledger[0].select("id", "verdict").iter_rows())
    for file in evaluate.files():
        header, _ = evaluate.read(file)
        assert (header.differs is None) == (recorded[file.stem] == REPRODUCED), file.stem
        if header.differs is not None:
            assert re.fullmatch(r"[A-Z0-9][^*`\[\]\n]+\.", header.differs), file.stem


def test_every_reason_is_shown_by_a_query_in_the_default_run(ledger):
    differing = ledger[0].filter(pl.col("verdict").is_in([IN_PART, verdicts.OPEN, verdicts.NOT_REPRODUCED]))
    assert differing["evidence"].null_count() == 0
    assert differing["evidence_holds"].all(ignore_nulls=False)
    assert differing["evidence_shows"].null_count() == 0


def test_every_claim_that_is_judged_on_replays_names_them(ledger):
    claims, _ = ledger
    without = claims.filter(pl.col("scenarios").is_null())
    assert set(without["verdict"]) == {verdicts.INPUT, verdicts.NOT_DERIVABLE}
    assert claims.filter(pl.col("verdict").is_in([verdicts.INPUT, verdicts.NOT_DERIVABLE])).equals(without)
    assert claims["scenarios"].min() > 0


def test_a_run_is_recorded_and_read_again(one_claim):
    target = one_claim / "claims.csv"
    record.write(one_claim / "run.duckdb", target)
    claims, parts = record.ledger(target)
    row = claims.row(0, named=True)
    assert (row["verdict"], row["value"], row["replicates"], row["scenarios"]) == (IN_PART, 0.5, 5, 3)
    assert row["differs"] == "Late is early."
    assert row["scenarios_sql"] == "SELECT DISTINCT scenario_id FROM run WHERE kind = 'x'"
    assert parts.select("part", "paper_value", "value", "verdict").rows() == [
        ("early", 0.5, 0.5002, REPRODUCED),
        ("late", 0.9, 0.5002, IN_PART),
    ]
    text = markdown.page(claims, parts)
    assert "| Z1 | a \\| b | paper, Figure 1 | 2 values | 1 of 2 reproduced | reproduced in part |  | 3 |" in text


def test_a_claim_with_too_few_replicates_is_not_said_to_differ(one_claim):
    file = one_claim / "studies" / "hpc_memory" / "claims" / "Z1.sql"
    file.write_text(file.read_text().replace("range(5)", "range(4)"))
    claims, _ = evaluate.evaluated(one_claim / "run.duckdb")
    assert claims.select("verdict", "replicates", "differs").rows() == [(verdicts.NOT_DERIVABLE, 4, None)]


def test_a_claim_that_is_new_gone_or_judged_otherwise_is_named(one_claim):
    target = one_claim / "claims.csv"
    folder = one_claim / "studies" / "hpc_memory" / "claims"
    assert "hpc_memory/Z1.sql is not in the record" in record.problems(target)[0]
    record.write(one_claim / "run.duckdb", target)
    assert record.problems(target) == []
    claim = folder / "Z1.sql"
    text = claim.read_text()
    claim.write_text(text.replace("Late is early.", "Late is late.").replace("a | b", "b | a"))
    assert record.problems(target) == []
    for changed in (text.replace("0.5 + i", "0.6 + i"), text.replace("digit: 0.01", "digit: 0.1")):
        claim.write_text(changed)
        (problem,) = record.problems(target)
        assert "rule or query of hpc_memory/Z1.sql was changed" in problem
    claim.rename(folder / "Z2.sql")
    assert [p.split(": ")[1].split(";")[0] for p in record.problems(target)] == [
        "claim hpc_memory/Z2.sql is not in the record",
        "there is no file of claim Z1",
    ]
    assert "| Z2 | a \\| b | paper, Figure 1 | 2 values | – | not judged |" in markdown.page(*record.ledger(target))


def test_a_run_with_other_settings_is_not_recorded(one_claim):
    with duckdb.connect(str(one_claim / "run.duckdb")) as connection:
        connection.execute("UPDATE setting SET value = '7' WHERE key = 'seed'")
    with pytest.raises(ValueError, match="made with seed = 7, the default is 1"):
        record.write(one_claim / "run.duckdb", one_claim / "claims.csv")
    assert not (one_claim / "claims.csv").exists()


def test_the_verb_writes_the_ledger_of_any_run(one_claim):
    with duckdb.connect(str(one_claim / "run.duckdb")) as connection:
        connection.execute("UPDATE setting SET value = '7' WHERE key = 'seed'")
    target = one_claim / "ledger.md"
    run = CliRunner().invoke(app, ["claims", "--database", f"{one_claim / 'run.duckdb'}", "--markdown", str(target)])
    assert run.exit_code == 0, run.output
    assert "| Z1 | a \\| b | paper, Figure 1 | 2 values | 1 of 2 reproduced |" in target.read_text(encoding="utf-8")
    run = CliRunner().invoke(app, ["claims", "--database", f"{one_claim / 'run.duckdb'}"])
    assert "      1 of 2 parts reproduced (n = 5)\n      Late is early.\n" in run.output


def test_scenarios_that_cannot_be_counted_are_named(one_claim):
    file = one_claim / "studies" / "hpc_memory" / "claims" / "Z1.sql"
    file.write_text(file.read_text().replace("kind = 'x'", "sort = 'x'"))
    with pytest.raises(ValueError, match=r"Z1\.sql: its scenarios cannot be counted: .*sort"):
        evaluate.evaluated(one_claim / "run.duckdb")


def test_the_page_counts_every_claim_once_and_the_readme_has_the_same_counts(ledger):
    table = next(part for part in markdown.page(*ledger).split("\n\n") if part.startswith("| study |"))
    cells = [[cell.strip() for cell in row.split("|")] for row in table.splitlines()[2:]]
    *studies, whole = [[int(cell or 0) for cell in row[2:-1]] for row in cells]
    assert whole == [sum(column) for column in zip(*studies, strict=True)]
    for row in [*studies, whole]:
        assert sum(row[:-1]) == row[-1]
    said = markdown.counts(ledger[0]).split("\n\n")[1].replace("docs/reference/claims.md", "")
    assert [int(number) for number in re.findall(r"\d+", said)] == [whole[-1], *(n for n in whole[:-1] if n)]
