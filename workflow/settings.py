"""Say in one sentence what is wrong with a configuration file, before Snakemake reads it: `make CONFIG=my.yaml`.

What its keys mean is not looked at here: the workflow says that. With --replaces, ask before the results of another
configuration than that of the file are replaced.
"""

from __future__ import annotations

import json
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
    keyed = content is None or isinstance(content, dict)
    return None if keyed else f"{path} has to hold `key: value` lines, as `seed: 1`"


def others_results(path: Path, kept: Path = Path("results/settings/configuration.json")) -> bool:
    """Whether there are results, and of another configuration than that of the file."""
    if not kept.is_file():
        return False
    from pipeline import config

    asked = config.parse(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    return json.loads(kept.read_text(encoding="utf-8")) != json.loads(asked.model_dump_json())


def replace(path: Path) -> int:
    """Exit code: 2 where results of another configuration are to stay, else 0. Asks in a terminal."""
    if not others_results(path):
        return 0
    said = f"results/ holds those of another configuration than {path}, which would replace them"
    if not sys.stdin.isatty():
        sys.stderr.write(f"{said}; to replace them: REPLACE=1\n")
        return 2
    return 0 if input(f"{said}. Replace them? [y/N] ").strip().lower() in ("y", "yes") else 2


def main(paths: list[str]) -> int:
    """Exit code: 2 where one of the files is no configuration, or results are to stay, else 0."""
    if paths[:1] == ["--replaces"]:
        return replace(Path(paths[1]))
    faults = [found for found in map(fault, map(Path, paths)) if found]
    sys.stderr.writelines(f"{found}\n" for found in faults)
    return 2 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
