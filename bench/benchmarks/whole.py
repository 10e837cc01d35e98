"""Whole runs of the quick and the default configuration from empty results, kernels compiled before, and once more."""

from __future__ import annotations

from collections.abc import Iterator

from bench.results import Figure
from bench.settings import Settings
from bench.whole_run import figures

LIMIT_S = 3600.0


def run(settings: Settings) -> Iterator[Figure]:
    """Each configuration once."""
    yield from figures(settings, "quick", "config/quick.yaml", LIMIT_S)
    if not settings.tiny:
        yield from figures(settings, "default", "config/config.yaml", LIMIT_S)
