"""Puts the command `apportion` into the environment that this Python is of: this folder's package, as it is.

Building tools would have to be fetched for it, and nothing is to be built: a file with the path, and a script.
"""

import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = f"""#!{sys.executable}
from pipeline.__main__ import main

main()
"""


def install() -> None:
    """Write both files; a command of an earlier place is replaced."""
    Path(sysconfig.get_path("purelib"), "apportion.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    command = Path(sysconfig.get_path("scripts"), "apportion")
    command.write_text(SCRIPT, encoding="utf-8")
    command.chmod(0o755)


if __name__ == "__main__":
    install()
