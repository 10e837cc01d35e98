"""Words for people who mistyped one, and texts of others that are safe to show."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

FORMATS = ("table", "csv", "json")
"""What tables are printed as."""
LONGEST_WORD = 100
CONTROL = "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
"""Characters that move the cursor, break lines, turn the direction of text or do not show."""


def escaped(text: object, allowed: str = "") -> str:
    """The text with codes, as `\\x1b`, for characters of CONTROL other than the kept ones."""
    return re.sub(CONTROL, lambda match: match[0] if match[0] in allowed else ascii(match[0])[1:-1], str(text))


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
    shown = [name if len(name) <= LONGEST_WORD else f"{name[:LONGEST_WORD]}…" for name in map(escaped, names[:most])]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more


def counted(count: int, one: str, many: str) -> str:
    """A number of things, in words."""
    return f"{count} {one if count == 1 else many}"
