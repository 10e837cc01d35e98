"""Apportion: replays traces through every scheduler that shares a machine's memory or compute between applications."""

import os

from pipeline.runtime import sources

# polars' streaming engine sums in an order that varies from run to run; the engine is chosen at import, hence here.
os.environ.setdefault("POLARS_ENGINE_AFFINITY", "in-memory")
# numba does not notice that a function of another module has changed: a cache a version of the compiled sources.
os.environ.setdefault("NUMBA_CACHE_DIR", str(sources.kernel_cache()))
# Nor does it notice that a file of the cache is damaged.
os.environ.setdefault("NUMBA_CACHE_LOCATOR_CLASSES", "pipeline.runtime.kernel_cache.Locator")

__version__ = "0.1.0"
