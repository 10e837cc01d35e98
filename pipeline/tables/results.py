"""Results that every study has, and the ledger of claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dataframely as dy
import polars as pl

from pipeline.tables.columns import count, flag, number, text

if TYPE_CHECKING:
    from pipeline.runtime.study import Parameter, Study


class Run(dy.Schema):
    """Columns of the table of scenarios that all studies have."""

    scenario_id = text("scenario, unique across studies")
    study = text("study")
    scheduler = text("scheduler")
    seed = count("batch of the workload; with the master seed (table setting) it gives every random number", min=0)
    workload_id = text("workload", nullable=True)
    sms = count("streaming multiprocessors of the GPU; null where the machine is none", nullable=True, min=1)
    timeline = flag("whether the replay is kept instant by instant")


class Source(dy.Schema):
    """Columns of the table of scenarios that the replays give."""

    part = text("part of the study's workloads that it replays: synthetic, or trace-<drop>")
    code_version = text("hash of the source files that the replay ran")


def parameter_columns(study: Study) -> dict[str, dy.Column]:
    """Columns of the parameters that a study declares, but for those that all studies have."""
    return {name: _column(each) for name, each in study.parameters.items() if name not in Run.columns()}


def _column(parameter: Parameter) -> dy.Column:
    about, limits = parameter.meaning, parameter.limits
    if parameter.dtype == "text":
        return text(about, nullable=True)
    if parameter.dtype == "flag":
        return flag(about)
    if parameter.dtype == "list":
        return dy.List(dy.Int64(nullable=False), nullable=True, description=about)
    if parameter.dtype == "count":
        return count(about, unit=parameter.unit, nullable=True, **limits)
    return number(about, parameter.unit, nullable=True, **limits)


def scenario_schema(study: Study) -> dict[str, pl.DataType]:
    """Columns and dtypes of a study's table of scenarios: those of all studies, and its own."""
    columns = {**Run.columns(), **parameter_columns(study)}
    return {name: column.dtype for name, column in columns.items() if name != "study"}


class Failure(dy.Schema):
    """Drops that a study could not replay or compare with its replays, and why: these answers are missing."""

    study = text("study")
    part = text("part of its workloads, trace-<drop>")
    stage = text("stage that failed: fit, scenarios, replay or fidelity")
    detail = text("what it said")


class Loaded(dy.Schema):
    """What each piece of this database was made from, by which the next run loads what has changed.

    code: the files that make the database, with the libraries; a table of drops: its files; study/part: the results
    of a part of a study's workloads.
    """

    piece = text("code, a table of drops, or <study>/<part>")
    sha256 = text("hash of the names and contents of its files")


class Metric(dy.Schema):
    """Measures of a scenario, one row per measure."""

    scenario_id = text("scenario")
    metric = text("name of the measure, with its unit as suffix where it has one")
    value = number("value; null where it is not defined", "as metric", nullable=True)


class Scheduler(dy.Schema):
    """Schedulers of all studies: one file each."""

    study = text("study")
    scheduler = text("name, as in scenario.scheduler")
    complexity = count("rank by what the scheduler needs to know and do, 0 = least; ties go to the simpler one", min=0)
    description = text("what it does, and its source")


class Setting(dy.Schema):
    """What the results were made with: the configuration, and the versions of what computed them."""

    key = text("key of the configuration, or version.<library>")
    value = text("value, as JSON")


class Claim(dy.Schema):
    """The papers' claims, compared with what the replays give."""

    id = text("claim")
    study = text("study")
    paper = text("the paper that makes it: what its source begins with")
    source = text("paper, section, figure")
    statement = text("what the paper says")
    paper_value = number("the paper's value; 1 for a claim that is said to hold", "as claim", nullable=True)
    unit = text("unit of value: share, points, yes/no, …")
    value = number(
        "ours: mean, or share of seeds in which a yes/no claim holds, or of several numbers the share reproduced "
        "(claim_part has them)",
        "as claim",
        nullable=True,
    )
    lo = number("lower end of the 95 % interval (Student's t; Wilson for yes/no)", "as claim", nullable=True)
    hi = number("upper end of the 95 % interval", "as claim", nullable=True)
    replicates = count("independent workloads behind the value", min=0)
    verdict = text("reproduced, reproduced in part, open, not reproduced, input or not derivable")
    differs = text(
        "why the paper's value and that of the default run differ, or why there is none; null where it is reproduced "
        "or replicates are too few to say",
        nullable=True,
    )
    evidence = text("query that shows what differs says; null = none", nullable=True)
    evidence_holds = flag("whether it shows that in these results; null where there is none")
    evidence_shows = text("its figures", nullable=True)
    robustness = number(
        "share of admissible settings in which it is reproduced; null = one setting", "1", nullable=True
    )
    settings = text("the admissible settings, each with its value and verdict", nullable=True)
    configuration = text("what the value was taken from")
    rule = text("verdict rule")
    headline = text(
        "the claim in a few words, where it is what the paper promises as a whole; null elsewhere", nullable=True
    )
    sql = text("query that gives the values")
    scenarios = count("scenarios that it rests on, baselines included; null = no replay", min=0, nullable=True)
    scenarios_sql = text("query for those scenarios' ids; null = no replay", nullable=True)


class ClaimPart(dy.Schema):
    """Parts of claims that consist of several numbers; the claim's value is the share of parts that are met."""

    id = text("claim")
    part = text("part")
    rule = text("verdict rule: that of the claim, or yes_no, always or more")
    main = flag("whether it is the claim's own sentence, where parts do not all weigh alike")
    paper_value = number(
        "the paper's value; null where it is said to be above 0 (rule more)", "as claim", nullable=True
    )
    value = number("ours", "as claim", nullable=True)
    lo = number("lower end of the 95 % interval", "as claim", nullable=True)
    hi = number("upper end of the 95 % interval", "as claim", nullable=True)
    verdict = text("verdict on the part")


class Assumption(dy.Schema):
    """What claims rest on that no paper prints: constants of models, and words that had to become thresholds."""

    study = text("study")
    name = text("name")
    value = text("value, or the range from which it is drawn")
    unit = text("unit of the value", nullable=True)
    range = text("values that are tried beside it; null = none, or value is a range", nullable=True)
    source = text("where it comes from: a passage of the paper, or ours")
    constant = text("where it stands in the code; null = the configuration", nullable=True)
    varied = text("how a run varies it, for the robustness of the claims; null = not", nullable=True)
    claims = dy.List(dy.String(nullable=False), nullable=False, description="claims that depend on it")
    meaning = text("what it is")


RESULTS = {
    "scheduler": Scheduler,
    "setting": Setting,
    "failure": Failure,
    "loaded": Loaded,
    "metric": Metric,
    "claim": Claim,
    "claim_part": ClaimPart,
    "assumption": Assumption,
}
