"""The configuration: its keys, defaults and meanings, defined here and nowhere else.

`config/config.yaml`, `workflow/schemas/config.schema.yaml` and `docs/configuration.md` are generated from these models
(`python -m pipeline generate`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pipeline.wording import did_you_mean

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]
Part = Annotated[float, Field(gt=0, lt=1)]
SECOND_ROUND = {"refine", "loss_bounds"}
"""Keys of a study that only its second round of scenarios and the database look at: the first round is not run again
when one of them changes."""


class ConfigurationError(ValueError):
    """The configuration has problems; the message lists them all."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fit(_Model):
    """How memory series become phases and profiles."""

    delta: Positive = Field(2.0, description="a phase begins where |z-score| of the change of used memory exceeds this")
    bin_gb: Positive | None = Field(None, description="width of the levels of memory profiles in GB; null = no binning")


class Prices(_Model):
    """What the parts of a machine cost: for the answers in money, no replay depends on them."""

    memory_usd_per_gb: NotNegative = Field(
        7.8125,
        description="fast memory, USD a GB; the default is 2000 USD for 256 GB (HiPC 2024, Section I, after Wahlgren "
        "et al. 2023)",
    )


class Sweep(_Model):
    """Scenarios of hpc_memory: every combination of the lists below, on workloads of one kind."""

    workload: Literal["phased", "dynamic", "replayed", "composed"] = Field(
        description="phased or dynamic (synthetic, as in the paper), replayed (a trace's own jobs and memory) or "
        "composed (a trace's jobs with the memory shapes of another)",
    )
    batches: int = Field(
        30,
        ge=1,
        description="independent workloads; of a trace, windows of `jobs` jobs spread over it, as far as it has them",
    )
    jobs: int | None = Field(1000, ge=1, description="jobs a batch; null = all of a trace")
    load: list[Positive] = Field([0.9], min_length=1, description="offered load of synthetic workloads")
    release: Literal["load", "printed"] = Field(
        "load", description="gaps between releases from the load, or as the paper prints them (a load of 1.3 to 1.9)"
    )
    job_nodes: Literal["uniform", "marconi100"] = Field(
        "uniform", description="nodes a synthetic job: uniform on 1..23, or skewed on 1..48 with mean 7"
    )
    laws: Literal["documented", "fitted", "empirical"] = Field(
        "documented",
        description="laws of phased workloads: documented (of the paper's means), or of each of `traces`, whose nodes, "
        "phases and memory they draw from: the fitted law nearest to it, or its empirical distribution",
    )
    memory_law: Literal["beta", "normal"] = Field(
        "beta",
        description="memory a phase of phased workloads, on 2..242 GB with mean 105: scaled beta (sd 60) or "
        "truncated normal (sd 60 before truncation)",
    )
    nodes: int = Field(54, ge=1, description="nodes of the machine of synthetic workloads; a trace brings its own")
    memory_per_node_gb: list[NotNegative] = Field(
        [105, 115, 125, 135, 150, 175, 200, 256],
        min_length=1,
        description="fast memory of the machine divided by its nodes, for synthetic workloads",
    )
    memory_over_mean: list[NotNegative] = Field(
        [1.0, 1.1, 1.2, 1.3, 1.4, 1.7, 2.0, 2.5],
        min_length=1,
        description="the same for traces, as a multiple of the mean memory a node in use (by node-seconds)",
    )
    schedulers: list[str] | None = Field(
        None,
        min_length=1,
        description="schedulers to compare, null = all that are found; losses are measured against unlimited",
    )
    alpha: list[Share] = Field([0.03], min_length=1, description="speed of a job without fast memory")
    tau_s: list[NotNegative] = Field(
        [1.0], min_length=1, description="duration of a reconfiguration; also the phase length of dynamic workloads"
    )
    reconfiguration: list[Literal["serial", "incremental", "restart"]] = Field(
        ["serial"], min_length=1, description="one operation at a time, or each job on its own (docs/models)"
    )
    backfilling: list[Literal["easy", "easy_per_event", "fcfs", "memory_aware_easy"]] = Field(
        ["easy"],
        min_length=1,
        description="EASY by instant, EASY by event, none, or EASY that knows what memory does to a job (docs/models)",
    )
    free_start: list[bool] = Field(
        [False], min_length=1, description="memory decided at a job's start is usable at once"
    )
    largest_by: list[Literal["memory", "nodes"]] = Field(["memory"], min_length=1, description="size for largest_first")
    traces: list[str] | None = Field(
        None, description="traces to replay, or to take jobs or laws from; null = all that can be"
    )
    shapes: list[str] | None = Field(
        None, description="traces whose memory shapes are composed; null = all that have any"
    )

    @model_validator(mode="after")
    def _synthetic_needs_jobs(self) -> Sweep:
        if self.jobs is None and self.workload in ("phased", "dynamic"):
            raise ValueError(f"{self.workload} workloads are drawn: jobs must be a number")
        return self

    @model_validator(mode="after")
    def _laws_are_of_phased_jobs(self) -> Sweep:
        if self.laws != "documented" and self.workload != "phased":
            raise ValueError(f"laws: {self.laws} draws phased workloads; {self.workload} ones have laws: documented")
        return self


