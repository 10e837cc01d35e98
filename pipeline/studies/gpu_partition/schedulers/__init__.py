"""Schedulers of the study: one file each, found because of where it lies.

A scheduler's file has `rule`, the function that allocates tasks to partitions; it begins with `@allocate`. What it is
given, what it can ask and what it has to write stands at `allocate` in rules.py. Beside it

* `COMPLEXITY` ranks it by what it needs to do: where two schedulers are as good, the simpler one is recommended,
* `OPTIONS` names the options of allocation that the rule heeds, if it heeds any, of forbidden, order, search, stop and
  forbidden_scope: sweeps vary these, and for all schedulers what belongs to the machine,
* `EXACT_UP_TO`, of a rule that finds the optimum: of sets with more tasks it is not asked, they get a lower bound only.

The first line of the docstring describes the scheduler in the results.
"""

from math import inf
from types import ModuleType

from pipeline.studies import plugins, require_rule, wrong
from pipeline.studies.gpu_partition.rules import allocate

OPTIONS = ("forbidden", "order", "search", "stop", "forbidden_scope")
"""Columns of the scenario table that rules may heed; the others are of the machine and matter to all."""


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for a rule of another signature, an option that there is not, or a limit that cannot be."""
    require_rule(scheduler, "rule", allocate)
    options = heeded(scheduler)
    if not isinstance(options, tuple) or not set(options) <= set(OPTIONS):
        raise wrong(scheduler, "OPTIONS", options, f"a tuple of some of {', '.join(OPTIONS)} would be right")
    most = exact_up_to(scheduler)
    if most != inf and (type(most) is not int or most < 1):
        raise wrong(scheduler, "EXACT_UP_TO", most, "a whole number of at least 1 would be right")


def heeded(scheduler: ModuleType) -> tuple[str, ...]:
    """Options of allocation that a scheduler heeds."""
    return getattr(scheduler, "OPTIONS", ())


def exact_up_to(scheduler: ModuleType) -> float:
    """Tasks up to which a scheduler finds the optimum; infinite where it does not claim to."""
    return getattr(scheduler, "EXACT_UP_TO", inf)


SCHEDULERS = plugins(__name__, __path__, check)
