"""What is missing for a run is said before it."""

import subprocess
import sys

import pytest

from pipeline.runtime import sources
from pipeline.stages import doctor


@pytest.fixture
def results(tmp_path, monkeypatch):
    """The results folder, not there yet, of an empty folder to run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def test_in_a_sound_folder_nothing_is_missing_and_nothing_is_written(results):
    assert doctor.missing(results) == []
    assert list(results.parent.iterdir()) == []


def test_a_package_that_a_run_needs_and_one_that_it_does_not(results, monkeypatch):
    installed = doctor.metadata.version

    def without(*absent):
        def version(name):
            if name in absent:
                raise doctor.metadata.PackageNotFoundError(name)
            return installed(name)

        return version

    monkeypatch.setattr(doctor.metadata, "version", without("polars-runtime-32", "numba", "snakemake"))
    assert doctor.missing(results) == [
        "packages are missing: numba, polars-runtime-32, snakemake; remove .venv and run make"
    ]
    monkeypatch.setattr(doctor.metadata, "version", without("hypothesis"))
    assert doctor.missing(results) == []


def test_packages_of_other_systems_are_not_missing(results):
    lock = results.parent / "windows.lock"
    lock.write_text("numba==1.0 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n")
    assert doctor.pinned(lock) == [("numba", "sys_platform == 'win32'")]
    assert doctor.missing(results, lock) == []


def test_what_is_in_the_way_of_writing_and_too_little_space_are_said(results, monkeypatch):
    results.write_text("a file")
    monkeypatch.setattr(doctor, "DISK_GB", 1e9)
    space, file = doctor.missing(results)
    assert "the default run needs 1000000000 GB" in space
    assert file == f"{results} is a file and has to be a folder; move it away"


def test_an_old_python_is_said(results, monkeypatch):
    monkeypatch.setattr(doctor, "OLDEST_PYTHON", (4, 0))
    (sentence,) = doctor.missing(results)
    assert "4.0 or later is needed" in sentence


def test_the_probes_compiler_is_looked_for_where_it_is_asked_for(results, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    (sentence,) = doctor.missing(results, probe=True)
    assert sentence.startswith("nvcc is not there")


@pytest.mark.slow
def test_the_verb_ends_with_its_code(results):
    command = [sys.executable, "-m", "pipeline", "doctor"]
    run = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "ready: make\n"), run.stdout + run.stderr
    results.write_text("")
    run = subprocess.run(
        [*command, "--results", str(results)], cwd=sources.ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "has to be a folder" in run.stdout
