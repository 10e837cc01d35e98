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

from pipeline.studies import plugins

SCHEDULERS = plugins(__name__, __path__)
