"""Holds the papers' claims against the results: value, interval, verdict and robustness of each.

A claim is a file `<study>/claims/<ID>.sql`: a YAML header between `/*` and `*/`, then a query whose rows are (setting,
replicate, value) or (setting, part, replicate, value). `setting` is 'default' for the configuration the claim is judged
on; other settings count for robustness only. A claim may be judged on an ensemble: a pooled setting is taken from many
others (replicates are settings) and would count them again. `pooled` names each pooled setting, with what the names of
the settings that it is taken from begin with; the first stands in the place of 'default', and robustness is the share
of its settings ("" = all, those of other pooled settings, too). A setting X of such a claim is pooled, too, where
others are named X/…: a reading with its members. Values of yes/no claims are booleans.

Header: `source`, `statement`, `paper_value` (absent for kinds input and not_derivable), `unit`, `digit` (unit of the
last digit the paper prints), `kind`, `configuration`; for claims of several numbers `parts`, a mapping of part to paper
value; `main`, the parts that are the claim's own sentence, where they do not all weigh alike; `exact`, true where the
value is computed from what is printed and no sample of anything: it has no interval, and one replicate is enough;
`ensemble`, true where replicates are members of an ensemble in the place of what the paper does not print, as those of
pooled settings are; `headline`, the claim in a few words, where the paper promises it as a whole; `pooled` (see above);
`differs`, one sentence on why the default run and the paper differ, or why nothing is derived, which says so where the
reason is not known; `evidence`, a query that shows what `differs` says: one row, whose first column says whether it
holds in the results at hand, the others are the figures; `scenarios`, what gives the scenarios that the claim rests on:
what stands after FROM in a query for their scenario_id, the baselines that they are measured against included. The
paper of a claim is what its source begins with, up to the first comma.

A part's value is a number, judged by the claim's kind, or a word: `yes` is judged as kind yes_no, `always` and `more`
as the kinds of these names.

The rules of verdicts stand in pipeline/claims/verdicts.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import duckdb
import polars as pl
import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from pipeline import tables
from pipeline.claims.verdicts import (
    FEWEST_REPLICATES,
    INPUT,
    NOT_DERIVABLE,
    NOT_JUDGED,
    REPRODUCED,
    STATEMENTS,
    WORDS,
    Estimate,
    Kind,
    estimate,
    of_parts,
    over_members,
    verdict,
)
from pipeline.runtime import sources, threads
from pipeline.runtime.database import connect
from pipeline.tables.results import Claim, ClaimPart

FOLDER = sources.PACKAGE / "studies"
"""Where claims lie: `<study>/claims/<id>.sql`."""
DEFAULT = "default"
KEPT = "kept_views"
"""Database in memory with the rows of views that several claims read."""
SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader of libyaml where there is one: ten times as fast."""


class Header(BaseModel):
    """What a claim's file says about it."""

    model_config = ConfigDict(extra="forbid")

    source: str
    statement: str
    unit: str
    kind: Kind
    configuration: str
    paper_value: float | None = None
    digit: float = 0.0
    parts: dict[str, Literal["always", "more"] | bool | float] | None = None
    main: list[str] = []
    headline: str | None = None
    exact: bool = False
    ensemble: bool = False
    pooled: dict[str, str] = {}
    differs: str | None = None
    evidence: str | None = None
    scenarios: str | None = None

    @property
    def paper(self) -> str:
        """What the claim's source begins with."""
        return self.source.partition(",")[0]

    def queries(self, sql: str) -> list[str]:
        """All that is asked for the claim, whose own query is `sql`."""
        asked = (None if self.kind in NOT_JUDGED else sql, self.scenarios_sql, self.evidence)
        return [query for query in asked if query]

    @property
    def fewest(self) -> int:
        """Replicates from which something is derived."""
        return 1 if self.exact else FEWEST_REPLICATES

    def is_ensemble(self, setting: str) -> bool:
        """Whether the replicates of a setting are members of an ensemble."""
        return self.ensemble or setting in self.pooled

    def with_readings(self, settings: set[str]) -> Header:
        """The header with each setting that others are members of among the pooled."""
        wholes = {setting.partition("/")[0] for setting in settings if "/" in setting} if self.pooled else set()
        found = sorted((wholes & settings) - self.pooled.keys())
        return self.model_copy(update={"pooled": self.pooled | {setting: f"{setting}/" for setting in found}})

    @property
    def scenarios_sql(self) -> str | None:
        """Query for the scenarios that the claim rests on; None where it rests on no replay."""
        return None if self.scenarios is None else f"SELECT DISTINCT scenario_id FROM {self.scenarios}"

    @model_validator(mode="after")
    def _is_whole(self) -> Header:
        if self.kind in ("value", "at_most") and not self.digit > 0:
            raise ValueError("digit (unit of the last digit that the paper prints) is missing")
        if self.evidence is not None and self.differs is None:
            raise ValueError("evidence shows what differs says, which is missing")
        stated = self.paper_value is not None or (self.kind == "more" and self.parts is None)
        if self.kind not in NOT_JUDGED and stated == (self.parts is not None):
            raise ValueError("either paper_value or parts is needed")
        unknown = [part for part in self.main if part not in (self.parts or {})]
        if unknown:
            raise ValueError(f"main names {unknown[0]!r}, which is none of the parts")
        if any(value is False for value in (self.parts or {}).values()):
            raise ValueError("a part is a number, yes, always or more")
        return self

    def judged_as(self, part: str) -> tuple[Kind, float | None]:
        """Kind and paper's value of a part."""
        stated = (self.parts or {})[part]
        if self.kind in NOT_JUDGED or not isinstance(stated, str | bool):
            return self.kind, float(stated)
        return WORDS[stated]


