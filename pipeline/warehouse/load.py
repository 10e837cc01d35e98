"""Assembles the database: tables from Parquet, comments from the schemas, views, the ledger; then one rename."""

from __future__ import annotations

import ast
import fcntl
import importlib
import json
import logging
import shutil
from collections.abc import Iterable
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import dataframely as dy
import duckdb
import polars as pl
import scipy

from pipeline import __version__, tables
from pipeline.claims import assumptions, evaluate
from pipeline.config.sections import leaves
from pipeline.runtime import failed, manifest, sources, storage
from pipeline.runtime.database import connect
from pipeline.tables import results as common
from pipeline.warehouse import complete, pieces
from pipeline.warehouse.answer import WIDTH, answer
from pipeline.warehouse.definitions import MACROS, VIEWS, comment, create_views, quoted, together
from pipeline.warehouse.schemas import RESULTS, Scenario

__all__ = ["WIDTH", "answer", "build", "create_student_t", "description"]

log = logging.getLogger(__name__)

STORAGE_VERSION = "v1.2.0"
"""Storage that DuckDB 1.2 and later can read."""
MOST_UNUSED = 0.5
"""Share of a database's file that may be left from what it held before; beyond it is made anew."""
LARGEST_SAMPLE = 2000
STUDENT_T = (
    "97.5 % quantile of Student's t, for intervals of means.",
    {"replicates": "sample size (degrees of freedom + 1) [1]", "t": "quantile [1]"},
)
"""Comments of the table student_t."""
LIBRARIES = ("duckdb", "numba", "numpy", "polars", "pyarrow", "scipy")


def build(
    results: Path,
    target: Path,
    drops: Iterable[str] | None = None,
    parts: Iterable[str] | None = None,
    chunks: int | None = None,
    *,
    judged: bool = True,
) -> None:
    """Build the database from the folders of `results` and put it in the place of `target`.

    drops: names of the drops to load; parts: parts of the workloads, as <study>/<part>; chunks: how many a scheduler's
    replays of a part were split into; each by default all that are found. judged: whether the claims are, which need
    the synthetic workloads. The previous database stays readable until the rename. Where it was made by the same code,
    and is as it was made, a copy of it is brought up to date: what has not changed is not loaded again, and its content
    is as if made from nothing. Where there is none and no claims are judged, what is brought up to date is an empty
    database, made once and kept with the compiled kernels: views are most of the time.

    Raises OSError where another program has the database open for writing, and ValueError where a scenario was replayed
    twice, as by chunks of an earlier run, where results are not as the stages left them, and where some are missing:
    folders and files of what is named, and measures of scenarios.
    """
    code = sources.version(sources.of_warehouse())
    start = target if judged or target.exists() else _empty(code)
    _build(results, target, start, drops, parts, chunks, code=code, judged=judged)


def _empty(code: str) -> Path:
    """A database of this code without results. It is not there where it cannot be kept."""
    target = sources.kernel_folder() / f"database-{code}-{duckdb.__version__}" / "empty.duckdb"
    with suppress(OSError):
        if not _loaded(target, code):
            _build(target.parent, target, target, [], [], 1, code=code, judged=False)
    return target


