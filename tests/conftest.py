"""Fixtures that several test folders share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def trace_data() -> Path:
    """Folder of the real traces; skips where they are absent."""
    folder = Path(os.environ.get("TRACE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real traces absent: {folder} does not exist (set TRACE_DATA)")
    return folder