def files() -> list[Path]:
    """The claims' files, by study and number."""
    return sorted(FOLDER.glob("*/claims/*.sql"), key=lambda p: (p.parent.parent.name, natural(p.stem)))


def read(path: Path) -> tuple[Header, str]:
    """Header and query of a claim's file. Raises ValueError naming the file where it is not one."""
    text = path.read_text(encoding="utf-8")
    before, opened, rest = text.partition("/*")
    header, closed, sql = rest.partition("*/")
    if before.strip() or not opened or not closed:
        raise ValueError(f"{path.name}: a claim begins with a YAML header between /* and */")
    try:
        return Header.model_validate(yaml.load(header, Loader=SAFE)), sql.strip()
    except (ValidationError, yaml.YAMLError) as error:
        raise ValueError(f"{path.name}: {error}") from None


def ledger(connection: duckdb.DuckDBPyConnection, update: Update | None = None) -> dict[str, pl.DataFrame]:
    """Tables `claim` and `claim_part` of all claims, evaluated on the database of the connection.

    update: what has changed since the ledger that the database holds, which then stays for claims that rest on nothing
    of it; None: all are evaluated.
    """
    before = {} if update is None else _before(connection)
    rows, asked = {}, []
    all_claims = [(path, *read(path)) for path in files()]
    for path, header, sql in all_claims:
        if path.stem in before and not update.touches(path, header, sql, before[path.stem][0], connection):
            rows[path.stem] = before[path.stem]
        else:
            rows[path.stem] = None
            asked.append((path, header, sql))
    of_all, of_asked = (
        [query for _, header, sql in claims for query in header.queries(sql)] for claims in (all_claims, asked)
    )
    with _views_kept(connection, of_all, of_asked) as another:
        judged = threads.each(_judged, [(*claim, another()) for claim in asked])
    rows |= zip((path.stem for path, *_ in asked), judged, strict=True)
    claims = [claim for claim, _ in rows.values()]
    parts = [part for _, own_parts in rows.values() for part in own_parts]
    return {
        "claim": pl.DataFrame(claims, schema=tables.polars_schema(Claim)),
        "claim_part": pl.DataFrame(parts, schema=tables.polars_schema(ClaimPart)),
    }


def alike(connection: duckdb.DuckDBPyConnection, first: str | None = None) -> duckdb.DuckDBPyConnection:
    """Another connection to the same database, for a thread of its own, which looks for names in `first` before it."""
    ((name,),) = connection.execute("SELECT current_database()").fetchall()
    other = connection.cursor()
    path = ",".join(f'"{each}".main' for each in (first, name) if each)
    other.execute(f"SET search_path = '{path}'")
    return other


