"""What is fuzzed: every reader, by its format, and the configuration."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import yaml

from pipeline.config import Configuration
from pipeline.readers import _recognise
from pipeline.runtime.sources import ROOT
from reliability.fuzzing import mutation, oracle, seeds
from reliability.fuzzing.container import Files
from reliability.fuzzing.oracle import Fault

CONFIGURATION = "configuration"


@dataclass(frozen=True)
class Target:
    """Inputs to start from, how one is changed, and what is wrong with one; inputs are drops in memory."""

    name: str
    seeds: list[Files]
    mutate: Callable[[Files, Random], Files]
    examine: Callable[[Files], Fault | None]


def names() -> list[str]:
    """Formats of all readers, then the configuration."""
    return [*(module.FORMAT for module in _recognise.reader_modules()), CONFIGURATION]


def target(name: str) -> Target:
    """The target of a name (see `names`)."""
    if name == CONFIGURATION:
        return Target(name, _configurations(), _changed, _parsed)
    return Target(name, seeds.of(name), mutation.mutate, oracle.examine_files)


def warm_up() -> None:
    """Read drops of each kind of compiled reader, so that compiling is not taken for reading."""
    for name in ("swf", "edge_list", "memory_samples", "marconi100"):
        for files in seeds.of(name):
            oracle.examine_files(files)


def _configurations() -> list[Files]:
    default = Configuration().model_dump(mode="json")
    files = [yaml.safe_load(path.read_bytes()) for path in sorted((ROOT / "config").glob("*.yaml"))]
    return [{"configuration.json": json.dumps(tree).encode()} for tree in (default, *files)]


def _changed(files: Files, random: Random) -> Files:
    return {name: mutation.changed_json(content, random) for name, content in files.items()}


def _parsed(files: Files) -> Fault | None:
    content = next(iter(files.values()), b"")
    try:
        tree: Any = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return oracle.examine_settings(tree)
