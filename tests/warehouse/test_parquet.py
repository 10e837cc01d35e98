"""Results as Parquet: the documented files hold the database's rows, and the documented examples run."""

import importlib.util
import re
import shlex
import subprocess
import sys

import duckdb
import pytest

from pipeline import tables
from pipeline.reference import parquet as parquet_reference
from pipeline.runtime import sources
from pipeline.warehouse.schemas import RESULTS

PAGE = (sources.ROOT / "docs" / "guides" / "database.md").read_text(encoding="utf-8")
TEXT = PAGE.partition("\n## Results as Parquet\n")[2].partition("\n## ")[0]
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
COMMANDS = re.findall(r"```\n\$ (duckdb .*?)```", TEXT, flags=re.DOTALL)
IN_THE_DATABASE = [name for name in parquet_reference.files() if name not in parquet_reference.NOT_IN_DATABASE]


@pytest.fixture(scope="module")
def beside_results(small_results, tmp_path_factory):
    """A folder with `results` in it."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "results").symlink_to(small_results)
    return folder


def test_every_table_is_accounted_for():
    made = {
        "assumption",
        "claim",
        "claim_part",
        "failure",
        "loaded",
        "paired_hpc_memory",
        "scheduler",
        "setting",
        "steady_hpc_memory",
        "steady_memory_tiers",
    }
    assert set(IN_THE_DATABASE) | made == {*tables.DATABASE_NAME.values(), *RESULTS}
    assert set(parquet_reference.NOT_IN_DATABASE) == set(tables.CANONICAL) - set(tables.DATABASE_NAME)


@pytest.mark.parametrize("table", IN_THE_DATABASE)
def test_the_files_of_a_table_hold_its_rows(small_results, small_database, table):
    pattern = small_results / parquet_reference.files()[table]
    with duckdb.connect(str(small_database), read_only=True) as connection:
        shared = [row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()]
        rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        if not list(small_results.glob(parquet_reference.files()[table])):
            assert rows == 0
            return
        files = f"read_parquet('{pattern}', union_by_name = true)"
        held = {row[0] for row in connection.execute(f"DESCRIBE FROM {files}").fetchall()}
        added = {"study", "part", "code_version"} if table == "scenario" else set()
        assert set(shared) - added <= held
        columns = ", ".join(f'"{column}"' for column in shared if column not in added)
        # Every row of the files is in the database, and no other.
        for one, other in ((files, table), (table, files)):
            difference = f"SELECT {columns} FROM {one} EXCEPT ALL SELECT {columns} FROM {other}"
            assert connection.execute(f"SELECT count(*) FROM ({difference})").fetchone() == (0,)


@pytest.mark.parametrize("code", PYTHON, ids=lambda code: code.split()[1])
def test_the_examples_in_python_run(beside_results, code):
    if ".df()" in code and importlib.util.find_spec("pandas") is None:
        pytest.skip("pandas is not installed")
    ran = subprocess.run([sys.executable, "-c", code], cwd=beside_results, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) > 1


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_for_the_command_line_run(beside_results, monkeypatch, command):
    words = shlex.split(command)
    monkeypatch.chdir(beside_results)
    database = next((word for word in words if word.endswith(".duckdb")), ":memory:")
    with duckdb.connect(database, read_only=database != ":memory:") as connection:
        rows = connection.execute(words[-1]).fetchall()
    assert rows
    if "COPY" in command:
        assert duckdb.sql("SELECT count(*) FROM 'recommendation.parquet'").fetchall() == [rows[0]]


def test_examples_were_found():
    assert len(PYTHON) == 4
    assert len(COMMANDS) == 3