def _build(
    results: Path,
    target: Path,
    start: Path,
    drops: Iterable[str] | None,
    parts: Iterable[str] | None,
    chunks: int | None,
    *,
    code: str,
    judged: bool,
) -> None:
    """Build a database from the one at `start`, or from nothing where that cannot be brought up to date."""
    _let_go(target)
    of_drop, of_study = pieces.of_drops(results, drops), pieces.of_studies(results, parts, chunks)
    now = pieces.hashes(results, of_drop, of_study, code)
    with storage.replacing_file(target) as part:
        try:
            before = _loaded(start, code)
            if before:
                shutil.copyfile(start, part)
            with connect() as connection:
                connection.execute(f"ATTACH '{quoted(part)}' AS apportion (STORAGE_VERSION '{STORAGE_VERSION}')")
                connection.execute("USE apportion")
                # Sums of floats in one order, whatever the number of cores.
                connection.execute("SET threads = 1")
                # Nobody reads this file before it is whole: it is tidied once, at the end, not every 16 MB.
                connection.execute("SET wal_autocheckpoint = '1TB'")
                failures = failed.of(pieces.compared(results, drops))
                _Database(connection, results, of_drop, of_study, failures).update(before, now, judged)
                connection.execute("CHECKPOINT apportion")
                connection.execute("USE memory")
                connection.execute("DETACH apportion")
            _let_go(target)
        except (duckdb.IOException, duckdb.TransactionException) as error:
            raise OSError(f"{target} cannot be written, the previous one stays: {error}") from error
    manifest.seal_file(target)


def _let_go(target: Path) -> None:
    """Remove the log that a killed program left beside the database: DuckDB would replay it into the next one.

    Raises OSError where a program has the database open for writing, and may still write such a log.
    """
    if target.is_file():
        with target.open("rb") as file:
            try:
                # DuckDB locks a database that it writes for itself alone.
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                raise OSError(
                    f"another program has {target} open for writing; end it and run again; nothing was changed"
                ) from None
    left = target.with_name(f"{target.name}.wal")
    if left.exists():
        left.unlink()
        log.warning("%s, changes to the database by another program that was killed, is removed", left)


def _loaded(target: Path, code: str) -> dict[str, str]:
    """The pieces that the previous database was made from; none where it cannot be brought up to date.

    It cannot where there is none, where it is not as it was built, where other code made it, and where much of the file
    is no longer in use.
    """
    if not target.is_file():
        return {}
    fault = manifest.fault_of_file(target)
    if fault:
        log.warning("%s; the database is made anew from nothing", fault)
        return {}
    try:
        with connect(target, read_only=True) as connection:
            before = dict(connection.execute("FROM loaded").fetchall())
            blocks = connection.execute("SELECT free_blocks, total_blocks FROM pragma_database_size()").fetchall()
    except duckdb.Error:
        return {}
    free, total = (sum(column) for column in zip(*blocks, strict=True))
    return before if before.get("code") == code and free <= MOST_UNUSED * total else {}


