"""The workflow as users run it: same bytes for any number of jobs, no stale and no needless work, bad drops."""

import gzip
import os
import shutil
import subprocess

import hostile_drops
import polars as pl
import pytest
from projects import OWN

from pipeline import drops
from pipeline.runtime import manifest, sources

pytestmark = pytest.mark.workflow


@pytest.mark.exhaustive
def test_a_job_for_each_scheduler_gives_the_same_bytes_as_one_for_all(tiny, own_project):
    for stage in ("scenarios", "replay"):
        shutil.rmtree(own_project.results / stage / "pim_ranks")
    own = [*sources.schedulers("pim_ranks"), OWN["pim_ranks"].stem]
    targets = [f"results/replay/pim_ranks/{name}/synthetic/0" for name in own]
    own_project.run("--config", "together=small", "--", *targets)
    made = own_project.files("replay/pim_ranks")
    assert len(made) > 2 * len(own)
    assert made.items() <= tiny.files().items()


def test_a_second_run_does_nothing(project):
    assert "Nothing to be done" in project.run().stdout


def _replayed(planned):
    return {name.split("/")[2] for name in planned if name.startswith(("results/replay/", "results/scenarios/"))}


def test_an_edit_plans_the_study_it_belongs_to_and_nothing_of_the_others(project):
    edits = {
        "pim_ranks": "schedulers/pim_care.py", "hpc_memory": "model.py",
        "pim_graph": "tables.py", "gpu_corun": "config.py",
    }  # fmt: skip
    with project.edited(*(f"pipeline/studies/{study}/{name}" for study, name in edits.items())):
        planned = project.planned()
    assert _replayed(planned) == edits.keys()
    assert not any(stage in name for name in planned for stage in ("/ingest/", "/fit/"))
    assert "results/apportion.duckdb" in planned


def test_all_studies_are_in_the_database_each_with_the_parts_it_takes(tiny):
    taken = {
        "hpc_memory": ["lublin_like", "marconi_like"],
        "memory_tiers": ["lublin_like", "marconi_like"],
        "pim_ranks": ["prim_like"],
        "gpu_corun": ["nvprof_like"],
        "gpu_sharing": ["thesis_table_6"],
        "gpu_partition": ["automotive_like", "thesis_table_6"],
        "pim_graph": ["amazon_like"],
    }
    for study, traces in taken.items():
        folder = tiny.results / "scenarios" / study
        parts = {path.name for path in folder.iterdir()}
        assert parts - {"synthetic"} == {f"trace-{trace}" for trace in traces}
        assert ("synthetic" in parts) == (study in OWN)
        written = pl.concat(
            pl.read_parquet(path, columns=["scenario_id"]) for path in folder.rglob("scenarios.parquet")
        )["scenario_id"]
        with tiny.database() as connection:
            loaded = connection.execute("SELECT scenario_id FROM scenario WHERE study = $1", [study]).fetchall()
        assert len(written) > 5
        assert sorted(written) == sorted(scenario for (scenario,) in loaded)


def test_a_price_plans_the_database_and_what_shows_it(project):
    planned = project.planned("--config", "prices={memory_usd_per_gb: 3.0}")
    assert planned == {
        "results/settings/configuration.json", "results/warehouse.done", "results/apportion.duckdb",
        "results/report.done", "results/report/index.html", "results/figures",
    }  # fmt: skip


def test_a_new_drop_plans_what_depends_on_it_and_nothing_else(project):
    studies = {
        "lublin_like": {"hpc_memory", "memory_tiers"}, "prim_like": {"pim_ranks"}, "amazon_like": {"pim_graph"},
        "automotive_like": {"gpu_partition"}, "thesis_table_6": {"gpu_partition", "gpu_sharing"},
    }  # fmt: skip
    new = [project.drops / f"another_{like}" for like in studies]
    for like, drop in zip(studies, new, strict=True):
        shutil.copytree(project.drops / like, drop)
    try:
        planned = project.planned()
    finally:
        for drop in new:
            shutil.rmtree(drop)
    ends = ("results/warehouse", "results/apportion", "results/report", "results/figures")
    rebuilt = {name for name in planned if not name.startswith(ends)}
    for like, of in studies.items():
        own = {name for name in rebuilt if f"another_{like}" in name}
        assert own >= {f"results/ingest/another_{like}", f"results/fit/another_{like}"}
        assert _replayed(own) == of
        rebuilt -= own
    assert rebuilt == set()


