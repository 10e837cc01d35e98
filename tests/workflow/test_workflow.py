"""The workflow as users run it: same bytes for any number of cores, no stale and no needless work, bad drops."""

import gzip
import os
import shutil

import duckdb
import polars as pl
import pytest

from pipeline import drops
from pipeline.runtime import manifest, sources

pytestmark = pytest.mark.workflow

SCHEDULERS = "pipeline/studies/hpc_memory/schedulers"


def test_one_core_and_one_job_for_all_schedulers_give_the_same_bytes_as_two_and_one_for_each(finished, own_project):
    two = finished.digests(), finished.content()
    own_project.without_results()
    run = own_project.snakemake(cores=1, settings=("config/quick.yaml",))
    one = own_project.digests(), own_project.content()
    assert "replay_hpc_memory" in run.stdout
    assert len(one[0]) > 20
    # What was set is what differs.
    assert {name for name in one[0] if one[0][name] != two[0].get(name)} == {"settings/configuration.json"}
    assert one[0].keys() == two[0].keys()
    assert own_project.settings() - finished.settings() == {("together", "true")}
    assert one[1] | {"setting": None} == two[1] | {"setting": None}


def test_a_second_run_does_nothing(project):
    assert "Nothing to be done" in project.snakemake().stdout


def test_editing_a_scheduler_plans_its_replays_only(project):
    with project.edited(f"{SCHEDULERS}/priority.py"):
        planned = project.planned()
    replays = {name for name in planned if "/replay/" in name}
    synthetic = {name for name in replays if "/synthetic" in name}
    assert synthetic == {"results/replay/hpc_memory/priority/synthetic/0"}
    # Of a small drop one job replays all schedulers.
    parts = [name + suffix for name in ("lublin_like", "marconi_like") for suffix in ("", ".refined")]
    assert replays - synthetic == {
        f"results/replay/hpc_memory/{name}/trace-{part}/0"
        for name in sources.schedulers("hpc_memory")
        for part in parts
        if (name, part.endswith(".refined")) != ("unlimited", True)
    }
    assert not any(stage in name for name in planned for stage in ("/ingest/", "/fit/"))
    assert "results/apportion.duckdb" in planned


def test_editing_a_scheduler_of_one_study_plans_nothing_of_the_other(project):
    with project.edited("pipeline/studies/pim_ranks/schedulers/pim_care.py"):
        planned = project.planned()
    assert {name for name in planned if "/replay/" in name or "/scenarios/" in name} == {
        "results/replay/pim_ranks/pim_care/synthetic/0",
        # Of a small drop one job writes the scenarios and replays them.
        "results/scenarios/pim_ranks/trace-prim_like",
        *(f"results/replay/pim_ranks/{name}/trace-prim_like/0" for name in sources.schedulers("pim_ranks")),
    }
    assert "results/apportion.duckdb" in planned


def test_all_studies_are_in_the_database_each_with_the_parts_it_takes(finished):
    taken = {
        "hpc_memory": ["lublin_like", "marconi_like"],
        "pim_ranks": ["prim_like"],
        "gpu_corun": ["nvprof_like"],
        "gpu_sharing": ["thesis_table_6"],
        "gpu_partition": ["automotive_like", "thesis_table_6"],
        "pim_graph": ["amazon_like"],
    }
    for study, traces in taken.items():
        parts = {path.name for path in (finished.results / "scenarios" / study).iterdir()}
        assert {part for part in parts if not part.endswith(".refined")} == {
            "synthetic",
            *(f"trace-{trace}" for trace in traces),
        }
        written = pl.concat(
            pl.read_parquet(path, columns=["scenario_id"])
            for path in (finished.results / "scenarios" / study).rglob("scenarios.parquet")
        )["scenario_id"]
        with duckdb.connect(str(finished.results / "apportion.duckdb"), read_only=True) as connection:
            loaded = connection.execute("SELECT scenario_id FROM scenario WHERE study = $1", [study]).fetchall()
        assert len(written) > 50
        assert sorted(written) == sorted(scenario for (scenario,) in loaded)


