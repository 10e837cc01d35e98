"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module says in `GRANTS` what it grants and, where that is done in an order, gives it:

* `GRANTS = "phases"`: needs of the current phases, in increasing `order(jobs, scenario)`, one number a phase;
* `GRANTS = "levels"`: levels of the memory profiles, in increasing `order(jobs, scenario)`, one number a level, never
  decreasing within a job;
* `GRANTS = "work"`: what yields most expected work until the next reconfiguration takes effect (no order of its own);
* `GRANTS = "share"`: a fixed share of the memory, by nodes; `GRANTS = "everything"`: all that is needed, at once.

`SIMPLICITY` ranks it by what it needs to know and do: where two schedulers are as good, the simpler one is
recommended. The first line of its docstring describes it in the results.

`jobs` is a `pipeline.studies.hpc_memory.arrays.Arrays`, `scenario` the row's options. Equal numbers (closer than 1e-9,
relative) go by release, then job id.
"""

from types import ModuleType

from pipeline.studies import plugins, require_word, stated, wrong
from pipeline.studies.hpc_memory.model import GRANTS


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for words that the replay does not know, and for an order that is missing."""
    if require_word(scheduler, "GRANTS", GRANTS) in ("phases", "levels"):
        order = stated(scheduler, "order")
        if not callable(order):
            raise wrong(scheduler, "order", order, "a function of jobs and scenario would be right")


SCHEDULERS = plugins(__name__, __path__, check)
