"""Schedulers of the study: one file each, found because of where it lies.

A scheduler's file has a docstring, whose first line describes it in the results, and

* `rule`: what a job takes from its start on, a function of the signature `rules.take`;
* `FOLLOWS`: whether what a job holds of the pool follows its phases; False = it holds one amount to its end;
* `COMPLEXITY`: its rank by what it needs to know and do (0 = simplest);
* `order(workload)`, where nobody waits for the pool: a number per phase of an `arrays.Workload`, the smallest comes
  first. The pool is then given anew whenever a job starts, ends or changes its phase. Equal numbers go by release.
"""

from types import ModuleType

from pipeline.studies import plugins, require_flag, require_rule, wrong
from pipeline.studies.memory_tiers.rules import take


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for a rule of another signature, where FOLLOWS is not stated, and for an order beside no."""
    require_rule(scheduler, "rule", take)
    require_flag(scheduler, "FOLLOWS")
    if hasattr(scheduler, "order") and not scheduler.FOLLOWS:
        raise wrong(scheduler, "FOLLOWS", False, "True would be right: what is given along an order follows the phases")


SCHEDULERS = plugins(__name__, __path__, check)
