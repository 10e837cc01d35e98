"""What all benchmarks are told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipeline.runtime.sources import ROOT

Size = TypeVar("Size")


@dataclass(frozen=True)
class Settings:
    """Runs of each measurement, size, a folder for intermediate files and one for the peers' environments.

    `tiny` takes sizes at which everything runs and no figure means anything.
    """

    runs: int
    scratch: Path
    environments: Path = ROOT / ".bench"
    tiny: bool = False

    @property
    def long_runs(self) -> int:
        """Runs of what takes half a minute or more."""
        return (self.runs + 1) // 2

    def size(self, full: Size, tiny: Size) -> Size:
        """The one or the other of two sizes."""
        return tiny if self.tiny else full

    def folder(self, name: str) -> Path:
        """A folder for intermediate files, made if need be."""
        path = self.scratch / name
        path.mkdir(parents=True, exist_ok=True)
        return path
