"""What a trial found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """One figure of a trial: what was counted or measured, and a sentence where it needs one."""

    figure: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Details:
    """A table that belongs to a trial, such as the kills by what ran; cells are text."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """Findings of a run of a trial; `passed` is False where something happened that must not happen."""

    findings: Sequence[Finding]
    passed: bool
    details: Sequence[Details] = field(default_factory=tuple)
