"""What of a trace was not used: its share of the rows, and the main reason."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import duckdb

from pipeline.runtime.quantities import number, share
from pipeline.warehouse.answer import read

SQL = """\
WITH told AS (
    SELECT trace_id, table_name, reason, first(detail ORDER BY file, "row") AS detail
    FROM rejected_row WHERE trace_id IS NOT NULL GROUP BY ALL
)
SELECT
    trace_id, table_name, fate, reason, "rows", coalesce(tally.detail, told.detail) AS detail,
    sum("rows") OVER (PARTITION BY trace_id, table_name, fate) AS unused,
    sum("rows") FILTER (fate <> 'observed') OVER (PARTITION BY trace_id, table_name) AS whole
FROM tally LEFT JOIN told USING (trace_id, table_name, reason)
QUALIFY fate IN ('rejected', 'left_out')
ORDER BY trace_id, table_name, fate DESC, "rows" DESC, reason"""


def sentences(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """What was rejected or left out of each trace of which anything was, by trace."""
    found = {}
    for trace, rows in groupby(read(connection, SQL).to_dicts(), key=itemgetter("trace_id")):
        of_tables = groupby(rows, key=itemgetter("table_name", "fate"))
        found[trace] = "; ".join(sentence(list(its)) for _, its in of_tables)
    return found


def sentence(rows: list[dict]) -> str:
    """Rows of one table that met one fate, by reason, the most frequent first, in words."""
    main = rows[0]
    what, fate = main["table_name"].replace("_", " "), main["fate"].replace("_", " ")
    unused, whole = int(main["unused"]), int(main["whole"])
    why = main["reason"] + (f" ({main['detail']})" if main["detail"] else "")
    if len(rows) > 1:
        why = f"mainly {why}, {share(main['rows'] / unused, 0)} of these"
    return f"{number(unused)} of {number(whole)} {what} {fate} ({share(unused / whole)}): {why}"
