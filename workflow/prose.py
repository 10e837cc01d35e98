"""Look for what readers who learned English late stumble over: turns of phrase (and say plain ones), long sentences."""

import re
import sys
from collections.abc import Iterator
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

PAGES = ("README.md", "docs/*.md", "docs/*/*.md")
GENERATED = ("docs/reference/claims.md",)
LONGEST, MEAN, LONG, SHARE = 35, 13.0, 25, 0.06
"""Most words of a sentence, most on average, and most sentences (a share) with more words than LONG."""
NO_PROSE = re.compile(r"\s*(?:#{1,6} |\||<|\[[^\]]+\]: )")
"""Beginnings of headings, table rows, HTML and addresses of links."""
ITEM = re.compile(r"\s*(?:[-*+]|\d+\.|>|:) +")
ONE_WORD = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\b(?:e\.g|i\.e|et al|cf|vs|Eqs?|Figs?|Sec|Tab)\.", re.DOTALL)
"""Code, and abbreviations."""
LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
END = re.compile(r"""[.!?][)"”*_]*(?=\s)""")


def found(text: str) -> list[tuple[int, str, str]]:
    """Line (from 1), turn and plain words for each turn in a text."""
    turns = []
    for match in ANY.finditer(text):
        plain = next(plain for turn, plain in TURNS.items() if re.fullmatch(turn, match[0], re.IGNORECASE))
        turns.append((text.count("\n", 0, match.start()) + 1, match[0], plain))
    return turns


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """First line (from 1) and text of each paragraph and list item of a Markdown text."""
    first, lines, fence = 0, [], ""
    front = text.startswith("---\n")
    for number, line in enumerate([*text.splitlines(), ""], 1):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if front:
            front = number == 1 or line != "---"
            continue
        no_prose = fence or mark or not line.strip() or NO_PROSE.match(line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        item = ITEM.match(line)
        if lines and (no_prose or item):
            yield first, "\n".join(lines)
            lines = []
        if not no_prose:
            first = number if not lines else first
            lines.append(line[item.end() :] if item else line)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Line (from 1) and text of each sentence of a Markdown text: code is one word, a link its text, an image none."""
    for first, paragraph in paragraphs(text):
        plain = ONE_WORD.sub(lambda word: re.sub(r"[\s.!?\[\]]", "_", word[0]), paragraph)
        plain = LINK.sub(r"\1", re.sub(r"!\[[^\]]*\]\([^)]*\)", "", plain))
        start = 0
        for end in [*(match.end() for match in END.finditer(plain)), len(plain)]:
            sentence = plain[start:end]
            start, before = end, plain[:start] + sentence[: len(sentence) - len(sentence.lstrip())]
            if words(sentence):
                yield first + before.count("\n"), " ".join(sentence.split())


def words(sentence: str) -> int:
    """How many words a sentence has; a lone sign is none."""
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


def long_sentences(pages: dict[str, str]) -> list[str]:
    """Faults of the sentences of pages, given by name: each that is too long, and all if too long on average."""
    faults, counts = [], []
    for page, text in pages.items():
        for line, sentence in sentences(text):
            counts.append(words(sentence))
            if counts[-1] > LONGEST:
                faults.append(f"{page}:{line}: {counts[-1]} words, more than {LONGEST}: {sentence[:60]}…")
    mean, share = sum(counts) / len(counts), sum(count > LONG for count in counts) / len(counts)
    if mean > MEAN or share > SHARE:
        faults.append(
            f"sentences have {mean:.1f} words on average (most: {MEAN}), and {share:.1%} of them more than {LONG} "
            f"(most: {SHARE:.1%}); split the long ones"
        )
    return faults


def main() -> int:
    """Exit code: 0 where no file has such a turn, and the sentences of the documentation are short."""
    files = [ROOT / name for name in FILES]
    files += [path for name in FOLDERS for path in sorted((ROOT / name).rglob("*")) if path.suffix in SUFFIXES]
    count = 0
    for path in files:
        if path.relative_to(ROOT).as_posix() in NAMES_THEM:
            continue
        for number, turn, plain in found(path.read_text(encoding="utf-8")):
            print(f"{path.relative_to(ROOT)}:{number}: {turn!r}; plain: {plain}")
            count += 1
    names = [path.relative_to(ROOT).as_posix() for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    pages = {name: (ROOT / name).read_text(encoding="utf-8") for name in names if name not in GENERATED}
    faults = long_sentences(pages)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if count or faults else 0


if __name__ == "__main__":
    sys.exit(main())