def _paper_sweeps() -> dict[str, Sweep]:
    """The evaluation of HiPC 2024 in its own setting, then other readings of it that its claims are held against too.

    Fewer batches and sizes than the paper's but for Figures 4, 5, 8 and 9; config/paper.yaml has them all.
    """
    phased = {"workload": "phased", "batches": 8, "memory_per_node_gb": [105, 125, 150]}
    phased |= {"schedulers": ["unlimited", "aggregated", "priority", "oldest_first", "largest_first"]}
    dynamic = {"workload": "dynamic", "batches": 6, "memory_per_node_gb": [105, 150]}
    dynamic |= {"schedulers": ["unlimited", "aggregated", "priority", "stochastic"]}
    alpha = phased | {"schedulers": ["unlimited", "priority", "oldest_first"]}
    dynamic_alpha = dynamic | {"schedulers": ["unlimited", "priority", "stochastic"]}
    ratio = phased | {"schedulers": ["unlimited", "aggregated", "priority"]}
    return {
        "phased": Sweep(workload="phased", memory_per_node_gb=[105, 115, 125, 135, 150, 175, 200, 225, 256]),
        "dynamic": Sweep(workload="dynamic", schedulers=["unlimited", "aggregated", "priority", "stochastic"]),
        # Weighing every level of 100 phases a job takes its time.
        "dynamic_cost_aware": Sweep(
            workload="dynamic",
            batches=10,
            memory_per_node_gb=[105, 125, 150, 200],
            schedulers=["unlimited", "cost_aware"],
        ),
        "alpha": Sweep(**alpha | {"alpha": [0.01, 0.1, 0.3, 0.5], "memory_per_node_gb": [105, 125, 150, 200, 256]}),
        "reconfiguration_time": Sweep(
            **ratio
            | {
                "tau_s": [10, 40, 100, 400, 1000],
                "memory_per_node_gb": [105, 125, 150, 200, 225, 256],
                "schedulers": ["unlimited", "priority"],
            }
        ),
        "dynamic_alpha": Sweep(
            **dynamic_alpha | {"alpha": [0.01, 0.1, 0.3, 0.5], "memory_per_node_gb": [105, 125, 150, 200]}
        ),
        "phased_settings": Sweep(**phased | {"load": [0.8, 0.84, 1.0]}),
        "phased_normal": Sweep(**phased, memory_law="normal"),
        "printed_release": Sweep(**phased, release="printed"),
        "marconi100_nodes": Sweep(**phased, job_nodes="marconi100"),
        "other_reconfigurations": Sweep(**phased, reconfiguration=["incremental", "restart"]),
        "free_start": Sweep(**phased, free_start=[True]),
        "largest_by_nodes": Sweep(**phased, largest_by=["nodes"]),
        "alpha_settings": Sweep(
            **alpha
            | {
                "batches": 6,
                "load": [0.8, 1.0],
                "alpha": [0.01, 0.03, 0.1, 0.3, 0.5],
                "memory_per_node_gb": [105, 150],
            }
        ),
        "reconfiguration_time_settings": Sweep(
            **ratio
            | {"batches": 6, "load": [0.8, 1.0], "tau_s": [1, 10, 40, 1000], "memory_per_node_gb": [105, 150, 225, 256]}
        ),
        "dynamic_settings": Sweep(**dynamic | {"load": [0.8, 0.84, 1.0]}),
        "dynamic_marconi100_nodes": Sweep(**dynamic, job_nodes="marconi100"),
        "dynamic_reconfigurations": Sweep(**dynamic, reconfiguration=["incremental", "restart"]),
        "dynamic_free_start": Sweep(**dynamic, free_start=[True]),
        "dynamic_alpha_settings": Sweep(**dynamic_alpha | {"load": [0.8, 1.0], "alpha": [0.01, 0.1, 0.5]}),
        "fitted": Sweep(workload="phased", laws="fitted", batches=5),
        "replayed": Sweep(workload="replayed", batches=5, jobs=2000),
        "composed": Sweep(workload="composed", batches=5, jobs=2000),
    }


