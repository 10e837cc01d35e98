"""Memory in use on the whole machine, against a sum over the jobs that run at each instant."""

import duckdb
import numpy as np
import pytest

from pipeline.runtime.sources import ROOT

VIEW = ROOT / "pipeline" / "studies" / "hpc_memory" / "views" / "machine_memory.sql"


def made(jobs, phases):
    """Rows of the view, for a machine of 8 nodes with 50 GB each."""
    with duckdb.connect() as connection:
        connection.execute("""
            CREATE TABLE job (trace VARCHAR, job_id VARCHAR, nodes BIGINT, start_s DOUBLE, end_s DOUBLE,
                runtime_s DOUBLE, used_memory_gb DOUBLE);
            CREATE TABLE phase (trace VARCHAR, job_id VARCHAR, node VARCHAR, phase BIGINT, duration_s DOUBLE,
                memory_gb DOUBLE);
            CREATE TABLE trace AS SELECT 't' AS trace, 8 AS nodes, NULL AS cores_per_node, 50.0 AS node_memory_gb""")
        for table, rows in (("job", jobs), ("phase", phases)):
            if rows:
                connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        connection.execute(VIEW.read_text())
        return connection.execute("FROM machine_memory ORDER BY time_s").fetchall()


def test_memory_is_the_sum_over_the_jobs_that_run():
    random = np.random.default_rng(3)
    jobs, phases, pieces = [], [], []
    for j in range(40):
        nodes, start = int(random.integers(1, 5)), float(random.integers(0, 500))
        lengths, memory = random.integers(1, 60, 3).astype(float), random.integers(1, 40, 3).astype(float)
        kind = j % 3  # phases of the job, phases of each node beside them, or one stated amount
        end = start + float(lengths.sum())
        jobs.append(("t", str(j), nodes, start, end, end - start, float(memory[0]) if kind == 2 else None))
        if kind == 2:
            pieces.append((start, end, nodes * memory[0]))
            continue
        begins = start + np.concatenate([[0], np.cumsum(lengths)])
        for p in range(3):
            phases.append(("t", str(j), None, p, lengths[p], memory[p]))
            if kind == 0:
                pieces.append((begins[p], begins[p + 1], nodes * memory[p]))
            for node in range(nodes if kind == 1 else 0):
                phases.append(("t", str(j), f"n{node}", p, lengths[p], memory[p] + node))
                pieces.append((begins[p], begins[p + 1], memory[p] + node))
    rows = made(jobs, phases)
    assert len(rows) > 100
    for _, time_s, duration_s, memory_gb, share in rows:
        at = time_s + duration_s / 2
        assert memory_gb == pytest.approx(sum(gb for begin, end, gb in pieces if begin <= at < end))
        assert share == pytest.approx(memory_gb / 400)
    assert rows[0][1] + sum(row[2] for row in rows) == pytest.approx(max(end for _, end, _ in pieces))


def test_jobs_whose_start_nobody_knows_are_in_no_sum():
    assert made([("t", "1", 2, None, None, 10.0, 5.0)], []) == []
