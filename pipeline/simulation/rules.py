"""A scheduler is a rule: a function of a signature that its study states once, compiled when a replay asks for it.

A study states a signature as a function without a body, whose annotations give the types and whose docstring says what
a rule has to do:

    @signature
    def grant(now_s: float, jobs: Jobs, target_gb: Floats) -> None:
        \"\"\"Write to `target_gb` what each running job is to have.\"\"\"

and a scheduler's file has a rule of it:

    @grant
    def rule(now_s, jobs, target_gb): ...

A compiled engine takes `rule.compiled()` as an argument. It is a first-class function of numba: the engine is compiled
once for all rules, a rule once for all processes. Where NUMBA_DISABLE_JIT is 1, engine and rule run as plain Python,
with the same results, slowly: to try an idea, to print or to set a breakpoint.

A rule must not raise: compiled code cannot hand an exception on. Engines check what it writes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numba
import numpy as np

Integers = Annotated[np.ndarray, "int64", 1]
Floats = Annotated[np.ndarray, "float64", 1]
Flags = Annotated[np.ndarray, "boolean", 1]
IntegerTable = Annotated[np.ndarray, "int64", 2]
FloatTable = Annotated[np.ndarray, "float64", 2]
"""Arrays that a rule takes: whole numbers, numbers, yes or no; in C order, and not read-only."""

SCALARS = {int: "int64", float: "float64", bool: "boolean", type(None): "void"}


class Signature:
    """What a study asks of a rule; as a decorator, makes a `Rule` of a function. See `signature`."""

    def __init__(self, stub: Callable):
        self.name = stub.__name__
        self.parameters = tuple(inspect.signature(stub).parameters)
        self.__doc__ = stub.__doc__
        self._stub = stub

    def __call__(self, function: Callable) -> Rule:
        """The function as a rule; raises ValueError where it takes another number of arguments."""
        taken = tuple(inspect.signature(function).parameters)
        if len(taken) != len(self.parameters):
            raise ValueError(
                f"{_place(function)} takes ({', '.join(taken)}); "
                f"a rule {self.name} takes ({', '.join(self.parameters)})"
            )
        return Rule(self, function)

    @property
    def types(self) -> numba.core.typing.templates.Signature:
        """The signature in numba's types."""
        hints = get_type_hints(self._stub, include_extras=True)
        return numba_type(hints.get("return", type(None)))(*(numba_type(hints[name]) for name in self.parameters))


class Rule:
    """A function that a scheduler's file exports. `function` is the plain one; calling a rule calls it."""

    def __init__(self, of: Signature, function: Callable):
        self.of, self.function = of, function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._compiled: Any = None

    def __repr__(self) -> str:
        return f"{self.of.name} {self.__name__}"

    def __call__(self, *arguments: Any) -> Any:
        """What the plain function gives."""
        return self.function(*arguments)

    def compiled(self) -> Any:
        """What an engine takes; the plain function where numba is switched off.

        Raises ValueError, with the sentence of the compiler, where the rule cannot be compiled.
        """
        if numba.config.DISABLE_JIT:
            return self.function
        if self._compiled is None:
            try:
                self._compiled = numba.cfunc(self.of.types, cache=True)(self.function)
            except numba.core.errors.NumbaError as error:
                raise ValueError(
                    f"{_place(self.function)} cannot be compiled: {_first_sentence(error)}; "
                    "NUMBA_DISABLE_JIT=1 runs it as plain Python"
                ) from error
        return self._compiled


signature = Signature
"""Decorator of a function without a body: the signature that its parameters, their types and its result state.

Types: int, float, bool, the arrays above, or a NamedTuple of them.
"""


@cache
def numba_type(annotation: Any) -> Any:
    """numba's type of an annotation of a rule; raises TypeError for one that rules cannot take."""
    if annotation in SCALARS:
        return getattr(numba.types, SCALARS[annotation])
    if get_origin(annotation) is Annotated:
        _, name, dimensions = get_args(annotation)
        return numba.types.Array(getattr(numba.types, name), dimensions, "C")
    if isinstance(annotation, type) and issubclass(annotation, tuple) and hasattr(annotation, "_fields"):
        hints = get_type_hints(annotation, include_extras=True)
        return numba.types.BaseTuple.from_types([numba_type(hints[name]) for name in annotation._fields], annotation)
    raise TypeError(f"a rule cannot take {annotation!r}")


def _place(function: Callable) -> str:
    return f"{Path(inspect.getsourcefile(function) or '?').name}: {function.__name__}"


def _first_sentence(error: Exception) -> str:
    lines = [line.strip() for line in re.sub(r"\x1b\[\d*m", "", str(error)).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", "File ", "<source", "^"))]
    return said[0] if said else type(error).__name__
