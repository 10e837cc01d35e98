"""Assembles the database: tables from Parquet, comments from the schemas, views, the ledger; then one rename."""

from __future__ import annotations

import ast
import importlib
import json
import logging
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import dataframely as dy
import duckdb
import polars as pl
import scipy

from pipeline import __version__, tables
from pipeline.claims import assumptions, evaluate, measured
from pipeline.config.sections import leaves
from pipeline.runtime import sources, storage
from pipeline.tables import results as common
from pipeline.tables.catalog import table_files
from pipeline.warehouse import complete
from pipeline.warehouse.answer import WIDTH, answer
from pipeline.warehouse.definitions import MACROS, VIEWS, comment, create_views, quoted
from pipeline.warehouse.schemas import RESULTS, STUDY_FILES, Scenario

__all__ = ["WIDTH", "answer", "build", "create_student_t", "description"]

log = logging.getLogger(__name__)

STORAGE_VERSION = "v1.2.0"
"""Storage that DuckDB 1.2 and later can read."""
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
) -> None:
    """Build the database from the folders of `results` and put it in the place of `target`.

    drops: names of the drops to load; parts: parts of the workloads, as <study>/<part>; chunks: how many a scheduler's
    replays of a part were split into; each by default all that are found. The previous database stays readable until
    the rename. Raises ValueError where a scenario was replayed twice, as by chunks of an earlier run, and where results
    are missing: folders and files of what is named, and measures of scenarios.
    """
    with storage.replacing_file(target) as part:
        try:
            with duckdb.connect() as connection:
                _build(connection, part, results, drops, parts, chunks)
        except (duckdb.IOException, duckdb.TransactionException) as error:
            raise OSError(f"{target} cannot be written, the previous one stays: {error}") from error


def _build(connection: duckdb.DuckDBPyConnection, part: Path, results: Path, drops, parts, chunks) -> None:
    connection.execute(f"ATTACH '{quoted(part)}' AS apportion (STORAGE_VERSION '{STORAGE_VERSION}')")
    connection.execute("USE apportion")
    # Sums of floats in one order, whatever the number of cores.
    connection.execute("SET threads = 1")
    _load(connection, results, drops, parts, chunks)
    create_views(connection, *VIEWS, *MACROS)
    ledger = evaluate.ledger(connection) | {
        "claim_measured": measured.ledger(connection),
        "assumption": assumptions.table(),
    }
    for name, frame in ledger.items():
        _create(connection, name, RESULTS[name], [frame])
    connection.execute("CHECKPOINT apportion")
    connection.execute("USE memory")
    connection.execute("DETACH apportion")


def _load(connection: duckdb.DuckDBPyConnection, results: Path, drops, parts, chunks) -> None:
    """All tables but the ledger."""
    names = sorted(p.name for p in (results / "ingest").glob("[!.]*")) if drops is None else list(drops)
    given = [results / stage / name for stage in ("ingest", "fit") for name in names]
    if drops is not None:
        complete.require_ingested(given)
    storage.require_whole(*given)
    files = table_files(given)
    for name, database_name in tables.DATABASE_NAME.items():
        _create(connection, database_name, tables.CANONICAL[name], files[name])
    _create(connection, "scheduler", common.Scheduler, [_schedulers()])
    _create(connection, "setting", common.Setting, [_settings(results / "settings" / "configuration.json")])

    ran = _replays(results, parts, chunks)
    storage.require_whole(*ran)
    scenarios, metrics = [], []
    for study in sources.studies():
        mine = [folder for folder in ran if folder.parts[-4] == study]
        prepared = [results / "scenarios" / study / part for part in sorted({folder.parts[-2] for folder in mine})]
        metrics += _files(mine, "metrics")
        for part in prepared:
            its = [folder for folder in mine if folder.parts[-2] == part.name]
            # One table per part in the first round, one per scheduler in the second.
            refined = part.name.endswith(sources.REFINED)
            folders = sorted({part / folder.parts[-3] for folder in its}) if refined else [part]
            stems = [stem for stage, stem in STUDY_FILES[study].values() if stage == "scenarios" and not refined]
            for folder in folders:
                complete.require_prepared(folder, ["scenarios", *stems])
            storage.require_whole(*folders)
            versions = complete.require_replayed([folder / "scenarios.parquet" for folder in folders], its)
            scenarios += [
                pl.read_parquet(folder / "scenarios.parquet")
                .with_columns(study=pl.lit(study), grid=pl.lit("refined" if refined else "coarse"))
                .join(versions, on="scenario_id", how="inner", maintain_order="left")
                for folder in folders
            ]
        for table, (stage, stem) in STUDY_FILES[study].items():
            folders = mine if stage == "replay" else prepared
            _create(connection, table, RESULTS[table], _files(folders, stem))
    _create(connection, "scenario", Scenario, scenarios)
    twice = connection.execute("SELECT scenario_id FROM scenario GROUP BY ALL HAVING count(*) > 1 LIMIT 1").fetchone()
    if twice:
        raise ValueError(
            f"scenario {twice[0]!r} was replayed twice; name the chunks and parts of this run, or make clean"
        )
    _create(connection, "metric", common.Metric, metrics)
    for study in sources.with_module("intervals"):
        _derive(connection, study)
    create_student_t(connection)


