"""A drop that cannot be replayed costs its own answers: the run goes on, and database and terminal say it."""

import json
import shutil

import duckdb
import examples
import pytest

from pipeline import config
from pipeline.report import answers
from pipeline.runtime import failed
from pipeline.stages import fidelity, fit, ingest, together
from pipeline.studies import pim_ranks
from pipeline.warehouse import load, status

ROW = {"study": "pim_ranks", "part": "trace-bad", "stage": "replay", "detail": "no times of app 'b'"}
UNCOMPARED = {"study": "hpc_memory", "part": "trace-bad", "stage": "fidelity", "detail": "no starts"}


@pytest.fixture
def tried(tmp_path):
    """`tried(work, part)`: a step that does `work` for a part, and the folder that it writes."""

    def made(work, part="trace-bad", needed=()):
        target = tmp_path / "target"
        failed.attempt(work, "replay", "pim_ranks", part, needed, [target])
        return target

    return made


def _fails(error):
    def work(**_):
        raise error

    return work


def test_a_step_that_fails_for_a_drop_leaves_what_it_said(tried):
    target = tried(_fails(ValueError("no times of app 'b'")))
    assert failed.of([target]).to_dicts() == [ROW]
    assert [path.name for path in target.glob("*.parquet")] == [failed.FILE]
    other = tried(_fails(KeyError("b")))
    assert failed.of([other])["detail"].to_list() == ["KeyError: 'b'"]


def test_what_needs_a_step_that_failed_says_the_same(tried, tmp_path):
    first = tried(_fails(ValueError("no times of app 'b'"))).rename(tmp_path / "first")
    target = tried(_fails(AssertionError), needed=[first, tmp_path / "none"])
    assert failed.of([first, target]).to_dicts() == [ROW]


def test_failures_of_the_machine_and_of_synthetic_workloads_are_raised(tried):
    for error, part in ((OSError(), "trace-bad"), (MemoryError(), "trace-bad"), (ValueError(), "synthetic")):
        with pytest.raises(type(error)):
            tried(_fails(error), part)


@pytest.mark.slow
def test_the_other_drops_keep_their_answers(tmp_path, monkeypatch):
    settings = config.parse(
        {"pim_ranks": {"sweeps": {"sets": {"workload": "sets", "tables": "dropped", "batches": 2}}}}
    )
    (tmp_path / "settings").mkdir()
    own = tmp_path / "settings" / "pim_ranks.json"
    own.write_text(json.dumps(config.section(settings, "pim_ranks")))
    (tmp_path / "settings" / "configuration.json").write_text(settings.model_dump_json())
    for drop in ("good", "bad"):
        folder = tmp_path / "traces" / drop
        shutil.copytree(examples.trace("prim_like"), folder)
        ingest.ingest(folder, tmp_path / "ingest" / drop)
        fit.fit(tmp_path / "ingest" / drop, tmp_path / "fit" / drop)

    def replay(inputs, table, real=pim_ranks.replay):
        if "bad" in inputs["workloads"]["trace"]:
            raise ValueError("no times of app 'b'")
        return real(inputs, table)

    monkeypatch.setattr("pipeline.studies.pim_ranks.replay", replay)
    for drop in ("good", "bad"):
        folders = [tmp_path / stage / drop for stage in ("ingest", "fit")]
        together.write_part("pim_ranks", f"trace-{drop}", folders, own, tmp_path)
    monkeypatch.setattr("pipeline.studies.hpc_memory.fidelity.compare", _fails(ValueError("no starts")))
    compared = tmp_path / "fidelity" / "hpc_memory" / "bad"
    fidelity.write_fidelity("hpc_memory", tmp_path / "ingest" / "bad", compared)
    assert failed.of([compared]).to_dicts() == [UNCOMPARED]
    database = tmp_path / "apportion.duckdb"
    load.build(tmp_path, database, ["good", "bad"], ["pim_ranks/trace-good", "pim_ranks/trace-bad"], 1)
    with duckdb.connect(str(database), read_only=True) as connection:
        failures = connection.execute("FROM failure ORDER BY ALL").fetchall()
        assert failures == [tuple(UNCOMPARED.values()), tuple(ROW.values())]
        assert connection.execute("SELECT DISTINCT part FROM scenario").fetchall() == [("trace-good",)]
    said = " ".join(answers.text(database, ["bad"]).split())
    assert "hpc_memory could not compare its replays with it: no starts" in said
    assert "pim_ranks could not replay it: no times of app 'b'" in said
    rows = json.loads(answers.text(database, ["bad"], "json"))
    assert {row["failed"].partition("; ")[2] for row in rows} == {"pim_ranks could not replay it: no times of app 'b'"}
    said = answers.text(database, ["good"])
    assert "failed" not in said
    assert "throughput: " in said
    said = status.summary(database)
    assert "failed   bad: pim_ranks could not replay it: no times of app 'b'" in said
    assert "failed   bad: hpc_memory could not compare its replays with it: no starts" in said
