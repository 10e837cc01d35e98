"""How long a run may yet take: schedules by brute force, and what is said of events."""

import csv
import itertools
import logging
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snakemake_interface_logger_plugins.common import LogEvent

from pipeline.runtime.sources import ROOT, studies
from workflow import progress
from workflow.progress import (
    Announcer,
    Course,
    Job,
    UsualTimes,
    announce,
    job_of,
    makespan_s,
    seconds_of,
    stage_of,
    worded,
)


def best_makespan(seconds, needs, cores):
    """Least makespan over all orders of starting: each job as soon as a core and its needs allow."""
    least = float("inf")
    for order in itertools.permutations(seconds):
        ends, free = {}, [0.0] * cores
        if any(not set(needs[job]) <= set(order[:place]) for place, job in enumerate(order)):
            continue
        for job in order:
            core = min(range(cores), key=free.__getitem__)
            ends[job] = max([free[core], *(ends[before] for before in needs[job])]) + seconds[job]
            free[core] = ends[job]
        least = min(least, max(ends.values()))
    return least


@given(
    st.lists(st.integers(1, 20), min_size=1, max_size=5).flatmap(
        lambda durations: st.tuples(
            st.just(durations),
            st.sets(st.tuples(st.integers(0, len(durations) - 1), st.integers(0, len(durations) - 1)), max_size=6),
            st.integers(1, 3),
        )
    )
)
def test_a_list_schedule_is_within_grahams_bound_of_the_best(drawn):
    durations, pairs, cores = drawn
    seconds = dict(enumerate(map(float, durations)))
    needs = {job: {before for before, after in pairs if after == job and before < job} for job in seconds}
    best = best_makespan(seconds, needs, cores)
    result = makespan_s(seconds, needs, cores)
    assert best - 1e-9 <= result <= (2 - 1 / cores) * best + 1e-9
    if cores == 1:
        assert result == pytest.approx(sum(durations))


def test_the_last_jobs_that_wait_for_all_others_count_in_full():
    seconds = {0: 10.0, 1: 10.0, 2: 10.0, 3: 10.0, 4: 30.0}
    needs = {0: [], 1: [], 2: [], 3: [], 4: [0, 1, 2, 3]}
    assert makespan_s(seconds, needs, 2) == 50.0


def test_running_jobs_stay_on_their_cores():
    assert makespan_s({0: 1.0, 1: 8.0, 2: 9.0}, {0: [], 1: [], 2: []}, 1, running=[0]) == 18.0
    # The short job runs already: the longest waits for it.
    assert makespan_s({0: 4.0, 1: 4.0, 2: 9.0}, {0: [], 1: [], 2: []}, 2, running=[0, 1]) == 13.0


def course(earlier=10.0, cores=1):
    jobs = {n: Job(f"replay {n}", earlier_s=earlier, usual_s=2.0, stage="replay/a") for n in range(4)}
    return Course(jobs | {9: Job("warehouse", frozenset(jobs), earlier, 4.0, "warehouse")}, cores)


def test_earlier_times_give_an_estimate_from_the_start():
    assert course().left_s(0.0) == 50.0
    assert course(cores=2).left_s(0.0) == 30.0


def test_what_a_running_job_has_behind_it_is_taken_off():
    run = course()
    run.begin([0], 0.0)
    assert run.left_s(4.0) == 46.0
    # One that takes longer than it did is about to end, not before its time.
    assert run.left_s(25.0) == 40.0


def test_a_first_run_goes_by_the_usual_times_scaled_by_how_it_goes():
    run = course(earlier=None)
    assert run.left_s(0.0) is None
    run.begin([0], 0.0)
    run.end(0, 6.0)
    # Three replays and the warehouse, each three times as long as usual.
    assert run.left_s(6.0) == 3 * (3 * 2.0 + 4.0)


def test_each_kind_of_stage_has_its_pace():
    run = course(earlier=None)
    run.jobs[0] = Job("fit", usual_s=1.0, stage="fit")
    for job, end_s in ((0, 5.0), (1, 7.0)):
        run.begin([job], end_s - 5.0 if job == 0 else 5.0)
        run.end(job, end_s)
    # Replays go at their usual pace; of the warehouse nothing is known but the pace of all.
    assert run.left_s(7.0) == 2 * 2.0 + 4.0 * (5.0 + 2.0) / (1.0 + 2.0)


def test_compiling_counts_once_a_stage_and_is_no_slow_pace():
    run = course(earlier=None)
    run.compiling_s = {"replay/a": 30.0}
    run.begin([0], 0.0)
    run.end(0, 32.0)
    assert run.left_s(32.0) == 3 * 2.0 + 4.0


