"""Faults of the machine

Runs of the workflow are killed (`kill -9`) at random moments: as a whole, job by job, and Snakemake alone, so that its
jobs are left without it; the user's command is then given again, nothing else. Disks are full, files change while they
are read, clocks jump, two runs start at once. Afterwards the results have to be those of a run that nothing disturbed,
to the byte, the database table by table; and the previous database has to be there, whole, whenever it is opened.
"""

from __future__ import annotations

import argparse
import logging
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from reliability import kills, runs, single_faults
from reliability.record import Details, Finding, Report

log = logging.getLogger(__name__)

KILLS_A_SERIES = 25
"""Kills between two comparisons."""
OTHER = {"first": "second", "second": "first"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the trial."""
    parser.add_argument("--times", type=int, default=100, help="kills")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--minutes", type=float, default=60, help="no further kills after this time")
    parser.add_argument("--scratch", type=Path, help="folder for the runs; none = a temporary one")


def run(options: argparse.Namespace) -> Report:
    """Kill, count and compare; then every other fault once."""
    with tempfile.TemporaryDirectory(prefix="apportion-faults-", dir=options.scratch) as folder:
        return _run(runs.Project(Path(folder)), options)


def _run(project: runs.Project, options: argparse.Namespace) -> Report:
    times, chance = options.times, random.Random(options.seed)
    end_s = time.monotonic() + options.minutes * 60
    expected, rows = {}, []
    for version in runs.VERSIONS:
        project.become(version)
        project.run()
        expected[version] = project.files(), project.tables()
        rows.append(project.rows())
    seconds, version = project.seconds(), "second"
    log.info("undisturbed: %s", seconds)
    found, differing, compared = kills.Kills(), [], [0, 0]
    reader = runs.Reader(project, rows)
    reader.start()

    def compare(where: str) -> int:
        wrong = 0
        for part, (kept, now) in enumerate(zip(expected[version], (project.files(), project.tables()), strict=True)):
            compared[part] += len(kept)
            names = sorted(name for name in kept.keys() | now.keys() if kept.get(name) != now.get(name))
            differing.extend((where, name) for name in names)
            wrong += len(names)
        return wrong

    while len(found.hits) < times and time.monotonic() < end_s and not found.refusals:
        version = OTHER[version]
        project.become(version)
        kills.disturb(project, min(KILLS_A_SERIES, times - len(found.hits)), chance, seconds, found, end_s)
        wrong = compare("kills")
        log.info("%d kills, %d reruns, %d differ", len(found.hits), found.reruns, wrong)
    reader.end()
    others = []
    for group in single_faults.FAULTS:
        version = OTHER[version]
        said = []
        for fault in group:
            project.become(version)
            said.append((fault.__doc__ or "", _single(project, fault)))
            log.info("%s: %s", *said[-1])
        project.become(version)
        code, output = project.run(check=False)
        wrong = compare(group[-1].__name__) if code == 0 else output[-300:]
        others += [(*fault, "the same" if wrong == 0 else f"**{wrong}**") for fault in said]
    passed = not (differing or reader.failures or found.refusals) and all("**" not in said for _, said, _ in others)
    return Report(
        [
            Finding("kills", str(len(found.hits)), _counted(kind for _, kind in found.hits)),
            Finding("runs started again", str(found.reruns), "by the same command, nothing unlocked or cleaned up"),
            Finding("refused to go on", str(len(found.refusals)), " ".join(found.refusals)[-300:].replace("\n", " ")),
            Finding("jobs without their Snakemake", str(found.orphans), "alive when the next run was started"),
            Finding("files that differ", f"{sum(1 for _, n in differing if '/' in n or '.' in n)} of {compared[0]}"),
            Finding(
                "tables that differ",
                f"{sum(1 for _, n in differing if '/' not in n and '.' not in n)} of {compared[1]}",
            ),
            Finding(
                "readings of the database meanwhile", str(reader.reads), f"{len(reader.failures)} failed or incomplete"
            ),
        ],
        passed and all(result == "the same" for *_, result in others),
        [
            Details("Kills by what ran", ("verb", "kills", "of what"), _by_verb(found)),
            Details(
                "Other faults, and the results after the next run",
                ("fault", "what the run said or did", "results"),
                others,
            ),
        ],
    )


def _single(project: runs.Project, fault) -> str:
    try:
        return fault(project)
    except (single_faults.UnexpectedError, RuntimeError) as error:
        log.error("%s: %s", fault.__name__, error)
        return f"**{str(error)[-300:]}**".replace("\n", " ")


def _by_verb(found: kills.Kills) -> list[tuple[str, str, str]]:
    verbs = sorted({verb for verb, _ in found.hits})
    by_verb = {verb: [kind for name, kind in found.hits if name == verb] for verb in verbs}
    return [(verb, str(len(kinds)), _counted(kinds)) for verb, kinds in by_verb.items()]


def _counted(kinds) -> str:
    return ", ".join(f"{kind}: {count}" for kind, count in sorted(Counter(kinds).items()))
