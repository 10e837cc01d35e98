"""A small database, built through the real stages from the example drops."""

import json
import shutil
from pathlib import Path

import duckdb
import examples
import polars as pl
import pytest
import yaml

from pipeline import config, drops
from pipeline.readers import _recognise
from pipeline.runtime import sources
from pipeline.runtime.study import declared
from pipeline.stages import fit as fit_drop
from pipeline.stages import ingest, replay
from pipeline.stages import scenarios as stages
from pipeline.stages.fidelity import write_fidelity
from pipeline.warehouse import load

SMALL = Path(__file__).parent / "small"
"""A file a study with its section of the configuration."""
CHUNKS = 2


@pytest.fixture(scope="session")
def small_results(once) -> Path:
    """Results folder with the database of a small configuration; tests read it."""
    return once("small_results", _made)


def _made(results: Path) -> None:
    traces = results.with_name(f"{results.name}_traces")
    examples.only(traces)
    for name in ("gavel", "parvagpu_a100"):
        shutil.copytree(sources.ROOT / "traces" / name, traces / name)
    by_drop = {folder.key: folder for folder in drops.discover([traces])}
    for name, folder in by_drop.items():
        ingest.ingest(folder.path, results / "ingest" / name)
        fit_drop.fit(results / "ingest" / name, results / "fit" / name)
    parsed = config.parse({path.stem: yaml.safe_load(path.read_text()) for path in SMALL.glob("*.yaml")})
    (results / "settings").mkdir()
    (results / "settings" / "configuration.json").write_text(parsed.model_dump_json())
    readers = _recognise.modules(by_drop.values())
    for study in sources.studies():
        settings = results / "settings" / f"{study}.json"
        settings.write_text(json.dumps(config.section(parsed, study)))
        together = _recognise.workload_drops(readers, declared()[study].takes, config.lenders(parsed, study))
        for part, hangs_on in {"synthetic": [], **{f"trace-{drop}": together[drop] for drop in together}}.items():
            folders = [results / step / name for step in ("ingest", "fit") for name in hangs_on]
            source = results / "scenarios" / study / part
            stages.write_scenarios(study, settings, folders, source, hangs_on[0] if hangs_on else None)
            for scheduler in sources.schedulers(study):
                for chunk in range(CHUNKS):
                    target = results / "replay" / study / scheduler / part / str(chunk)
                    replay.write_replay(study, scheduler, chunk, CHUNKS, source, target)
    for drop in (drop for drop, reader in readers.items() if sources.fidelity_takes("hpc_memory") in reader.GIVES):
        write_fidelity("hpc_memory", results / "ingest" / drop, results / "fidelity" / "hpc_memory" / drop)
    load.build(results, results / "apportion.duckdb")


@pytest.fixture(scope="session")
def small_database(small_results) -> Path:
    """The database of the small configuration."""
    return small_results / "apportion.duckdb"


@pytest.fixture
def connection(small_database):
    """A connection to the small database, to read."""
    with duckdb.connect(str(small_database), read_only=True) as opened:
        yield opened


@pytest.fixture
def ask(connection):
    """`ask(sql)`: rows of the small database, as a frame."""
    return lambda sql: pl.from_arrow(connection.sql(sql).to_arrow_table())


@pytest.fixture
def fetch(connection):
    """`fetch(sql)`: rows of the small database, as tuples."""
    return lambda sql: connection.execute(sql).fetchall()


@pytest.fixture(scope="module")
def stage(small_results, request):
    """`stage(name)`: a table of the stages, all parts together, of the study that the module names."""
    prepared, replayed = (small_results / step / request.module.STUDY for step in ("scenarios", "replay"))

    def read(name: str) -> pl.DataFrame:
        files = [*prepared.glob(f"*/{name}.parquet"), *replayed.glob(f"*/*/[0-9]*/{name}.parquet")]
        return pl.concat([pl.read_parquet(path) for path in sorted(files)])

    return read


@pytest.fixture(scope="module")
def measured(stage) -> pl.DataFrame:
    """One row per scenario, from the files of the stages: its columns, its measures and its workload's columns."""
    wide = stage("metrics").pivot("metric", index="scenario_id", values="value")
    return stage("scenarios").join(wide, on="scenario_id").join(stage("workloads"), on="workload_id")
