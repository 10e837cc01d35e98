"""Cost-aware: most expected work until the next reconfiguration takes effect, work lost while memory moves counted.

Not of the paper, which leaves it open (Section VII). `docs/models/hpc_memory.md` derives the rule.
"""

from pipeline.studies.hpc_memory import expected_work

rule = expected_work.work
COMPLEXITY = 6