class _Database:
    """A database on its way from the results that it was made from to those that are there now."""

    def __init__(
        self,
        connection,
        results: Path,
        of_drop: dict[str, list[Path]],
        of_study: dict[str, pieces.Part],
        uncompared: pl.DataFrame,
    ):
        """uncompared: drops that studies' replays could not be compared with, as `failed.of` gives them."""
        self.connection, self.results, self.of_drop, self.of_study = connection, results, of_drop, of_study
        self.uncompared = uncompared
        failures = {name: failed.of([part.prepared(results), *part.replays]) for name, part in of_study.items()}
        self.failed = {name: failure for name, failure in failures.items() if len(failure)}

    def update(self, before: dict[str, str], now: dict[str, str], judged: bool) -> None:
        """Load what differs. before, now: hashes of the pieces; an empty `before` is an empty database."""
        changed = {piece for piece in before.keys() | now.keys() if before.get(piece) != now.get(piece)}
        if not before:
            for name, schema in RESULTS.items():
                _create(self.connection, name, schema)
            create_student_t(self.connection)
        of_drops = {name for name in tables.DATABASE_NAME.values() if name in changed}
        for name, database_name in tables.DATABASE_NAME.items():
            if database_name in of_drops:
                _replace(self.connection, database_name, tables.CANONICAL[name], self.of_drop[name])
        settings = _settings(self.results / "settings" / "configuration.json")
        _replace(self.connection, "setting", common.Setting, [settings])
        _replace(self.connection, "scheduler", common.Scheduler, [_schedulers()])
        of_studies = {
            study: frozenset(piece.removeprefix(f"{study}/") for piece in changed if piece.startswith(f"{study}/"))
            for study in sources.studies()
        }
        for study, names in of_studies.items():
            if names:
                self._update_study(study, names)
        _replace(self.connection, "failure", common.Failure, [*self.failed.values(), self.uncompared])
        self._require_once()
        if not before:
            create_views(self.connection, *VIEWS, *MACROS)
        _replace(self.connection, "assumption", RESULTS["assumption"], [assumptions.table()])
        if judged:
            self._judge(evaluate.Update(frozenset(of_drops), of_studies) if before else None)
        loaded = pl.DataFrame({"piece": list(now), "sha256": list(now.values())}).sort("piece")
        _replace(self.connection, "loaded", common.Loaded, [loaded])

    def _update_study(self, study: str, names: frozenset[str]) -> None:
        """Replace the results of the parts of a study's workloads."""
        listed = ", ".join(f"'{quoted(name)}'" for name in sorted(names))
        outdated = f"study = '{study}' AND part IN ({listed})"
        families = self._families(study, outdated)
        for table in (*pieces.tables_of(study, "replay"), "metric", "scenario"):
            self.connection.execute(
                f"DELETE FROM {table} WHERE scenario_id IN (SELECT scenario_id FROM scenario WHERE {outdated})"
            )
        own_parts = [part for name, part in self.of_study.items() if part.study == study and name not in self.failed]
        for table, stem in pieces.tables_of(study, "scenarios").items():
            folders = [self.results / "scenarios" / study / part.name for part in own_parts]
            _replace(self.connection, table, RESULTS[table], pieces.existing(folders, stem))
        for part in own_parts:
            if part.name in names:
                self._load(part)
        if study in sources.with_module("intervals"):
            self._derive(study, outdated, families)

    def _load(self, part: pieces.Part) -> None:
        """Add the results of a part, which the database has none of."""
        prepared = part.prepared(self.results)
        complete.require_prepared(prepared, ["scenarios", *pieces.tables_of(part.study, "scenarios").values()])
        asked = pl.read_parquet(prepared / "scenarios.parquet")
        versions = complete.require_replayed(asked, part.replays)
        scenarios = asked.with_columns(study=pl.lit(part.study), part=pl.lit(part.name)).join(
            versions, on="scenario_id", how="inner", maintain_order="left"
        )
        _fill(self.connection, "scenario", Scenario, [scenarios])
        _fill(self.connection, "metric", common.Metric, pieces.existing(part.replays, "metrics"))
        for table, stem in pieces.tables_of(part.study, "replay").items():
            _fill(self.connection, table, RESULTS[table], pieces.existing(part.replays, stem))

    def _require_once(self) -> None:
        twice = self.connection.execute(
            "SELECT scenario_id FROM scenario GROUP BY ALL HAVING count(*) > 1 LIMIT 1"
        ).fetchone()
        if twice:
            raise ValueError(
                f"scenario {twice[0]!r} was replayed twice; name the chunks and parts of this run, or make clean"
            )

    def _families(self, study: str, outdated: str) -> list[str]:
        """Families of workloads of which a study with a module `intervals` has to forget what it made of them."""
        if study not in sources.with_module("intervals"):
            return []
        workloads = importlib.import_module(f"pipeline.studies.{study}.intervals").TAKES[0]
        rows = self.connection.execute(
            f"SELECT DISTINCT family FROM {workloads} JOIN scenario USING (workload_id) WHERE {outdated}"
        ).fetchall()
        return [family for (family,) in rows]

    def _derive(self, study: str, changed: str, families: list[str]) -> None:
        """Tables that a study makes of its others: its module `intervals`, asked for the parts that have changed."""
        module = importlib.import_module(f"pipeline.studies.{study}.intervals")
        narrowed = {"scenario": f" WHERE {changed}"}
        queries = [f"FROM {name}{narrowed.get(name, '')}" for name in module.TAKES]
        taken = [pl.from_arrow(self.connection.sql(query).to_arrow_table()) for query in queries]
        for name, frame in module.tables(*taken).items():
            self.connection.execute(f"DELETE FROM {name} WHERE workload IN (SELECT unnest($1))", [families])
            _fill(self.connection, name, RESULTS[name], [frame])

    def _judge(self, update: evaluate.Update | None) -> None:
        ledger = evaluate.ledger(self.connection, update)
        for name, frame in ledger.items():
            _replace(self.connection, name, RESULTS[name], [frame])