def test_editing_the_kernel_plans_every_replay_and_no_ingest(project):
    with project.edited("pipeline/studies/hpc_memory/model.py"):
        planned = project.planned()
    schedulers = {path.stem for path in (project.folder / SCHEDULERS).glob("[!_]*.py")}
    assert {name.split("/")[3] for name in planned if "/replay/" in name} == schedulers
    assert not any(stage in name for name in planned for stage in ("/ingest/", "/fit/"))


def test_the_second_round_is_in_the_results_and_replayed(project):
    tables = sorted((project.results / "scenarios" / "hpc_memory").glob("*.refined/*/scenarios.parquet"))
    schedulers = {path.stem for path in (project.folder / SCHEDULERS).glob("[!_]*.py")} - {"unlimited"}
    assert {(path.parts[-3], path.parts[-2]) for path in tables} == {
        (f"{part}.refined", scheduler)
        for part in ("trace-lublin_like", "trace-marconi_like")
        for scheduler in schedulers
    }
    written = pl.concat(pl.read_parquet(path) for path in tables)["scenario_id"]
    with duckdb.connect(str(project.results / "apportion.duckdb"), read_only=True) as connection:
        loaded = connection.execute(
            "SELECT scenario_id FROM scenario WHERE grid = 'refined' AND study = 'hpc_memory'"
        ).fetchall()
        enough = connection.execute("SELECT count(usd_saved) FROM smallest_memory('marconi_like', 0.02)").fetchone()
    assert len(written) > 20
    assert sorted(written) == sorted(scenario for (scenario,) in loaded)
    assert enough > (0,)


def test_a_price_plans_the_database_and_what_shows_it(project):
    planned = project.planned("--config", "prices={memory_usd_per_gb: 3.0}")
    assert planned == {
        "results/settings/configuration.json", "results/warehouse.done", "results/apportion.duckdb",
        "results/report.done", "results/report/index.html", "results/figures",
    }  # fmt: skip


@pytest.mark.parametrize("setting", ["refine: 2", "loss_bounds: [0.03]"])
def test_a_finer_second_round_replays_nothing_of_the_first(project, setting):
    planned = project.planned("--config", f"hpc_memory={{{setting}}}")
    replays = {name.split("/")[4] for name in planned if "/replay/" in name}
    # Of a small drop one job replays both rounds.
    drops = {f"trace-{name}{suffix}" for name in ("lublin_like", "marconi_like") for suffix in ("", ".refined")}
    assert replays == drops
    assert not any(stage in name for name in planned for stage in ("/ingest/", "/fit/"))


def test_without_a_second_round_the_first_is_loaded_alone(project):
    planned = project.planned("--config", "hpc_memory={refine: 0}")
    assert not any("refined" in name for name in planned)
    assert "results/apportion.duckdb" in planned


@pytest.mark.parametrize(
    ("like", "study", "other"),
    [
        ("lublin_like", "hpc_memory", "pim_ranks"),
        ("prim_like", "pim_ranks", "hpc_memory"),
        ("automotive_like", "gpu_partition", "pim_ranks"),
        ("thesis_table_6", "gpu_partition", "pim_ranks"),
        ("amazon_like", "pim_graph", "pim_ranks"),
    ],
)
def test_a_new_drop_plans_what_hangs_on_it_and_nothing_else(project, like, study, other):
    drop = project.folder / "traces" / "another"
    shutil.copytree(project.folder / "traces" / like, drop)
    try:
        planned = project.planned()
    finally:
        shutil.rmtree(drop)
    ends = ("results/warehouse", "results/apportion", "results/report", "results/figures")
    rebuilt = {name for name in planned if not name.startswith(ends)}
    assert rebuilt >= {"results/ingest/another", "results/fit/another", f"results/scenarios/{study}/trace-another"}
    assert all("another" in name and f"/{other}/" not in name for name in rebuilt), rebuilt


