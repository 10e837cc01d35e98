"""Rows of the page's tables: queries on the database, and the little that SQL is not for."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import polars as pl

from pipeline.claims.markdown import VERDICTS
from pipeline.report import answers, cards, studies
from pipeline.runtime.study import declared
from pipeline.warehouse.answer import read
from pipeline.warehouse.definitions import files_of

CLAIMS_SQL = "SELECT * FROM claim"
PARTS_SQL = "SELECT * FROM claim_part"
ASSUMPTIONS_SQL = "SELECT * FROM assumption ORDER BY study, name"
MOST_SETTINGS, POOLED_SETTINGS = 14, 8
"""Settings of a claim up to this number are listed; of more, the first, which are taken from the others."""

REJECTED_SQL = """\
SELECT
    drop, trace, table_name, file, reason, count(*) AS rows, min(row) AS first_row,
    arg_min(detail, coalesce(row, 0)) AS detail
FROM rejected_row
GROUP BY ALL
ORDER BY drop, trace, table_name, file, reason"""

PROVENANCE_SQL = "SELECT drop, file, bytes, sha256, rows FROM provenance ORDER BY drop, file"

FILES_SQL = """\
SELECT drop, count(*) AS files, sum(bytes)::BIGINT AS bytes, sum(rows)::BIGINT AS rows
FROM provenance GROUP BY ALL ORDER BY drop"""
MOST_FILES = 40
"""Files up to this number are listed as they are; more are summed up by drop, and listed on demand."""

SCHEDULERS_SQL = """\
SELECT
    study, scheduler, complexity, description, count(scenario_id) AS scenarios,
    string_agg(DISTINCT code_version, ', ' ORDER BY code_version) AS code_versions
FROM scheduler LEFT JOIN scenario USING (study, scheduler)
GROUP BY ALL
ORDER BY study, complexity"""

HOW_TRUE_SQL = "SELECT * FROM how_true"
UNMEASURED = "no public measurement to compare with"
NOT_LEFT_OUT = "no trace of this run has enough measured points to leave one out"


def contents(connection: duckdb.DuckDBPyConnection, figures: Iterable[str] = ()) -> dict:
    """Everything that the page's tables show, by name: lists of rows, each a mapping of column to value.

    figures: names of the figures, which the sections of the studies hold.
    """
    parts = _rows(connection, PARTS_SQL)
    claims = _rows(connection, CLAIMS_SQL)
    assumed = _rows(connection, ASSUMPTIONS_SQL)
    for claim in claims:
        claim["assumptions"] = [row for row in assumed if claim["id"] in row["claims"]]
        claim["parts"] = [part for part in parts if part["id"] == claim["id"]]
    traces, all_answers = answers.traces(connection), answers.answers(connection)
    return {
        "by_trace": answers.by_trace(traces, all_answers),
        "topics": _topics(all_answers),
        "how_true": _how_true(connection),
        "how_true_sql": HOW_TRUE_SQL,
        "cards": cards.cards(connection),
        "card_query": cards.KERNELS_SQL,
        "studies": studies.sections(connection, figures),
        "claims": claims,
        "assumptions": assumed,
        "most_settings": MOST_SETTINGS,
        "pooled_settings": POOLED_SETTINGS,
        "verdicts": _verdicts(claims),
        "traces": traces,
        "rejected": _rows(connection, REJECTED_SQL),
        "provenance": _rows(connection, PROVENANCE_SQL),
        "files_by_drop": _rows(connection, FILES_SQL),
        "most_files": MOST_FILES,
        "schedulers": _rows(connection, SCHEDULERS_SQL),
        "scenarios": _rows(connection, "SELECT count(*) AS n FROM scenario")[0]["n"],
    }


def _topics(all_answers: list[dict]) -> list[dict]:
    """The answers by topic: study, title, about, their rows and the query behind them; topics without any left out."""
    return [
        {"study": study, "title": topic.title, "about": topic.about, "rows": rows}
        | {"sql": f"SELECT * FROM answer_{study} WHERE topic = '{name}' ORDER BY place"}
        for study, declaration in declared().items()
        for name, topic in declaration.answers.items()
        if (rows := [answer for answer in all_answers if (answer["study"], answer["topic"]) == (study, name)])
    ]


def _how_true(connection: duckdb.DuckDBPyConnection) -> list[dict]:
    """Rows of the view how_true, and one of each study that it has none of, which says why (`absent`)."""
    rows = _rows(connection, HOW_TRUE_SQL)
    judged = {row["study"] for row in rows}
    return rows + [
        {"study": study, "trace": None, "absent": NOT_LEFT_OUT if files_of(f"fidelity_{study}") else UNMEASURED}
        for study in declared()
        if study not in judged
    ]


def _verdicts(claims: list[dict]) -> dict:
    """Counts of the claims: `names` of the verdicts in their order, `rows` of a study and its counts, `whole`."""
    given = {claim["verdict"] for claim in claims}
    names = [verdict for verdict in VERDICTS if verdict in given]

    def counts(some_claims: list[dict]) -> list[int]:
        return [sum(claim["verdict"] == verdict for claim in some_claims) for verdict in names]

    by_study = {claim["study"]: [c for c in claims if c["study"] == claim["study"]] for claim in claims}
    rows = [{"study": study, "counts": counts(grouped), "claims": len(grouped)} for study, grouped in by_study.items()]
    return {"names": names, "rows": rows, "counts": counts(claims), "claims": len(claims)}


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[dict]:
    return read(connection, sql).to_dicts()


def rows_of(frame: pl.DataFrame, most: int) -> list[dict] | None:
    """Rows of a frame that is small enough to be read, else None."""
    return frame.to_dicts() if len(frame) <= most else None
