"""VirtualPIM's rules: how an application becomes a program of host work, gangs of ranks and units of one rank.

Coarse runs a job as host work, one gang (its requested ranks from the first to the last PIM operation, host work in
between included), host work. Fine runs each kernel stage as units of one rank's slice, which start as ranks are free
and all end before the next stage begins; host work in between holds no ranks. The host has room for everybody.
"""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.studies.pim_ranks.model import INSTANT
from pipeline.studies.pim_ranks.rules import GANG, HOST, UNITS, Segment, Stage, program


@program
def gang(stages: Sequence[Stage], ranks: int, overhead: float, coop_limit: float) -> list[Segment]:  # noqa: ARG001
    """Coarse: the gang holds `ranks` from the first kernel stage to the last.

    A kernel stage takes (input + kernel + output) / ranks + ranks * serial: what is divided among ranks goes on at
    once, serial transfers one rank after the other.
    """
    before_s, inner, after_s = _parts(stages)
    held_s = sum(_gang_s(stage, ranks) if stage.kind == "kernel" else stage.time_s for stage in inner)
    whole = Segment(GANG, ranks, held_s, overhead)
    return _without_empty_host([Segment(HOST, 0, before_s), whole, Segment(HOST, 0, after_s)])


@program
def units(stages: Sequence[Stage], ranks: int, overhead: float, coop_limit: float) -> list[Segment]:  # noqa: ARG001
    """Fine: `ranks` units a kernel stage, each (input + kernel + output) / ranks + serial long.

    Each later kernel stage sends the first one's input again (a unit finds no data left from the stage before).
    """
    before_s, inner, after_s = _parts(stages)
    segments = [Segment(HOST, 0, before_s)]
    for place, stage in enumerate(inner):
        if stage.kind != "kernel":
            segments.append(Segment(HOST, 0, stage.time_s))
            continue
        again_s = inner[0].input_s if place else 0.0
        slice_s = (stage.input_s + stage.kernel_s + stage.output_s + again_s) / ranks + stage.serial_s
        segments.append(Segment(UNITS, ranks, slice_s, overhead))
    return _without_empty_host([*segments, Segment(HOST, 0, after_s)])


@program
def cheaper(stages: Sequence[Stage], ranks: int, overhead: float, coop_limit: float) -> list[Segment]:
    """Co-op: Fine where its rank-time is at most `coop_limit` times Coarse's, else Coarse.

    `overhead` is that of units; Coarse is compared and run without any.
    """
    whole, sliced = gang(stages, ranks, 0.0, coop_limit), units(stages, ranks, overhead, coop_limit)
    return sliced if _rank_s(sliced) <= coop_limit * _rank_s(whole) * (1 + INSTANT) else whole


def _rank_s(segments: Sequence[Segment]) -> float:
    return sum(segment.rank_s for segment in segments)


def _parts(stages: Sequence[Stage]) -> tuple[float, Sequence[Stage], float]:
    """Host seconds before the first kernel stage, the stages from it to the last one, host seconds after that."""
    kernels = [place for place, stage in enumerate(stages) if stage.kind == "kernel"]
    first, last = kernels[0], kernels[-1]
    before, after = stages[:first], stages[last + 1 :]
    return sum(s.time_s for s in before), stages[first : last + 1], sum(s.time_s for s in after)


def _gang_s(stage: Stage, ranks: int) -> float:
    return (stage.input_s + stage.kernel_s + stage.output_s) / ranks + ranks * stage.serial_s


def _without_empty_host(segments: list[Segment]) -> list[Segment]:
    return [segment for segment in segments if segment.kind != HOST or segment.seconds > 0]
