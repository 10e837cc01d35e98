"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module gives its `POLICY` (model.Policy), or a function `choose(algorithm, stacks, cost, facts) -> Policy`
that picks one for a graph (facts.Facts) on a machine (model.Cost), an eager one for BC; and `SIMPLICITY`: where two
schedulers are as good, the simpler one is recommended. The first line of its docstring describes it in the results.
"""

from pipeline.studies import plugins

SCHEDULERS = plugins(__name__, __path__)
