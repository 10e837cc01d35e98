"""Replays of a log beside what the machine did: measures of how far they are apart, and the queue over time."""

from __future__ import annotations

import dataframely as dy

from pipeline.tables.columns import count, flag, number, text


class LogFidelity(dy.Schema):
    """How far replays of a log are from its own starts, for each dialect of the queue (docs/guides/fidelity.md)."""

    trace = text("trace")
    setting = text("dialect that is replayed, of those that the study knows; measured = the log itself")
    half = text("first or second half of the time of submissions, or whole")
    measure = text("what is compared, as pipeline.statistics.fidelity defines it")
    value = number("its value in `unit`; null = not defined here", "unit", nullable=True)
    least = number("least of the draws whose mean `value` is; null = nothing is drawn", "unit", nullable=True)
    most = number("most of them; null = nothing is drawn", "unit", nullable=True)
    unit = text("unit of value, least, most and noise")
    noise = number(
        "mean size of the same measure between executions of the workload on the machine; null = it ran once",
        "unit",
        nullable=True,
    )
    closest = flag("whether the setting has the fewest discordant pairs in the first half")


class QueueLength(dy.Schema):
    """Jobs that wait and nodes in use over the time of a log, as measured and as replayed."""

    trace = text("trace")
    setting = text("measured, or the closest dialect")
    time_s = number("time since the trace's own origin", "s")
    waiting = count("jobs that are submitted and have not started", min=0)
    busy = number("nodes in use over the nodes of the machine", "1", min=0)


CANONICAL = {"log_fidelity": LogFidelity, "queue_lengths": QueueLength}
DATABASE_NAME = {"log_fidelity": "log_fidelity", "queue_lengths": "queue_length"}
