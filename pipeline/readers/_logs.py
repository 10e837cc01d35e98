"""Job logs of which each file is a trace of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pipeline.drops import Drop, Refusal
from pipeline.readers._files import stem
from pipeline.readers._items import Reading, Trace, Yields


def read_each(
    drop: Drop, files: Sequence[Path], suffixes: Sequence[str], read_log: Callable[[str, Path], Yields[None]]
) -> Yields[None]:
    """What `read_log(trace, file)` yields for each file; a Refusal refuses that file and no other.

    The trace is `<drop>/<file name without its suffix>`; folders inside the drop stand between. A name with none of the
    suffixes loses its last one.
    """
    taken: dict[str, Path] = {}
    for file in files:
        trace_id = (
            Path(drop.name) / file.relative_to(drop.path).with_name(stem(file, suffixes) or file.stem)
        ).as_posix()
        with Reading(file) as reading:
            if trace_id in taken:
                raise Refusal(
                    "trace_duplicate",
                    f"its trace would be {trace_id!r}, as that of {taken[trace_id].name}; rename one of the two",
                )
            taken[trace_id] = file
            yield Trace(trace_id)
            yield from read_log(trace_id, file)
        yield reading
