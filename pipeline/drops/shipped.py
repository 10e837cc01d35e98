"""Names of the drops that ship with the project: examples, which the page folds behind the drops of its reader."""

SHIPPED = (
    "automotive_like",
    "gavel",
    "kth_sp2",
    "lanl_cm5",
    "luxembourg_roads",
    "m100_jobs",
    "magus",
    "marconi_like",
    "miso_a100",
    "parvagpu_a100",
    "prim_upmem",
    "rodinia",
    "thesis_table_6",
)
