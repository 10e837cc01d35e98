"""Texts at which a pattern that tries everything would never end."""

import subprocess
import sys

import pytest

from pipeline.runtime.sources import ROOT

SECONDS = 60
"""Each ends in well under a second; what tries everything would not within the age of the universe, or an hour."""
TEXTS = {
    "selector": "from pipeline.readers._range_query import _SELECTOR as p; p.fullmatch('{' + 'a=\"\"  ' * 40 + 'X')",
    "edges": "from pipeline.readers.edge_list import _EDGE as p; p.fullmatch('1 2' + ',' * 300_000 + ' x y')",
    "timer": "from pipeline.readers._prim_log import _TIMER_LIKE as p; list(p.finditer(' ' * 600_000))",
    "headless": "from pipeline.readers.sacct import _HEADLESS as p; p.match('1' * 600_000)",
}


@pytest.mark.parametrize("code", TEXTS.values(), ids=TEXTS)
def test_patterns_take_time_by_the_length_of_a_text(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=SECONDS, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
