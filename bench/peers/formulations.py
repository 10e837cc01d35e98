"""A job log and an edge list as polars, DuckDB and pandas read them: plain formulations of what our readers do.

What a row has to be is left out of them: lines that are no rows, reasons, notes, provenance. All run on one thread;
pandas in an environment of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from bench.peers import Unavailable, environments, process
from bench.peers.join import PANDAS, PYARROW

DRIVER = Path(__file__).with_name("pandas_formulations_driver.py")
FIELDS = 18


def polars_log(source: Path, target: Path) -> None:
    """Jobs (job_id, submit_s, nodes, walltime_s, runtime_s) of a log whose fields are parted by one blank."""
    names = [f"f{i}" for i in range(FIELDS)]
    rows = pl.read_csv(
        source, separator=" ", has_header=False, comment_prefix=";", schema=dict.fromkeys(names, pl.Float64)
    )
    nodes = pl.when(pl.col("f7") > 0).then("f7").otherwise("f4").cast(pl.Int64)
    jobs = rows.filter(pl.col("f3") >= 0, nodes > 0).select(
        job_id="f0", submit_s="f1", nodes=nodes, walltime_s="f8", runtime_s="f3"
    )
    jobs.sort("submit_s", "job_id").write_parquet(target)


def duckdb_log(source: Path, target: Path) -> None:
    """The same in SQL."""
    names = ", ".join(f"'f{i}': 'DOUBLE'" for i in range(FIELDS))
    _sql(f"""
        COPY (
            SELECT f0 AS job_id, f1 AS submit_s, CASE WHEN f7 > 0 THEN f7 ELSE f4 END::BIGINT AS nodes,
                f8 AS walltime_s, f3 AS runtime_s
            FROM read_csv('{source}', delim = ' ', header = false, comment = ';', auto_detect = false,
                columns = {{{names}}})
            WHERE f3 >= 0 AND CASE WHEN f7 > 0 THEN f7 ELSE f4 END > 0
            ORDER BY submit_s, job_id
        ) TO '{target}' (FORMAT parquet, COMPRESSION zstd)
    """)


def polars_edges(source: Path, target: Path) -> None:
    """Edges (source, target, weight) renumbered, sorted, without loops, the least weight of parallel ones."""
    schema = {"source": pl.Int64, "target": pl.Int64, "weight": pl.Int64}
    rows = pl.read_csv(source, separator="\t", has_header=False, comment_prefix="#", schema=schema)
    ids = pl.concat([rows["source"], rows["target"]]).unique().sort()
    table = pl.DataFrame({"old": ids, "new": pl.int_range(len(ids), eager=True)})
    rows = rows.filter(pl.col("source") != pl.col("target")).group_by("source", "target").agg(pl.min("weight"))
    for side in ("source", "target"):
        rows = rows.join(table, left_on=side, right_on="old").drop(side).rename({"new": side})
    rows.select("source", "target", "weight").sort("source", "target").write_parquet(target)


def duckdb_edges(source: Path, target: Path) -> None:
    """The same in SQL."""
    columns = "{'source': 'BIGINT', 'target': 'BIGINT', 'weight': 'BIGINT'}"
    _sql(f"""
        CREATE TABLE edge AS
            FROM read_csv('{source}', delim = '\t', header = false, comment = '#', auto_detect = false,
                columns = {columns});
        CREATE TABLE vertex AS
            SELECT id, row_number() OVER (ORDER BY id) - 1 AS place
            FROM (SELECT source AS id FROM edge UNION SELECT target FROM edge);
        COPY (
            SELECT s.place AS source, t.place AS target, min(weight) AS weight
            FROM edge JOIN vertex AS s ON s.id = source JOIN vertex AS t ON t.id = target
            WHERE source <> target GROUP BY ALL ORDER BY ALL
        ) TO '{target}' (FORMAT parquet, COMPRESSION zstd)
    """)


def _sql(statements: str) -> None:
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(statements)


@dataclass(frozen=True)
class Pandas:
    """pandas on one kind of file: CPU time from reading to having written, and the table."""

    cpu_s: float
    table: pl.DataFrame


def pandas(kind: str, environments_folder: Path, source: Path, target: Path, timeout_s: float) -> Pandas:
    """pandas' run on a `log` or on `edges`. Raises Unavailable or TimeoutError."""
    requirements = [f"pandas=={PANDAS}", f"pyarrow=={PYARROW}"]
    python = environments.environment(environments_folder / "pandas", f"pandas {PANDAS}", requirements)
    target.unlink(missing_ok=True)
    done = process([python, "-I", DRIVER, kind, source, target], timeout_s, target.parent)
    if not target.exists() or not done.output.strip():
        raise Unavailable(f"pandas wrote no {kind}")
    return Pandas(float(done.output.split()[-1]), pl.read_parquet(target))
