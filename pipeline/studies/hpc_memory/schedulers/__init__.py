"""Schedulers of the study: one file each, found because of where it lies.

A scheduler's file has a docstring, whose first line describes it in the results, and

* `rule`: who is to have how much memory, a function of the signature `rules.grant`,

      from pipeline.studies.hpc_memory.rules import grant

      @grant
      def rule(state, workload, machine, room, target_gb):
          '''Each running job an equal part of the memory, needed or not.'''
          for slot in state.running:
              target_gb[slot] = state.available_gb / len(state.running)

  or the order in which it is granted, of the signature `rules.by_phase` or `rules.by_level`;
* `PROFILE = True` where the rule reads the jobs' profiles (levels, mean length of a phase): its replays depend on what
  it knows of them, the scenario column `knowledge`;
* `COMPLEXITY`: its rank by what it needs to know and do (0 = simplest): where two schedulers are as good, the simpler
  one is recommended.

`rules.asked` says when a rule `grant` is asked, where that is not at every start, end and change of phase.
"""

from types import ModuleType

from pipeline.studies import plugins, require_rule
from pipeline.studies.hpc_memory.rules import by_level, by_phase, grant


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for a rule of another signature, or one that orders levels without `PROFILE`."""
    require_rule(scheduler, "rule", grant, by_phase, by_level)
    if scheduler.rule.of is by_level and not getattr(scheduler, "PROFILE", False):
        raise ValueError(f"{scheduler.__name__}: a rule by_level reads profiles; PROFILE = True is missing")


SCHEDULERS = plugins(__name__, __path__, check)
