"""Schedulers of the study: one file each, found because of where it lies.

A scheduler's file has a `rule`: a function that begins with one of the signatures of rules.py, and does what stands
there. `@start`: which waiting jobs start now, and on how many ranks; `@program`: how VirtualPIM runs an application;
`@plan`: a schedule of all jobs beforehand.

`NEEDS` is a tuple of what it needs beside queue and times. Of the tables: "best_ranks", or "stages" (each `@program`
does; sweeps give it workloads with stages and requests). Of the scenarios: "window", "ooo_window", "perf_at",
"objective" (sweeps give it each of their values, and each profiling_ratio and threshold where it needs best_ranks). And
"few_jobs", where sweeps are to give it small sets only.

`OVERHEAD` is the scheduler's own cost as a share of the execution time. `COMPLEXITY` ranks it by what it needs to know
and do: where two schedulers are as good, the simpler one is recommended. The first line of its docstring describes it
in the results.
"""

from types import ModuleType

from pipeline.runtime.wording import did_you_mean
from pipeline.studies import plugins, require_rule, require_share, stated, wrong
from pipeline.studies.pim_ranks.rules import plan, program, start

VARIED = ("window", "ooo_window", "perf_at", "objective")
"""Columns of the scenarios that sweeps vary for the schedulers that need them."""
PROFILED = ("profiling_ratio", "threshold")
"""Those that sweeps vary for schedulers that need best_ranks."""
KNOWN = ("best_ranks", "stages", *VARIED, "few_jobs")


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for a rule of another signature, needs that are not known, or an overhead that is no share."""
    rule = require_rule(scheduler, "rule", start, program, plan)
    needs = stated(scheduler, "NEEDS")
    if not isinstance(needs, tuple):
        raise wrong(scheduler, "NEEDS", needs, "a tuple of words would be right")
    for word in needs:
        if word not in KNOWN:
            raise wrong(scheduler, "NEEDS", needs, f"known: {', '.join(KNOWN)}{did_you_mean(word, KNOWN)}")
    if ("stages" in needs) != (rule.of is program):
        raise wrong(scheduler, "NEEDS", needs, 'a rule @program needs "stages", and no other does')
    require_share(scheduler, "OVERHEAD")


SCHEDULERS = plugins(__name__, __path__, check)