def test_small_drops_take_one_job_a_study_and_large_ones_one_a_scheduler(project):
    small, large = (project.folder / "traces" / name for name in ("small", "large"))
    (project.folder / "by_size.yaml").write_text("together: small\n")
    for drop in (small, large):
        shutil.copytree(project.folder / "traces" / "prim_like", drop)
    (large / "more.csv").write_bytes(bytes(drops.SMALL_BYTES))
    try:
        run = project.snakemake("--dry-run", settings=("config/quick.yaml", "by_size.yaml"))
    finally:
        shutil.rmtree(small)
        shutil.rmtree(large)
    lines = map(str.strip, run.stdout.splitlines())
    outputs = [set(line[len("output: ") :].split(", ")) for line in lines if line.startswith("output: ")]
    replays = {
        part: [made for made in outputs if any("/replay/pim_ranks/" in name and f"/{part}/" in name for name in made)]
        for part in ("trace-small", "trace-large")
    }
    schedulers = len(sources.schedulers("pim_ranks"))
    assert {part: len(jobs) for part, jobs in replays.items()} == {"trace-small": 1, "trace-large": schedulers}
    # That one writes the scenarios, too.
    assert len(replays["trace-small"][0]) == schedulers + 1


def test_a_changed_drop_with_memory_plans_nothing_of_logs_that_do_not_take_it(project):
    with project.edited("traces/marconi_like/trace.yaml"):
        planned = project.planned()
    assert {"results/ingest/marconi_like", "results/scenarios/hpc_memory/trace-marconi_like"} <= planned
    assert not any("lublin_like" in name or "synthetic" in name for name in planned)


def test_a_run_of_one_study_plans_nothing_of_the_others(own_project):
    shutil.rmtree(own_project.results / "scenarios" / "pim_graph" / "synthetic")
    planned = own_project.planned("--config", "studies=[pim_ranks]")
    assert "results/warehouse.done" in planned
    assert not any("pim_graph" in name for name in planned)


def test_a_trace_that_nobody_dropped_is_one_sentence(project):
    run = project.snakemake(
        "--dry-run", "--config", "hpc_memory={sweeps: {composed: {traces: [lublin_lik/x]}}}", check=False
    )
    assert run.returncode != 0
    assert "no drop 'lublin_lik' under the trace roots; did you mean 'lublin_like'?" in run.stdout


def test_a_wrong_setting_is_one_sentence_a_problem(project):
    run = project.snakemake("--dry-run", "--config", "sede=3", check=False)
    assert run.returncode != 0
    assert "sede: unknown key; did you mean 'seed'?" in run.stdout
    assert "Traceback" not in run.stdout


