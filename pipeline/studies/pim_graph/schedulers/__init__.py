"""Schedulers of the study: one file each, found because of where it lies.

A scheduler's file may have two rules. `place` says where new work goes; without it, to the owner of its vertex. `steal`
says whom an idle core robs; without it, nobody. What a rule is told and what it has to write or return stands in
rules.py:

    from pipeline.studies.pim_graph.rules import stealing

    @stealing
    def steal(core, machine, scenario, memory, elements): ...

The file states two properties of the queues' hardware, CHECKED ("none", "local" or "all") and UNIQUE (True or
False), which rules.Policy explains; and COMPLEXITY: where two schedulers are as good, the simpler one is recommended.
In place of rules and queues it may state CANDIDATES, policies of which a trial picks one for a graph and machine
(trial.py), one that checks all among them for BC. The first line of its docstring describes it in the results.
"""

from types import ModuleType

from pipeline.studies import plugins, require_flag, require_rule, require_word, wrong
from pipeline.studies.pim_graph.rules import CHECKED, Policy, placing, stealing

SIGNATURES = {"place": placing, "steal": stealing}


def policies(scheduler: ModuleType) -> tuple[Policy, ...]:
    """The policies of a scheduler's file: one, or several to try."""
    if hasattr(scheduler, "CANDIDATES"):
        return scheduler.CANDIDATES
    place, steal = (getattr(scheduler, name, None) for name in SIGNATURES)
    return (Policy(scheduler.CHECKED, scheduler.UNIQUE, place, steal),)


def runs_bc(scheduler: ModuleType) -> bool:
    """Whether a scheduler can run BC, which takes one that checks all neighbours."""
    return any(policy.checked == "all" for policy in policies(scheduler))


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for rules of another signature, words that are not known, and candidates without one for BC."""
    if not hasattr(scheduler, "CANDIDATES"):
        _require_policy(scheduler)
        return
    candidates = scheduler.CANDIDATES
    if not isinstance(candidates, tuple) or not candidates or not all(isinstance(one, Policy) for one in candidates):
        raise wrong(scheduler, "CANDIDATES", candidates, "a tuple of policies (rules.Policy) would be right")
    for place, policy in enumerate(candidates):
        part = ModuleType(scheduler.__name__)
        part.CHECKED, part.UNIQUE = policy[:2]
        vars(part).update({name: rule for name, rule in zip(SIGNATURES, policy[2:], strict=True) if rule is not None})
        try:
            _require_policy(part)
        except ValueError as error:
            raise ValueError(f"{error} (CANDIDATES[{place}])") from None
    if not runs_bc(scheduler):
        raise wrong(scheduler, "CANDIDATES", candidates, "one with checked='all' must be among them, for BC")


def _require_policy(scheduler: ModuleType) -> None:
    for name, signature in SIGNATURES.items():
        if hasattr(scheduler, name):
            require_rule(scheduler, name, signature)
    require_word(scheduler, "CHECKED", CHECKED)
    require_flag(scheduler, "UNIQUE")


SCHEDULERS = plugins(__name__, __path__, check)
