"""What every section of the configuration is made of, and how settings become one."""

from __future__ import annotations

import importlib
import reprlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from pipeline.runtime import sources
from pipeline.runtime.study import traits as traits_of
from pipeline.runtime.wording import did_you_mean

MOST_PROBLEMS = 100
LONGEST_SHOWN = 100

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]
Part = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Seed = Annotated[int, Field(ge=0)]


def scheduler_of(study: str, **traits: tuple[str, ...]) -> Any:
    """Type of a name of a scheduler of the study, one file each; traits: what constants of that file may be."""
    return Annotated[str, AfterValidator(partial(_known_scheduler, study, traits))]


def _known_scheduler(study: str, traits: Mapping[str, tuple[str, ...]], name: str) -> str:
    by_name = traits_of(study) if traits else dict.fromkeys(sources.schedulers(study))
    known = [each for each, own in by_name.items() if all(own.get(trait) in some for trait, some in traits.items())]
    if name not in known:
        hint = did_you_mean(name, known) or f"; known: {', '.join(known)}"
        raise ValueError(f"no scheduler {name!r}{hint}")
    return name


class Section(BaseModel):
    """Keys that belong together; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ConfigurationError(ValueError):
    """The configuration has problems; the message lists them all."""


def section_of(study: str) -> type[Section]:
    """Model of a study's section: the class of its module `config` with its name, as OneServer of one_server."""
    return getattr(importlib.import_module(f"pipeline.studies.{study}.config"), study.title().replace("_", ""))


def of_study(study: str) -> type[Section]:
    """Model of the master seed and the section of one study: what its stages depend on."""
    section = section_of(study)
    fields = {"seed": (Seed, 1), study: (section, Field(default_factory=section))}
    return create_model("Configuration", __base__=Section, **fields)


def parse(settings: Mapping[str, Any], model: type[Section]) -> Any:
    """Validated settings. Raises ConfigurationError with every problem at once, one per line."""
    try:
        return model.model_validate(settings)
    except ValidationError as error:
        lines = [_sentence(problem, model) for problem in error.errors()[:MOST_PROBLEMS]]
        more = error.error_count() - len(lines)
        lines += [f"  and {more} more"] if more > 0 else []
        raise ConfigurationError(
            f"{error.error_count()} problem(s) in the configuration:\n" + "\n".join(lines)
        ) from None


def _sentence(problem: Mapping[str, Any], model: type[Section]) -> str:
    """One problem as a sentence that names the key."""
    place = ".".join(str(part)[:LONGEST_SHOWN] for part in problem["loc"])
    if problem["type"] == "value_error":
        return f"  {place}: {problem['ctx']['error']} (found {reprlib.repr(problem['input'])})"
    if problem["type"] != "extra_forbidden":
        return f"  {place}: {problem['msg']} (found {reprlib.repr(problem['input'])})"
    known = list(_model_at(problem["loc"][:-1], model).model_fields)
    hint = did_you_mean(problem["loc"][-1], known) or f"; known keys: {', '.join(known)}"
    return f"  {place}: unknown key{hint}"


def _model_at(location: tuple, model: type[Section]) -> type[Section]:
    """The model that the keys at a location belong to."""
    for part in location:
        field = model.model_fields.get(part) if isinstance(part, str) else None
        if field is None:
            continue  # the name of a sweep: the mapping's values have the model already stepped into
        model = next(models_in(field.annotation), model)
    return model


def models_in(annotation: Any) -> Iterator[type[Section]]:
    """Models named in an annotation, also inside optional types and mappings."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for argument in get_args(annotation):
        yield from models_in(argument)


def leaves(settings: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Values of a configuration that are no mappings themselves, by dotted key."""
    values: dict[str, Any] = {}
    for key, value in settings.items():
        inside = f"{path}.{key}" if path else key
        values |= leaves(value, inside) if isinstance(value, Mapping) else {inside: value}
    return values