def test_small_drops_take_one_job_a_study_and_large_ones_one_a_scheduler(project):
    small, large = (project.drops / name for name in ("small", "large"))
    for drop in (small, large):
        shutil.copytree(project.drops / "prim_like", drop)
    (large / "more.csv").write_bytes(bytes(drops.SMALL_BYTES))
    try:
        run = project.run("--dry-run", "--config", "together=small")
    finally:
        shutil.rmtree(small)
        shutil.rmtree(large)
    lines = map(str.strip, run.stdout.splitlines())
    outputs = [set(line[len("output: ") :].split(", ")) for line in lines if line.startswith("output: ")]
    replays = {
        part: [made for made in outputs if any("/replay/pim_ranks/" in name and f"/{part}/" in name for name in made)]
        for part in ("trace-small", "trace-large")
    }
    schedulers = len(sources.schedulers("pim_ranks")) + 1
    assert {part: len(jobs) for part, jobs in replays.items()} == {"trace-small": 1, "trace-large": schedulers}
    # That one writes the scenarios, too.
    assert len(replays["trace-small"][0]) == schedulers + 1


def test_a_changed_drop_with_memory_plans_nothing_of_logs_that_do_not_take_it(project):
    with project.edited("drops/marconi_like/trace.yaml"):
        planned = project.planned()
    assert {"results/ingest/marconi_like", "results/scenarios/hpc_memory/trace-marconi_like"} <= planned
    assert not any("lublin_like" in name or "synthetic" in name for name in planned)


def test_a_run_of_one_study_plans_nothing_of_the_others(own_project):
    shutil.rmtree(own_project.results / "scenarios" / "pim_graph" / "synthetic")
    planned = own_project.planned("--config", "studies=[pim_ranks]")
    assert "results/warehouse.done" in planned
    assert not any("pim_graph" in name for name in planned)


def test_wrong_settings_are_one_sentence_a_problem(project):
    run = project.run("--dry-run", "--config", "hpc_memory={sweeps: {composed: {traces: [lublin_lik/x]}}}", check=False)
    assert run.returncode != 0
    assert "no drop 'lublin_lik' under the trace roots; did you mean 'lublin_like'?" in run.stdout
    run = project.run("--dry-run", "--config", "sede=3", check=False)
    assert run.returncode != 0
    assert "sede: unknown key; did you mean 'seed'?" in run.stdout
    assert "Traceback" not in run.stdout


def test_editing_the_words_of_the_command_line_plans_nothing(project):
    with project.edited("pipeline/__main__.py"):
        assert project.planned() == set()


CASES = [
    pytest.param(("nested_folders", "cut_archive", "no_parquet", "link_out", "two_formats", "many_sms"), id="few"),
    pytest.param(tuple(hostile_drops.CASES), id="all", marks=pytest.mark.exhaustive),
]
"""Bad drops by the names of what makes them; those that take longest are for tests of the verbs."""


def _hostile(root, cases):
    """Bad drops below a folder, and one good one among them."""
    for name in hostile_drops.NAMES:
        (root / name).mkdir(parents=True)
        (root / name / "log.swf").write_text(hostile_drops.LOG)
    for name in cases:
        (root / name).mkdir()
        hostile_drops.CASES[name][0](root / name)
    (root / "good").mkdir()
    (root / "good" / "lublin {1} 'like'.swf").write_text(hostile_drops.LOG)


