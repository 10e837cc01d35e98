"""Words for people who mistyped one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """`; did you mean 'x'?` for the known word nearest to `word`, nothing where none is near."""
    names = [str(name) for name in known]
    near = difflib.get_close_matches(str(word), names, n=1) or [n for n in names if n.lower() == str(word).lower()]
    return f"; did you mean {near[0]!r}?" if near else ""
