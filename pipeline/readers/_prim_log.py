"""Runs in the text of a PrIM log: timers, check of the outputs, and what the program says of its input.

PrIM (Gómez-Luna et al., IEEE Access 2022) prints the timers of a run in one line, `Label Time (ms): value`, apart by
tabs or four blanks; forks print them line by line, some below `Results:`. Labels differ by application. Logs are
appended to.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

PHASES = ("cpu", "host", "alloc", "cpu_dpu", "kernel", "inter_dpu", "dpu_cpu")
"""Phases of a run; cpu is the version without DPUs that the program times for comparison."""

UNCHECKED = ("BFS", "SpMV")
"""Applications whose program does not say whether its outputs are right."""
WITHOUT_RETURN = ("RED",)
"""Applications without a transfer from the DPUs: their result comes with the exchange between DPUs."""

OK, FAILED, ABSENT, TRUNCATED = "ok", "failed", "absent", "truncated"
DECIMALS = 6
"""Digits after the point of a printed time; a log that ends in a shorter one is cut off."""
LARGEST_S = 1e9
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TIMER = re.compile(
    r"(?<![\w-])"
    r"(?P<label>(?:CPU-DPU|DPU-CPU|Inter-DPU|(?:DPU )?Alloc(?:ation)?|(?:DPU )?Load|Host"
    r"|DPU Kernel(?: [A-Za-z]+)??|DPU|CPU(?: version)?|Step \d+)(?: \([^()\t]*\))?)"
    r":?(?P<time> ?Time ?\((?P<unit>ms|us|s)\))?\s*:\s*(?P<value>[^\s,;]+)",
    re.IGNORECASE,
)
_TIMER_LIKE = re.compile(r" ?Time ?\((?:ms|us|s)\)\s*:", re.IGNORECASE)
_RESULTS = re.compile(r"^\s*Results?\s*:\s*$", re.IGNORECASE)
_CHECK = re.compile(r"\[(OK|ERROR|FAIL(?:ED)?)\]", re.IGNORECASE)
_LONGEST_DIAGONAL = "Longest Diagonal"
_FACTS = {
    "dpus": re.compile(r"Allocated (\d{1,18})\b DPU"),
    "tasklets": re.compile(r"NR_TASKLETS\s+(\d{1,18})\b|Allocated (\d{1,18})\b TASKLET"),
    "block_size": re.compile(r"\bBL\s+(\d{1,18})\b"),
    "nr_elements": re.compile(r"nr_elements\s+(\d{1,18})\b"),
    "input_size": re.compile(r"input_size\s+(\d{1,18})\b"),
    "max_size": re.compile(r"Max size (\d{1,18})\b"),
}
INPUTS = ("nr_elements", "input_size", "max_size")


@dataclass
class LoggedRun:
    """One run of a log: timers (label, phase, seconds) in the order printed, and what stands around them."""

    line: int
    timers: list[tuple[str, str, float]] = field(default_factory=list)
    check: str = ABSENT
    facts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    fault: tuple[str, str] | None = None
    unknown_labels: list[str] = field(default_factory=list)
    listed: bool = False

    def times_s(self) -> dict[str, float]:
        """Time of each phase that has timers: their sum."""
        total: dict[str, float] = {}
        for _, phase, seconds in self.timers:
            total[phase] = total.get(phase, 0.0) + seconds
        return total


def parse(lines: Iterable[tuple[int, str]], app: str) -> list[LoggedRun]:
    """The runs in numbered lines (from 1, line ends kept) of a log of one application.

    A run begins with its first timer, or with `Results:`; what its program printed before belongs to it, too. It ends
    where its outputs are checked, a timer occurs again or another program says what it runs on. Timers of NW's longest
    diagonal are a part of those of the whole and not counted. A run whose timers cannot be read has a `fault`: reason
    and sentence.
    """
    runs: list[LoggedRun] = []
    facts: dict[str, int] = {}
    below_results = False
    text = ""
    for number, text in lines:
        line = _ANSI.sub("", text)
        _take_facts(line, facts)
        if _RESULTS.match(line):
            runs.append(LoggedRun(number, facts=facts, listed=True))
            facts, below_results = {}, True
            continue
        if _LONGEST_DIAGONAL not in line:
            timers = list(_TIMER.finditer(line))
            # Below `Results:` timers have no unit; elsewhere a label with a number alone is something else.
            timers = [timer for timer in timers if timer["time"] or below_results]
            if timers:
                if not runs or facts or _done(runs[-1], timers):
                    runs.append(LoggedRun(number, facts=facts))
                    facts = {}
                _take_timers(runs[-1], timers, number)
                _note_unknown(runs[-1], line, timers)
        checked = _CHECK.search(line)
        if checked and runs and runs[-1].check == ABSENT:
            runs[-1].check = OK if checked[1].upper() == "OK" else FAILED
            below_results = False
    if runs:
        _end_of_log(runs[-1], _ANSI.sub("", text))
    for run in runs:
        _complete(run, app)
    return [run for run in runs if run.timers or run.fault or run.check != ABSENT]


def _done(run: LoggedRun, timers: list[re.Match[str]]) -> bool:
    """Whether timers belong to another run: its outputs were checked already, or it has one of them."""
    return run.check != ABSENT or bool({timer["label"] for timer in timers} & {label for label, *_ in run.timers})


def _take_facts(line: str, facts: dict[str, int]) -> None:
    for name, pattern in _FACTS.items():
        match = pattern.search(line)
        if match:
            value = int(next(group for group in match.groups() if group))
            # TRNS allocates again and again, for what is left at last; the largest is what it ran on.
            facts[name] = max(value, facts.get(name, 0)) if name == "dpus" else value


def _phase(label: str) -> str:
    """Phase that a label, in lower case, represents."""
    name = label.split(" (")[0]
    if name in ("cpu-dpu", "dpu-cpu", "inter-dpu"):
        return name.replace("-", "_")
    if name.startswith("cpu"):
        return "cpu"
    if name == "host":
        return "host"
    return "alloc" if "alloc" in name or "load" in name else "kernel"


def _take_timers(run: LoggedRun, timers: list[re.Match[str]], line: int) -> None:
    for timer in timers:
        label, written = timer["label"], timer["value"]
        try:
            seconds = float(written) * SECONDS[(timer["unit"] or "ms").lower()]
        except ValueError:
            run.fault = run.fault or ("time_unreadable", f"{label} = {written[:40]!r} in line {line} is not a number")
            continue
        if not math.isfinite(seconds):
            run.fault = run.fault or ("time_not_finite", f"{label} = {written[:40]} in line {line}; a time is finite")
        elif seconds < 0:
            run.fault = run.fault or ("time_negative", f"{label} = {written[:40]} in line {line}; a time is >= 0")
        elif seconds > LARGEST_S:
            run.fault = run.fault or (
                "time_too_large",
                f"{label} = {written[:40]} in line {line} is more than 30 years",
            )
        else:
            run.timers.append((label, _phase(label.lower()), abs(seconds)))


def _note_unknown(run: LoggedRun, line: str, timers: list[re.Match[str]]) -> None:
    known = {timer["label"].lower() for timer in timers}
    before = 0
    for match in _TIMER_LIKE.finditer(line):
        label = re.split(r"[\t:]", line[before : match.start()])[-1].strip()
        before = match.end()
        if label and not any(label.lower().endswith(name) for name in known):
            run.unknown_labels.append(label[:60])


def _end_of_log(run: LoggedRun, last: str) -> None:
    """A last line that ends within a number, without a line end, loses that number."""
    number = re.search(r":\s*[-+]?\d*\.?(\d*)$", last)
    if number and len(number[1]) < DECIMALS and run.check == ABSENT and (run.timers or run.fault):
        if run.fault is None:
            run.timers.pop()
        run.fault = None
        run.check = TRUNCATED
        run.notes.append("The log ends within a number, which is left out.")


def _complete(run: LoggedRun, app: str) -> None:
    """Mend a misprinted label, and find out whether the results are all there."""
    phases = {phase for _, phase, _ in run.timers}
    if run.listed and "cpu_dpu" not in phases and {"cpu", "kernel"} <= phases:
        run.timers = [(label, "cpu_dpu" if phase == "cpu" else phase, t) for label, phase, t in run.timers]
        phases = {phase for _, phase, _ in run.timers}
        run.notes.append("CPU, where CPU-DPU is missing, is taken as a misprint for it.")
    wanted = {"cpu_dpu", "kernel"} | (set() if app in WITHOUT_RETURN else {"dpu_cpu"})
    if run.check in (ABSENT, FAILED) and not wanted <= phases and run.fault is None:
        run.check = TRUNCATED
    if run.check == TRUNCATED and not phases - {"cpu"} and run.fault is None:
        run.fault = ("truncated", "the log ends before the first time of a run on DPUs")
    if not phases - {"cpu"} and run.fault is None:
        run.fault = ("no_times", "the run has no times of phases on DPUs")
