"""Say in a few sentences what a run would do, and why: `make plan`, or with options of snakemake
`python workflow/plan.py --configfile config/quick.yaml`.

Snakemake gives a reason for each job of a dry run. Here each job is led back to what began it (an edited file, a
changed drop, a setting), and jobs are counted by it. A job that has several causes counts for each of them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from workflow.progress import makespan_s, seconds_of, worded

MISSING = "Missing output files"
INCOMPLETE = "Incomplete output files"
UPDATED = "Updated input files"
BY_ANOTHER = "Input files updated by another job"
OTHER_INPUT = "Set of input files has changed since last execution"
CODE = "Code has changed since last execution"
PARAMETERS = "Params have changed since last execution"
SOFTWARE = "Software environment definition has changed since last execution"
FORCED = "Forced execution"
CLAUSES = (MISSING, INCOMPLETE, UPDATED, BY_ANOTHER, OTHER_INPUT, CODE, PARAMETERS, SOFTWARE, FORCED)
MOST_NAMED = 4
REPRESENTING = {"database": "warehouse", "page": "report"}
"""Rules that do nothing, with the rule that makes what they represent."""

CHANGED = {
    "ingest": "the files of drop {drop} or the settings of its fits changed",
    "fidelity": "how replays are compared with the logs changed",
    "settings": "the settings of {study} changed",
    "second_round": "the settings of {study}'s second round changed",
    "configuration": "the configuration changed",
    "scenarios": "the schedulers of {study} are others",
    "warehouse": "the drops or the parts of the results are others",
}
"""What it means that the parameters of a rule changed, which name what it depends on beside its files."""


@dataclass(frozen=True)
class Job:
    """A job of a dry run."""

    rule: str
    outputs: tuple[str, ...]
    wildcards: Mapping[str, str]
    reasons: Mapping[str, tuple[str, ...]]
    benchmark: str | None = None

    @property
    def stage(self) -> str:
        """How jobs are counted: by rule, replays by study."""
        if self.rule == "replay":
            return f"replay {self.wildcards.get('study', '')}".strip()
        return self.rule.replace("replay_", "replay ", 1)


@dataclass
class Plan:
    """Jobs of a dry run by what began them."""

    jobs: list[Job]
    _causes: dict[int, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._made_by = {output: number for number, job in enumerate(self.jobs) for output in job.outputs}
        self.needs = {
            number: {self._made_by[name] for name in job.reasons.get(BY_ANOTHER, ()) if name in self._made_by}
            - {number}
            for number, job in enumerate(self.jobs)
        }

    def causes(self, number: int) -> frozenset[str]:
        """Why a job runs: causes of its own, and those of the jobs whose results it waits for."""
        if number not in self._causes:
            job = self.jobs[number]
            found = set(_own_causes(job))
            for before in self.needs[number]:
                found |= self.causes(before)
            self._causes[number] = frozenset(found or _weak_causes(job))
        return self._causes[number]

    def by_cause(self) -> list[tuple[list[str], list[Job]]]:
        """Causes with the jobs that each leads to, most jobs first; causes with the same jobs stand together."""
        jobs_of: dict[str, list[int]] = {}
        for number in range(len(self.jobs)):
            for cause in self.causes(number):
                jobs_of.setdefault(cause, []).append(number)
        together: dict[tuple[int, ...], list[str]] = {}
        for cause in sorted(jobs_of):
            together.setdefault(tuple(jobs_of[cause]), []).append(cause)
        ordered = sorted(together.items(), key=lambda item: (-len(item[0]), item[1]))
        return [(causes, [self.jobs[number] for number in numbers]) for numbers, causes in ordered]

    def seconds(self, cores: int) -> float | None:
        """How long the run takes if each job takes as long as it last did; None where most were never timed."""
        times = {number: seconds_of(job.benchmark) for number, job in enumerate(self.jobs) if job.benchmark}
        if not times or sum(known is not None for known in times.values()) < 0.9 * len(times):
            return None
        return makespan_s({number: times.get(number) or 0.0 for number in range(len(self.jobs))}, self.needs, cores)


def read(text: str) -> list[Job]:
    """The jobs that a dry run of Snakemake prints, but for its targets."""
    jobs: dict[str, Job] = {}
    for block in re.split(r"\n(?=(?:local)?(?:rule|checkpoint) \w+:\n)", "\n" + text):
        head = re.match(r"\s*(?:local)?(?:rule|checkpoint) (\w+):\n", block)
        if head is None:
            continue
        fields = dict(re.findall(r"^    (\w+): (.*)$", block, re.MULTILINE))
        outputs = tuple(filter(None, fields.get("output", "").split(", ")))
        if outputs:
            wildcards = dict(pair.split("=", 1) for pair in fields.get("wildcards", "").split(", ") if "=" in pair)
            jobs[fields["jobid"]] = Job(
                head[1], outputs, wildcards, _clauses(fields.get("reason", "")), fields.get("benchmark")
            )
    return _with_what_they_make(jobs.values())


def _with_what_they_make(jobs: Collection[Job]) -> list[Job]:
    """The jobs without those of rules that do nothing: another one makes what they represent."""
    made = {REPRESENTING[job.rule]: job.outputs for job in jobs if job.rule in REPRESENTING}
    return [
        replace(job, outputs=(*made.get(job.rule, ()), *job.outputs)) for job in jobs if job.rule not in REPRESENTING
    ]


def _clauses(reason: str) -> dict[str, tuple[str, ...]]:
    """The clauses of a reason, each with what it names."""
    clauses = {}
    for part in re.split(rf"; (?={'|'.join(map(re.escape, CLAUSES))})", reason):
        known = next((clause for clause in CLAUSES if part.startswith(clause)), None)
        if known:
            clauses[known] = tuple(filter(None, part[len(known) :].removeprefix(": ").split(", ")))
    return clauses


def _own_causes(job: Job) -> Iterator[str]:
    """Causes that explain themselves."""
    if FORCED in job.reasons:
        yield "asked for by name"
    if MISSING in job.reasons:
        yield _absence(job)
    if INCOMPLETE in job.reasons:
        yield "a run was interrupted"
    for name in job.reasons.get(UPDATED, ()):
        yield f"{name} was edited"
    if CODE in job.reasons:
        yield f"the rule {job.rule} was edited"
    if SOFTWARE in job.reasons:
        yield "the software environment changed"
    if PARAMETERS in job.reasons and job.rule in CHANGED and job.rule != "warehouse":
        yield CHANGED[job.rule].format_map(job.wildcards)


def _weak_causes(job: Job) -> Iterator[str]:
    """What says why where nothing else does: mostly a drop that was taken away, or an import."""
    if PARAMETERS in job.reasons:
        yield CHANGED.get(job.rule, f"parameters of the rule {job.rule} changed").format_map(job.wildcards)
    elif OTHER_INPUT in job.reasons:
        yield f"{job.stage} takes other files than before"
    else:
        yield "what comes before it runs"


def _absence(job: Job) -> str:
    part = job.wildcards.get("part", "").removesuffix(".refined")
    drop = job.wildcards.get("drop") or (part.removeprefix("trace-") if part.startswith("trace-") else None)
    if drop:
        return f"results of drop {drop} are not there yet"
    study = job.wildcards.get("study") or job.rule.partition("replay_")[2]
    if study:
        return f"results of {study} are not there yet"
    path = job.outputs[0]
    # A database that is there may have been made by something else than a run: then its mark is missing.
    return f"{path} is not known to be up to date" if Path(path).exists() else f"{path} is not there yet"


def worded_plan(plan: Plan, cores: int) -> str:
    """The plan in sentences."""
    if not plan.jobs:
        return "Nothing to do: all results are up to date."
    lines = []
    for causes, jobs in plan.by_cause():
        more = f" and {len(causes) - MOST_NAMED} more" if len(causes) > MOST_NAMED else ""
        lines.append(f"{'; '.join(causes[:MOST_NAMED])}{more}:\n    {_counted(jobs)}")
    seconds = plan.seconds(cores)
    about = f"; about {worded(seconds)} on {cores} cores, by the times of the last run" if seconds else ""
    lines.append(f"In all {_count(len(plan.jobs))}{about}.")
    return "\n".join(lines)


def _counted(jobs: list[Job]) -> str:
    counts = Counter(job.stage for job in jobs)
    return f"{_count(len(jobs))}: " + ", ".join(f"{count} {stage}" for stage, count in counts.items())


def _count(jobs: int) -> str:
    return f"{jobs} job" if jobs == 1 else f"{jobs} jobs"


def main(arguments: list[str]) -> int:
    """Exit code: snakemake's. `arguments` go to it."""
    snakemake = Path(sys.executable).with_name("snakemake")
    cores = len(os.sched_getaffinity(0))
    command = [str(snakemake), "--dry-run", "--nocolor", "--cores", str(cores), *arguments]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode:
        sys.stderr.write(run.stdout)
    else:
        sys.stdout.write(worded_plan(Plan(read(run.stdout)), cores) + "\n")
    return run.returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was changed\n")
        sys.exit(130)
