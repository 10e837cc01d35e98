"""The reference schedules that ship: made by their script, equal to those of others, and able to find mistakes."""

import gzip
import subprocess
import sys

import pytest
import reference
from make import dialects, read_jobs, rows
from others.run_apportion import lines
from score import run, table

from pipeline.runtime.sources import ROOT

FOLDER = ROOT / "validation" / "reference_schedules"
MACHINES = {row["case"]: int(row["nodes"]) for row in rows(FOLDER / "cases.csv")}
SMALL = [case for case in MACHINES if case.startswith("cases/")]
LOGS = [case for case in MACHINES if case.startswith("logs/")]
NO_LENGTH = {"cases/zero_length", "cases/overrun_ends_now"}  # jobs without length or limit, which the engine refuses


def expected(case):
    """{dialect: {job: start, None where it is rejected}}."""
    path = FOLDER / f"{case}.starts.csv"
    table = rows(path if path.exists() else path.with_suffix(".csv.gz"))
    return {
        dialect: {row["job"]: float(row[dialect]) if row[dialect] else None for row in table} for dialect in dialects()
    }


def check(*arguments):
    return subprocess.run(
        [sys.executable, FOLDER / "check.py", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def write(path, starts):
    text = "job,start_s\n" + "".join(f"{job},{'' if start is None else start}\n" for job, start in starts.items())
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt") as file:
        file.write(text)
    return path


def test_every_file_is_of_a_case():
    assert len(SMALL) == 24
    assert len(LOGS) == 2
    files = {
        path.relative_to(FOLDER).as_posix() for folder in ("cases", "logs") for path in (FOLDER / folder).iterdir()
    }
    ends = {"cases": "csv", "logs": "csv.gz"}
    assert files == {f"{case}.{part}.{ends[case.split('/')[0]]}" for case in MACHINES for part in ("jobs", "starts")}


def test_small_cases_are_made_anew(tmp_path):
    subprocess.run([sys.executable, FOLDER / "make.py", "--into", tmp_path, *SMALL], check=True)
    for case in SMALL:
        name = f"{case}.starts.csv"
        assert (tmp_path / name).read_text() == (FOLDER / name).read_text(), name


@pytest.mark.slow
@pytest.mark.parametrize("dialect", dialects())
def test_beginning_of_a_log_is_made_anew(dialect):
    """A start depends on earlier submissions alone, so the first jobs have their starts without the others."""
    for case in LOGS:
        jobs = read_jobs(case)
        first, next_submission = jobs[:400], jobs[400].submit_s
        made = reference.starts(first, MACHINES[case], dialects()[dialect])
        stands = expected(case)[dialect]
        before = [job for job, start in made.items() if start < next_submission]
        assert len(before) > 100
        assert {job: made[job] for job in before} == {job: stands[job] for job in before}


def test_starts_computed_by_hand():
    assert expected("cases/shadow_time")["easy"] == {"1": 0, "2": 100, "3": 20, "4": 150, "5": 231}
    # The twelve jobs before hold 22 of 22 nodes from 90 on; ten of them leave two.
    eleventh = {dialect: starts["13"] for dialect, starts in expected("cases/eleventh_reservation").items()}
    assert (eleventh["reserve_10"], eleventh["conservative"]) == (25, 110)
    # 2 waits for 3 and 1; 3 is promised 50, where 4 is expected to end, and moves to 30, where it does.
    promise = expected("cases/head_keeps_a_promise")
    assert promise["conservative"] == {"1": 20, "2": 30, "3": 20, "4": 60}
    assert promise["conservative_kept"] == {"1": 20, "2": 70, "3": 20, "4": 30}
    assert expected("cases/whole_machine")["fcfs"]["2"] is None


@pytest.mark.parametrize("case", MACHINES)
def test_schedules_are_possible(case):
    """No job before its submission, never more nodes than there are, each job once."""
    jobs = read_jobs(case)
    for starts in expected(case).values():
        assert list(starts) == [job.job for job in jobs]
        changes = []
        for job in jobs:
            start = starts[job.job]
            assert (start is None) == (job.nodes > MACHINES[case])
            if start is not None:
                assert start >= job.submit_s
                changes += [(start, job.nodes), (start + job.run_s, -job.nodes)]
        held = 0
        for _, nodes in sorted((round(time, 6), nodes) for time, nodes in changes):
            held += nodes
            assert held <= MACHINES[case]


@pytest.mark.parametrize("case", MACHINES)
def test_one_reservation_is_easy(case):
    starts = expected(case)
    assert starts["reserve_1"] == starts["easy"]


# ------------------------------------------------------------------------------------- what others computed


@pytest.mark.real
@pytest.mark.parametrize("dialect, file", [("easy", "per_instant"), ("easy_per_event", "per_event")])
@pytest.mark.parametrize("case, log", [("logs/kth_sp2", "kth10k"), ("logs/lublin", "lublin10k")])
def test_easy_is_that_of_others(case, log, dialect, file, trace_data):
    folder = trace_data / "hpc" / "easy_reference"
    theirs = {row["job"]: row for row in rows(folder / f"{log}.{file}.csv.gz")}
    for job in read_jobs(case):
        row = theirs[job.job]
        assert (job.submit_s, job.nodes) == (float(row["submit"]), int(row["procs"]))
        assert job.run_s == float(row["end"]) - float(row["start"])
    assert expected(case)[dialect] == {job: float(row["start"]) for job, row in theirs.items()}


# ------------------------------------------------------------------------------------------- the project's engine


def test_the_cases_that_the_engine_refuses():
    assert {case for case in SMALL if any(min(job.run_s, job.limit_s) == 0 for job in read_jobs(case))} == NO_LENGTH


@pytest.mark.parametrize("cases", [SMALL, *([log] for log in LOGS)], ids=["small", *LOGS])
def test_the_compiled_engine_passes(cases):
    """Each schedule is the expected one, and its row in scores.csv is what comes out."""
    said = [list(row.values()) for row in rows(FOLDER / "scores.csv") if row["simulator"] == "Apportion"]
    result = lines(cases)
    assert result == [row for row in said if row[4] in cases]
    for _, _, _, _, case, jobs, equal, words in result:
        assert (equal, words) == (("", "no jobs of no length") if case in NO_LENGTH else (jobs, "")), case


# ------------------------------------------------------------------------------------------------ other simulators


def test_the_table_is_that_of_the_scores():
    readme = (FOLDER / "README.md").read_text()
    assert f"<!-- from scores.csv -->\n{table()}<!-- end -->" in readme


def test_the_scores_are_of_every_case_and_of_schedulers_that_are_told():
    told = {(row["simulator"], row["version"], row["scheduler"]) for row in rows(FOLDER / "others" / "simulators.csv")}
    cases = {}
    for row in rows(FOLDER / "scores.csv"):
        scheduler = (row["simulator"], row["version"], row["scheduler"])
        assert scheduler in told or row["simulator"] == "Apportion"
        cases.setdefault((scheduler, row["dialect"]), []).append(row["case"])
        assert (row["first_difference"] == "") == (row["equal"] == row["jobs"])
    assert all(each == list(MACHINES) for each in cases.values())
    assert {scheduler for scheduler, _ in cases if scheduler[0] != "Apportion"} == told


@pytest.mark.parametrize(
    "body, outcome",
    [
        ("print('job,start_s\\n2,7')", {"2": 7.0}),
        ("raise SystemExit('it broke')", "it broke"),
    ],
)
def test_an_adapter_prints_starts_or_says_why_not(body, outcome, tmp_path):
    adapter = tmp_path / "adapter.py"
    adapter.write_text(body)
    row = {"command": "{0} {1}", "refuses": "size"}
    folders = [sys.executable, str(adapter)]
    assert run(row, folders, "cases/shadow_time")[1] == outcome
    assert run(row, folders, "cases/whole_machine")[1] == "no jobs larger than the machine"


# ------------------------------------------------------------------------------------------------- frequent mistakes


class NoExtraNodes(reference.Easy):
    def reservation(self, head):
        return super().reservation(head)[0], 0


class ExtraNodesAreNotUsedUp(reference.Easy):
    def reservation(self, head):
        shadow_s, extra = super().reservation(head)
        return shadow_s, Unchanged(extra)


class Unchanged(int):
    def __sub__(self, other):
        return self


class ShadowTimeFromLimits(reference.Easy):
    def holding(self):
        return [held._replace(expected_end_s=held.job.limit_s) for held in self.running]


class ShadowTimeMustNotBeReached(reference.Easy):
    def reservation(self, head):
        shadow_s, extra = super().reservation(head)
        return shadow_s - 1, extra


class OverrunsEndNow(reference.Easy):
    def holding(self):
        return [held._replace(expected_end_s=max(held.expected_end_s, self.now)) for held in self.running]


class QueueByName(reference.Easy):
    def one_pass(self):
        self.waiting.sort(key=lambda job: (job.submit_s, job.job))
        super().one_pass()


class AnInstantIsExact(reference.Easy):
    def due(self, time_s):
        return time_s <= self.now


class SubmissionsMoveReservations(reference.ReserveKept):
    def kept_pass(self, moves):
        super().kept_pass(moves=True)


class ReservedBeginsAreNoEvents(reference.ReserveKept):
    def events(self):
        return reference.Queue.events(self)


class HeadsStartBesideReservations(reference.ReserveKept):
    def kept_pass(self, moves):
        while self.waiting and self.waiting[0].nodes <= self.free:
            self.begin_s.pop(self.waiting[0].job, None)
            self.start(self.waiting[0])
        super().kept_pass(moves)


MISTAKES = {
    NoExtraNodes: "easy",
    ExtraNodesAreNotUsedUp: "easy",
    ShadowTimeFromLimits: "easy",
    ShadowTimeMustNotBeReached: "easy",
    OverrunsEndNow: "easy",
    QueueByName: "easy",
    AnInstantIsExact: "easy",
    SubmissionsMoveReservations: "conservative_kept",
    ReservedBeginsAreNoEvents: "conservative_kept",
    HeadsStartBesideReservations: "conservative_kept",
}


@pytest.mark.parametrize("mistake, dialect", MISTAKES.items())
def test_a_frequent_mistake_is_found(mistake, dialect):
    finders = []
    for case in SMALL:
        jobs = [job for job in read_jobs(case) if job.nodes <= MACHINES[case]]
        result = mistake(jobs, MACHINES[case], dialects()[dialect]).replay()
        finders += [case for job in jobs if result[job.job] != expected(case)[dialect][job.job]][:1]
    assert finders


def test_each_two_dialects_differ_in_a_small_case():
    schedules = {name: [expected(case)[name] for case in SMALL] for name in dialects()}
    equal = {(a, b) for a in schedules for b in schedules if a < b and schedules[a] == schedules[b]}
    assert equal == {("easy", "reserve_1")}


# --------------------------------------------------------------------------------------------------- the checker


def test_checker_names_the_first_difference(tmp_path):
    starts = expected("cases/shadow_time")["easy"]
    assert check("cases/shadow_time", "easy", write(tmp_path / "a.csv", starts)).returncode == 0
    assert check("cases/shadow_time", "easy", write(tmp_path / "a.csv.gz", starts)).returncode == 0
    late = write(tmp_path / "b.csv", starts | {"3": 150, "5": 240})
    said = check("cases/shadow_time", "easy", late)
    assert said.returncode == 1
    assert said.stdout == (
        "cases/shadow_time: job 3 starts at 150 s, but under easy it starts at 20 s. "
        "2 of 5 jobs differ; this one is the first in time.\n"
    )
    assert check("cases/shadow_time", "easy", late, "--within", "130").returncode == 0
    missing = {job: start for job, start in starts.items() if job != "5"}
    said = check("cases/shadow_time", "easy", write(tmp_path / "c.csv", missing))
    assert said.stdout.startswith("cases/shadow_time: job 5 never starts, but under easy it starts at 231 s. 1 of 5")


def test_checker_asks_for_rejections(tmp_path):
    starts = expected("cases/whole_machine")["easy"]
    absent = {job: start for job, start in starts.items() if start is not None}
    assert len(absent) == len(starts) - 1
    for right in (starts, absent):
        assert check("cases/whole_machine", "easy", write(tmp_path / "a.csv", right)).returncode == 0
    said = check("cases/whole_machine", "easy", write(tmp_path / "a.csv", starts | {"2": 50}))
    assert (said.returncode, said.stdout.split(".")[0]) == (
        1,
        "cases/whole_machine: job 2 starts at 50 s, but under easy it never starts",
    )


@pytest.mark.parametrize(
    "case, dialect, text, sentence",
    [
        ("cases/shadow", "easy", "job,start_s\n1,0\n", "there is no case cases/shadow; there are cases/queue_ties"),
        ("cases/shadow_time", "bold", "job,start_s\n1,0\n", "there is no dialect bold; there are fcfs, easy"),
        ("cases/shadow_time", "easy", "id,start\n1,0\n", "columns job and start_s are needed"),
        ("cases/shadow_time", "easy", "job,start_s\n9,0\n", "job 9 is not one of cases/shadow_time"),
        ("cases/shadow_time", "easy", "job,start_s\n1,0\n1,0\n", "line 3: job 1 is there twice"),
        ("cases/shadow_time", "easy", "job,start_s\n1,soon\n", "line 2: start_s is no number: soon"),
    ],
)
def test_checker_refuses_with_a_sentence(case, dialect, text, sentence, tmp_path):
    path = tmp_path / "starts.csv"
    path.write_text(text)
    said = check(case, dialect, path)
    assert (said.returncode, said.stdout) == (2, "")
    assert sentence in said.stderr


def test_reference_refuses_impossible_jobs():
    with pytest.raises(ValueError, match="job a: nodes must be at least 1"):
        reference.starts([reference.Job("a", 0, 0, 1, 1)], 4, reference.Dialect("easy"))
