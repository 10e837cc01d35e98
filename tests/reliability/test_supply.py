"""The lock as a bill of materials, and what an audit's answer means."""

import json

import pytest

from bench.peers import Unavailable
from pipeline.stages.doctor import pinned
from reliability import supply

SOUND = {"name": "a", "version": "1", "vulns": []}
FAULTY = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found on PyPI"}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([SOUND], supply.NONE_KNOWN, "no known fault in 1 packages"),
        ([SOUND, FAULTY], supply.FAULTS, "b 2: PYSEC-1, mended in 3"),
        ([FAULTY, UNKNOWN], supply.FAULTS, "1 of 2 packages could not be asked about: c"),
        ([SOUND, UNKNOWN], supply.PARTLY_ASKED, "no known fault, but 1 of 2"),
        ([UNKNOWN, UNKNOWN], supply.NOT_ASKED, "not audited: 2 of 2"),
    ],
)
def test_an_audit_that_was_none_does_not_pass(packages, code, words):
    found, said = supply.verdict({"dependencies": packages})
    assert found == code
    assert words in said


def test_an_audit_without_an_answer_says_so(monkeypatch):
    class Silent:
        stdout, stderr = "", "Connection refused\n"

    monkeypatch.setattr(supply, "_program", lambda *_: Silent)
    code, said = supply.audit()
    assert code == supply.NOT_ASKED
    assert "could not be asked (Connection refused)" in said


def test_a_program_that_cannot_be_had_is_no_success(monkeypatch, caplog):
    def unavailable(*_):
        raise Unavailable("cyclonedx-py could not be installed: no network")

    monkeypatch.setattr(supply, "_program", unavailable)
    assert supply.main(["sbom"]) == supply.NOT_ASKED
    assert supply.main(["audit"]) == supply.NOT_ASKED
    assert "could not be installed" in caplog.text


@pytest.mark.peers
def test_the_bill_of_materials_lists_the_lock_and_has_the_same_bytes_again(tmp_path):
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    try:
        supply.sbom(first)
        supply.sbom(again)
    except Unavailable as error:
        pytest.skip(str(error))
    assert first.read_bytes() == again.read_bytes()
    bill = json.loads(first.read_text(encoding="utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["name"] == "apportion"
    listed = {(component["name"], component["version"]) for component in bill["components"]}
    assert listed == {(name, version) for name, version, _ in pinned(supply.LOCK)}
    assert all(reference["hashes"] for c in bill["components"] for reference in c["externalReferences"][:1])