class HpcMemory(_Model):
    """Disaggregated memory on an HPC machine."""

    sweeps: dict[str, Sweep | None] = Field(
        default_factory=_paper_sweeps,
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )
    composed_mean_gb: Positive = Field(
        105.0, description="composed workloads are scaled so that their time-weighted mean memory a node is this"
    )
    timeline: int = Field(
        60,
        ge=0,
        description="jobs of the small workload whose replays are kept instant by instant (Gantt view); 0 = none",
    )
    loss_bounds: list[Part] = Field(
        [0.005, 0.01, 0.02, 0.05],
        min_length=1,
        description="losses against unlimited memory for which the smallest memory is sought",
    )
    refine: int = Field(
        3,
        ge=0,
        le=64,
        description="memory sizes tried between the largest that fails a bound and the smallest that keeps it, once "
        "the sweeps are replayed; 0 = none",
    )


class PimSweep(_Model):
    """Scenarios of pim_ranks: every combination of the lists below, on workloads of one kind."""

    workload: Literal["sets", "virtual_pim", "queue"] = Field(
        description="sets (W1 to W5 of Table 2), virtual_pim (proxies of VirtualPIM's sets VW1 to VW5, which are not "
        "published) or queue (a trace's own queue)",
    )
    sets: list[Literal["1", "2", "3", "4", "5"]] = Field(
        ["1", "2", "3", "4", "5"], min_length=1, description="numbers of the sets: W3 is 3"
    )
    jobs: list[Annotated[int, Field(ge=1)]] = Field([24], min_length=1, description="jobs a set")
    batches: int = Field(10, ge=1, description="independent sets of each kind and size")
    tables: Literal["admissible", "dropped"] = Field(
        "admissible",
        description="performance tables of the sets: drawn among those that agree with Table 2, or of each of `traces`",
    )
    evidence: list[Literal["table_2", "figure_2"]] = Field(
        ["table_2"],
        min_length=1,
        description="what admissible tables agree with: Table 2, or also what the text says of Figure 2 (docs/models)",
    )
    members: int = Field(20, ge=1, description="admissible tables of each evidence that each set is replayed with")
    arrival: Literal["queued", "poisson"] = Field("queued", description="all at once, or by a Poisson process")
    load: list[Positive] = Field(
        [0.9], min_length=1, description="offered load of Poisson arrivals: rank-seconds on best ranks over capacity"
    )
    ranks: list[Annotated[int, Field(ge=1, le=30)]] = Field(
        [30], min_length=1, description="ranks of the machine; with tables of a trace it is the traced one"
    )
    requests: list[Literal["machine", "half", "best"]] = Field(
        ["machine", "half", "best"],
        min_length=1,
        description="user-defined requests of the virtual_pim proxies: all ranks, half of them or the best number",
    )
    schedulers: list[str] | None = Field(
        None,
        min_length=1,
        description="schedulers to compare; null = all that can run the workload (optimal: sets of at most 8 jobs)",
    )
    window: list[Annotated[int, Field(ge=1)]] = Field([6], min_length=1, description="scheduling window of PIM-CARE")
    ooo_window: list[Annotated[int, Field(ge=1)] | None] = Field(
        [None], min_length=1, description="how far sm_opt_ooo looks down the queue; null = to its end"
    )
    perf_at: list[Literal["leftover", "available"]] = Field(
        ["leftover"], min_length=1, description="rank count at which the second scan looks up speeds (docs/models)"
    )
    objective: list[Literal["makespan", "att"]] = Field(
        ["makespan"], min_length=1, description="what optimal minimises: the makespan or the mean turnaround time"
    )
    traces: list[str] | None = Field(
        None, description="traces to take performance tables or queues from; null = all that can be"
    )

    @model_validator(mode="after")
    def _only_sets_are_drawn_otherwise(self) -> PimSweep:
        if self.workload != "sets" and self.arrival != "queued":
            raise ValueError(f"arrival: {self.arrival} is of sets; {self.workload} workloads have arrival: queued")
        if self.workload == "virtual_pim" and self.tables != "admissible":
            raise ValueError("tables: the proxies of virtual_pim are made of admissible tables")
        if self.evidence != ["table_2"] and (self.workload == "queue" or self.tables == "dropped"):
            raise ValueError(f"evidence: {', '.join(self.evidence)} is of admissible tables; these are of a trace")
        return self


def _pim_sweeps() -> dict[str, PimSweep]:
    return {
        "sets": PimSweep(workload="sets", jobs=[12, 24, 36], evidence=["table_2", "figure_2"]),
        "arrivals": PimSweep(workload="sets", arrival="poisson", batches=5, members=10),
        "small": PimSweep(workload="sets", jobs=[5], batches=4, members=5),
        "virtual_pim": PimSweep(
            workload="virtual_pim", ranks=[14], batches=5, members=10, evidence=["table_2", "figure_2"]
        ),
        "dropped": PimSweep(workload="sets", tables="dropped"),
        "queue": PimSweep(workload="queue"),
    }


