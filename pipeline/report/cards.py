"""The page's section of dropped cards: their kernels, and what was fitted to them."""

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


def cards(connection: duckdb.DuckDBPyConnection) -> list[dict]:
    """Each card: trace, origin, machine_sms and `kernels` (gpu_card_kernel with Slate's class)."""
    classes = CLASSES if files_of(CLASSES) else "(SELECT NULL AS trace, NULL AS app, NULL AS class)"
    rows = (
        read(connection, KERNELS_SQL.format(classes))
        .unique(["trace", "app"], keep="first", maintain_order=True)
        .to_dicts()
    )
    return [
        {"trace": trace, "origin": origin, "kernels": (own_kernels := list(kernels))}
        | {"machine_sms": max(row["machine_sms"] for row in own_kernels)}
        for (trace, origin), kernels in groupby(rows, key=itemgetter("trace", "origin"))
    ]
