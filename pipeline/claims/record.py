"""What the default run gave for each claim, kept (docs/reference/claims.csv) for the pages made from it.

What a claim says stands in its file; the record holds what came out, and by which rule and query: a claim whose rule
or query was changed since, or that is new, has to be judged again by a default run.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import polars as pl

from pipeline import config, tables
from pipeline.claims import evaluate, verdicts
from pipeline.claims.evaluate import stated_part
from pipeline.runtime import storage
from pipeline.runtime.sources import ROOT
from pipeline.tables.results import Claim, ClaimPart

FILE = ROOT / "docs" / "reference" / "claims.csv"
RENEWED_BY = "run `make` and then `apportion claims --record`"
OUTCOME = {
    "value": pl.Float64, "lo": pl.Float64, "hi": pl.Float64, "replicates": pl.Int64, "verdict": pl.String,
    "robustness": pl.Float64, "scenarios": pl.Int64, "evidence_holds": pl.Boolean, "evidence_shows": pl.String,
}  # fmt: skip
SCHEMA = {"study": pl.String, "id": pl.String, "part": pl.String, **OUTCOME, "judged_by": pl.String}
"""Columns of the record: a row per claim (part null) and per part of it; judged_by: hash of rule and query."""


def judged_by(header: evaluate.Header, sql: str) -> str:
    """Hash of all that a verdict depends on beside the results: the rule, the paper's numbers and the query."""
    rule = header.model_dump(
        include={"kind", "unit", "paper_value", "digit", "parts", "main", "exact", "pooled", "evidence"}
    )
    return hashlib.sha256(json.dumps([rule, sql]).encode()).hexdigest()[:12]


def write(database: Path, target: Path = FILE) -> None:
    """Record what a database of the default configuration says of the claims.

    Raises FileNotFoundError where there is no database, ValueError where it was made with other settings.
    """
    _require_defaults(database)
    claim, part = evaluate.evaluated(database)
    hashes = {path.stem: judged_by(*evaluate.read(path)) for path in evaluate.files()}
    rows = []
    for row in claim.iter_rows(named=True):
        rows.append(row | {"part": None, "judged_by": hashes[row["id"]]})
        rows += [{"study": row["study"], **part_row} for part_row in part.filter(id=row["id"]).iter_rows(named=True)]
    frame = pl.DataFrame(rows, schema=SCHEMA).with_columns(pl.col(pl.Float64).round_sig_figs(6))
    with storage.replacing_file(target) as file:
        frame.write_csv(file)


def _require_defaults(database: Path) -> None:
    defaults = config.leaves(config.Configuration().model_dump(mode="json"))
    with evaluate.opened(database) as connection:
        rows = connection.execute("SELECT key, value FROM setting WHERE NOT starts_with(key, 'version.')").fetchall()
    used = {key: json.loads(value) for key, value in rows}
    for key in sorted({*defaults, *used}):
        if used.get(key) != defaults.get(key):
            raise ValueError(
                f"{database} was made with {key} = {used.get(key)}, the default is {defaults.get(key)}: the record is "
                f"that of the default run; {RENEWED_BY}"
            )


def read(path: Path = FILE) -> pl.DataFrame:
    """The record, see SCHEMA; empty where there is none."""
    return pl.read_csv(path, schema=SCHEMA) if path.is_file() else pl.DataFrame(schema=SCHEMA)


def ledger(path: Path = FILE) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables `claim` and `claim_part` as the files say and the record has them, without the settings one by one.

    A claim that the record does not have is not judged: its verdict is empty.
    """
    recorded = {(row["id"], row["part"]): row for row in read(path).iter_rows(named=True)}
    claims, parts = [], []
    for file in evaluate.files():
        header, sql = evaluate.read(file)
        outcome = _outcome(recorded, file.stem, None)
        reproduced = outcome["verdict"] == verdicts.REPRODUCED
        claims.append(
            evaluate.stated(file, header, sql) | outcome | {"differs": None if reproduced else header.differs}
        )
        parts += [
            stated_part(header, part) | {"id": file.stem, **_outcome(recorded, file.stem, part)}
            for part in header.parts or {}
        ]
    claim_schema, part_schema = (tables.polars_schema(schema) for schema in (Claim, ClaimPart))
    return pl.DataFrame(claims, schema=claim_schema), pl.DataFrame(parts, schema=part_schema)


def _outcome(recorded: dict, claim: str, part: str | None) -> dict:
    row = recorded.get((claim, part), {})
    return {name: row.get(name) for name in OUTCOME} | {"verdict": row.get("verdict") or ""}


def problems(path: Path = FILE) -> list[str]:
    """Sentences on what the record lacks, has too much, or was judged by another rule or query than today's."""
    recorded = dict(read(path).filter(pl.col("part").is_null()).select("id", "judged_by").iter_rows())
    sentences = []
    for file in evaluate.files():
        name = f"{file.parent.parent.name}/{file.name}"
        was = recorded.pop(file.stem, None)
        if was is None:
            sentences.append(f"{path.name}: claim {name} is not in the record; {RENEWED_BY}")
        elif was != judged_by(*evaluate.read(file)):
            sentences.append(f"{path.name}: the rule or query of {name} was changed since it was judged; {RENEWED_BY}")
    return sentences + [f"{path.name}: there is no file of claim {name}; {RENEWED_BY}" for name in recorded]
