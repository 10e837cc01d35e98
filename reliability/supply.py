"""The packages that Apportion runs on: known faults of those in the lock, and the lock as a bill of materials.

`python -m reliability.supply audit` asks the advisories of the Python Package Index about every package of
requirements.lock (pip-audit); exit code 0: all were asked about and none has a known fault, 1: some have, 2: the
question could not be put at all, 3: it could not be put for some, so nothing is known of them.

`python -m reliability.supply sbom` writes results/sbom.cdx.json, CycloneDX 1.6 (cyclonedx-bom); the same lock gives the
same bytes. Exit code 2: it could not be made.

Both programs live in environments of their own, made on first use.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.peers import Unavailable
from bench.peers.environments import environment
from pipeline.runtime import storage
from pipeline.runtime.sources import ROOT
from pipeline.runtime.wording import listing

log = logging.getLogger(__name__)

LOCK = ROOT / "requirements.lock"
SBOM = ROOT / "results" / "sbom.cdx.json"
PIP_AUDIT, CYCLONEDX = "pip-audit==2.10.1", "cyclonedx-bom==7.5.0"
NONE_KNOWN, FAULTS, NOT_ASKED, PARTLY_ASKED = 0, 1, 2, 3
"""Exit codes of the audit."""


def audit(lock: Path = LOCK) -> tuple[int, str]:
    """Exit code and what it means in words. Raises Unavailable where pip-audit cannot be installed."""
    options = ["--disable-pip", "--require-hashes", "--progress-spinner", "off", "--format", "json"]
    done = _program("pip-audit", PIP_AUDIT, ["--requirement", lock, *options])
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        why = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return NOT_ASKED, f"not audited: the advisories of the Python Package Index could not be asked ({why[:300]})"
    return verdict(answer)


def verdict(answer: dict[str, Any]) -> tuple[int, str]:
    """Exit code and words for an answer of pip-audit in JSON: `dependencies`, each with `vulns` or `skip_reason`."""
    packages = answer["dependencies"]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    faults = [
        f"{package['name']} {package['version']}: {fault['id']}"
        + (f", mended in {', '.join(fault['fix_versions'])}" if fault["fix_versions"] else ", not mended yet")
        for package in packages
        for fault in package.get("vulns", ())
    ]
    unasked = f"{len(skipped)} of {len(packages)} packages could not be asked about: {listing(skipped)}"
    if faults:
        return FAULTS, "\n".join([f"{len(faults)} known faults:", *faults, *([unasked] if skipped else [])])
    if packages and len(skipped) == len(packages):
        return NOT_ASKED, f"not audited: {unasked}"
    if skipped:
        return PARTLY_ASKED, f"no known fault, but {unasked}"
    return NONE_KNOWN, f"no known fault in {len(packages)} packages"


def sbom(target: Path = SBOM, lock: Path = LOCK) -> None:
    """Write the lock as a bill of materials. Raises Unavailable where that cannot be done."""
    with storage.replacing_file(target) as part:
        options = ["--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--output-format", "JSON"]
        done = _program("cyclonedx-py", CYCLONEDX, ["requirements", *options, "--output-file", part, lock])
        if done.returncode:
            raise Unavailable(f"cyclonedx-py failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")


def _program(name: str, requirement: str, arguments: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    python = environment(ROOT / ".bench" / name, name, [requirement])
    return subprocess.run([python.with_name(name), *arguments], capture_output=True, text=True, errors="replace")


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments name; the exit codes are those of the module's docstring."""
    parser = argparse.ArgumentParser(prog="python -m reliability.supply", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("audit", "sbom"))
    options = parser.parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
    try:
        if options.what == "sbom":
            sbom()
            log.info("%s written", SBOM.relative_to(ROOT))
            return NONE_KNOWN
        code, words = audit()
    except Unavailable as error:
        log.error("%s", error)
        return NOT_ASKED
    print(words)
    return code


if __name__ == "__main__":
    sys.exit(main())
