"""VirtPIM.Coarse: user-defined requests, ranks held from first to last PIM operation only (paper, Section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.studies.pim_ranks.rules import GANG, HOST, Segment, Stage, program
from pipeline.studies.pim_ranks.schedulers._stages import parts, without_empty_host

NEEDS = ("stages",)
OVERHEAD = 0.0
COMPLEXITY = 3


@program
def rule(stages: Sequence[Stage], ranks: int, overhead: float, coop_limit: float) -> list[Segment]:
    """Coarse: the gang holds `ranks` from the first kernel stage to the last.

    A kernel stage takes (input + kernel + output) / ranks + ranks * serial: what is divided among ranks goes on at
    once, serial transfers one rank after the other.
    """
    before_s, inner, after_s = parts(stages)
    held_s = sum(_gang_s(stage, ranks) if stage.kind == "kernel" else stage.time_s for stage in inner)
    whole = Segment(GANG, ranks, held_s, overhead)
    return without_empty_host([Segment(HOST, 0, before_s), whole, Segment(HOST, 0, after_s)])


def _gang_s(stage: Stage, ranks: int) -> float:
    return (stage.input_s + stage.kernel_s + stage.output_s) / ranks + ranks * stage.serial_s
