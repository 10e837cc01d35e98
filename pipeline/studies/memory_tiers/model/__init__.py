"""What the machine does: a batch queue over two resources, nodes and pool memory.

Pool memory is counted in whole kB, so that what is free is exact whatever the order of events. A job is a run of steps;
step k takes `step_s[k]` seconds while the job holds `step_kb[k]` of the pool, slowness of pool memory included. A job
that lacks some of it runs slower. docs/models/memory_tiers.md has the equations.
"""

from pipeline.studies.memory_tiers.model.engine import run
from pipeline.studies.memory_tiers.model.state import (
    BACKFILLING,
    GROWTH,
    KB_PER_GB,
    UNLIMITED_KB,
    Jobs,
    Rules,
    asked,
)

__all__ = ["BACKFILLING", "GROWTH", "KB_PER_GB", "UNLIMITED_KB", "Jobs", "Rules", "asked", "run"]