@contextmanager
def _views_kept(
    connection: duckdb.DuckDBPyConnection, queries: Iterable[str], asked: Iterable[str]
) -> Iterator[Callable[[], duckdb.DuckDBPyConnection]]:
    """A function that gives other connections to the same database, each for a thread of its own.

    They find the views that several of the queries read as tables in memory, as far as those asked read them: claims
    share views, and each would have the rows of its view made anew. Which views are kept does not depend on what is
    asked, since sums of the rows of a view and of a table may differ in their last digit.
    """
    ((name,),) = connection.execute("SELECT current_database()").fetchall()
    uses = Counter(view for query in queries for view in set(AFTER_FROM.findall(query)))
    views = connection.execute("SELECT view_name FROM duckdb_views() WHERE database_name = $1", [name]).fetchall()
    read = {view for query in asked for view in AFTER_FROM.findall(query)}
    shared = sorted(view for (view,) in views if uses[view] > 1 and view in read)

    def keep(task: tuple[str, duckdb.DuckDBPyConnection]) -> None:
        view, other = task
        with other:
            other.execute(f'CREATE TABLE {KEPT}.main."{view}" AS FROM "{name}".main."{view}"')

    connection.execute(f"ATTACH ':memory:' AS {KEPT}")
    try:
        threads.each(keep, [(view, alike(connection)) for view in shared])
        yield lambda: alike(connection, KEPT)
    finally:
        connection.execute(f"DETACH {KEPT}")


def _judged(asked: tuple[Path, Header, str, duckdb.DuckDBPyConnection]) -> tuple[dict, list[dict]]:
    """Row of `claim` and rows of `claim_part` of a claim, by a connection that is closed then."""
    path, header, sql, connection = asked
    with connection:
        claim, parts = _judge(path, header, sql, connection)
        claim["scenarios"] = _count(path, header, connection)
    return claim, parts


def _before(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[dict, list[dict]]]:
    """Row of `claim` and rows of `claim_part` of each claim that the database holds."""
    claims, parts = (pl.from_arrow(connection.sql(f"FROM {name}").to_arrow_table()) for name in ("claim", "claim_part"))
    parts_by_id = parts.partition_by("id", as_dict=True)
    return {
        row["id"]: (row, parts_by_id[row["id"],].to_dicts() if (row["id"],) in parts_by_id else [])
        for row in claims.iter_rows(named=True)
    }


def _judge(path: Path, header: Header, sql: str, connection) -> tuple[dict, list[dict]]:
    """Rows of `claim` and `claim_part` for one claim."""
    columns, rows = [], []
    if header.kind not in NOT_JUDGED:
        cursor = connection.execute(sql)
        columns = [c[0] for c in cursor.description]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
        needed = {"setting", "replicate", "value"} | ({"part"} if header.parts else set())
        if not needed <= set(columns):
            raise ValueError(f"{path.name}: the query gives {columns}, needed are {sorted(needed)}")
    keys = [(row["setting"], row.get("part"), row["replicate"]) for row in rows]
    twice = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
    if twice:
        raise ValueError(f"{path.name}: the query gives {twice} twice; replicates are independent, each counts once")
    present = {row["setting"] for row in rows}
    header = header.with_readings(present)
    first = list(header.pooled) or [DEFAULT]
    settings = [s for s in first if s in present] + sorted(present - set(first))
    judged = {name: _evaluate(header, name, [r for r in rows if r["setting"] == name]) for name in settings}
    ours, verdict_, parts = judged.get(first[0], _evaluate(header, first[0], []))
    # What is not judged for want of replicates does not differ.
    unexplained = verdict_ == REPRODUCED or 0 < ours.replicates < header.fewest
    separate = {setting: said for setting, (_, said, _) in judged.items() if setting not in header.pooled}
    described = [f"{s}: {figure(judged[s][0])} {judged[s][1]}" for s in settings if s not in header.pooled]
    described = [_pooled(s, judged[s], separate, header.pooled[s]) for s in settings if s in header.pooled] + described
    holds, shown = _shown_by(path, header, connection) if header.evidence and not unexplained else (None, None)
    claim = stated(path, header, sql) | {
        "value": ours.value,
        "lo": ours.lo,
        "hi": ours.hi,
        "replicates": ours.replicates,
        "verdict": verdict_,
        "differs": None if unexplained else header.differs,
        "evidence_holds": holds,
        "evidence_shows": shown,
        "robustness": _robustness(separate, header.pooled.get(first[0], "")),
        "settings": "; ".join(described) or None,
    }
    return claim, [{"id": path.stem, **part} for part in parts]


def stated(path: Path, header: Header, sql: str) -> dict:
    """The columns of `claim` that stand in the claim's file."""
    return {
        "id": path.stem,
        "study": path.parent.parent.name,
        "paper": header.paper,
        "source": header.source,
        "statement": header.statement,
        "paper_value": header.paper_value,
        "unit": header.unit,
        "configuration": header.configuration,
        "rule": header.kind,
        "headline": header.headline,
        "evidence": header.evidence,
        "sql": sql,
        "scenarios_sql": header.scenarios_sql,
    }


