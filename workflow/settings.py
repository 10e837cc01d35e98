"""Say in one sentence what is wrong with a configuration file, before Snakemake reads it: `make CONFIG=my.yaml`.

What its keys mean is not looked at here: the workflow says that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml


def fault(path: Path) -> str | None:
    """What is wrong with a file of settings; None where it holds keys and values."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        near = ", ".join(sorted(str(each) for each in path.parent.glob("*.yaml"))) if path.parent.is_dir() else ""
        return f"{path} is not there{f'; there are {near}' if near else ''}"
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        return f"{path} is not text in UTF-8"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        row = f" line {mark.line + 1}" if mark else ""
        return f"{path}{row} is not YAML: {getattr(error, 'problem', None) or error}"
    if content is not None and not isinstance(content, dict):
        return f"{path} has to hold `key: value` lines, as `seed: 1`"
    return None


def main(paths: list[str]) -> int:
    """Exit code: 2 where one of the files is no configuration, else 0."""
    faults = [found for found in map(fault, map(Path, paths)) if found]
    sys.stderr.writelines(f"{found}\n" for found in faults)
    return 2 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
