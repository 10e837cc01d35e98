"""The page's section of dropped cards: their kernels, what was fitted to them, and what claims come to on them."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import duckdb

from pipeline.warehouse.answer import read
from pipeline.warehouse.definitions import files_of

CLASSES = "gpu_kernel_intensity"
"""The view of a study, which may not be there, that has the classes."""
KERNELS_SQL = """\
SELECT own.*, class
FROM gpu_card_kernel AS own
LEFT JOIN {} AS rated ON (rated.trace, rated.app) = (own.trace, own.app)
ORDER BY own.trace, own.app"""

MEASURED_SQL = "SELECT * FROM claim_measured ORDER BY origin DESC, trace, study, id, quantity"


def cards(connection: duckdb.DuckDBPyConnection) -> list[dict]:
    """Each card: trace, origin, machine_sms, `kernels` (gpu_card_kernel with Slate's class) and `claims`."""
    claims = measured(connection)
    classes = CLASSES if files_of(CLASSES) else "(SELECT NULL AS trace, NULL AS app, NULL AS class)"
    rows = (
        read(connection, KERNELS_SQL.format(classes))
        .unique(["trace", "app"], keep="first", maintain_order=True)
        .to_dicts()
    )
    return [
        {"trace": trace, "origin": origin, "kernels": (own_kernels := list(kernels))}
        | {"machine_sms": max(row["machine_sms"] for row in own_kernels)}
        | {"claims": [claim for claim in claims if claim["trace"] == trace]}
        for (trace, origin), kernels in groupby(rows, key=itemgetter("trace", "origin"))
    ]


def measured(connection: duckdb.DuckDBPyConnection) -> list[dict]:
    """Rows of claim_measured, those of measured cards first."""
    return read(connection, MEASURED_SQL).to_dicts()
