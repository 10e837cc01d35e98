"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module says in `METHOD` how tasks come to partitions:

* "merge": greedily, by Algorithms 1 to 3 of the paper; `PARTNER` says which partner comes first, "smallest_union" or
  "least_load";
* "mend": the same, then tasks are moved about;
* "whole": one partition of all SMs;
* "search": the best of all partitions.

`SIMPLICITY` ranks it by what it needs to do: where two schedulers are as good, the simpler one is recommended. The
first line of its docstring describes it in the results.
"""

from types import ModuleType

from pipeline.studies import plugins, require_word

METHODS = ("merge", "mend", "whole", "search")
PARTNERS = ("smallest_union", "least_load")


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for words that the replay does not know."""
    if require_word(scheduler, "METHOD", METHODS) in ("merge", "mend"):
        require_word(scheduler, "PARTNER", PARTNERS)


SCHEDULERS = plugins(__name__, __path__, check)