def create_student_t(connection: duckdb.DuckDBPyConnection) -> None:
    """Table student_t, which the intervals of the views take their quantiles from."""
    freedom = range(1, LARGEST_SAMPLE)
    t_table = pl.DataFrame({"replicates": [n + 1 for n in freedom], "t": scipy.special.stdtrit(list(freedom), 0.975)})
    connection.register("t_table", t_table)
    with together(connection):
        connection.execute("CREATE TABLE student_t AS SELECT replicates::BIGINT AS replicates, t FROM t_table")
        comment(connection, "TABLE", "student_t", *STUDENT_T)
    connection.unregister("t_table")


def _create(connection: duckdb.DuckDBPyConnection, name: str, schema: type[dy.Schema]) -> None:
    """An empty table of the schema's columns, with comments."""
    connection.register("nothing", tables.empty(schema).to_arrow())
    columns = {column: description(definition) for column, definition in schema.columns().items()}
    with together(connection):
        connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM nothing")
        comment(connection, "TABLE", name, (schema.__doc__ or "").strip(), columns)
    connection.unregister("nothing")


def _fill(connection, name: str, schema: type[dy.Schema], parts: Iterable[pl.DataFrame] | Iterable[Path]) -> None:
    """Add the rows of frames or Parquet files to a table."""
    for part in parts:
        if isinstance(part, Path):
            columns = ", ".join(f'"{column}"' for column in schema.columns())
            connection.execute(f"INSERT INTO {name} SELECT {columns} FROM read_parquet('{quoted(part)}')")
        elif len(part):
            connection.register("part", tables.conform(part, schema).to_arrow())
            connection.execute(f"INSERT INTO {name} SELECT * FROM part")
            connection.unregister("part")


def _replace(connection, name: str, schema: type[dy.Schema], parts: Iterable[pl.DataFrame] | Iterable[Path]) -> None:
    """Make a table anew, of these rows alone."""
    _create(connection, name, schema)
    _fill(connection, name, schema, parts)


def description(column: dy.Column) -> str:
    """Meaning of a column, with its unit in brackets where it has one."""
    unit = (column.metadata or {}).get("unit")
    return f"{column.description} [{unit}]" if unit else f"{column.description}"


def _settings(path: Path) -> pl.DataFrame:
    """Table of the settings: leaves of the configuration by dotted key, and versions of the libraries that compute."""
    rows = {f"version.{name}": json.dumps(metadata.version(name)) for name in LIBRARIES}
    rows["version.apportion"] = json.dumps(__version__)

    if path.is_file():
        settings = leaves(json.loads(path.read_text(encoding="utf-8")))
        rows |= {key: json.dumps(value) for key, value in settings.items()}
    return pl.DataFrame({"key": sorted(rows), "value": [rows[key] for key in sorted(rows)]})


def _schedulers() -> pl.DataFrame:
    """Table of the schedulers, from their files."""
    rows = []
    for study in sources.studies():
        for name in sources.schedulers(study):
            path = sources.PACKAGE / "studies" / study / "schedulers" / f"{name}.py"
            tree = ast.parse(path.read_text(encoding="utf-8"))
            constants = {
                node.targets[0].id: ast.literal_eval(node.value)
                for node in tree.body
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            }
            about = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ")
            rows.append(
                {"study": study, "scheduler": name, "complexity": constants["COMPLEXITY"], "description": about}
            )
    return pl.DataFrame(rows, schema=tables.polars_schema(common.Scheduler))
