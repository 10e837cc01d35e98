"""Readers of trace formats: one module per format, found because it lies here.

A reader module has

* a docstring whose first line says which files it reads,
* `FORMAT: str`, the format's name,
* `recognises(files: list[Path], settings: DropSettings) -> list[Path]`, the files among those of a drop that it would
  read (none: not its format), told by their beginnings, or by names that nothing else has,
* where names are all that it has to go by, `guesses(files: list[Path]) -> bool`: then other readers go first,
* `read(drop: Drop, files: list[Path]) -> Yields[None]`, which yields rows of canonical tables, and what is to be said
  of them (the items of `_items`); `_deliver` checks, counts and writes them,
* where it holds what it reads, `memory_bytes(drop: Drop, files: list[Path]) -> int`, its peak memory (see
  `pipeline.drops.memory`).

A drop that no reader recognises is looked into by `_headers`, which knows kinds of tables by their columns and says
which format and files they are, as if `trace.yaml` had; for other columns it proposes a `trace.yaml`. What takes
long to load, compiled code above all, is imported where it is used: every check of a drop asks every reader.

Modules whose names start with `_` are parts that readers share.
"""
