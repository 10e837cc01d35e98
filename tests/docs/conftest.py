"""A browser for the site."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "report"))

from headless_chromium import Chromium, find


@pytest.fixture
def chromium(tmp_path) -> Iterator[Chromium]:
    """A headless Chromium; skips where there is none."""
    executable = find()
    if executable is None:
        pytest.skip("chromium is not installed")
    with Chromium(executable, tmp_path / "profile") as browser:
        yield browser
