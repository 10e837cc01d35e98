"""Finds data drops and reads their settings.

A drop is a folder below one of the trace roots; its `trace.yaml` may state the format and what the data do not tell.
"""

from pipeline.drops.files import SETTINGS_FILE, Refusal, failed, readable
from pipeline.drops.folders import (
    DROP_NAME,
    SMALL_BYTES,
    Drop,
    Folder,
    content,
    contents,
    discover,
    fingerprint,
    load,
    name_for,
    of_file,
    require,
    size,
)
from pipeline.drops.settings import (
    DAY_FIRST,
    LONGEST_COMPLAINT,
    MONTH_FIRST,
    MOST_RANKS,
    PERCENT,
    PLACEHOLDER,
    TABLES,
    TIME_UNITS,
    UNKNOWN_UNIT,
    ColumnSource,
    DropSettings,
)

__all__ = [
    "DAY_FIRST", "DROP_NAME", "LONGEST_COMPLAINT", "MONTH_FIRST", "MOST_RANKS", "PERCENT", "PLACEHOLDER",
    "SETTINGS_FILE", "SMALL_BYTES", "TABLES", "TIME_UNITS", "UNKNOWN_UNIT", "ColumnSource", "Drop", "DropSettings",
    "Folder", "Refusal", "content", "contents", "discover", "failed", "fingerprint", "load", "name_for", "of_file",
    "readable", "require", "size",
]  # fmt: skip
