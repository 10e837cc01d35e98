"""What claims rest on that no paper prints: each value is that of the code, and each claim is there."""

import importlib
import re

import pytest

from pipeline.claims import assumptions, evaluate
from pipeline.claims.verdicts import NOT_JUDGED
from pipeline.runtime.study import declared

ROWS = assumptions.table().to_dicts()
CONSTANT = re.compile(r"(?P<path>[\w.]+)\.(?P<name>[A-Z_0-9]+)(?P<keys>(\[\w+\])*)")


def shown(value) -> str:
    """A constant as the table writes it."""
    if isinstance(value, tuple):
        return (" to " if len(value) == 2 else ", ").join(f"{v:g}" for v in value)
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def stands_for(row: dict) -> str:
    """What the code has for an assumption."""
    what, _, name = row["constant"].partition(" ")
    if what == "parameter":
        default = declared()[row["study"]].defaults[name]
        return "CL" if (row["name"], default) == ("cd", None) else shown(default)
    if what == "claim":
        path = next(path for path in evaluate.files() if path.stem == name)
        sql = evaluate.read(path)[1]
        numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)?", sql) + re.findall(r"\b\d+ / \d+\b", sql)
        return row["value"] if row["value"] in numbers else f"none of {sorted(set(numbers))}"
    match = CONSTANT.fullmatch(row["constant"])
    inside = not match["path"].startswith("pipeline.")
    value = getattr(
        importlib.import_module((f"pipeline.studies.{row['study']}." if inside else "") + match["path"]), match["name"]
    )
    for key in re.findall(r"\[(\w+)\]", match["keys"]):
        value = value[{"True": True, "False": False}.get(key, key)]
    return shown(value)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['study']}-{row['name']}")
def test_the_value_is_that_of_the_code(row):
    if row["constant"] is None:
        assert "configuration" not in row["source"] and row["varied"]
    else:
        assert stands_for(row) == row["value"]


def test_every_study_says_what_its_claims_rest_on():
    with_claims = {path.parent.parent.name for path in evaluate.files()}
    assert {row["study"] for row in ROWS} == with_claims & set(declared())
    judged = {path.stem for path in evaluate.files() if evaluate.read(path)[0].kind not in NOT_JUDGED}
    # These rest on measured drops, or on printed tables and what a policy makes of them.
    on_what_is_printed = {"M18", "M24", "C7", "S11", "F1", "F5", "F7"}
    assert judged - {claim for row in ROWS for claim in row["claims"]} == on_what_is_printed


def test_a_claim_that_is_not_there_is_named(tmp_path, monkeypatch):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "assumptions.csv").write_text(
        "name,value,unit,range,source,constant,varied,claims,meaning\nx,1,,,ours,,,Z9,what\n"
    )
    monkeypatch.setattr(assumptions, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"study/assumptions\.csv: x names \['Z9'\]; ids of claims would be right"):
        assumptions.table()
    (tmp_path / "study" / "assumptions.csv").write_text("name,worth\nx,1\n")
    with pytest.raises(ValueError, match=r"study/assumptions\.csv: columns are \['name', 'worth'\]"):
        assumptions.table()