def _derive(connection: duckdb.DuckDBPyConnection, study: str) -> None:
    """Tables that a study makes of its others once all drops and schedulers are there: its module `intervals`."""
    module = importlib.import_module(f"pipeline.studies.{study}.intervals")
    queries = [f"FROM {name}" + f" WHERE study = '{study}'" * (name == "scenario") for name in module.TAKES]
    taken = [pl.from_arrow(connection.sql(query).to_arrow_table()) for query in queries]
    for name, frame in module.tables(*taken).items():
        _create(connection, name, RESULTS[name], [frame])


def _replays(results: Path, parts: Iterable[str] | None, chunks: int | None) -> list[Path]:
    """Folders of the replays to load: of all schedulers where parts are named, else those that are found."""
    if parts is None or chunks is None:
        return [
            folder
            for folder in sorted((results / "replay").glob("*/*/*/[0-9]*"))
            if (parts is None or f"{folder.parts[-4]}/{folder.parent.name}" in set(parts))
            and (chunks is None or int(folder.name) < chunks)
        ]
    return sorted(
        results / "replay" / study / scheduler / part / str(chunk)
        for study, _, part in {name.partition("/") for name in parts}
        for scheduler in sources.schedulers(study)
        for chunk in range(chunks)
        if not (part.endswith(sources.REFINED) and scheduler == sources.refined_against(study))
    )


def create_student_t(connection: duckdb.DuckDBPyConnection) -> None:
    """Table student_t, which the intervals of the views take their quantiles from."""
    freedom = range(1, LARGEST_SAMPLE)
    t_table = pl.DataFrame({"replicates": [n + 1 for n in freedom], "t": scipy.stats.t.ppf(0.975, list(freedom))})
    connection.register("t_table", t_table)
    connection.execute("CREATE TABLE student_t AS SELECT replicates::BIGINT AS replicates, t FROM t_table")
    connection.unregister("t_table")
    comment(connection, "TABLE", "student_t", *STUDENT_T)


def _files(folders: Iterable[Path], stem: str) -> list[Path]:
    return [folder / f"{stem}.parquet" for folder in folders if (folder / f"{stem}.parquet").is_file()]


def _create(connection, name: str, schema: type[dy.Schema], parts: list[pl.DataFrame] | list[Path]) -> None:
    """A table of the schema's columns from frames or Parquet files, with comments."""
    connection.register("nothing", tables.empty(schema).to_arrow())
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM nothing")
    connection.unregister("nothing")
    for part in parts:
        if isinstance(part, Path):
            columns = ", ".join(f'"{column}"' for column in schema.columns())
            connection.execute(f"INSERT INTO {name} SELECT {columns} FROM read_parquet('{quoted(part)}')")
        elif len(part):
            connection.register("part", tables.conform(part, schema).to_arrow())
            connection.execute(f"INSERT INTO {name} SELECT * FROM part")
            connection.unregister("part")
    columns = {column: description(definition) for column, definition in schema.columns().items()}
    comment(connection, "TABLE", name, (schema.__doc__ or "").strip(), columns)


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
