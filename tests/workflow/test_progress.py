"""How far a run has come: what is said of Snakemake's events, and at Ctrl-C."""

import io
import logging
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from projects import SAID
from snakemake_interface_logger_plugins.common import LogEvent

from pipeline.runtime.sources import ROOT
from workflow import progress
from workflow.progress import Announcer, announce


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


def said_of(logger):
    """What a run of two jobs says."""
    logger.info("Execute 1 jobs...", extra={"event": LogEvent.JOB_STARTED, "jobs": [3]})
    logger.info("rule ingest", extra={"event": LogEvent.JOB_INFO})
    logger.info("Finished", extra={"event": LogEvent.JOB_FINISHED, "job_id": 3})
    logger.info(None, extra={"event": LogEvent.PROGRESS, "done": 1, "total": 2})


def test_events_become_one_line_a_finished_job(logger):
    job = SimpleNamespace(rule=SimpleNamespace(name="ingest"), wildcards=["mine"])
    announce(SimpleNamespace(jobid=lambda _: 3, needrun_jobs=lambda: [job]), logger)
    logger.info("Select jobs to execute...")
    logger.info("Touching output file results/warehouse.done.")
    said_of(logger)
    logger.info("and something else")
    assert logger.handlers[0].lines == ["job 1 of 2: ingest mine, 0 s", "and something else"]


def test_in_a_terminal_they_move_the_bar_which_ends_with_the_last_job(logger):
    bar = progress.Progress(disable=True)
    screen = logging.StreamHandler(io.StringIO())
    logger.addHandler(Announcer({3: "ingest mine", 4: "fit mine"}, logger, bar, screen))
    said_of(logger)
    (task,) = bar.tasks
    assert (task.completed, task.total, task.description) == (1, 2, "ingest mine")
    logger.info(None, extra={"event": LogEvent.PROGRESS, "done": 2, "total": 2})
    assert task.finished
    assert screen.stream is sys.stderr


def test_jobs_of_which_nothing_is_known_do_no_harm(logger):
    logger.addHandler(Announcer({}, logger))
    logger.info("Finished", extra={"event": LogEvent.JOB_FINISHED, "job_id": 7})
    logger.info(None, extra={"event": LogEvent.PROGRESS, "done": 5, "total": 20})
    assert logger.handlers[0].lines[-1] == "job 5 of 20"


SNAKEFILE = """
import sys
sys.path.insert(0, {root!r})
from snakemake.logging import logger
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
    announce(workflow.dag, logger)
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
    assert "job 1 of 3: a, 0 s" in text
    assert "rule a:" not in text
    assert "Error in rule b" in text
    assert "this is why" in text
    code, text = run("touch b", "--forceall")
    assert code == 0
    assert "job 2 of 3: b, 0 s" in text
    code, text = run("touch b", "--forceall", "--verbose")
    assert "rule a:" in text
    logs = sorted((tmp_path / ".snakemake" / "log").glob("*.log"))
    assert all("rule a:" in log.read_text() for log in logs)


def test_ctrl_c_is_one_sentence_and_the_screen_says_nothing_more(capsys):
    screen = logging.StreamHandler()
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            progress._interrupted(screen, None, signal.SIGINT, None)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    said = capsys.readouterr().err
    assert said.startswith("interrupted; ")
    assert said.count("\n") == 1
    screen.handle(logging.makeLogRecord({"msg": "Error in rule replay:", "levelno": logging.ERROR}))
    assert capsys.readouterr().err == ""


@pytest.mark.workflow
def test_a_run_says_its_progress_and_its_log_has_the_whole(tiny):
    said = (tiny.folder / SAID).read_text(encoding="utf-8")
    assert re.search(r"^job \d+ of \d+: report, \d+ s$", said, re.MULTILINE)
    assert "rule report:" not in said
    (log,) = (tiny.folder / ".snakemake" / "log").glob("*.snakemake.log")
    assert "rule report:" in log.read_text()
