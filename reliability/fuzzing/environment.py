"""atheris in an environment of its own, seen behind the packages of this one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from bench.environments import environment
from pipeline.runtime.sources import ROOT

FOLDER = ROOT / ".bench" / "atheris"
REQUIREMENT = "atheris==3.0.0"
"""It is built for CPython 3.11 to 3.13 on Linux, and is no package of this project's lock."""


def variables() -> Mapping[str, str]:
    """Environment of a process of this Python that can import atheris, made on first use.

    Raises bench.environments.Unavailable where it cannot be installed.
    """
    python = environment(FOLDER, "atheris", [REQUIREMENT])
    said = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    # At the end of the path: of packages that both have, those of this environment count.
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), said.stdout.strip()])}
