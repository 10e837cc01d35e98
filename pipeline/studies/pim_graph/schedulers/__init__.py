"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module gives its `POLICY` (model.Policy), or `CANDIDATES`, policies of which a trial picks one for a graph
and machine (trial.fastest), an eager one among them for BC; and `SIMPLICITY`: where two schedulers are as good, the
simpler one is recommended. The first line of its docstring describes it in the results.
"""

from types import ModuleType

from pipeline.studies import plugins, stated, wrong
from pipeline.studies.pim_graph import model
from pipeline.studies.pim_graph.model import Policy

WORDS = {
    "destination": ("ROUND_ROBIN", "OWNER"),
    "checked": ("NONE", "LOCAL", "ALL"),
    "steals": ("NEVER", "ALWAYS", "WORTHWHILE"),
}
"""Names of model.py that each part of a policy may have as its value."""


def check(scheduler: ModuleType) -> None:
    """Raise ValueError for policies that the engine does not know, and for candidates without one for BC."""
    if not hasattr(scheduler, "CANDIDATES"):
        _require_policy(scheduler, "POLICY", stated(scheduler, "POLICY"))
        return
    candidates = scheduler.CANDIDATES
    if not isinstance(candidates, tuple) or not candidates:
        raise wrong(scheduler, "CANDIDATES", candidates, "a tuple of policies would be right")
    for place, policy in enumerate(candidates):
        _require_policy(scheduler, f"CANDIDATES[{place}]", policy)
    if all(policy.checked != model.ALL for policy in candidates):
        raise wrong(scheduler, "CANDIDATES", candidates, "one with checked=ALL must be among them, for BC")


def _require_policy(scheduler: ModuleType, key: str, policy: object) -> None:
    if not isinstance(policy, Policy):
        raise wrong(scheduler, key, policy, "a Policy of model.py would be right")
    for part, names in WORDS.items():
        value = getattr(policy, part)
        if type(value) is not int or value not in [getattr(model, name) for name in names]:
            raise wrong(scheduler, f"{key}.{part}", value, f"known, of model.py: {', '.join(names)}")
    if type(policy.unique) is not bool:
        raise wrong(scheduler, f"{key}.unique", policy.unique, "True or False would be right")


SCHEDULERS = plugins(__name__, __path__, check)
