"""Look for turns of phrase that readers who learned English late stumble over, and say the plain words for them."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("bench", "config", "docs", "pipeline", "probe", "reliability", "tests", "traces", "validation", "workflow")
SUFFIXES = {".cpp", ".cu", ".h", ".html", ".md", ".py", ".smk", ".sql", ".toml", ".yaml"}
FILES = ("README.md", "Snakefile", "Makefile")
NAMES_THEM = ("workflow/prose.py", "tests/test_prose.py")
"""Files that name the turns."""

COUNTED = "bytes|columns?|files?|folders?|GB|jobs|lines?|MB|memory|nodes|one|panels?|phases|rows?|scenarios|values?"
OVER = "application|card|claim|day|drop|file|format|job|kernel|node|phase|reader|row|run|scenario|set|study|trace"
TURNS = {
    r"\bhangs on\b": "depends on",
    r"\bhang on\b": "depend on",
    r"\bheld against\b": "compared with",
    r"\bstands? for\b": "is, means or represents",
    r"\b(?:is|are) had\b": "a verb that says what is done",
    r"\bcomes of (?:it|them)\b": "results",
    r"\b(?:told|tell) apart\b": "distinguished, or: open",
    r"\bfrom where on\b": "from which",
    r"\bwants? to be\b": "needs to be",
    r"\bwould mend\b": "how to fix",
    r"\bhad better\b": "should",
    rf"\b(?:{COUNTED}) an? (?:{OVER})\b(?!'| (?:is|of|that|which|has|was|can|may|needs|takes|with|to))": "per, not a",
}
"""Patterns of turns, and what to say for each."""
ANY = re.compile("|".join(TURNS), re.IGNORECASE)


def found(text: str) -> list[tuple[int, str, str]]:
    """Line (from 1), turn and plain words for each turn in a text."""
    turns = []
    for match in ANY.finditer(text):
        plain = next(plain for turn, plain in TURNS.items() if re.fullmatch(turn, match[0], re.IGNORECASE))
        turns.append((text.count("\n", 0, match.start()) + 1, match[0], plain))
    return turns


def main() -> int:
    """Exit code: 0 where no file has such a turn."""
    files = [ROOT / name for name in FILES]
    files += [path for name in FOLDERS for path in sorted((ROOT / name).rglob("*")) if path.suffix in SUFFIXES]
    count = 0
    for path in files:
        if path.relative_to(ROOT).as_posix() in NAMES_THEM:
            continue
        for number, turn, plain in found(path.read_text(encoding="utf-8")):
            print(f"{path.relative_to(ROOT)}:{number}: {turn!r}; plain: {plain}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