@pytest.fixture
def usual_file(tmp_path):
    path = tmp_path / "usual.csv"
    path.write_text(
        "configuration,job,seconds\ndefault,replay/a/x/synthetic/0,4\ndefault,replay/a/y/synthetic/0,8\n"
        "default,replay/b/x/synthetic/0,1\ndefault,fit/mine,2\ndefault,compiling/replay/a,30\n"
        "default,compiling/replay/b,20\ndefault,compiling/fit,3\nsmall,fit/mine,1\n"
    )
    return path


@pytest.fixture
def usual(usual_file):
    return UsualTimes(path=usual_file)


@pytest.mark.parametrize(
    ("benchmark", "seconds"),
    [
        ("results/logs/replay/a/x/synthetic/0.tsv", 4.0),
        ("/somewhere/results/logs/replay/a/x/trace-mine/3.tsv", 4.0),
        ("results/logs/replay/a/new/synthetic/0.tsv", 6.0),
        ("results/logs/replay/a/trace-mine.tsv", 6.0),
        ("results/logs/fit/yours.tsv", 2.0),
        ("results/logs/warehouse.tsv", 3.75),
        ("", 0.0),
    ],
)
def test_a_job_without_a_record_takes_as_long_as_those_it_is_nearest_to(usual, benchmark, seconds):
    assert usual.seconds(job_of(benchmark)) == seconds


@pytest.mark.parametrize(("configuration", "seconds"), [("small", 1.0), ("default", 2.0), ("unknown", 2.0)])
def test_times_are_those_of_the_configuration(usual_file, configuration, seconds):
    assert UsualTimes(configuration, usual_file).seconds("fit/mine") == seconds


def test_what_is_compiled_is_not_counted(usual):
    assert usual.compiling(["a", "b", "c"]) == {"replay/a": 30.0, "replay/b": 20.0, "fit": 3.0}
    assert usual.compiling(["b"]) == {"replay/b": 20.0}
    assert usual.compiling([]) == {}


COURSES = sorted((Path(__file__).parent / "courses").glob("*.csv"))
"""First runs on two cores by configuration: those of the usual times, and ones that took longer to compile."""


def recorded(path, usual, pace):
    """A first run by its record: the course with nothing done, and for each job its times."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    jobs = {
        int(row["number"]): Job(
            row["job"], frozenset(map(int, row["needs"].split())), None if row["job"] else 0.0,
            usual.seconds(row["job"]), stage_of(row["job"]),
        )
        for row in rows
    }  # fmt: skip
    times = {
        int(row["number"]): (pace * float(row["started_s"]), pace * float(row["ended_s"])) for row in rows if row["job"]
    }
    return jobs, times


@pytest.mark.parametrize("pace", [0.4, 1.0, 3.0])
@pytest.mark.parametrize("path", COURSES, ids=[path.stem for path in COURSES])
def test_a_first_run_is_told_within_30_percent_after_a_tenth_of_its_work(path, pace):
    usual = UsualTimes(path.name.partition(".")[0])
    jobs, times = recorded(path, usual, pace)
    course = Course(jobs, 2, usual.compiling(studies()))
    work = sum(end - start for start, end in times.values())
    whole = max(end for _, end in times.values())
    events = sorted(
        [(start, 0, job) for job, (start, _) in times.items()] + [(end, 1, job) for job, (_, end) in times.items()]
    )
    forecasts = []
    for now, ended, job in events:
        if not ended:
            course.begin([job], now)
            continue
        course.end(job, now)
        done = sum(min(end, now) - start for start, end in times.values() if start < now)
        if done >= work / 10 and now < whole:
            forecasts.append((now, course.left_s(now)))
    now, left = forecasts[0]
    assert left == pytest.approx(whole - now, rel=0.3)
    # And from then on, when the run will end.
    assert [now + left for now, left in forecasts] == pytest.approx([whole] * len(forecasts), rel=0.25)


def test_when_all_is_done_nothing_is_left():
    run = course()
    for job in run.jobs:
        run.begin([job], 0.0)
        run.end(job, 1.0)
    assert run.left_s(2.0) == 0.0


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (42.4, "42 s"), (89, "89 s"), (95, "2 min"), (3000, "50 min"), (7300, "2 h 2 min")],
)
def test_durations_are_said_as_one_says_them(seconds, said):
    assert worded(seconds) == said


def test_benchmark_files_that_are_none_give_no_time(tmp_path):
    assert seconds_of(None) is None
    assert seconds_of(tmp_path / "absent.tsv") is None
    for content in ("", "s\n", "s\th:m:s\nnone\t0:00:01\n"):
        (tmp_path / "x.tsv").write_text(content)
        assert seconds_of(tmp_path / "x.tsv") is None
    (tmp_path / "x.tsv").write_text("s\th:m:s\tmax_rss\n1.5\t0:00:01\t20.1\n2.5\t0:00:02\t20.1\n")
    assert seconds_of(tmp_path / "x.tsv") == 2.5


class Planned:
    """As much of a job of Snakemake's as is looked at."""

    def __init__(self, rule, benchmark):
        self.rule, self.wildcards, self.benchmark = SimpleNamespace(name=rule), ["mine"], benchmark


