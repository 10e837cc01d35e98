"""What is missing for a run is said before it, and whether it would stop one."""

import fcntl
import subprocess
import sys

import pytest

from pipeline.runtime import one_run, sources
from pipeline.stages import doctor

LOCK = sources.ROOT / "requirements.lock"


def states(findings, topic):
    return [finding.state for finding in findings if finding.topic == topic]


def sentence(findings, topic):
    return next(finding.sentence for finding in findings if finding.topic == topic)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to run in, with one drop."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traces" / "mine").mkdir(parents=True)
    (tmp_path / "traces" / "mine" / "log.swf").write_text("1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n")
    return tmp_path


def examined(folder, **given):
    return doctor.examine(folder / "results", [folder / "traces"], **given)


def test_a_sound_folder_is_ready(folder):
    findings = examined(folder)
    assert doctor.code(findings) == 0, doctor.text(findings)
    assert doctor.text(findings).endswith("ready: make")
    assert sentence(findings, "drop") == "mine: swf"
    assert "not there yet" in sentence(findings, "database")
    assert list(folder.iterdir()) == [folder / "traces"]


def test_a_package_that_a_run_needs_and_one_that_it_does_not(folder, monkeypatch):
    installed = doctor.metadata.version

    def without(*absent):
        def version(name):
            if name in absent:
                raise doctor.metadata.PackageNotFoundError(name)
            return installed(name)

        return version

    monkeypatch.setattr(doctor.metadata, "version", without("polars-runtime-32", "numba"))
    findings = examined(folder)
    assert doctor.code(findings) == 1
    assert "missing: numba, polars-runtime-32;" in sentence(findings, "packages")
    monkeypatch.setattr(doctor.metadata, "version", without("hypothesis"))
    findings = examined(folder)
    assert doctor.code(findings) == 0
    assert "hypothesis" in sentence(findings, "packages")


def test_another_version_than_the_locks_is_named(folder):
    lock = folder / "other.lock"
    lock.write_text(LOCK.read_text().replace("\nnumpy==", "\nnumpy==0.", 1))
    findings = examined(folder, lock=lock)
    assert "numpy" in next(f.sentence for f in findings if "in place of 0." in f.sentence)
    assert doctor.code(findings) == 0


def test_markers_of_other_systems_do_not_count(folder):
    lock = folder / "windows.lock"
    lock.write_text("no-such-package==1.0 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n")
    assert doctor.pinned(lock) == [("no-such-package", "1.0", "sys_platform == 'win32'")]
    assert not any("no-such-package" in finding.sentence for finding in examined(folder, lock=lock))


def test_what_is_in_the_way_of_writing_stops_a_run(folder):
    (folder / "results").write_text("a file")
    findings = examined(folder)
    assert doctor.code(findings) == 1
    assert "is a file and has to be a folder" in sentence(findings, "writing")


def test_too_little_disk_stops_a_run_and_too_little_memory_does_not(folder, monkeypatch):
    monkeypatch.setattr(doctor, "DISK_GB", 1e9)
    monkeypatch.setattr(doctor, "MEMORY_GB", 1e9)
    findings = examined(folder)
    assert states(findings, "disk") == ["BAD"]
    assert states(findings, "memory") == ["note"]
    assert "make CORES=1" in sentence(findings, "memory")


def test_a_run_under_way_is_said(folder):
    lock = folder / one_run.LOCK
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    assert states(examined(folder), "lock") == ["ok"]
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "under way" in sentence(examined(folder), "lock")


def test_a_drop_that_will_be_refused_says_why_and_stops_nothing(folder):
    (folder / "traces" / "empty").mkdir()
    findings = examined(folder)
    assert "empty will be refused" in sentence(findings, "drop")
    assert doctor.code(findings) == 0


def test_a_root_that_is_not_there_stops_a_run(folder):
    findings = doctor.examine(folder / "results", [folder / "nowhere"])
    assert states(findings, "drops") == ["BAD"]
    assert "nowhere" in sentence(findings, "drops")


def test_the_roots_are_those_of_the_configuration(folder):
    settings = folder / "my.yaml"
    settings.write_text("trace_roots: [traces, elsewhere]\n")
    assert [str(root) for root in doctor.trace_roots(settings)] == ["traces", "elsewhere"]
    settings.write_text("trace_rots: [traces]\n")
    with pytest.raises(ValueError, match="did you mean 'trace_roots'"):
        doctor.trace_roots(settings)
    settings.write_text("a: [")
    with pytest.raises(ValueError, match="is not YAML"):
        doctor.trace_roots(settings)


@pytest.mark.slow
def test_the_verb_ends_with_its_code(folder):
    command = [sys.executable, "-m", "pipeline", "doctor"]
    run = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "kth_sp2: swf" in run.stdout
    blocked = folder / "blocked"
    blocked.write_text("")
    run = subprocess.run(
        [*command, "--results", str(blocked)], cwd=sources.ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "would stop a run" in run.stdout
