"""Schedulers of the study: one file each, found because of where it lies.

A scheduler module gives its `POLICY` (model.Policy), or `CANDIDATES`, policies of which a trial picks one for a graph
and machine (trial.fastest), an eager one among them for BC; and `SIMPLICITY`: where two schedulers are as good, the
simpler one is recommended. The first line of its docstring describes it in the results.
"""

from pipeline.studies import plugins

SCHEDULERS = plugins(__name__, __path__)
