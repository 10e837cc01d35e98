"""Words for people who mistyped one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

LONGEST_WORD = 100


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """`; did you mean 'x'?` for the known word nearest to `word`, nothing where none is near."""
    # Likeness takes time in the square of the length, and nobody mistypes a word this long.
    if len(str(word)) > LONGEST_WORD:
        return ""
    names = [str(name) for name in known]
    near = difflib.get_close_matches(str(word), names, n=1) or [n for n in names if n.lower() == str(word).lower()]
    return f"; did you mean {near[0]!r}?" if near else ""


def listing(names: Sequence[object], most: int = 40) -> str:
    """The names apart by commas; the first of many, and the beginning of long ones, so that it stays a sentence."""
    shown = [name if len(name) <= LONGEST_WORD else f"{name[:LONGEST_WORD]}…" for name in map(str, names[:most])]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more
