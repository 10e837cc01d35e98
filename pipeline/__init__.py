"""Apportion: replays traces through every scheduler that shares a machine's memory or compute between applications."""

import os

# polars' streaming engine sums in an order that varies from run to run; the engine is chosen at import, hence here.
os.environ.setdefault("POLARS_ENGINE_AFFINITY", "in-memory")
# Where numba keeps what it has compiled, and how; read when the first kernel is declared.
os.environ.setdefault("NUMBA_CACHE_LOCATOR_CLASSES", "pipeline.runtime.kernel_cache.Locator")

__version__ = "0.1.0"
