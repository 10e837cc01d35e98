"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module says in `DISPATCH` how requests are taken from the queue:

* "alone": in queue order, one at a time; "in_order": in queue order, side by side, a blocked head blocks; "first_fit":
  the first of the queue that fits, again and again (`ooo_window` limits how far it looks);
* "priorities": Algorithm 2 of the paper over a window, with carried priorities;
* "stages": first come, first served, the kernel stages of a job one by one (VirtualPIM);
* "search": the best of all schedules;

and in `GRANT` how many ranks one gets: "machine" (all), "best" (best_ranks), "leftover" (best_ranks or what is left),
"worth_it" (what is left, where waiting for more would not end earlier), "any" (what the search finds), and for stages
"gang" (the requested ranks, from first to last PIM operation), "units" (one rank at a time for each slice) or "cheaper"
(whichever of these two costs an application less rank-time).

`OVERHEAD` is the scheduler's own cost as a share of the execution time. `SIMPLICITY` ranks it by what it needs to know
and do: where two schedulers are as good, the simpler one is recommended. The first line of its docstring describes it
in the results.
"""

from types import ModuleType

from pipeline.studies import plugins, require_share, require_word
from pipeline.studies.pim_ranks.model import DISPATCH, GRANT

GRANTS = dict.fromkeys(DISPATCH, tuple(GRANT)) | {"stages": ("gang", "units", "cheaper"), "search": ("any",)}
"""How many ranks a request may get, by how requests are taken from the queue."""


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for words or types that the replay does not know, and for two that do not go together."""
    require_word(scheduler, "GRANT", GRANTS[require_word(scheduler, "DISPATCH", GRANTS)])
    require_share(scheduler, "OVERHEAD")


SCHEDULERS = plugins(__name__, __path__, check)