def _shown_by(path: Path, header: Header, connection) -> tuple[bool, str]:
    """Whether the evidence of a claim's reason holds in the results of the connection, and its figures as text.

    Raises ValueError naming the file where the query fails, or does not give one row of yes or no and numbers.
    """
    try:
        cursor = connection.execute(header.evidence)
        columns, rows = [c[0] for c in cursor.description], cursor.fetchall()
    except duckdb.Error as error:
        raise ValueError(f"{path.name}: its evidence cannot be asked for: {error}") from error
    is_one = len(rows) == 1 and isinstance(rows[0][0], bool | None)
    if not is_one or any(isinstance(value, str) for value in rows[0][1:]):
        raise ValueError(
            f"{path.name}: its evidence gives {rows[:2]}; one row, yes or no and then numbers, would be right"
        )
    figures = [f"{name} {_number(value)}" for name, value in zip(columns[1:], rows[0][1:], strict=True)]
    return bool(rows[0][0]), ", ".join(figures)


def _count(path: Path, header: Header, connection) -> int | None:
    """Number of the scenarios that a claim rests on; None where it rests on no replay."""
    if header.scenarios_sql is None:
        return None
    try:
        # All rows are fetched: a result that is not read to its end blocks the connection.
        ((count,),) = connection.execute(f"SELECT count(*) FROM ({header.scenarios_sql})").fetchall()
        return count
    except duckdb.Error as error:
        raise ValueError(f"{path.name}: its scenarios cannot be counted: {error}") from error


def _evaluate(header: Header, setting: str, rows: list[dict]) -> tuple[Estimate, str, list[dict]]:
    """Estimate, verdict and parts of a claim in one setting."""
    ensemble = header.is_ensemble(setting)
    if not header.parts:
        ours, said = _number_judged(header, header.kind, header.paper_value, [row["value"] for row in rows], ensemble)
        return ours, said, []
    parts, replicates = [], []
    for part in header.parts:
        kind, paper = header.judged_as(part)
        values = [row["value"] for row in rows if row["part"] == part]
        ours, said = _number_judged(header, kind, paper, values, ensemble)
        replicates.append(ours.replicates)
        parts.append(stated_part(header, part) | {"value": ours.value, "lo": ours.lo, "hi": ours.hi, "verdict": said})
    whole = of_parts(parts)
    # The parts are no sample of anything: their share has no interval.
    judged = whole not in (NOT_DERIVABLE, INPUT)
    met = sum(part["verdict"] == REPRODUCED for part in parts)
    share = Estimate(met / len(parts) if judged else None, None, None, min(replicates))
    return share, whole, parts


def _number_judged(
    header: Header, kind: Kind, paper: float | None, values: list[Any], ensemble: bool
) -> tuple[Estimate, str]:
    """Estimate of one number and the verdict on it; of a statement on an ensemble the share in which it holds."""
    if not ensemble or kind not in STATEMENTS:
        ours = estimate(kind, values, header.exact)
        return ours, verdict(kind, paper, header.digit, ours, header.fewest)
    holds = [value > 0 for value in values if value is not None]
    share = sum(holds) / len(holds) if holds else None
    said = over_members(share) if len(holds) >= header.fewest else NOT_DERIVABLE
    return Estimate(share, None, None, len(holds)), said


def stated_part(header: Header, part: str) -> dict:
    """The columns of `claim_part` that stand in the claim's file."""
    kind, paper = header.judged_as(part)
    return {"part": part, "rule": kind, "main": part in header.main, "paper_value": paper}


def _robustness(verdicts: dict[str, str], beginning: str) -> float | None:
    """Share of the settings whose names begin so in which the claim is reproduced; None for fewer than two."""
    # A setting from which nothing can be derived speaks neither for the claim nor against it.
    counted = [v for setting, v in verdicts.items() if setting.startswith(beginning) and v != NOT_DERIVABLE]
    return counted.count(REPRODUCED) / len(counted) if len(counted) > 1 else None


def _pooled(name: str, judged: tuple[Estimate, str, list[dict]], verdicts: dict[str, str], beginning: str) -> str:
    """A pooled setting: its value or those of its parts, verdict, and robustness over what it is taken from."""
    ours, said, parts = judged
    values = " · ".join(f"{part['part']} {figure(_shown(part))}" for part in parts) or figure(ours)
    share = _robustness(verdicts, beginning)
    robust = "" if share is None else f" (reproduced in {share:.0%} of its settings)"
    return f"{name}: {values} {said}{robust}"


def figure(ours: Estimate) -> str:
    """Value with its interval, where it has one, as text."""
    if ours.value is None or ours.lo is None:
        return _number(ours.value)
    return f"{ours.value:.4g} [{ours.lo:.4g}, {ours.hi:.4g}]"


