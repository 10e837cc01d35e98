"""Examines drops in a process of its own, so that one that takes all memory or never ends takes nothing else with it.

`python -m reliability.fuzzing.once FOLDER…` prints a line of JSON for each folder: name, calls, peak memory, fault.
"""

from __future__ import annotations

import faulthandler
import json
import resource
import sys
from dataclasses import asdict
from pathlib import Path

from reliability.fuzzing import oracle, targets

PATIENCE_S = 1800
"""After so long only a hang goes on: a drop is given up, with the stack of where it is."""
ADDRESS_SPACE = 12 << 30


def main(folders: list[str]) -> None:
    """Examine each folder."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.RLIM_INFINITY))
    targets.warm_up()
    for folder in folders:
        faulthandler.dump_traceback_later(PATIENCE_S, exit=True)
        with oracle.calls() as made:
            fault = oracle.examine(Path(folder))
        faulthandler.cancel_dump_traceback_later()
        line = {"name": Path(folder).name, "calls": made(), "rss_mb": round(oracle.peak_rss_mb())}
        print(json.dumps(line | {"fault": asdict(fault) if fault else None}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
