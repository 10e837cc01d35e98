"""Schedulers of the study: one file each, found because of where it lies.

The first line of a file's docstring describes the scheduler in the results. The file says

* `rule`: who runs on how many SMs, a function that begins with `@share`. What it is asked and what it may answer stands
  in `pipeline/studies/gpu_corun/rules.py`;
* `together`, where the least makespan of all that is possible is searched: a second such function. `rule` then runs
  one or two applications one after the other, the second first where `scenario.split` is 1. `together` runs them side
  by side, application 0 on `scenario.split` SMs. `model/search.py` plays both with every number;
* `OPTIONS`: columns of the scenario that make a difference to it, which sweeps vary then: split, symmetry, task_size,
  cached;
* `MOST_APPLICATIONS`: the longest queue that it takes; None: any;
* `OVERHEAD`: columns of the scenario that are its cost outside the kernel, as shares of the application;
* `TRANSFORMED`: whether kernels run as Slate transforms them, at `slate_speed`. Others overlap: one that has all SMs is
  1 + `overlap` times as fast while another waits;
* `COMPLEXITY`: its rank by what it needs to know and do: where two schedulers are as good, the simpler one is
  recommended.
"""

from collections.abc import Collection
from types import ModuleType

from pipeline.runtime.wording import did_you_mean
from pipeline.studies import plugins, require_flag, require_rule, stated, wrong
from pipeline.studies.gpu_corun.model.search import MOST_APPLICATIONS
from pipeline.studies.gpu_corun.rules import share

OVERHEADS = ("mps_overhead", "communication", "injection")
VARIED = ("split", "symmetry", "task_size", "cached")


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for a rule, words or types that the replay does not know."""
    require_rule(scheduler, "rule", share)
    require_flag(scheduler, "TRANSFORMED")
    _require_columns(scheduler, "OVERHEAD", OVERHEADS)
    _require_columns(scheduler, "OPTIONS", VARIED)
    most = stated(scheduler, "MOST_APPLICATIONS")
    if most is not None and (type(most) is not int or most < 1):
        raise wrong(scheduler, "MOST_APPLICATIONS", most, "None or a whole number of at least 1 would be right")
    if not hasattr(scheduler, "together"):
        return
    require_rule(scheduler, "together", share)
    if most not in range(1, MOST_APPLICATIONS + 1):
        raise wrong(scheduler, "MOST_APPLICATIONS", most, f"the search takes at most {MOST_APPLICATIONS}")


def _require_columns(scheduler: ModuleType, key: str, known: Collection[str]) -> None:
    columns = stated(scheduler, key)
    if not isinstance(columns, tuple):
        raise wrong(scheduler, key, columns, f"a tuple of {', '.join(known)} would be right")
    for column in columns:
        if column not in known:
            raise wrong(scheduler, key, column, f"known: {', '.join(known)}{did_you_mean(column, known)}")


SCHEDULERS = plugins(__name__, __path__, check)