@dataclass(frozen=True, eq=False)
class Update:
    """What has changed in a database since its ledger was made.

    tables: those of drops, with other rows than before; parts: of each study, the parts of its workloads whose results
    are other ones. A part that is gone is among them.
    """

    tables: frozenset[str]
    parts: Mapping[str, frozenset[str]]

    def touches(self, path: Path, header: Header, sql: str, before: dict, connection) -> bool:
        """Whether a claim may come out otherwise than `before`, its row of the ledger."""
        asked = (sql, header.scenarios_sql or "", header.evidence or "")
        if self.tables & read_by(asked, self._definitions(connection)):
            return True
        parts = self.parts.get(path.parent.parent.name, frozenset())
        if not parts:
            return False
        # Without scenarios nothing says what of the study it rests on, and evidence may look beyond them.
        if header.scenarios_sql is None or header.evidence is not None:
            return True
        rows = connection.execute(
            f"SELECT part, count(*) FROM scenario WHERE scenario_id IN ({header.scenarios_sql}) GROUP BY part"
        ).fetchall()
        return sum(count for _, count in rows) != before["scenarios"] or any(part in parts for part, _ in rows)

    @cache  # noqa: B019 - an update is short-lived
    def _definitions(self, connection) -> dict[str, str]:
        """The SQL of each view and macro."""
        return dict(
            connection.execute(
                "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal UNION ALL "
                "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal"
            ).fetchall()
        )


AFTER_FROM = re.compile(r'\b(?:FROM|JOIN)(?=[\s(]+"?(\w+))', re.IGNORECASE)
"""DuckDB writes the joins of a view between brackets, and FROM may stand behind FROM (."""


def read_by(queries: Iterable[str], definitions: Mapping[str, str]) -> set[str]:
    """Tables that queries read, also through views and macros: those named after FROM or JOIN, and maybe others.

    definitions: the SQL of each view and macro.
    """
    names, waiting = set(), list(queries)
    while waiting:
        for name in set(AFTER_FROM.findall(waiting.pop())) - names:
            names.add(name)
            waiting += [definitions[name]] if name in definitions else []
    return names - definitions.keys()


def natural(name: str) -> tuple[str, int]:
    """Key of a claim's id: M2 before M10."""
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or 0)


def opened(database: Path) -> duckdb.DuckDBPyConnection:
    """Connection to a database, to read. Raises FileNotFoundError where there is none."""
    if not database.is_file():
        raise FileNotFoundError(f"{database} is not there; run `make` first")
    # Attached, since a database opened to be read lets nothing be kept in memory beside it.
    connection = connect()
    path = str(database).replace("'", "''")
    connection.execute(f"ATTACH '{path}' AS apportion (READ_ONLY)")
    connection.execute("USE apportion")
    connection.execute("SET threads = 1")
    return connection


def evaluated(database: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tables `claim` and `claim_part` of a database, evaluated afresh."""
    with opened(database) as connection:
        claim_tables = ledger(connection)
    return claim_tables["claim"], claim_tables["claim_part"]


def ledger_text(database: Path) -> str:
    """The ledger of a database, evaluated afresh, as text: two or three lines per claim, one for each of its parts."""
    claims, its_parts = evaluated(database)
    lines = []
    for row in claims.iter_rows(named=True):
        parts = its_parts.filter(pl.col("id") == row["id"])
        if len(parts):
            said = f"{(parts['verdict'] == REPRODUCED).sum()} of {len(parts)} parts reproduced"
        else:
            said = f"paper {_number(row['paper_value'])} {row['unit']}, ours {figure(_shown(row))}"
        robust = "" if row["robustness"] is None else f", robust in {row['robustness']:.0%} of settings"
        lines.append(f"{row['id']:>4}  {row['verdict']:<19} {row['statement']}")
        lines.append(f"      {said} (n = {row['replicates']}{robust})")
        lines += [f"      {row['differs']}"] if row["differs"] else []
        lines += [
            f"        {part['part']}: paper {_number(part['paper_value'])}, ours {figure(_shown(part))}, "
            f"{part['verdict']}"
            for part in parts.iter_rows(named=True)
        ]
    return "\n".join(lines)


def _shown(row: dict) -> Estimate:
    """Value and interval of a row of the ledger."""
    return Estimate(row["value"], row["lo"], row["hi"], row.get("replicates", 0))


def _number(value: float | None) -> str:
    return "no value" if value is None else f"{value:.4g}"