@pytest.mark.parametrize("cases", CASES)
def test_bad_drops_are_said_and_cost_no_other_drop_a_row(tiny, own_project, cases):
    _hostile(own_project.folder / "made", cases)
    root = (own_project.folder / "made").rename(own_project.folder / "tr'aces; touch x {rule}")
    log = (own_project.drops / "lublin_like" / "lublin_like.swf").read_bytes()
    (root / "cut").mkdir()
    whole = gzip.compress(log, mtime=0)
    (root / "cut" / "cut.swf.gz").write_bytes(whole[: len(whole) // 2])
    before = own_project.files("ingest")
    run = own_project.run(
        "--config", f'trace_roots=["{root.name}","drops"]', "--", "results/warehouse.done", check=False
    )
    keys = {folder.path.name: folder.key for folder in drops.discover([root])}
    assert run.returncode == 3, run.stdout
    subprocess.run(["rm", "-rf", root / "nested_folders"], check=True)
    assert not list(own_project.folder.rglob("x"))
    refused = {name for name in cases if hostile_drops.CASES[name][1] == 2}
    for name in {*hostile_drops.NAMES, *refused} & keys.keys():
        assert f"refused  {keys[name]}" in run.stdout, run.stdout
    assert "refused  cut/cut.swf.gz" in run.stdout
    assert "read     good/lublin {1} 'like'" in run.stdout
    with own_project.database() as connection:
        connection.execute(f"ATTACH '{tiny.results / 'apportion.duckdb'}' AS before (READ_ONLY)")
        for table in tiny.tables():
            # What was loaded is told by hashes of whole tables; what was set has other roots.
            if not table.startswith("measured") and table not in ("loaded", "setting"):
                lost = f"FROM before.{table} EXCEPT ALL FROM apportion.{table}"
                assert connection.execute(lost).fetchall() == [], table
        said = dict(connection.execute("SELECT drop, status FROM trace").fetchall())
        reasons = {r for (r,) in connection.execute("SELECT reason FROM rejected_row WHERE row IS NULL").fetchall()}
        (jobs,) = connection.execute("SELECT jobs FROM trace WHERE drop = 'cut'").fetchone()
    assert {name: said[name] for name in cases} == {name: "refused" if name in refused else "read" for name in cases}
    assert {
        "drop_empty",
        "drop_name",
        "format_ambiguous",
        "truncated_gzip",
        "unreadable_parquet",
        "link_outside",
    } <= reasons
    assert 0 < jobs < log.count(b"\n")
    after = own_project.files("ingest")
    assert {name: after[name] for name in before} == before


def _remove(path):
    path.unlink()


def _cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def _overwrite(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


CHANGES = [
    {"ingest/automotive_like/tasks.parquet": _remove},
    {
        "fit/automotive_like/manifest.json": _remove,
        "scenarios/gpu_partition/trace-automotive_like/tasks.parquet": _cut,
        "replay/hpc_memory/priority/synthetic/0/metrics.parquet": _overwrite,
        "apportion.duckdb": _overwrite,
    },
]
"""What is changed before each run: in the first something that nothing but the database is made from again."""


def test_results_that_were_changed_are_named_and_made_again_and_the_page_stays_meanwhile(tiny, own_project):
    before = tiny.files(), tiny.tables()
    shown = {name: digest for name, digest in before[0].items() if name.startswith(("report/", "figures/"))}
    assert len(shown) > 2
    page = own_project.folder / "pipeline" / "report" / "page.html"
    whole = page.read_text()
    for changes, text in zip(CHANGES, (whole + "{{ no_such_name }}", whole), strict=True):
        page.write_text(text)
        for name, change in changes.items():
            change(own_project.results / name)
        run = own_project.run(check=False)
        assert (run.returncode == 0) == (text == whole), run.stdout
        for name in changes:
            (line,) = [line for line in run.stdout.splitlines() if line.startswith(f"results/{name} ")]
            assert line.endswith("made again")
        # A page that fails leaves the one before it.
        assert shown.items() <= own_project.files().items()
    assert (own_project.files(), own_project.tables()) == before
    assert manifest.damaged(own_project.results) == {}


def test_a_database_is_not_built_of_results_that_lack_some_and_the_named_command_mends_it(own_project):
    before = own_project.tables()
    folder = "results/replay/pim_ranks/pim_care/synthetic/0"
    path = own_project.folder / folder / "metrics.parquet"
    state = path.stat()
    _overwrite(path)
    # What neither size nor date tells is seen where it is loaded.
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    run = own_project.run("--forcerun", "warehouse", check=False)
    assert run.returncode != 0
    log = (own_project.results / "logs" / "warehouse.log").read_text()
    said = (
        f"{folder}/metrics.parquet was changed after it was written; remove the folder and run again: rm -rf {folder}"
    )
    assert f"{said}\n" in log
    assert own_project.tables() == before
    shutil.rmtree(own_project.folder / folder)
    own_project.run("--", "results/warehouse.done")
    assert own_project.tables() == before