class PimRanks(_Model):
    """Sharing the ranks of a processing-in-memory machine."""

    sweeps: dict[str, PimSweep | None] = Field(
        default_factory=_pim_sweeps,
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )


class Configuration(_Model):
    """Everything that can be set."""

    trace_roots: list[str] = Field(["traces"], min_length=1, description="folders whose sub-folders are data drops")
    seed: int = Field(1, ge=0, description="master seed; every random number derives from it")
    chunks: int = Field(1, ge=1, description="jobs that the replay of one scheduler is split into")
    fit: Fit = Field(default_factory=Fit, description="from memory series to phases and profiles")
    prices: Prices = Field(default_factory=Prices, description="prices, for the answers in money")
    hpc_memory: HpcMemory = Field(default_factory=HpcMemory, description="disaggregated memory (HiPC 2024)")
    pim_ranks: PimRanks = Field(default_factory=PimRanks, description="ranks of a PIM machine (PIM-CARE, ICS 2025)")


def parse(settings: Mapping[str, Any], model: type[_Model] = Configuration) -> Any:
    """Validated settings. Raises ConfigurationError with every problem at once, one a line."""
    try:
        return model.model_validate(settings)
    except ValidationError as error:
        lines = [_sentence(problem, model) for problem in error.errors()]
        raise ConfigurationError(f"{len(lines)} problem(s) in the configuration:\n" + "\n".join(lines)) from None


def _sentence(problem: Mapping[str, Any], model: type[_Model]) -> str:
    """One problem as a sentence that names the key."""
    place = ".".join(str(part) for part in problem["loc"])
    if problem["type"] != "extra_forbidden":
        return f"  {place}: {problem['msg']} (found {problem['input']!r})"
    known = list(_model_at(problem["loc"][:-1], model).model_fields)
    hint = did_you_mean(problem["loc"][-1], known) or f"; known keys: {', '.join(known)}"
    return f"  {place}: unknown key{hint}"


def _model_at(location: tuple, model: type[_Model]) -> type[_Model]:
    """The model that the keys at a location belong to."""
    for part in location:
        field = model.model_fields.get(part) if isinstance(part, str) else None
        if field is None:
            continue  # the name of a sweep: the mapping's values have the model already stepped into
        model = next(_models_in(field.annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[type[_Model]]:
    """Models named in an annotation, also inside optional types and mappings."""
    if isinstance(annotation, type) and issubclass(annotation, _Model):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


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


def section(settings: Configuration, name: str) -> dict[str, Any]:
    """What a study's first round depends on: its section without SECOND_ROUND and the master seed, as plain values."""
    return {"seed": settings.seed, name: getattr(settings, name).model_dump(mode="json", exclude=SECOND_ROUND)}


def second_round(settings: Configuration, name: str) -> dict[str, Any]:
    """What a study's second round depends on beside the results of the first, as plain values."""
    return {name: getattr(settings, name).model_dump(mode="json", include=SECOND_ROUND)}


def default_yaml() -> str:
    """The default configuration as commented YAML; of a sweep what differs from a sweep's own defaults."""
    head = (
        "# The default configuration. Generated from pipeline/config.py by `python -m pipeline generate`:\n"
        "# change the defaults there. To run with other values write only those into a file of your own and give it:\n"
        "#   snakemake --cores all --configfile config/quick.yaml\n"
        "# Every key with its meaning: docs/configuration.md\n"
    )
    return head + _yaml_section(Configuration(), 0)


def _yaml_section(model: _Model, depth: int) -> str:
    indent = "  " * depth
    text = ""
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        text += f"\n{indent}# {field.description}\n" if depth < 2 else ""
        if isinstance(value, _Model):
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
    head = "# Generated from pipeline/config.py by `python -m pipeline generate`.\n"
    return head + yaml.safe_dump(Configuration.model_json_schema(), sort_keys=False, width=110)


def reference_markdown() -> str:
    """Every key with type, default and meaning."""
    lines = [
        "# Configuration",
        "",
        "Generated from `pipeline/config.py` by `python -m pipeline generate`. Unknown keys are refused.",
    ]
    for title, model in (
        ("Top level", Configuration),
        ("`fit`", Fit),
        ("`prices`", Prices),
        ("`hpc_memory`", HpcMemory),
        ("`hpc_memory.sweeps.<name>`", Sweep),
        ("`pim_ranks`", PimRanks),
        ("`pim_ranks.sweeps.<name>`", PimSweep),
    ):
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
            shown = "see `config/config.yaml`" if isinstance(default, (_Model, dict)) else f"`{_inline(default)}`"
            lines.append(f"| `{name}` | {shown} | {field.description} |")
    return "\n".join(lines) + "\n"
