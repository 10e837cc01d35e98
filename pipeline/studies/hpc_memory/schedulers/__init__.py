"""Schedulers of the study: one file each, found because of where it lies.

A scheduler's file has a docstring, whose first line describes it in the results, and

* `rule`: who is to have how much memory, a function of the signature `rules.grant`, ready-made or one's own:

      from pipeline.studies.hpc_memory.rules import grant

      @grant
      def rule(state, workload, machine, room, target_gb):
          '''Each running job an equal part of the memory, needed or not.'''
          for slot in state.running:
              target_gb[slot] = state.available_gb / len(state.running)

* `COMPLEXITY`: its rank by what it needs to know and do (0 = simplest): where two schedulers are as good, the simpler
  one is recommended.
* `order(jobs, scenario)`, where its rule goes along an order of all phases (`rules.phases`) or levels of the memory
  profiles (`rules.levels`): a number per phase or level, the smallest comes first. It is computed once, before the
  replay. `jobs` is a `pipeline.studies.hpc_memory.arrays.Arrays`, `scenario` the row's options. Equal numbers (closer
  than 1e-9, relative) go by release, then job id. A number per level never decreases within a job.

`rules.asked` says when a rule is asked, where that is not at every start, end and change of phase.
"""

from types import ModuleType

from pipeline.studies import plugins, require_rule, stated, wrong
from pipeline.studies.hpc_memory.rules import asked_of, grant


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for a rule of another signature, and for an order that is missing or that no rule reads."""
    ranked = asked_of(require_rule(scheduler, "rule", grant)).order
    if ranked:
        order = stated(scheduler, "order")
        if not callable(order):
            raise wrong(scheduler, "order", order, "a function of jobs and scenario would be right")
    elif hasattr(scheduler, "order"):
        right = "a rule that goes along an order would be right, such as rules.phases; see order= of rules.asked"
        raise wrong(scheduler, "rule", scheduler.rule, right)


SCHEDULERS = plugins(__name__, __path__, check)
