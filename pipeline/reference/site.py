"""What MkDocs adds to the documentation: the reference of the database, which is made and not kept."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from pipeline.reference import database, parquet


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the database and their pictures (a hook of MkDocs)."""
    for name, text in {**database.pages(), "database/files.md": parquet.files_markdown}.items():
        files.append(File.generated(config, name, content=text()))
    return files
