"""Orders of the queue: one file each, found because of where it lies.

A file has a docstring, whose first line says who goes first, and `rule`, a function of the signature `rules.key`:

    from pipeline.studies.hpc_memory.rules import key

    @key
    def rule(now_s, submit_s, nodes, limit_s, priority, weights):
        '''Fewest node-seconds first.'''
        return nodes * limit_s
"""

import importlib

from pipeline.runtime import sources
from pipeline.simulation.rules import Rule
from pipeline.studies import require_rule
from pipeline.studies.hpc_memory.rules import key

ORDERS = tuple(sources.orders("hpc_memory"))


def rule_of(order: str) -> Rule:
    """The rule of an order, whose file is imported when it is asked for; raises ValueError for another signature."""
    return require_rule(importlib.import_module(f"{__name__}.{order}"), "rule", key)