def test_bad_drops_are_said_and_the_others_finish(own_project, tmp_path):
    root = tmp_path / "drops"
    shutil.copytree(own_project.folder / "traces" / "lublin_like", root / "good")
    (root / "good" / "lublin_like.swf").rename(root / "good" / "lublin {1} 'like'.swf")
    (root / "empty").mkdir()
    (root / "bad name").mkdir()
    (root / "bad.dots").mkdir()
    (root / "two_formats").mkdir()
    (root / "two_formats" / "a.swf").write_text("1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n")
    (root / "two_formats" / "samples.csv").write_text("job_id,time_s,used_gb\na,0,1\n")
    (root / "cut").mkdir()
    whole = gzip.compress((own_project.folder / "traces" / "lublin_like" / "lublin_like.swf").read_bytes(), mtime=0)
    (root / "cut" / "cut.swf.gz").write_bytes(whole[: len(whole) // 2])
    (root / "unreadable").mkdir()
    (root / "unreadable" / "samples.parquet").write_bytes(b"PAR1 this is none PAR1")
    (root / "outside").mkdir()
    (root / "outside" / "linked.swf").symlink_to("/etc/passwd")
    # Straight to the database: what depends on the drops is what is tried here.
    before = own_project.digests("ingest")
    run = own_project.snakemake("--config", f"trace_roots=['{root}','traces']", check=False)
    assert run.returncode == 3, run.stdout
    for refused in ("empty", "bad-name", "bad-dots", "two_formats", "unreadable", "outside", "cut/cut.swf.gz"):
        assert f"refused  {refused}" in run.stdout, run.stdout
    assert "read     good/lublin {1} 'like'" in run.stdout
    with duckdb.connect(str(own_project.results / "apportion.duckdb"), read_only=True) as connection:
        reasons = {r for (r,) in connection.execute("SELECT reason FROM rejected_row WHERE row IS NULL").fetchall()}
        (jobs,) = connection.execute("SELECT jobs FROM trace WHERE drop = 'cut'").fetchone()
        traces = {row[0] for row in connection.execute("SELECT trace FROM trace WHERE status = 'read'").fetchall()}
    assert {
        "drop_empty", "drop_name", "format_ambiguous", "truncated_gzip", "unreadable_parquet", "link_outside"
    } <= reasons  # fmt: skip
    assert 0 < jobs < 1500
    assert {"good/lublin {1} 'like'", "cut/cut", "marconi_like"} <= traces
    after = own_project.digests("ingest")
    assert {name: after[name] for name in before} == before


def test_editing_the_words_of_the_command_line_plans_nothing(project):
    with project.edited("pipeline/__main__.py"):
        assert project.planned() == set()


def test_editing_tables_and_settings_of_one_study_plans_nothing_of_the_others(project):
    with project.edited("pipeline/studies/pim_graph/tables.py"), project.edited("pipeline/studies/pim_graph/config.py"):
        planned = project.planned()
    assert {name.split("/")[2] for name in planned if "/replay/" in name or "/scenarios/" in name} == {"pim_graph"}
    assert not any(stage in name for name in planned for stage in ("/ingest/", "/fit/"))
    assert "results/apportion.duckdb" in planned


def test_a_database_is_not_built_of_results_that_lack_some_and_the_named_command_mends_it(own_project):
    before = own_project.content()
    folder = "results/replay/pim_ranks/pim_care/synthetic/0"
    path = own_project.folder / folder / "metrics.parquet"
    content, state = bytearray(path.read_bytes()), path.stat()
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    # What neither size nor date tells is seen where it is loaded.
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    run = own_project.snakemake("--forcerun", "warehouse", check=False)
    assert run.returncode != 0
    log = (own_project.results / "logs" / "warehouse.log").read_text()
    said = (
        f"{folder}/metrics.parquet was changed after it was written; remove the folder and run again: rm -rf {folder}"
    )
    assert f"{said}\n" in log
    assert own_project.content() == before
    shutil.rmtree(own_project.folder / folder)
    own_project.snakemake()
    assert own_project.content() == before


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


def test_results_that_were_changed_are_named_and_made_again(first, tmp_path):
    project = first.copied(tmp_path / "project")
    before = project.files(), project.tables()
    for changes in CHANGES:
        for name, change in changes.items():
            change(project.results / name)
        _, output = project.run()
        for name in changes:
            (line,) = [line for line in output.splitlines() if line.startswith(f"results/{name} ")]
            assert line.endswith("made again")
        assert (project.files(), project.tables()) == before
        assert manifest.damaged(project.results) == {}
    assert "Nothing to be done" in project.run()[1]


def test_the_previous_page_stays_where_the_next_one_fails(first, tmp_path):
    project = first.copied(tmp_path / "project")
    before = {name: digest for name, digest in project.files().items() if name.startswith(("report/", "figures/"))}
    assert len(before) > 2
    page = project.folder / "pipeline" / "report" / "page.html"
    whole = page.read_text()
    page.write_text(whole + "{{ no_such_name }}")
    assert project.run(check=False)[0] != 0
    assert before.items() <= project.files().items()
    page.write_text(whole)
    project.run()
    assert before.items() <= project.files().items()
