"""The studies: one folder each, found because of where it lies, with the same names in all of them.

`__init__` declares the study (`STUDY`, see runtime.study.Study); config, tables, workload, model, replay, schedulers,
views, macros, claims and figures are its parts. It may have more: `intervals`, whose `tables(…)` derives
tables once all replays are there, and `leads`, which says what a drop leads to (see drops.leads).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pipeline.runtime.wording import did_you_mean

if TYPE_CHECKING:
    from pipeline.simulation.rules import Rule, Signature


def plugins(package: str, path: Iterable[str], check: Callable[[ModuleType], None]) -> dict[str, ModuleType]:
    """Modules of a package by name, in alphabetical order: what lies in the folder is what there is.

    check: raises ValueError for a module that says what nobody understands. Raises ValueError, too, for one without a
    `COMPLEXITY` that is a whole number of at least 0.
    """
    names = sorted(info.name for info in pkgutil.iter_modules(path) if not info.name.startswith("_"))
    modules = {name: importlib.import_module(f"{package}.{name}") for name in names}
    for module in modules.values():
        rank = stated(module, "COMPLEXITY")
        if type(rank) is not int or rank < 0:
            raise wrong(module, "COMPLEXITY", rank, "a whole number of at least 0 would be right")
        check(module)
    return modules


def stated(module: ModuleType, key: str) -> Any:
    """What a scheduler's file says as `key`; raises ValueError where it says nothing."""
    if not hasattr(module, key):
        hint = did_you_mean(key, [name for name in vars(module) if name.isupper()])
        raise ValueError(f"{file_of(module)} has no {key}{hint}")
    return getattr(module, key)


def require_word(module: ModuleType, key: str, known: Iterable[str]) -> str:
    """The word that a scheduler's file states as `key`; raises ValueError for one that is not known."""
    word, known = stated(module, key), list(known)
    if not isinstance(word, str) or word not in known:
        raise wrong(module, key, word, f"known: {', '.join(known)}{did_you_mean(word, known)}")
    return word


def require_share(module: ModuleType, key: str) -> None:
    """Raise ValueError where a file does not state `key` as a share of at least 0."""
    share = stated(module, key)
    if type(share) not in (int, float) or not 0 <= share < float("inf"):
        raise wrong(module, key, share, "a share of at least 0 would be right")


def require_flag(module: ModuleType, key: str) -> None:
    """Raise ValueError where a file does not state `key` as True or False."""
    flag = stated(module, key)
    if type(flag) is not bool:
        raise wrong(module, key, flag, "True or False would be right")


def require_rule(module: ModuleType, key: str, *signatures: Signature) -> Rule:
    """The rule that a scheduler's file states as `key`; raises ValueError where it is not one of these signatures."""
    rule = stated(module, key)
    if getattr(rule, "of", None) not in signatures:
        names = " or ".join(f"@{signature.name}" for signature in signatures)
        raise wrong(module, key, rule, f"a function that begins with {names} would be right")
    return rule


def wrong(module: ModuleType, key: str, value: object, right: str) -> ValueError:
    """What a scheduler's file says as `key`, and what would be right."""
    return ValueError(f"{file_of(module)}: {key} is {value!r}; {right}")


def file_of(module: ModuleType) -> str:
    """The file of a module, from the root of the repository."""
    return f"{module.__name__.replace('.', '/')}.py"
