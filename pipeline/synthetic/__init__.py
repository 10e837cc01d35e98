"""Seeded generators of example drops, one module a kind of trace.

All draw from published laws, none copies a measured trace; what they write is labelled `kind: generated`.
"""

from pipeline.synthetic.graph import edge_list, write_graph
from pipeline.synthetic.marconi100 import write_marconi100
from pipeline.synthetic.memory_samples import memory_trace, write_memory_samples
from pipeline.synthetic.nvprof import write_nvprof
from pipeline.synthetic.prim import prim_logs, write_prim
from pipeline.synthetic.swf import lublin_jobs, swf_text, write_swf
from pipeline.synthetic.tasks import task_table, write_tasks
from pipeline.synthetic.users import ESTIMATES_S

__all__ = [
    "ESTIMATES_S",
    "edge_list",
    "lublin_jobs",
    "memory_trace",
    "prim_logs",
    "swf_text",
    "task_table",
    "write_graph",
    "write_marconi100",
    "write_memory_samples",
    "write_nvprof",
    "write_prim",
    "write_swf",
    "write_tasks",
]
