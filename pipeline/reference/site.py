"""`python -m pipeline.reference.site FOLDER`: the pages that the site of the documentation is built from.

Those of docs/ are copied. The reference of the database, which is made and not kept, is added.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from pipeline.reference import database, parquet
from pipeline.runtime.sources import ROOT


def write(folder: Path, docs: Path = ROOT / "docs") -> None:
    """Replace the folder by the pages of `docs` and those that are made."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(docs, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    made = folder / "reference" / "database"
    made.mkdir()
    for study in database.TITLES:
        (made / f"{study}.md").write_text(database.page_markdown(study), encoding="utf-8")
    (made / "files.md").write_text(parquet.files_markdown(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
