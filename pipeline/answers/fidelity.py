"""How true replays of a log are, in a sentence: its own starts beside those of the closest dialect of the queue."""

from __future__ import annotations

import duckdb

from pipeline.runtime.quantities import duration, number, share
from pipeline.warehouse.answer import read

SQL = """
SELECT closest_dialects.* FROM closest_dialects JOIN trace ON trace.trace_id = closest_dialects.trace
WHERE trace.kind = 'measured'"""
"""A generated log tells of no machine."""
HELD_BACK = 0.01
"""Share of jobs that waited without need from which an answer says so."""


def sentences(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The sentence of each trace that has starts, by trace."""
    return {row["trace"]: sentence(row) for row in read(connection, SQL).to_dicts()}


def sentence(row: dict) -> str:
    """A row of the view closest_dialects in words."""
    said = [f"{_wait(row)}, {_pairs(row['discordant_pairs'])} (dialect {row['setting']}, second half of the log)"]
    if row["wait_noise"] is not None:
        noise = f"{share(row['wait_noise'])} in mean wait and {share(row['pairs_noise'], 2)} of pairs"
        said.append(f"two runs on the machine differ by {noise}")
    if row["held_back"] >= HELD_BACK:
        waited = f"{share(row['held_back'])} of the jobs waited over a minute although all that waited had room"
        said.append(f"{waited} (users, holidays, reservations and nodes that are down are not in a log)")
    return "; ".join(said)


def _wait(row: dict) -> str:
    """The mean wait of the replay against the machine's."""
    error = row["mean_wait_error"]
    if error is None:
        return f"nobody waited on the machine, {duration(row['mean_wait_replayed_s'])} in the replay"
    if error > 1:
        return f"mean wait {number(1 + error)} times the machine's {duration(row['mean_wait_measured_s'])}"
    where = "above" if error > 0 else "below"
    return f"mean wait {share(abs(error))} {where} the machine's {duration(row['mean_wait_measured_s'])}"


def _pairs(pairs: float) -> str:
    return f"{share(pairs, 2)} of pairs of jobs swapped"
