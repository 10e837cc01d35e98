"""The papers' full evaluations (config/paper.yaml) from empty results, and once more with nothing to do."""

from __future__ import annotations

from collections.abc import Iterator

from bench.results import Figure
from bench.settings import Settings
from bench.whole_run import figures

HOURS = True
LIMIT_S = 6 * 3600.0


def run(settings: Settings) -> Iterator[Figure]:
    """The configuration once."""
    yield from figures(settings, "paper", "config/paper.yaml", LIMIT_S, settings.folder("kernels"))
