"""Run `snakemake --lint` and pass over its one message that does not apply.

The rules run in the environment that `make` builds from requirements.lock, so none names a conda environment or a
container. Everything else that the linter says fails.
"""

import re
import subprocess
import sys
from pathlib import Path

ACCEPTED = "Specify a conda environment or container for each rule."


def main() -> int:
    """Exit code: 0 where nothing but the accepted message is said."""
    snakemake = Path(sys.executable).with_name("snakemake")
    run = subprocess.run([snakemake, "--lint"], capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    messages = re.findall(r"^    \* (.+?)(?::\s*$|\n)", said, flags=re.MULTILINE)
    others = [message for message in messages if not message.startswith(ACCEPTED)]
    if others or (run.returncode != 0 and not messages):
        sys.stderr.write(said)
        return 1
    sys.stdout.write(
        f"snakemake --lint: {len(messages)} rules without a software environment (as meant), nothing else\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
