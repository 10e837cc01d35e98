"""Compiled kernels: once a machine, never those of another version, and none that is damaged."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.runtime import kernel_cache
from pipeline.runtime.sources import PACKAGE

KERNEL = """
from numba import njit
from pipeline.callee import step

@njit(cache=True)
def total(n):
    found = 0
    for i in range(n + 1):
        found += step(i)
    return found
"""
CALLEE = """
from numba import njit

@njit(cache=True)
def step(i):
    return i
"""
RUN = """
import logging, sys
logging.basicConfig(stream=sys.stderr)
from pipeline.kernel import total
print(total(1000), sum(total.stats.cache_hits.values()))
"""


class Clone:
    """A copy of the part of the package that kernels need, with a kernel and a function that it calls."""

    def __init__(self, folder: Path, cache: Path):
        self.package = folder / "pipeline"
        shutil.copytree(PACKAGE / "runtime", self.package / "runtime")
        shutil.copy(PACKAGE / "__init__.py", self.package)
        (self.package / "kernel.py").write_text(KERNEL)
        (self.package / "callee.py").write_text(CALLEE)
        left_out = {"NUMBA_DISABLE_JIT", "NUMBA_CACHE_LOCATOR_CLASSES", "PYTHONPATH"}
        environment = {k: v for k, v in os.environ.items() if k not in left_out} | {"NUMBA_CACHE_DIR": str(cache)}
        self.options = {"cwd": folder, "env": environment, "text": True}

    def start(self, **options) -> subprocess.Popen:
        command = [sys.executable, "-c", RUN]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.options, **options)

    def run(self, **options) -> tuple[str, str]:
        """Result and number of kernels found, and what was said."""
        said = (process := self.start(**options)).communicate()
        assert process.returncode == 0, said[1]
        return said[0].strip(), said[1]


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path / "one", tmp_path / "cache")


@pytest.mark.slow
def test_clones_share_what_is_compiled_and_versions_do_not(clone, tmp_path):
    other = Clone(tmp_path / "other", tmp_path / "cache")
    assert clone.run() == ("500500 0", "")
    assert other.run() == ("500500 1", "")
    # A callee of another module changes, the kernel's own file does not.
    (other.package / "callee.py").write_text(CALLEE.replace("return i", "return 2 * i"))
    assert other.run() == ("1001000 0", "")
    (other.package / "kernel.py").write_text(KERNEL.replace("found = 0", "found = 1"))
    assert other.run() == ("1001001 0", "")
    assert other.run() == ("1001001 1", "")
    assert clone.run() == ("500500 1", "")


@pytest.mark.exhaustive
def test_of_two_that_start_at_once_one_compiles(clone):
    both = [clone.start(), clone.start()]
    said = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sorted(out.strip() for out, _ in said) == ["500500 0", "500500 1"]


def cut(content):
    return content[: len(content) // 2]


def flipped(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "damage"), [("nbi", cut), ("nbc", flipped)])
def test_a_damaged_kernel_is_compiled_anew(clone, tmp_path, damage, ending):
    assert clone.run() == ("500500 0", "")
    (path,) = (tmp_path / "cache").rglob(f"kernel.total*.{ending}")
    path.write_bytes(damage(path.read_bytes()))
    printed, said = clone.run()
    assert printed == "500500 0"
    assert f"{path} is damaged" in said
    assert clone.run() == ("500500 1", "")


POINT = """
from typing import NamedTuple
from numba import njit

class Point(NamedTuple):
    x: float

@njit(cache=True)
def doubled(point):
    return 2 * point.x
"""


@pytest.mark.slow
def test_a_kernel_of_a_module_that_is_not_here_is_compiled_anew(clone):
    (clone.package / "one").mkdir()
    (clone.package / "one" / "point.py").write_text(POINT)
    said = []
    for name in ("one", "two"):
        code = f"from pipeline.{name}.point import Point, doubled; print(doubled(Point(1.5)))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, **clone.options)
        said.append((done.stdout, done.stderr))
        if name == "one":
            (clone.package / "one").rename(clone.package / "two")
    assert said == [("3.0\n", "")] * 2


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_costs_time_and_a_sentence(clone, tmp_path):
    (tmp_path / "cache").write_text("a file")
    printed, said = clone.run()
    assert printed == "500500 0"
    assert said.count("compiled kernels are not kept in") == 1


@pytest.mark.exhaustive
def test_a_full_disk_costs_time_and_a_sentence(clone):
    printed, said = clone.run(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert printed == "500500 0"
    assert said.count("compiled kernels are not kept in") == 1
    assert clone.run() == ("500500 0", "")


def test_versions_that_were_not_used_for_long_make_room(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "MOST_BYTES", 25)
    for age, name in enumerate(("newer", "old", "oldest")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.nbc").write_bytes(bytes(10))
        os.utime(tmp_path / name, (100 - age, 100 - age))
    kernel_cache._make(tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "newer", "old"]


def test_a_function_that_cannot_be_compiled_is_given_free(tmp_path, monkeypatch):
    from numba import TypingError, njit

    monkeypatch.setattr(kernel_cache.sources, "kernel_folder", lambda: tmp_path)

    @njit(cache=True)
    def wrong(x):
        return x + "text"

    with pytest.raises(TypingError):
        wrong(1)
    assert wrong._cache._cache_file._turn is None


@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_a_kernel_that_others_may_write_is_not_loaded(tmp_path, mode):
    file = tmp_path / "kernel.nbc"
    file.touch(0o600)
    kernel_cache.require_own(file)
    file.chmod(mode)
    with pytest.raises(PermissionError, match="written by others"):
        kernel_cache.require_own(file)
