"""Names of the drops that ship with the project: examples, which the page folds behind the drops of its reader."""

SHIPPED = (
    "automotive_like",
    "emmy_memory",
    "gavel",
    "kth_sp2",
    "lanl_cm5",
    "luxembourg_roads",
    "m100_jobs",
    "magus",
    "marconi_like",
    "miso_mig",
    "parvagpu",
    "prim_upmem",
    "thesis_table_6",
)
