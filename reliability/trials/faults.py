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
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from reliability import kills, runs, single_faults
from reliability.report import Details, Finding, Report

log = logging.getLogger(__name__)

KILLS_A_SERIES = 25
"""Kills between two comparisons."""
MOST_SHOWN = 300
SAME = "the same"
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
        return _run(runs.Project(Path(folder)).create(), options)


@dataclass
class Comparison:
    """How many files and tables were compared with those of the undisturbed run, and which differ."""

    files: int = 0
    tables: int = 0
    other_files: list[str] = field(default_factory=list)
    other_tables: list[str] = field(default_factory=list)

    def add(self, project: runs.Project, expected: tuple[dict[str, str], dict[str, str]]) -> bool:
        """Compare what is there with `expected` (files, tables); whether it is the same."""
        found = project.files(), project.tables()
        files, tables = (
            [name for name in sorted(kept.keys() | now.keys()) if kept.get(name) != now.get(name)]
            for kept, now in zip(expected, found, strict=True)
        )
        self.files, self.tables = self.files + len(expected[0]), self.tables + len(expected[1])
        self.other_files += files
        self.other_tables += tables
        return not files and not tables


def _run(project: runs.Project, options: argparse.Namespace) -> Report:
    end_s = time.monotonic() + options.minutes * 60
    expected, rows = {}, []
    for version in runs.VERSIONS:
        project.become(version)
        project.run()
        expected[version] = project.files(), project.tables()
        rows.append(project.rows())
    seconds = project.seconds()
    log.info("undisturbed: %s", seconds)
    found, compared = kills.Kills(), Comparison()
    reader = runs.Reader(project, rows)
    reader.start()
    chance = random.Random(options.seed)
    while len(found.hits) < options.times and time.monotonic() < end_s and not found.refusals:
        version = OTHER[version]
        project.become(version)
        kills.disturb(project, min(KILLS_A_SERIES, options.times - len(found.hits)), chance, seconds, found, end_s)
        same = compared.add(project, expected[version])
        log.info("%d kills, %d reruns, %s", len(found.hits), found.reruns, SAME if same else "results differ")
    reader.end()
    others = []
    for group in single_faults.FAULTS:
        version = OTHER[version]
        met = [_met(project, version, fault) for fault in group]
        project.become(version)
        code, output = project.run(check=False)
        same = code == 0 and compared.add(project, expected[version])
        results = SAME if same else f"**{'differ' if code == 0 else _line(output)}**"
        others += [(*row, results) for row in met]
        log.info("after %s: %s", group[-1].__name__, results)
    passed = not (compared.other_files or compared.other_tables or reader.failures or found.refusals)
    return Report(
        [
            Finding("kills", str(len(found.hits)), _counted(kind for _, kind in found.hits)),
            Finding("runs started again", str(found.reruns), "by the same command, nothing unlocked or cleaned up"),
            Finding("of them refused", str(len(found.refusals)), _line(" ".join(found.refusals))),
            Finding("jobs left without Snakemake", str(found.orphans), "alive when the next run was started"),
            Finding("files that differ", f"{len(compared.other_files)} of {compared.files}"),
            Finding("tables that differ", f"{len(compared.other_tables)} of {compared.tables}"),
            Finding("readings of the database meanwhile", str(reader.reads), f"{len(reader.failures)} failed"),
        ],
        passed and not any("**" in cell for row in others for cell in row),
        [
            Details("Kills by what ran", ("verb", "kills", "of what"), _by_verb(found)),
            Details("Other faults", ("fault", "what the run said or did", "results after the next run"), others),
        ],
    )


def _met(project: runs.Project, version: str, fault: Callable[[runs.Project], str]) -> tuple[str, str]:
    """A fault, and how it was met; in bold where it was met otherwise than it has to be."""
    project.become(version)
    try:
        said = fault(project)
    except (single_faults.UnexpectedError, RuntimeError) as error:
        said = f"**{_line(str(error))}**"
    # Neither the folder of the trial nor the time of day says anything to whoever reads the record.
    said = re.sub(r"^\d\d:\d\d:\d\d ", "", said.replace(f"{project.folder}/", ""))
    log.info("%s: %s", fault.__doc__, said)
    return fault.__doc__ or "", said


def _line(text: str) -> str:
    """The end of a text, in one line."""
    return " ".join(text.split())[-MOST_SHOWN:]


def _by_verb(found: kills.Kills) -> list[tuple[str, str, str]]:
    verbs = sorted({verb for verb, _ in found.hits})
    by_verb = {verb: [kind for name, kind in found.hits if name == verb] for verb in verbs}
    return [(verb, str(len(kinds)), _counted(kinds)) for verb, kinds in by_verb.items()]


def _counted(kinds: Iterable[str]) -> str:
    return ", ".join(f"{kind}: {count}" for kind, count in sorted(Counter(kinds).items()))
