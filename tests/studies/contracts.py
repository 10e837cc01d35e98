"""What a study tells the contract suite: a class `Case` in its contract.py, found where it lies."""

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.runtime import sources

HERE = Path(__file__).parent
Tables = dict[str, Any]
"""Tables by name, as replays take and give them; flags among them."""


class Contract:
    """One study's cases, and what its columns mean.

    workload: column of the scenarios that names one; each: table and column that a row of the outcomes is of.
    tables: needed columns by table; needed: columns of the scenarios that no case does without.
    ids: id columns beside scenario and workload; whole_ids: those that are whole numbers and keep their values.
    optional: defaults of columns of the inputs, values or expressions.
    instants, durations: times by table of the inputs ("scenarios" among them); result_instants, result_durations: those
    of the outcomes. powers: how metrics scale with durations, by their names or their units.
    placed: column of the outcomes that is null where a row is rejected; reasons: what `rejected` may begin with.
    order: columns of outcomes and their rows of `each` that rise. empty_is_known: whether a workload without rows is
    replayed, and not unknown.
    """

    workload = "workload_id"
    each: tuple[str, str]
    tables: Mapping[str, tuple[str, ...]]
    needed: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    whole_ids: tuple[str, ...] = ()
    optional: Mapping[str, Mapping[str, Any]] = {}
    instants: Mapping[str, tuple[str, ...]] = {}
    durations: Mapping[str, tuple[str, ...]] = {}
    result_instants: tuple[str, ...] = ()
    result_durations: tuple[str, ...] = ()
    powers: Mapping[str, int | None] = {"s": 1, "1/s": -1}
    placed: str
    reasons: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    empty_is_known = False

    def case(self, scheduler: str, seed: int) -> tuple[Tables, pl.DataFrame]:
        """Inputs and scenarios with all options given; names of workloads begin with the scheduler's."""
        raise NotImplementedError

    def single(self, scheduler: str) -> tuple[Tables, pl.DataFrame, dict[str, Any], dict[str, float]]:
        """Inputs of one job alone, scenarios, and what outcomes and metrics are in all of them."""
        raise NotImplementedError

    def held(self, inputs: Tables, scenarios: pl.DataFrame, result: Tables) -> Iterator[pl.DataFrame]:
        """What is held of each resource: scenario_id, start, end, amount and limit, which the sum never exceeds."""
        raise NotImplementedError

    def required(self, scheduler: str) -> Mapping[str, tuple[str, ...]]:
        """Needed columns by table."""
        return self.tables

    def scales(self, scheduler: str) -> bool:
        """Whether longer times make its results longer by as much."""
        return bool(self.durations)

    def expected(self, inputs: Tables, scenarios: pl.DataFrame, result: Tables) -> pl.DataFrame:
        """What a row of the outcomes is due for, with all that is known of it."""
        return scenarios.join(inputs[self.each[0]], on=self.workload)

    def sound(self, rows: pl.DataFrame) -> pl.Series:
        """Whether the columns of `order` rise."""
        pairs = zip(self.order, self.order[1:], strict=False)
        return rows.select(ok=pl.all_horizontal(pl.lit(True), *(pl.col(a) <= pl.col(b) for a, b in pairs)))["ok"]


def contract_of(study: str) -> Contract:
    """The study's contract; its folder is where its cases are imported from."""
    file = HERE / study / "contract.py"
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    spec = importlib.util.spec_from_file_location(f"{study}_contract", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Case()


def own_files(study: str) -> list[Path]:
    """Schedulers that lie with the tests."""
    return sorted((HERE / study / "own").glob("*.py"))


def everyone() -> list[tuple[str, str, Path | None]]:
    """Study, scheduler, and the file of one that lies with the tests."""
    studies = [study for study in sources.studies() if (HERE / study / "contract.py").is_file()]
    return [(study, name, None) for study in studies for name in sources.schedulers(study)] + [
        (study, file.stem, file) for study in studies for file in own_files(study)
    ]
