"""Whole runs of the default and of the small configuration from empty results, and once more with nothing to do."""

from __future__ import annotations

from collections.abc import Iterator

from bench.results import Figure
from bench.settings import Settings
from bench.whole_run import figures

LIMIT_S = 3600.0


def run(settings: Settings) -> Iterator[Figure]:
    """Each configuration once; the small one finds the kernels that the default one compiled."""
    kernels = settings.folder("kernels")
    if not settings.tiny:
        yield from figures(settings, "default", "config/config.yaml", LIMIT_S, kernels)
    yield from figures(settings, "quick", "config/quick.yaml", LIMIT_S, kernels)
