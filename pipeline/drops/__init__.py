"""Finds data drops, reads their settings and recognises their format.

A drop is a folder below one of the trace roots. Which format it holds is asked of the reader modules, which are found
because they lie in `pipeline.readers`; a drop's `trace.yaml` may state the format and what the data do not tell.
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
from pipeline.drops.recognition import Recognised, hang_together, identify, modules, reader_modules, recognise
from pipeline.drops.settings import (
    DAY_FIRST,
    LONGEST_COMPLAINT,
    MONTH_FIRST,
    MOST_RANKS,
    PERCENT,
    PLACEHOLDER,
    TABLES,
    TIME_UNITS,
    ColumnSource,
    DropSettings,
)

__all__ = [
    "DAY_FIRST", "DROP_NAME", "LONGEST_COMPLAINT", "MONTH_FIRST", "MOST_RANKS", "PERCENT", "PLACEHOLDER",
    "SETTINGS_FILE", "SMALL_BYTES", "TABLES", "TIME_UNITS", "ColumnSource", "Drop", "DropSettings", "Folder",
    "Recognised", "Refusal", "content", "contents", "discover", "failed", "fingerprint", "hang_together", "identify",
    "load", "modules", "name_for", "of_file",
    "readable", "reader_modules", "recognise", "require", "size",
]  # fmt: skip
