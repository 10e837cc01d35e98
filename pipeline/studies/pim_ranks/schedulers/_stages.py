"""Stages of an application under VirtualPIM: host work before, between and after its kernels.

Coarse runs a job as host work, one gang (its requested ranks from the first to the last PIM operation, host work in
between included), host work. Fine runs each kernel stage as units of one rank's slice, which start as ranks are free
and all end before the next stage begins; host work in between holds no ranks. The host has room for everybody.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.studies.pim_ranks.rules import HOST, Segment, Stage


def parts(stages: Sequence[Stage]) -> tuple[float, Sequence[Stage], float]:
    """Host seconds before the first kernel stage, the stages from it to the last one, host seconds after that."""
    kernels = [place for place, stage in enumerate(stages) if stage.kind == "kernel"]
    first, last = kernels[0], kernels[-1]
    before, after = stages[:first], stages[last + 1 :]
    return sum(s.time_s for s in before), stages[first : last + 1], sum(s.time_s for s in after)


def without_empty_host(segments: list[Segment]) -> list[Segment]:
    return [segment for segment in segments if segment.kind != HOST or segment.seconds > 0]
