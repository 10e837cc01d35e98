"""Configuration of pim_ranks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.config.sections import NotNegative, Positive, Section, scheduler_of

SchedulerName = scheduler_of("pim_ranks")


class PimSweep(Section):
    """Scenarios of pim_ranks: every combination of the lists below, on workloads of one kind."""

    workload: Literal["sets", "virtual_pim", "queue"] = Field(
        description="sets (W1 to W5 of Table 2, or drawn among a drop's own applications), virtual_pim (proxies of "
        "VirtualPIM's sets VW1 to VW5, which are not published) or queue (a trace's own queue)",
    )
    sets: list[Literal["1", "2", "3", "4", "5", "uniform"]] = Field(
        ["1", "2", "3", "4", "5", "uniform"],
        min_length=1,
        description="numbers of the sets: W3 is 3; uniform: drawn uniformly among all applications of a drop, where "
        "some are not in Table 2",
    )
    jobs: list[Annotated[int, Field(ge=1)]] = Field([24], min_length=1, description="jobs per set")
    batches: int = Field(10, ge=1, description="independent sets of each kind and size")
    tables: Literal["admissible", "dropped"] = Field(
        "admissible",
        description="performance tables of the sets: drawn with measured shapes, such that they agree with Table 2 and "
        "SE-Opt over SE-Full (docs/models), or of each of `traces`",
    )
    members: int = Field(20, ge=1, description="admissible tables that each set is replayed with")
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
    host_share: Annotated[float, Field(ge=0, lt=1)] = Field(
        0.2, description="host work of the proxies, as a share of an application's least time"
    )
    heavy_host_share: Annotated[float, Field(ge=0, lt=1)] = Field(0.8, description="the same of the proxies of VW5")
    transfer: tuple[NotNegative, Positive, NotNegative] = Field(
        (0.2, 0.7, 0.1), description="input, kernel and output as shares of the PIM time of a proxy's stage"
    )
    coop_limit: NotNegative = Field(1.1, description="Fine's rank time over Coarse's up to which Co-op runs Fine")
    schedulers: list[SchedulerName] | None = Field(
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
    profiling_ratio: list[Annotated[float, Field(gt=0, le=1)] | None] = Field(
        [None],
        min_length=1,
        description="share of the numbers of ranks at which applications are profiled; null = all times are known",
    )
    threshold: list[Annotated[float, Field(gt=0, lt=1)] | None] = Field(
        [None], min_length=1, description="THOpt of Algorithm 1; null = best_ranks as given, or 0.95 of a profile"
    )
    objective: list[Literal["makespan", "att"]] = Field(
        ["makespan"], min_length=1, description="what optimal minimises: the makespan or the mean turnaround time"
    )
    traces: list[str] | None = Field(
        None, description="traces to take performance tables or queues from; null = all that can be"
    )

    @model_validator(mode="after")
    def _transfer_is_all_of_a_stage(self) -> PimSweep:
        if abs(sum(self.transfer) - 1) > 1e-9:
            raise ValueError(
                f"transfer: input, kernel and output are {sum(self.transfer):g} of a stage; 1 would be right"
            )
        return self

    @model_validator(mode="after")
    def _only_sets_are_drawn_otherwise(self) -> PimSweep:
        if self.workload != "sets" and self.arrival != "queued":
            raise ValueError(f"arrival: {self.arrival} is of sets; {self.workload} workloads have arrival: queued")
        if self.workload == "virtual_pim" and self.tables != "admissible":
            raise ValueError("tables: the proxies of virtual_pim are made of admissible tables")
        if self.sets == ["uniform"] and self.tables != "dropped":
            raise ValueError("sets: uniform draws among the applications of a drop; say tables: dropped")
        return self


PROXIES = {"workload": "virtual_pim", "ranks": [14], "batches": 2, "members": 5}
PROXIES |= {"schedulers": ["pim_care", "virtual_pim_coarse", "virtual_pim_fine", "virtual_pim_coop"]}
ASSUMED = {
    "host_share_low": {"host_share": 0.1, "heavy_host_share": 0.6},
    "host_share_high": {"host_share": 0.4, "heavy_host_share": 0.9},
    "transfer_low": {"transfer": (0.1, 0.85, 0.05)},
    "transfer_high": {"transfer": (0.4, 0.4, 0.2)},
    "coop_limit_low": {"coop_limit": 1.0},
    "coop_limit_high": {"coop_limit": 1.5},
}
"""Sweeps of the proxies that differ in what is assumed of them, and in what."""


CARE = {"workload": "sets", "batches": 4, "members": 5, "schedulers": ["pim_care"]}
SENSITIVITY = {
    "profiling_ratio": [None, 0.05, 0.1, 0.2, 0.35, 0.5],
    "threshold": [None, 0.7, 0.8, 0.9, 0.95, 0.98],
    "window": [1, 2, 4, 6, 8, 12, 24],
}
"""Values of PIM-CARE's parameters that are tried."""


def _pim_sweeps() -> dict[str, PimSweep]:
    return {
        "sets": PimSweep(workload="sets", jobs=[12, 24, 36]),
        "arrivals": PimSweep(workload="sets", arrival="poisson", batches=5, members=10),
        "small": PimSweep(workload="sets", jobs=[5], batches=4, members=5),
        "virtual_pim": PimSweep(workload="virtual_pim", ranks=[14], batches=5, members=10),
        # What is assumed of the proxies, at both ends of its range.
        **{name: PimSweep(**PROXIES | changed) for name, changed in ASSUMED.items()},
        # The parameters of PIM-CARE, one at a time.
        **{f"care_{name}": PimSweep(**CARE, **{name: values}) for name, values in SENSITIVITY.items()},
        "dropped": PimSweep(workload="sets", tables="dropped"),
        "queue": PimSweep(workload="queue"),
    }


class PimRanks(Section):
    """Sharing the ranks of a processing-in-memory machine."""

    sweeps: dict[str, PimSweep | None] = Field(
        default_factory=_pim_sweeps,
        description="named sets of scenarios; a scenario in two of them runs once, null = left out",
    )
