"""The whole configuration, and what is generated from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_origin

import yaml
from pydantic import BaseModel, Field, create_model, field_validator

from pipeline.config.sections import (
    ConfigurationError,
    NotNegative,
    Positive,
    Section,
    Seed,
    leaves,
    models_in,
    section_of,
)
from pipeline.config.sections import parse as parse_section
from pipeline.runtime import bounded
from pipeline.runtime.study import declared
from pipeline.runtime.wording import did_you_mean

__all__ = ["Configuration", "ConfigurationError", "Section", "leaves"]

NOT_REPLAYED = {"loss_bounds", "response_bound"}
"""Keys of a study that only the database looks at: nothing is replayed again when one of them changes."""


class Fit(Section):
    """How memory series become phases and profiles."""

    delta: Positive = Field(2.0, description="a phase begins where |z-score| of the change of used memory exceeds this")
    node_memory: Literal["mean", "max"] = Field(
        "mean",
        description="memory per node of a job over several nodes, at each time: the mean over its nodes, which times "
        "their number is what it uses, or the maximum (HiPC 2024), which is more",
    )
    bin_gb: Positive | None = Field(None, description="width of the levels of memory profiles in GB; null = no binning")


class Limits(Section):
    """What work on one drop may take, in a process of its own. Beyond that the drop alone is refused or failed.

    No result depends on them, so a change re-runs nothing; `rm -r results/ingest/<drop>` has a refused drop read again.
    """

    recognition_s: Positive | None = Field(
        bounded.RECOGNITION_S, description="seconds to tell what a drop is; null = as long as it takes"
    )
    drop_s: Positive | None = Field(
        bounded.DROP_S,
        description="seconds of each step on a drop: reading, fitting, scenarios, replays; null = as long as it takes",
    )
    memory_gb: Positive | None = Field(
        bounded.MEMORY_GB, description="GB of memory of each, at most what the machine has; null = all there is"
    )

    @property
    def recognition(self) -> bounded.Bounds:
        """Bounds of recognition."""
        return bounded.Bounds(self.recognition_s or math.inf, self.memory_gb or math.inf)

    def options(self, *names: str) -> str:
        """The named limits as options of a verb."""
        given = {name: getattr(self, name) or math.inf for name in names}
        return " ".join(f"--{name.replace('_', '-')} {value:g}" for name, value in given.items())


class Prices(Section):
    """What the parts of a machine cost: for the answers in money, no replay depends on them."""

    memory_usd_per_gb: NotNegative = Field(
        7.8125,
        description="fast memory, USD a GB; the default is 2000 USD for 256 GB (HiPC 2024, Section I, after Wahlgren "
        "et al. 2023)",
    )
    pool_usd_per_gb: NotNegative = Field(
        11.72,
        description="memory of a pool beside local memory, USD a GB; the default is assumed (November 2026): one and a "
        "half times the above, for controllers and links",
    )


class Shared(Section):
    """Everything that can be set."""

    trace_roots: list[str] = Field(["traces"], min_length=1, description="folders whose sub-folders are data drops")
    studies: list[str] | None = Field(None, min_length=1, description="studies that are run; null = all")
    seed: Seed = Field(1, description="master seed; every random number derives from it")
    chunks: int = Field(1, ge=1, description="jobs that the replay of one scheduler is split into")
    together: bool | Literal["small"] = Field(
        "small",
        description="parts of the workloads that one job replays for all schedulers of a study, where starting jobs is "
        "most of the work; a changed scheduler then replays the others there, too: small = of drops up to 4 MiB, and "
        "synthetic ones of studies that say they are brief, "
        "true = all, false = none",
    )
    fit: Fit = Field(default_factory=Fit, description="from memory series to phases and profiles")
    limits: Limits = Field(default_factory=Limits, description="time and memory for each drop")
    prices: Prices = Field(default_factory=Prices, description="prices, for the answers in money")

    @field_validator("studies")
    @classmethod
    def _known_studies(cls, names: list[str] | None) -> list[str] | None:
        for name in names or []:
            if name not in declared():
                raise ValueError(f"unknown study {name!r}{did_you_mean(name, declared())}")
        return names


def _configuration() -> type[Section]:
    """The keys that all studies share, then a section of each."""
    fields = {}
    for study, declaration in declared().items():
        section = section_of(study)
        fields[study] = (section, Field(default_factory=section, description=declaration.about))
    return create_model("Configuration", __base__=Shared, __doc__=Shared.__doc__, **fields)


Configuration: type[Shared] = _configuration()


def parse(settings: Mapping[str, Any], model: type[Section] = Configuration) -> Any:
    """Validated settings. Raises ConfigurationError with every problem at once, one per line."""
    return parse_section(settings, model)


def named_traces(settings: BaseModel) -> list[str]:
    """Every trace that the configuration names, in any `traces` or `shapes`."""
    names: list[str] = []
    for key, value in settings:
        for item in value.values() if isinstance(value, dict) else [value]:
            if isinstance(item, BaseModel):
                names += named_traces(item)
            elif key in ("traces", "shapes"):
                names += item or []
    return names


def lenders(settings: Configuration, study: str) -> set[str]:
    """Drops whose traces lend other workloads of a study something: those named in `shapes` of its sweeps."""
    sweeps = getattr(getattr(settings, study), "sweeps", None) or {}
    named = [name for sweep in sweeps.values() for name in getattr(sweep, "shapes", None) or []]
    return {name.partition("/")[0] for name in named}


def section(settings: Configuration, name: str) -> dict[str, Any]:
    """What a study's replays depend on: its section without NOT_REPLAYED and the master seed, as plain values."""
    return {"seed": settings.seed, name: getattr(settings, name).model_dump(mode="json", exclude=NOT_REPLAYED)}


