"""Schedulers of the study: one file each, found because of where it lies.

A scheduler's file has

* `rule`, a function under `@split` of `rules`: how many SMs each application gets. `rules.split` says what it is told
  and what it has to write;
* `FAMILY`, one of `families`, imported by its name: when the rule is asked, what about, and on which scenarios;
* `MIG = True`, optional, where the rule chooses MIG slices as well (`mix.layouts`);
* `COMPLEXITY`, which ranks a scheduler by what it needs to know and do: where two are as good, the simpler one is
  recommended.

The first line of its docstring describes it in the results.
"""

from types import ModuleType

from pipeline.studies import plugins, require_rule, stated, wrong
from pipeline.studies.gpu_sharing.families import FAMILIES, Family
from pipeline.studies.gpu_sharing.rules import split


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for a family or a rule that the replay does not know."""
    family = stated(scheduler, "FAMILY")
    if not isinstance(family, Family):
        raise wrong(scheduler, "FAMILY", family, f"one of families.py would be right: {', '.join(FAMILIES)}")
    require_rule(scheduler, "rule", split)


def takes_slices(scheduler: ModuleType) -> bool:
    """Whether the rule of a scheduler's file is asked about GPUs in MIG slices."""
    return getattr(scheduler, "MIG", False)


SCHEDULERS = plugins(__name__, __path__, check)
