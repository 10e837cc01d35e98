"""Families of schedulers: what a rule is asked, when, and what the machine does with its choice.

A scheduler's file states one as `FAMILY`; it decides which scenarios the file is replayed on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pipeline.studies.gpu_sharing.arrays import Problem, Replayed
from pipeline.studies.gpu_sharing.model import dynamic as _dynamic
from pipeline.studies.gpu_sharing.model import qos as _qos
from pipeline.studies.gpu_sharing.model import splits as _splits
from pipeline.studies.gpu_sharing.model import variation as _variation


class Family(NamedTuple):
    """name; question: the part of the configuration whose sweeps it runs; sms: of a scenario that states none (thesis,
    Table 1: GTX 480, Quadro FX5800); possible: what a rule may choose; run: the engine.
    """

    name: str
    question: str
    sms: int
    possible: str
    run: Callable[[Problem], Replayed]


_ALL = "each needs one at least and all are used"
_TARGETS = (
    "those with a target need one each at least and no more than all together; others may have what is left where "
    "spare is best_effort"
)

splits = Family("splits", "fairness", 16, f"{_ALL}, or each has all of them in turn", _splits.run)
dynamic = Family("dynamic", "fairness", 16, _ALL, _dynamic.run)
qos = Family("qos", "qos", 30, _TARGETS, _qos.run_once)
qos_rounds = Family("qos_rounds", "qos", 30, _TARGETS, _qos.run_rounds)
variation = Family("variation", "variation", 30, _ALL, _variation.run)

FAMILIES = {family.name: family for family in (splits, dynamic, qos, qos_rounds, variation)}
