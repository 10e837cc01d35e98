"""VirtPIM.Fine: one rank's slice of one kernel stage at a time, first inputs sent again (paper, Section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.studies.pim_ranks.rules import HOST, UNITS, Segment, Stage, program
from pipeline.studies.pim_ranks.schedulers._stages import parts, without_empty_host

NEEDS = ("stages",)
OVERHEAD = 0.07
COMPLEXITY = 6


@program
def rule(stages: Sequence[Stage], ranks: int, overhead: float, coop_limit: float) -> list[Segment]:
    """Fine: `ranks` units a kernel stage, each (input + kernel + output) / ranks + serial long.

    Each later kernel stage sends the first one's input again (a unit finds no data left from the stage before).
    """
    before_s, inner, after_s = parts(stages)
    segments = [Segment(HOST, 0, before_s)]
    for place, stage in enumerate(inner):
        if stage.kind != "kernel":
            segments.append(Segment(HOST, 0, stage.time_s))
            continue
        again_s = inner[0].input_s if place else 0.0
        slice_s = (stage.input_s + stage.kernel_s + stage.output_s + again_s) / ranks + stage.serial_s
        segments.append(Segment(UNITS, ranks, slice_s, overhead))
    return without_empty_host([*segments, Segment(HOST, 0, after_s)])
