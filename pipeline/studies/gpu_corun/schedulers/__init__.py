"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module says in `SHARING` who gets the GPU:

* "time_sliced": all that are ready, in turns; "leftover": one after the other, in queue order;
* "complementary": the first of the queue and, on SMs of its own, the first that Table I lets run beside it;
* "searched": the best of consecutive runs and every split of the SMs, of two applications at most;

and in `OVERHEAD` which columns of the scenario are its cost outside the kernel, as shares of the application.
`TRANSFORMED` says whether kernels run as Slate transforms them, at `slate_speed`. `SIMPLICITY` ranks it by what it
needs to know and do: where two schedulers are as good, the simpler one is recommended. The first line of its docstring
describes it in the results.
"""

from types import ModuleType

from pipeline.studies import plugins, require_flag, require_word, stated, wrong
from pipeline.studies.gpu_corun.model import SHARING
from pipeline.wording import did_you_mean

OVERHEADS = ("mps_overhead", "communication", "injection")


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for words or types that the replay does not know."""
    require_word(scheduler, "SHARING", SHARING)
    require_flag(scheduler, "TRANSFORMED")
    columns = stated(scheduler, "OVERHEAD")
    if not isinstance(columns, tuple):
        raise wrong(scheduler, "OVERHEAD", columns, f"a tuple of {', '.join(OVERHEADS)} would be right")
    for column in columns:
        if column not in OVERHEADS:
            hint = did_you_mean(column, OVERHEADS)
            raise wrong(scheduler, "OVERHEAD", column, f"known: {', '.join(OVERHEADS)}{hint}")


SCHEDULERS = plugins(__name__, __path__, check)