def default_yaml() -> str:
    """The default configuration as commented YAML; of a sweep what differs from a sweep's own defaults."""
    head = (
        "# The default configuration. Generated from pipeline/config by `apportion generate`:\n"
        "# change the defaults there. To run with other values write only those into a file of your own and give it:\n"
        "#   snakemake --cores all --configfile config/quick.yaml\n"
        "# Every key with its meaning: docs/reference/configuration.md\n"
    )
    return head + _yaml_section(Configuration(), 0)


def _yaml_section(model: Section, depth: int) -> str:
    indent = "  " * depth
    text = ""
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        text += f"\n{indent}# {field.description}\n" if depth < 2 else ""
        if isinstance(value, Section):
            text += f"{indent}{name}:\n{_yaml_section(value, depth + 1)}"
        elif isinstance(value, dict):
            text += f"{indent}{name}:\n"
            for key, item in value.items():
                text += f"{indent}  {key}:\n"
                for k, v in item.model_dump(mode="json", exclude_unset=True).items():
                    text += f"{indent}    {k}: {_inline(v)}\n"
        else:
            text += f"{indent}{name}: {_inline(value)}\n"
    return text


def _inline(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True, width=10_000).replace("\n...", "").strip()


def schema_yaml() -> str:
    """JSON schema of the configuration, as YAML."""
    head = "# Generated from pipeline/config by `apportion generate`.\n"
    return head + yaml.safe_dump(Configuration.model_json_schema(), sort_keys=False, width=110)


def reference_markdown() -> str:
    """Every key with type, default and meaning."""
    lines = [
        "# Configuration",
        "",
        "After this page you can change any parameter of a run. Write the keys that differ into a file of your own, "
        "and run `make CONFIG=my.yaml`. Unknown keys are refused. `apportion generate` writes this page from "
        "`pipeline/config`.",
    ]
    for title, model in _titled(Configuration):
        lines += [
            "",
            f"## {title}",
            "",
            (model.__doc__ or "").strip(),
            "",
            "| key | default | meaning |",
            "|---|---|---|",
        ]
        for name, field in model.model_fields.items():
            if field.is_required():
                lines.append(f"| `{name}` | required | {field.description} |")
                continue
            default = field.get_default(call_default_factory=True)
            shown = "see `config/config.yaml`" if isinstance(default, (Section, dict)) else f"`{_inline(default)}`"
            lines.append(f"| `{name}` | {shown} | {field.description} |")
    return "\n".join(lines) + "\n"


def _titled(model: type[Section], path: str = "") -> Iterator[tuple[str, type[Section]]]:
    """Each section below a model with its place in the configuration, the model itself first."""
    yield f"`{path}`" if path else "Top level", model
    for name, field in model.model_fields.items():
        of_names = get_origin(field.annotation) is dict
        for inner in models_in(field.annotation):
            yield from _titled(inner, f"{path}.{name}".strip(".") + (".<name>" if of_names else ""))
