"""Fuzzing by coverage: atheris (libFuzzer) over one target.

`python -m reliability.fuzzing.guided TARGET FOLDER SECONDS SEED`

Runs where atheris can be imported (see `environment`). Inputs that libFuzzer finds worth keeping stay in memory; every
fault is kept once, as a drop, in FOLDER/<its key>, with the sentence in FOLDER/<its key>.txt. Faults do not end the
run; an input that never ends, or takes all memory, does, and libFuzzer's words about it stand on stderr.

Compiled kernels show no coverage, so they run as plain Python here (NUMBA_DISABLE_JIT), where reading past the end of
an array is an IndexError and no accident.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from pathlib import Path
from random import Random

os.environ["NUMBA_DISABLE_JIT"] = "1"

import atheris

LARGEST_INPUT = 1 << 19
HARD_LIMIT_S = 60
MEMORY_MB = 6000

with atheris.instrument_imports(include=["pipeline"]):
    from reliability.fuzzing import container, oracle, targets


def main(name: str, folder: Path, seconds: int, seed: int) -> None:
    """Fuzz a target; does not come back, as libFuzzer ends the process."""
    logging.disable(logging.ERROR)
    target = targets.target(name)
    folder.mkdir(parents=True, exist_ok=True)

    def one(data: bytes) -> None:
        files = container.unpack(data)
        fault = target.examine(files)
        if fault is not None:
            keep(fault, files, folder)

    def mutator(data: bytes, most: int, number: int) -> bytes:
        random = Random(number)
        files = container.unpack(data) or random.choice(target.seeds)
        return container.pack(target.mutate(files, random))[:most]

    with tempfile.TemporaryDirectory(prefix="apportion-corpus-") as corpus:
        for number, files in enumerate(target.seeds):
            (Path(corpus) / f"{number}").write_bytes(container.pack(files))
        options = [
            f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={LARGEST_INPUT}", f"-timeout={HARD_LIMIT_S}",
            f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={folder}/", "-print_final_stats=1", "-len_control=0",
        ]  # fmt: skip
        atheris.Setup([sys.argv[0], *options, corpus], one, custom_mutator=mutator)
        atheris.Fuzz()


def keep(fault: oracle.Fault, files: container.Files, folder: Path) -> None:
    """Keep an input and what is wrong with it, once for each key."""
    where = folder / fault.key[:100]
    if not where.exists():
        container.write(files, where)
        where.with_suffix(".txt").write_text(f"{fault.kind} at {fault.place}: {fault.sentence}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
