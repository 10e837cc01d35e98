"""The probe's kernels: their tasks against references on the host, and that they compile for a GPU."""

import csv
import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "probe" / "src"
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
NVCC = shutil.which(os.environ.get("NVCC", "nvcc"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler (Debian: g++)")
def test_every_kernel_agrees_with_its_reference_in_any_order_of_tasks(tmp_path):
    program = tmp_path / "host_check"
    sanitized = ["-fsanitize=undefined,address", "-fno-sanitize-recover=all"]
    subprocess.run(
        [COMPILER, "-std=c++17", "-O1", *WARNINGS, *sanitized, "-o", program, SOURCES / "host_check.cpp"], check=True
    )
    run = subprocess.run([program, "0.0005"], capture_output=True, text=True, check=False)
    rows = list(csv.DictReader(run.stdout.splitlines()))
    assert run.returncode == 0, run.stdout + run.stderr
    assert {row["kernel"] for row in rows} == {path.stem for path in (SOURCES / "kernels").glob("*.h")}
    assert {row["verdict"] for row in rows} == {"right"}


@pytest.mark.skipif(NVCC is None, reason="no nvcc (CUDA toolkit)")
def test_the_measuring_program_compiles_without_a_warning(tmp_path):
    # Folders of a toolkit that nvcc does not find by itself may be named in NVCCFLAGS.
    flags = os.environ.get("NVCCFLAGS", "").split()
    subprocess.run(
        [NVCC, "-std=c++17", "-arch=sm_80", "-Xcompiler", "-Wall,-Wextra", "-Werror", "all-warnings", *flags,
         "-o", tmp_path / "probe", SOURCES / "probe.cu"],
        check=True,
    )  # fmt: skip
