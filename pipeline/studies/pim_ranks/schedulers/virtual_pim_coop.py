"""VirtPIM.Co-op: Fine for applications that it costs little more rank-time, else Coarse (paper, Section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.studies.pim_ranks.model import INSTANT
from pipeline.studies.pim_ranks.rules import Segment, Stage, program
from pipeline.studies.pim_ranks.schedulers.virtual_pim_coarse import rule as gang
from pipeline.studies.pim_ranks.schedulers.virtual_pim_fine import rule as units

NEEDS = ("stages",)
OVERHEAD = 0.07
COMPLEXITY = 7


@program
def rule(stages: Sequence[Stage], ranks: int, overhead: float, coop_limit: float) -> list[Segment]:
    """Co-op: Fine where its rank-time is at most `coop_limit` times Coarse's, else Coarse.

    `overhead` is that of units; Coarse is compared and run without any.
    """
    whole, sliced = gang(stages, ranks, 0.0, coop_limit), units(stages, ranks, overhead, coop_limit)
    return sliced if _rank_s(sliced) <= coop_limit * _rank_s(whole) * (1 + INSTANT) else whole


def _rank_s(segments: Sequence[Segment]) -> float:
    return sum(segment.rank_s for segment in segments)
