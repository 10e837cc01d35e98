"""What a run would do, and why: on dry runs of the project, and on what Snakemake prints."""

import subprocess
import sys

import pytest
from project_copy import QUICK

from workflow.plan import Plan, read, worded_plan

PRINTED = """Building DAG of jobs...
Job stats:
job       count
------  -------
total         4

[Sat Nov 21 10:00:00 2026]
rule ingest:
    input: pipeline/a.py
    output: results/ingest/mine
    benchmark: {folder}/ingest.tsv
    jobid: 3
    reason: Params have changed since last execution: \
Union of exclusive params before and now across all output: before: 'x; Code' now: 'y'
    wildcards: drop=mine
    resources: tmpdir=/tmp
[Sat Nov 21 10:00:00 2026]
rule replay:
    input: results/ingest/mine
    output: results/replay/hpc_memory/priority/trace-mine/0
    benchmark: {folder}/replay.tsv
    jobid: 2
    reason: Updated input files: pipeline/priority.py; Input files updated by another job: results/ingest/mine
    wildcards: study=hpc_memory, scheduler=priority, part=trace-mine, chunk=0
[Sat Nov 21 10:00:00 2026]
rule warehouse:
    input: results/replay/hpc_memory/priority/trace-mine/0
    output: results/apportion.duckdb
    benchmark: {folder}/warehouse.tsv
    jobid: 1
    reason: Input files updated by another job: results/replay/hpc_memory/priority/trace-mine/0; \
Set of input files has changed since last execution
    resources: tmpdir=/tmp
[Sat Nov 21 10:00:00 2026]
rule all:
    input: results/apportion.duckdb
    jobid: 0
    reason: Input files updated by another job: results/apportion.duckdb
    resources: tmpdir=/tmp
Job stats:
job       count
"""


@pytest.fixture
def printed(tmp_path):
    return PRINTED.replace("{folder}", str(tmp_path))


def test_each_job_is_led_back_to_what_began_it(printed):
    plan = Plan(read(printed))
    assert [job.rule for job in plan.jobs] == ["ingest", "replay", "warehouse"]
    drop = "the files of drop mine or the settings of its fits changed"
    assert plan.causes(0) == {drop}
    # What follows from others has no cause of its own.
    assert plan.causes(1) == plan.causes(2) == {drop, "pipeline/priority.py was edited"}
    assert [(causes, len(jobs)) for causes, jobs in plan.by_cause()] == [
        ([drop], 3),
        (["pipeline/priority.py was edited"], 2),
    ]


def test_the_time_is_that_of_the_last_run_laid_out_by_what_waits_for_what(printed, tmp_path):
    plan = Plan(read(printed))
    assert plan.seconds(2) is None
    for rule, seconds in (("ingest", 100), ("replay", 20), ("warehouse", 60)):
        (tmp_path / f"{rule}.tsv").write_text(f"s\n{seconds}\n")
    assert plan.seconds(2) == 180
    assert worded_plan(plan, 2).endswith("In all 3 jobs; about 3 min on 2 cores, by the times of the last run.")


def test_nothing_to_do_is_said():
    assert worded_plan(Plan(read("Nothing to be done (all requested files are present).\n")), 2).startswith("Nothing")


def planned(project, *arguments):
    command = [sys.executable, "workflow/plan.py", "--configfile", *QUICK, *arguments]
    run = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.workflow
def test_an_edited_scheduler_is_named_with_its_replays(project):
    path = "pipeline/studies/pim_ranks/schedulers/pim_care.py"
    with project.edited(path):
        text = planned(project)
    assert text.startswith(f"{path} was edited:\n    4 jobs: 2 replay pim_ranks, 1 warehouse, 1 report\nIn all 4 jobs")


@pytest.mark.workflow
def test_a_changed_drop_and_a_setting_are_told_apart(project):
    with project.edited("traces/thesis_table_6/trace.yaml"):
        text = planned(project, "--config", "pim_ranks={sweeps: {virtual_pim: {batches: 3}}}")
    drop, setting = (
        "the files of drop thesis_table_6 or the settings of its fits changed",
        "the settings of pim_ranks changed",
    )
    jobs = dict(zip(text.splitlines()[::2], text.splitlines()[1::2], strict=False))
    assert "replay gpu_sharing" in jobs[f"{drop}:"]
    assert "pim_ranks" not in jobs[f"{drop}:"]
    assert "replay pim_ranks" in next(counts for cause, counts in jobs.items() if setting in cause)


@pytest.mark.workflow
def test_without_changes_nothing_is_planned(project):
    assert planned(project) == "Nothing to do: all results are up to date.\n"


@pytest.mark.workflow
def test_a_run_tells_its_progress_and_the_next_knows_how_long_jobs_take(own_project):
    with own_project.edited("pipeline/studies/pim_ranks/schedulers/pim_care.py"):
        assert "by the times of the last run" in planned(own_project)
    text = own_project.snakemake("--forcerun", "report").stdout
    assert "1 of 3 steps: report " in text
    assert "rule report:" not in text
    logs = sorted((own_project.folder / ".snakemake" / "log").glob("*.snakemake.log"))
    assert "rule report:" in logs[-1].read_text()


def test_a_database_that_is_there_is_not_said_to_be_absent(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = (
        "rule warehouse:\n    output: results/warehouse.done\n    jobid: 1\n"
        "    reason: Missing output files: results/warehouse.done\n"
        "rule database:\n    output: results/apportion.duckdb\n    jobid: 2\n"
        "    reason: Input files updated by another job: results/warehouse.done\n"
    )
    (tmp_path / "results").mkdir()
    assert "results/apportion.duckdb is not there yet:" in worded_plan(Plan(read(block)), 1)
    (tmp_path / "results" / "apportion.duckdb").touch()
    assert "results/apportion.duckdb is not known to be up to date:" in worded_plan(Plan(read(block)), 1)


def test_a_page_is_no_job_beside_the_report_that_writes_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = (
        "rule report:\n    output: results/report.done\n    jobid: 1\n"
        "    reason: Missing output files: results/report.done\n"
        "rule page:\n    output: results/report/index.html, results/figures\n    jobid: 2\n"
        "    reason: Input files updated by another job: results/report.done\n"
    )
    assert worded_plan(Plan(read(block)), 1) == (
        "results/report/index.html is not there yet:\n    1 job: 1 report\nIn all 1 job."
    )
