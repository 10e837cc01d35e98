"""What a study says of itself, once: shared parts read this and name no study."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any, Literal

from pipeline.runtime import sources

BATCH = 64
"""Scenarios a call of `replay`, where a study states no other number."""


@dataclass(frozen=True)
class Metric:
    """A measure of a run. unit: "1" is a share, a ratio or a count; better: which way, "" where neither is."""

    meaning: str
    unit: str
    better: Literal["more", "less", ""] = ""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scenario, made by the functions below.

    unit: of a number; "1" is a share, a ratio or a count. default: where a scenario table has no such column, or a
    null; `REQUIRED` where there is none. limits: of a number, as min, min_exclusive and max. words: all that a text may
    be, where they are known; the first is the default.
    """

    dtype: Literal["text", "count", "number", "flag", "list"]
    meaning: str
    unit: str | None
    default: Any
    limits: Mapping[str, float] = field(default_factory=dict)
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table that replays take, in `inputs.py` of a study. key: columns that no two rows have alike.

    Columns with a default may be absent; it takes the place of nulls, too. Where it is None, nulls stay.
    """

    columns: Mapping[str, Parameter]
    key: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """A kind of answers, a topic of the study's view `answer_<study>`.

    title: on the page. about: by what a scheduler is chosen there. of: tables of the database; a trace without a row in
    any of them has no such answer.
    """

    title: str
    about: str
    of: tuple[str, ...]


REQUIRED = object()
"""Default of a parameter that a scenario has to state."""
UNREAD = object()
"""Default of a parameter that replays do not read: it says something about the scenario, for the database."""


def text(meaning: str, default: Any = None) -> Parameter:
    """Words."""
    return Parameter("text", meaning, None, default)


def choice(meaning: str, *words: str, required: bool = False) -> Parameter:
    """One of some words, by default the first."""
    return Parameter("text", meaning, None, REQUIRED if required else words[0], words=words)


def count(meaning: str, default: Any = None, *, unit: str = "1", **limits: float) -> Parameter:
    """A whole number."""
    return Parameter("count", meaning, unit, default, limits)


def number(meaning: str, unit: str, default: Any = None, **limits: float) -> Parameter:
    """A real number."""
    return Parameter("number", meaning, unit, default, limits)


def flag(meaning: str, default: Any = None) -> Parameter:
    """Yes or no."""
    return Parameter("flag", meaning, None, default)


def counts(meaning: str, default: Any = None) -> Parameter:
    """A list of whole numbers."""
    return Parameter("list", meaning, None, default)


@dataclass(frozen=True)
class Study:
    """A study.

    place: among the studies, on pages and in pictures, from 1. takes: tables of a drop of which one is enough to have
    workloads of it, in the words of the readers' GIVES. headline: the metric that recommends a scheduler. answers: by
    topic, in the order in which they are shown. metrics,
    parameters: by name, in the order in which they are shown. drawn: parameters that are drawn anew for each replicate
    and are no question of their own: two schedulers are compared at equal values. keys: parameters that name the
    workload, or say what another one says. traits: constants of the schedulers' files that workloads and scenarios
    depend on. tables: canonical tables in the database that belong to this study, for the documentation. looks: what
    schedulers look like in figures (report.chart.LOOKS), in the order in which they are listed there; one that is not
    named comes after them. batch: scenarios a call of `replay`.
    synthetic: whether it has workloads that are of no drop. brief: whether their replays take less time than starting a
    process for each scheduler, so that one job replays them all by default.
    """

    place: int
    title: str
    about: str
    takes: tuple[str, ...]
    headline: str
    metrics: Mapping[str, Metric]
    parameters: Mapping[str, Parameter]
    answers: Mapping[str, Answer] = field(default_factory=dict)
    drawn: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    looks: Mapping[str, str] = field(default_factory=dict)
    batch: int = BATCH
    synthetic: bool = True
    brief: bool = False

    @property
    def defaults(self) -> dict[str, Any]:
        """Parameters that a scenario may leave out, with what they are then."""
        values = {name: each.default for name, each in self.parameters.items()}
        return {name: default for name, default in values.items() if default is not REQUIRED and default is not UNREAD}


def declaration_of(study: str) -> Study:
    """What one study says of itself: of the others nothing is imported."""
    return importlib.import_module(f"pipeline.studies.{study}").STUDY


def declared() -> dict[str, Study]:
    """What each study says of itself, by name, in the order of their places."""
    studies = {name: declaration_of(name) for name in sources.studies()}
    return dict(sorted(studies.items(), key=lambda item: (item[1].place, item[0])))


def traits(study: str) -> dict[str, dict[str, str]]:
    """What a study's workloads and scenarios depend on of its schedulers, by name (Study.traits), as it is written."""
    return sources.constants(study, declaration_of(study).traits)


OFFERED = {"replay": "replay", "DEFAULTS": "replay", "SCHEDULERS": "schedulers"}
OFFERED |= dict.fromkeys(("part", "scenarios", "workloads"), "workload")
"""What every study offers beside its declaration, and the module that has it."""


class _Package(ModuleType):
    """A study's package, whose `replay` and `schedulers` are functions and not the modules of these names."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name == "replay":
            value = value.replay
        elif isinstance(value, ModuleType) and name == "schedulers":
            value = partial(tuple, value.SCHEDULERS)
        super().__setattr__(name, value)


def offering(package: str, **more: str) -> Callable[[str], Any]:
    """`__getattr__` of a study's package: its names, from the module that has each (`more`: name=module, of the
    package where it has no dot; "" = the name is the module).

    They are imported when they are asked for: what reads a declaration alone loads no kernel, and depends on none.
    """
    sys.modules[package].__class__ = _Package

    def attribute(name: str) -> Any:
        modules = OFFERED | more
        if name == "schedulers":
            return partial(tuple, importlib.import_module(f"{package}.schedulers").SCHEDULERS)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        where = modules[name] or name
        module = importlib.import_module(where if "." in where else f"{package}.{where}")
        return getattr(module, name) if modules[name] else module

    return attribute
