"""Compiled kernels that are damaged on disk are compiled anew."""

import os
import subprocess
import sys

import pytest

from pipeline.runtime.sources import ROOT

KERNEL = """
import logging, sys
logging.basicConfig(stream=sys.stderr)
import pipeline
from numba import njit

@njit(cache=True)
def triangle(n):
    total = 0
    for i in range(n + 1):
        total += i
    return total

print(triangle(1000), sum(triangle.stats.cache_hits.values()))
"""


@pytest.fixture
def kernel(tmp_path):
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    cache = tmp_path / "cache"
    drop = {"NUMBA_DISABLE_JIT", "NUMBA_CACHE_LOCATOR_CLASSES"}
    environment = {k: v for k, v in os.environ.items() if k not in drop}
    environment |= {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}

    def run():
        done = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split(), done.stderr

    assert run() == (["500500", "0"], "")
    return run, cache


def cut(content):
    return content[: len(content) // 2]


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize(("ending", "damage"), [("nbi", cut), ("nbc", flipped)])
def test_a_damaged_kernel_is_compiled_anew(kernel, damage, ending):
    run, cache = kernel
    assert run() == (["500500", "1"], "")
    (path,) = cache.rglob(f"*.{ending}")
    path.write_bytes(damage(path.read_bytes()))
    found, said = run()
    assert found == ["500500", "0"]
    assert f"{path} is damaged" in said
    assert run() == (["500500", "1"], "")
