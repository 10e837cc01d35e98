"""What is known of every drop: its traces, what was rejected, what was read."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, number, text

NODE, CORE = "node", "core"
"""Units of machines and jobs."""


class Trace(dy.Schema):
    """Traces found under the trace roots, with what could be read of each."""

    trace = text(
        "trace: the drop's name; <drop>/<file stem> where each file is a trace; <trace>/<partition> for a partition"
    )
    drop = text("folder it was dropped in")
    format = text("format it was read as; null = none recognised", nullable=True)
    status = text("read, or refused (with the reason in rejected_row)")
    kind = text("measured on a machine, or generated")
    nodes = count("size of the traced machine in `unit`; null = not known", nullable=True, min=1)
    nodes_origin = text(
        "where `nodes` comes from: stated (trace.yaml), header (the log says so), node_lists (distinct nodes named in "
        "the log), peak (assumed: the most nodes busy at once by the jobs' own starts and ends), or largest_job "
        "(assumed: no times are known)",
        nullable=True,
    )
    unit = text("what `nodes` and the jobs' `nodes` count: node or core; null where there are no jobs", nullable=True)
    offered_load = number(
        "sum of nodes times run time over `nodes` times `span_s`; null = not known", "1", nullable=True, min=0
    )
    span_s = number("time from the first to the last submission", "s", nullable=True, min=0)
    memory_origin = text(
        "what the memory of its jobs is: measured, default_like (used memory that looks like a site's default), "
        "default (it is one: half of the jobs have one value, and what they asked for), or requested; null = the log "
        "has none",
        nullable=True,
    )
    warnings = text("sentences on what makes answers about the trace doubtful; null = none", nullable=True)
    cores_per_node = count(
        "cores of a node where `unit` is core; null = not known, or nodes are counted", nullable=True, min=1
    )
    node_memory_gb = number(
        "memory of a node, also where cores are counted; null = not known", "GB", nullable=True, min=0
    )
    mean_memory_stated_gb = number(
        "mean memory that the jobs use per `unit`, by node time, as trace.yaml states it (mean_memory_gb); null = not "
        "stated",
        "GB",
        nullable=True,
        min=0,
    )
    ranks = count(
        "ranks of the traced PIM machine (DPUs where pim_unit is dpu); null = not known, or none", nullable=True, min=1
    )
    jobs = count("jobs read", min=0)
    samples = count("memory samples read", min=0)
    rejected = count("rows rejected", min=0)
    note = text("what a reader of results should know about it", nullable=True)
    data_source = text("where the figures come from, `source` of trace.yaml; null = not stated", nullable=True)
    licence = text("terms under which the figures may be passed on, likewise", nullable=True)
    citation = text("what to cite where the figures are used, likewise", nullable=True)


class RejectedRow(dy.Schema):
    """Rows, files and drops that were not used, with the reason."""

    drop = text("folder it was dropped in")
    trace = text("trace; null where a file or the drop as a whole was refused", nullable=True)
    table_name = text("canonical table the row was meant for; null for a file or drop", nullable=True)
    file = text("file inside the drop; null for the drop as a whole", nullable=True)
    row = count("row in the file, from 1 (text: line; null = the whole file)", nullable=True, min=0)
    reason = text("reason code")
    detail = text("what was found and what would be right")


class Provenance(dy.Schema):
    """Every file that was read."""

    drop = text("folder it was dropped in")
    file = text("file inside the drop")
    bytes = count("size", unit="B", min=0)
    sha256 = text("SHA-256 of its content", min_length=64, max_length=64)
    rows = count("rows read, rejected ones included; null = not read as rows", nullable=True, min=0)


class Tally(dy.Schema):
    """What became of the rows that were read, and of the jobs they tell of: of each table, used + rejected + left_out
    is what came in. Rejected ones stand in rejected_row one by one, those left out on purpose are counted here.
    """

    trace = text("trace")
    table_name = text("canonical table the rows were meant for")
    fate = text(
        "used, rejected (not valid), left_out (valid, of no use here), or observed (a remark on rows counted elsewhere)"
    )
    reason = text("reason code; null for rows that were used", nullable=True)
    rows = count("rows", min=0)
    detail = text("what that means", nullable=True)


CANONICAL = {
    "traces": Trace,
    "rejected_rows": RejectedRow,
    "provenance": Provenance,
    "tallies": Tally,
}
DATABASE_NAME = {
    "traces": "trace",
    "rejected_rows": "rejected_row",
    "provenance": "provenance",
    "tallies": "tally",
}