class Said(logging.Handler):
    def __init__(self):
        super().__init__()
        self.name = "DefaultStreamHandler"
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


@pytest.fixture
def logger():
    logger = logging.Logger("of the test", logging.INFO)
    logger.addHandler(Said())
    return logger


def test_events_become_one_line_a_finished_job(logger, tmp_path):
    (tmp_path / "b.tsv").write_text("s\n80\n")
    first, second = Planned("ingest", tmp_path / "b.tsv"), Planned("fit", tmp_path / "b.tsv")
    dag = SimpleNamespace(
        jobid={first: 3, second: 4}.get,
        needrun_jobs=lambda: [first, second],
        dependencies={first: {}, second: {first: {"x"}}},
    )
    announce(dag, 2, logger)
    logger.info("Select jobs to execute...")
    logger.info("Touching output file results/warehouse.done.")
    logger.info("Execute 1 jobs...", extra={"event": LogEvent.JOB_STARTED, "jobs": [3]})
    logger.info("rule ingest", extra={"event": LogEvent.JOB_INFO})
    logger.info("Finished", extra={"event": LogEvent.JOB_FINISHED, "job_id": 3})
    logger.info(None, extra={"event": LogEvent.PROGRESS, "done": 1, "total": 2})
    logger.info("and something else")
    assert logger.handlers[0].lines == ["1 of 2 steps: ingest mine 0 s – about 80 s left", "and something else"]


def test_jobs_of_which_nothing_is_known_do_no_harm(logger):
    logger.addHandler(Announcer(Course({}, 1), logger))
    logger.info("Finished", extra={"event": LogEvent.JOB_FINISHED, "job_id": 7})
    logger.info(None, extra={"event": LogEvent.PROGRESS, "done": 5, "total": 20})
    assert logger.handlers[0].lines[-1] == " 5 of 20 steps"


SNAKEFILE = """
import sys
sys.path.insert(0, {root!r})
from snakemake.logging import logger
from pipeline.runtime.sources import ROOT, studies
from workflow.progress import announce

rule all:
    input: "b"

rule a:
    output: "a"
    benchmark: "a.tsv"
    shell: "touch {{output}}"

rule b:
    input: "a"
    output: "b"
    log: "b.log"
    shell: "echo this is why > {{log}}; {then}"

onstart:
    announce(workflow.dag, workflow.cores, logger)
"""


@pytest.mark.workflow
def test_a_real_run_says_one_line_a_job_and_shows_what_failed(tmp_path):
    def run(then, *options):
        (tmp_path / "Snakefile").write_text(SNAKEFILE.format(root=str(ROOT), then=then))
        command = [str(Path(sys.executable).with_name("snakemake")), "--cores", "1", "--show-failed-logs", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    code, text = run("false")
    assert code != 0
    assert "1 of 3 steps: a 0 s" in text
    assert "rule a:" not in text
    assert "Error in rule b" in text
    assert "this is why" in text
    # What is left is told by what the job took.
    code, text = run("touch b", "--forceall")
    assert code == 0
    assert "2 of 3 steps: b 0 s" in text
    code, text = run("touch b", "--forceall", "--verbose")
    assert "rule a:" in text
    logs = sorted((tmp_path / ".snakemake" / "log").glob("*.log"))
    assert all("rule a:" in log.read_text() for log in logs)


def test_ctrl_c_is_one_sentence_and_the_screen_says_nothing_more(capsys):
    screen = logging.StreamHandler()
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            progress._interrupted(screen, signal.SIGINT, None)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    said = capsys.readouterr().err
    assert said.startswith("interrupted; ")
    assert said.count("\n") == 1
    screen.handle(logging.makeLogRecord({"msg": "Error in rule replay:", "levelno": logging.ERROR}))
    assert capsys.readouterr().err == ""


@pytest.mark.workflow
def test_a_run_says_its_progress_and_its_log_has_the_whole(own_project):
    text = own_project.snakemake("--forcerun", "report").stdout
    assert "1 of 3 steps: report " in text
    assert "rule report:" not in text
    logs = sorted((own_project.folder / ".snakemake" / "log").glob("*.snakemake.log"))
    assert "rule report:" in logs[-1].read_text()
