"""Traces in, answers out: results/apportion.duckdb, results/figures and results/report/index.html."""

import json
import os
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).resolve()
sys.path.insert(0, str(ROOT))

from pipeline import config as configuration
from pipeline import drops
from pipeline.readers import _recognise
from pipeline.runtime import one_run, sources
from pipeline.runtime.study import declared, traits
from pipeline.stages import one_part
from workflow.progress import announce
from workflow.start import begin, discard_changed


configfile: "config/config.yaml"


try:
    SETTINGS = configuration.parse(config)
    ROOTS = [Path(root) for root in SETTINGS.trace_roots]
    DROPS = {folder.key: folder for folder in drops.discover(ROOTS)}
    NAMED = [trace.partition("/")[0] for trace in configuration.named_traces(SETTINGS)]
    drops.require(NAMED, DROPS)
except (ValueError, FileNotFoundError) as error:
    raise WorkflowError(str(error)) from None

STATES = {drop: drops.content(DROPS[drop].path) for drop in DROPS}
STUDIES = [
    study for study in sources.studies() if study in (SETTINGS.studies or [study])
]

# Asked for by each job, and the same for all jobs of a study or scheduler.
code_of_scenarios = cache(sources.of_scenarios)
code_of_replay = cache(sources.of_replay)
traits_of = cache(traits)

# Workloads of a study in parts, so that a drop rebuilds what depends on it: the synthetic ones, and those of each drop
# that gives what the study takes.
READERS = _recognise.modules(DROPS.values(), SETTINGS.limits.recognition)
TOGETHER = {
    study: _recognise.workload_drops(
        READERS, declaration.takes, configuration.lenders(SETTINGS, study)
    )
    for study, declaration in declared().items()
    if study in STUDIES
}
PARTS = {
    study: ({"synthetic": []} if declaration.synthetic else {})
    | {f"trace-{drop}": TOGETHER[study][drop] for drop in TOGETHER[study]}
    for study, declaration in declared().items()
    if study in STUDIES
}
DROPS_OF = {
    part: {drop for study in STUDIES for drop in PARTS[study].get(part, ())}
    for part in sorted({part for study in STUDIES for part in PARTS[study]})
}
NAMES_OF_PARTS = "|".join(DROPS_OF)

# Parts that one job replays for all schedulers of a study; the others take a job a scheduler.
SMALL = {drop for drop in DROPS if drops.size(DROPS[drop].path) <= drops.SMALL_BYTES}
IN_ONE_JOB = {
    part
    for part in DROPS_OF
    if SETTINGS.together is True
    or (SETTINGS.together == "small" and DROPS_OF[part] and DROPS_OF[part] <= SMALL)
}
BRIEF = [study for study in STUDIES if declared()[study].brief]

# Database, page and figures are not among the files that Snakemake makes and deletes (rules database and page): what
# represents them here goes with them.
DATABASE = Path("results/apportion.duckdb")
REPRESENTED = {
    Path("results/warehouse.done"): [DATABASE],
    Path("results/report.done"): [
        Path("results/report/index.html"),
        Path("results/figures"),
    ],
}
if os.path.lexists("results") and not os.path.isdir("results"):
    raise WorkflowError("results is a file and has to be a folder; move it away")
for done, made in REPRESENTED.items():
    if not all(path.exists() for path in made):
        done.unlink(missing_ok=True)

# Jobs run this Python on this package, each on one core: polars would take all of them, however many jobs run.
shell.prefix(
    f"set -euo pipefail; export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"
    f" PYTHONPATH={shlex.quote(str(ROOT))} POLARS_MAX_THREADS=1; "
)


wildcard_constraints:
    drop=r"[^/]+",
    study="|".join(STUDIES),
    scheduler=r"\w+",
    part=NAMES_OF_PARTS,
    chunk=r"\d+",


include: "workflow/rules/common.smk"
include: "workflow/rules/ingest.smk"
include: "workflow/rules/fidelity.smk"
include: "workflow/rules/scenarios.smk"
include: "workflow/rules/replay.smk"
include: "workflow/rules/together.smk"
include: "workflow/rules/warehouse.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        "results/apportion.duckdb",
        "results/report/index.html",
        # What represents them: where it is missing, they are not known to be up to date.
        "results/warehouse.done",
        "results/report.done",


# What is no longer as a job left it is made again: Snakemake looks at dates alone. Jobs on other machines read this
# file, too.
if workflow.is_main_process and not one_run.held(one_run.LOCK):
    for sentence in discard_changed(Path("results"), rules.warehouse.input):
        logger.warning(sentence)


# Drops that this run reads. Their answers end it: where they are few in full, else in a line each.
READ_NOW = []
MOST_ANSWERED = 3


onstart:
    READ_NOW.extend(
        sorted(
            job.wildcards.drop
            for job in workflow.dag.needrun_jobs()
            if job.rule.name == "ingest"
        )
    )
    try:
        begin(
            Path("results"),
            {Path(path) for job in workflow.dag.jobs for path in job.input},
        )
    except RuntimeError as error:
        raise WorkflowError(str(error)) from None
    announce(workflow.dag, logger)
    used = {drop for together in TOGETHER.values() for drop in together}
    for drop in sorted(set(DROPS) - set(READERS)):
        logger.warning(
            f"no answer from drop {drop}: it is refused; `apportion check` says why"
        )
    for drop in sorted(set(READERS) - used):
        logger.warning(f"no answer from drop {drop}: no study takes what it holds")


onsuccess:
    # There is none where a run was asked for less than everything.
    if DATABASE.exists():
        said = subprocess.run(
            [sys.executable, "-m", "pipeline", "status"],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        if READ_NOW:
            form = "table" if len(READ_NOW) <= MOST_ANSWERED else "lines"
            shell("python -m pipeline answer {READ_NOW} --format {form}")
        # Whole, but for drops that were refused or failed.
        if said.returncode:
            sys.exit(said.returncode)
