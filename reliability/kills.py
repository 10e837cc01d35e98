"""kill -9 of jobs, of Snakemake and of both, at random moments of a run, until the run ends by itself."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from reliability import runs

KINDS = ("a job", "Snakemake", "both")
WEIGHTS = (7, 2, 1)
"""How often each is killed: Snakemake takes longer to start than most jobs to run."""
SHARE = 0.75
"""Share of the jobs that are not to reach their end."""
EARLY = 0.3
"""Share of a job's time within which it is hit where each verb is to be."""
RETRIES = "50"
"""Times that a run starts a killed job again by itself."""


@dataclass
class Kills:
    """What was killed: verb and kind of each, runs that had to be started again, jobs that outlived their Snakemake."""

    hits: list[tuple[str, str]] = field(default_factory=list)
    reruns: int = 0
    orphans: int = 0
    refusals: list[str] = field(default_factory=list)


def disturb(
    project: runs.Project,
    times: int,
    chance: random.Random,
    seconds: dict[str, float],
    kills: Kills,
    end_s: float = math.inf,
    *,
    each: bool = False,
) -> None:
    """Run the workflow, kill `times` times at the most, and run it again until it ends well.

    seconds: how long a job of each verb takes undisturbed; moments are drawn evenly from it. end_s: time of the
    monotonic clock after which nothing is killed any more. each: one job of each verb is hit, early, and no other. A
    run that fails although nothing was killed in it is kept as a refusal, and not tried again.
    """
    left = times
    with tempfile.TemporaryFile("w+") as output:
        process = project.begin("--retries", RETRIES, output=output)
        seen, due, harmed = set(), {}, False
        while True:
            time.sleep(runs.POLL_S)
            now_s = time.monotonic()
            found = project.jobs()
            for job in found.keys() - seen:
                seen.add(job)
                verbs = {verb for verb, _ in kills.hits} | {found.get(other) for other in due}
                chosen = found[job] not in verbs if each else chance.random() < SHARE
                if len(due) < left and now_s < end_s and chosen:
                    share = EARLY if each else 1.0
                    moment_s = now_s + chance.uniform(0, share * seconds.get(found[job], 1.0))
                    due[job] = (moment_s, chance.choices(KINDS, WEIGHTS)[0])
            for job in sorted(job for job, (moment_s, _) in due.items() if moment_s <= now_s):
                _, kind = due.pop(job)
                if job not in found:
                    continue
                kills.hits.append((found[job], kind))
                left, harmed = left - 1, True
                if kind == "a job":
                    _kill_job(job)
                    continue
                runs.kill(process, group=kind == "both")
                due = {}
                kills.orphans += len(project.jobs()) if kind == "Snakemake" else 0
                break
            if process.poll() is None:
                continue
            if process.returncode and not harmed:
                output.seek(0)
                kills.refusals.append(output.read()[-2000:])
                return
            if not process.returncode:
                return
            kills.reruns, harmed = kills.reruns + 1, False
            process = _again(project, output)


def _again(project: runs.Project, output) -> subprocess.Popen:
    output.seek(0)
    output.truncate()
    return project.begin("--retries", RETRIES, output=output)


def _kill_job(job: int) -> None:
    try:
        os.kill(job, signal.SIGKILL)
    except ProcessLookupError:
        return
