"""Files of the repository that are generated from the code, and the test that they are up to date."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

from pipeline import config
from pipeline.claims import markdown, record
from pipeline.runtime.sources import ROOT

CLAIMS_BEGIN, CLAIMS_END = "<!-- claims: generated -->\n", "<!-- end of claims -->"


def claims_markdown() -> str:
    """Every claim with what the record of the default run says of it."""
    return markdown.page(*record.ledger())


def readme_markdown() -> str:
    """The README with the table of verdicts between its marks as the record of the default run has them."""
    before, begun, rest = (ROOT / "README.md").read_text(encoding="utf-8").partition(CLAIMS_BEGIN)
    _, ended, after = rest.partition(CLAIMS_END)
    if not begun or not ended:
        raise ValueError(f"README.md: the table of verdicts stands between {CLAIMS_BEGIN.strip()} and {CLAIMS_END}")
    return f"{before}{begun}{markdown.counts(record.ledger()[0])}{ended}{after}"


FILES: dict[str, Callable[[], str]] = {
    "config/config.yaml": config.default_yaml,
    "workflow/schemas/config.schema.yaml": config.schema_yaml,
    "docs/reference/configuration.md": config.reference_markdown,
    "docs/reference/claims.md": claims_markdown,
    "README.md": readme_markdown,
}
"""Generated files and what makes their text."""


def write(root: Path = ROOT) -> None:
    """Write every generated file."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), encoding="utf-8")


def differences(root: Path = ROOT) -> str:
    """Diff of what the files say against what they should, and what only a run can mend; empty where all is well."""
    parts = []
    for name, text in FILES.items():
        path = root / name
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        parts += difflib.unified_diff(
            old.splitlines(keepends=True), text().splitlines(keepends=True), name, f"{name} (generated)"
        )
    if parts:
        parts.append("\nout of date: run `apportion generate`\n")
    return "".join(parts) + "".join(f"{problem}\n" for problem in record.problems())
