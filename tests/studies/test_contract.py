"""What every scheduler of every study owes its users; contract.py in a study's folder has the cases."""

import importlib
from random import Random

import polars as pl
import pytest
from contracts import contract_of, everyone
from polars.testing import assert_frame_equal

from pipeline.runtime.study import REQUIRED, declared
from pipeline.simulation.table import comparable

MEASURED = "measured"
"""Table that differs from run to run."""
EVERYONE = everyone()
CONTRACTS = {study: contract_of(study) for study in dict.fromkeys(study for study, *_ in EVERYONE)}
every_study = pytest.mark.parametrize("study", list(CONTRACTS))


@pytest.fixture(params=EVERYONE, ids=[f"{study}-{name}" for study, name, _ in EVERYONE])
def asked(request, own_scheduler):
    """A study, its contract and one of its schedulers."""
    study, name, file = request.param
    if file:
        own_scheduler(study, file)
    return importlib.import_module(f"pipeline.studies.{study}"), CONTRACTS[study], name


def on_frames(inputs, change):
    """change(name, frame) of every table; flags stay."""
    return {name: change(name, t) if isinstance(t, pl.DataFrame) else t for name, t in inputs.items()}


def as_bytes(result):
    """Each table as its schema and text (floats in full), rows as they come."""
    return {name: (frame.schema, frame.write_csv()) for name, frame in result.items() if name != MEASURED}


def assert_same(result, expected, **tolerance):
    for name in (name for name in expected if name != MEASURED):
        assert_frame_equal(result[name], expected[name], **tolerance)


@pytest.mark.slow
def test_same_bytes_in_any_order_of_rows_and_nothing_given_is_changed(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 1)
    copies = on_frames(inputs, lambda _, t: t.clone()), scenarios.clone()
    first = as_bytes(study.replay(inputs, scenarios))
    assert as_bytes(study.replay(inputs, scenarios)) == first
    assert scenarios.equals(copies[1])
    assert all(t.equals(copies[0][name]) for name, t in inputs.items() if isinstance(t, pl.DataFrame))
    shuffled = on_frames(inputs, lambda _, t: t.sample(fraction=1, shuffle=True, seed=3))
    assert as_bytes(study.replay(shuffled, scenarios.sample(fraction=1, shuffle=True, seed=4))) == first


@pytest.mark.slow
def test_a_scenario_alone_gives_what_it_gives_in_a_batch(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 2)
    batch = study.replay(inputs, scenarios)
    for row in [scenarios[k] for k in range(0, len(scenarios), 3)]:
        workload, name = row[contract.workload].item(), row["scenario_id"].item()
        own = on_frames(
            inputs, lambda _, t, w=workload: t.filter(pl.col(contract.workload) == w) if contract.workload in t else t
        )
        in_batch = {table: frame.filter(pl.col("scenario_id") == name) for table, frame in batch.items()}
        assert as_bytes(study.replay(own, row)) == as_bytes(in_batch)


@pytest.mark.slow
@every_study
def test_schedulers_do_not_disturb_each_other_in_a_batch(study):
    contract, module = CONTRACTS[study], importlib.import_module(f"pipeline.studies.{study}")
    cases = [contract.case(name, 3) for name in module.schedulers()]
    together = on_frames(
        cases[0][0], lambda name, _: pl.concat(inputs[name] for inputs, _ in cases).unique(maintain_order=True)
    )
    scenarios = pl.concat(rows for _, rows in cases)
    batch = module.replay(together, scenarios.sample(fraction=1, shuffle=True, seed=1))
    each = [module.replay(inputs, rows) for inputs, rows in cases]
    apart = {name: pl.concat(r[name] for r in each).sort("scenario_id", maintain_order=True) for name in each[0]}
    assert_same(batch, apart)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [pl.UInt64, pl.Categorical], ids=str)
def test_ids_come_back_with_their_dtype_and_names_mean_nothing(asked, dtype):
    """Scenarios and workloads are named in another order; other ids, by which ties go, in the same one."""
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 4)
    expected = study.replay(inputs, scenarios)
    given = [t for t in (*inputs.values(), scenarios) if isinstance(t, pl.DataFrame)]
    text = dtype in (pl.String, pl.Categorical)
    names = {}
    for column in ("scenario_id", contract.workload, *contract.ids):
        old = sorted({value for t in given if column in t for value in comparable(t[column])})
        new = list(range(len(old)))
        if column not in contract.ids:
            Random(5).shuffle(new)
        names[column] = dict(zip(old, (f"{n:03d}" if text else n for n in new), strict=True))

    def renamed(_, table):
        plain = pl.String if text else pl.Int64
        return table.with_columns(
            pl.col(c).replace_strict(new_ids, return_dtype=plain).cast(dtype)
            for c, new_ids in names.items()
            if c in table
        ).with_columns(pl.col(c).cast(pl.UInt16) for c in contract.whole_ids if c in table)

    result = study.replay(on_frames(inputs, renamed), renamed("", scenarios))
    back = {column: {new: old for old, new in new_ids.items()} for column, new_ids in names.items()}
    for name, table in result.items():
        ids = [column for column in back if column in table.columns]
        assert all(table.schema[column] == dtype for column in ids)
        whole = [column for column in (*contract.whole_ids, "vertex") if column in table.columns]
        assert all(table.schema[column] == pl.UInt16 for column in whole)
        dtypes = expected[name].schema
        result[name] = (
            table.with_columns(pl.col(c).cast(pl.String if text else dtype) for c in ids)
            .with_columns(pl.col(c).replace_strict(back[c], return_dtype=dtypes[c]) for c in ids)
            .with_columns(pl.col(c).cast(dtypes[c]) for c in whole)
            .sort("scenario_id", maintain_order=True)
        )
    assert_same(result, expected)


@pytest.mark.slow
def test_absent_columns_and_null_cells_take_the_default(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 5)
    defaults = {name: value for name, value in study.DEFAULTS.items() if name not in contract.needed}
    bare = scenarios.drop(set(defaults) | {"seed"}, strict=False)
    stated = bare.with_columns(pl.lit(v).alias(name) for name, v in defaults.items() if v is not None)
    few = on_frames(inputs, lambda name, t: t.drop(contract.optional.get(name, {}), strict=False))
    full = on_frames(few, lambda name, t: t.with_columns(**contract.optional.get(name, {})))
    nulls = on_frames(
        full,
        lambda name, t: t.with_columns(pl.lit(None, t.schema[c]).alias(c) for c in contract.optional.get(name, {})),
    )
    expected = as_bytes(study.replay(full, stated.with_columns(seed=0)))
    assert as_bytes(study.replay(few, bare)) == expected
    typed = bare.with_columns(pl.lit(None, stated.schema.get(name, pl.Null)).alias(name) for name in defaults)
    assert as_bytes(study.replay(nulls, typed)) == expected
    untyped = bare.with_columns(pl.lit(None).alias(name) for name in defaults)
    assert as_bytes(study.replay(few, untyped)) == expected
    half = stated.with_columns(
        pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.col(name)).alias(name)
        for name, value in defaults.items()
        if value is not None
    )
    assert as_bytes(study.replay(few, half)) == expected


def times(tables, columns, change):
    """The tables with `change` of their times."""
    return {
        name: t.with_columns(change(pl.col(c)) for c in columns.get(name, ()) if c in t.columns)
        if isinstance(t, pl.DataFrame)
        else t
        for name, t in tables.items()
    }


@pytest.mark.slow
def test_a_shift_of_all_instants_shifts_the_results(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 6)
    if not contract.instants:
        return
    base = study.replay(inputs, scenarios)
    moved = study.replay(times(inputs, contract.instants, lambda t: t + 1024), scenarios)
    expected = base["outcomes"].with_columns(pl.col(contract.result_instants) + 1024)
    assert_frame_equal(moved["outcomes"], expected, abs_tol=1e-8, rel_tol=0)
    assert_frame_equal(moved["metrics"], base["metrics"], abs_tol=1e-8, rel_tol=1e-9)


@pytest.mark.slow
def test_longer_times_make_longer_results(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 7)
    if not contract.scales(scheduler):
        return
    base = study.replay(inputs, scenarios)
    longer = times({**inputs, "scenarios": scenarios}, contract.durations, lambda t: t * 4)
    scaled = study.replay(longer, longer.pop("scenarios"))
    expected = base["outcomes"].with_columns(pl.col(contract.result_durations) * 4)
    assert_frame_equal(scaled["outcomes"], expected, abs_tol=1e-8, rel_tol=0)
    metrics = declared()[study.__name__.rpartition(".")[2]].metrics
    power = {name: contract.powers.get(name, contract.powers.get(metric.unit, 0)) for name, metric in metrics.items()}
    compared = {name: 4.0**p for name, p in power.items() if p is not None}
    is_compared = pl.col("metric").is_in(list(compared))
    factor = pl.col("metric").replace_strict(compared, return_dtype=pl.Float64)
    assert_frame_equal(
        scaled["metrics"].filter(is_compared),
        base["metrics"].filter(is_compared).with_columns(pl.col("value") * factor),
        abs_tol=1e-9,
        rel_tol=1e-9,
    )


@pytest.mark.slow
def test_nothing_is_held_beyond_what_there_is(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 8)
    for held in contract.held(inputs, scenarios, study.replay(inputs, scenarios)):
        limit = held.group_by("scenario_id").agg(pl.col("limit").first())
        # At one instant what ends is given back first.
        events = pl.concat(
            [
                held.select("scenario_id", at=pl.col("start") + 1e-6, change=pl.col("amount").cast(pl.Float64)),
                held.select("scenario_id", at="end", change=-pl.col("amount").cast(pl.Float64)),
            ]
        ).sort("scenario_id", "at", "change")
        in_use = events.select("scenario_id", in_use=pl.col("change").cum_sum().over("scenario_id"))
        in_use = in_use.join(limit, on="scenario_id")
        assert (in_use["in_use"] <= in_use["limit"] * (1 + 1e-6)).all()


@pytest.mark.slow
def test_everything_ends_once_or_is_rejected_with_a_reason(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 9)
    result = study.replay(inputs, scenarios)
    outcomes, on = result["outcomes"], ["scenario_id", contract.each[1]]
    expected = contract.expected(inputs, scenarios, result)
    joined = expected.join(outcomes, on=on, validate="1:1", suffix="_found")
    assert len(joined) == len(expected) == len(outcomes) > 0
    served = joined.filter(pl.col(contract.placed).is_not_null())
    assert contract.sound(served).all()
    refused = joined.filter(pl.col(contract.placed).is_null())
    if contract.reasons:
        assert served["rejected"].null_count() == len(served)
        assert all(str(reason).startswith(contract.reasons) for reason in refused["rejected"])
    else:
        assert refused.is_empty()


@pytest.mark.slow
def test_one_alone_runs_at_full_speed(asked):
    study, contract, scheduler = asked
    inputs, scenarios, outcome, metrics = contract.single(scheduler)
    result = study.replay(inputs, scenarios)
    rows = result["outcomes"].select("scenario_id", *outcome)
    assert len(rows) == len(scenarios)
    assert all(row == pytest.approx(outcome) for row in rows.drop("scenario_id").iter_rows(named=True))
    for name, value in metrics.items():
        values = result["metrics"].filter(metric=name)["value"].to_list()
        assert values == pytest.approx([value] * len(scenarios)), name


@pytest.mark.slow
def test_nothing_to_replay_gives_tables_of_the_same_schema(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 10)
    full = study.replay(inputs, scenarios)
    nothing = study.replay(inputs, scenarios.clear())
    assert {"outcomes", "metrics"} <= set(nothing) <= set(full)
    for name, table in nothing.items():
        assert table.is_empty()
        assert table.schema == full[name].schema
    empty = on_frames(inputs, lambda _, t: t.clear() if contract.workload in t.columns else t)
    if not contract.empty_is_known:
        with pytest.raises(ValueError, match=f"unknown .*'{scheduler} .*known"):
            study.replay(empty, scenarios)
        return
    idle = study.replay(empty, scenarios)
    assert idle["outcomes"].is_empty()
    assert idle["outcomes"].schema == full["outcomes"].schema
    assert idle["metrics"].drop("value").equals(full["metrics"].drop("value"))
    assert set(idle["metrics"]["value"]) <= {None, 0.0}


@pytest.mark.slow
def test_what_is_missing_or_unknown_is_refused_by_name(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 11)
    parameters = declared()[study.__name__.rpartition(".")[2]].parameters
    required = [name for name, each in parameters.items() if each.default is REQUIRED]

    def refused(inputs, scenarios, *said):
        with pytest.raises(ValueError) as error:
            study.replay(inputs, scenarios)
        assert all(word in str(error.value) for word in said), str(error.value)

    for column in {"scenario_id", "scheduler", contract.workload, *required}:
        refused(inputs, scenarios.drop(column), "missing column", column)
        refused(inputs, scenarios.with_columns(pl.lit(None, scenarios.schema[column]).alias(column)), "null", column)
    words = {name: each.words for name, each in parameters.items() if each.words}
    for column, known in {"scheduler": study.schedulers(), **words}.items():
        word = f"{next(iter(known))}x"
        refused(inputs, scenarios.with_columns(pl.lit(word).alias(column)), column, f"'{word}'", "did you mean", *known)
    lost = scenarios.with_columns(pl.lit("nowhere").alias(contract.workload))
    refused(inputs, lost, "unknown", "'nowhere'", f"{scheduler} ")
    refused(inputs, pl.concat([scenarios, scenarios]), "scenario_id", "occurs twice")
    for table, columns in contract.required(scheduler).items():
        refused({name: t for name, t in inputs.items() if name != table}, scenarios, "missing table", table)
        for column in columns:
            refused(inputs | {table: inputs[table].drop(column)}, scenarios, f"{table}: missing column", column)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [pl.UInt16, pl.Float32], ids=str)
def test_numbers_may_have_any_dtype_that_holds_them(asked, dtype):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 12)
    id_columns = {"scenario_id", contract.workload, *contract.ids, *contract.whole_ids}
    changed = []

    def recast(_, table):
        for column in set(table.columns) - id_columns:
            values = table[column]
            if values.dtype.is_numeric():
                other = values.cast(dtype, strict=False)
                if other.cast(values.dtype).equals(values) and other.dtype != values.dtype:
                    changed.append(column)
                    table = table.with_columns(other)
        return table

    result = study.replay(on_frames(inputs, recast), recast("", scenarios))
    assert changed
    assert as_bytes(result) == as_bytes(study.replay(inputs, scenarios))


@pytest.mark.slow
def test_measures_are_declared_and_given_once(asked):
    study, contract, scheduler = asked
    inputs, scenarios = contract.case(scheduler, 13)
    result = study.replay(inputs, scenarios)
    measures = pl.concat(result[name] for name in ("metrics", MEASURED) if name in result)
    known = declared()[study.__name__.rpartition(".")[2]]
    assert set(measures["metric"]) <= set(known.metrics)
    assert not measures.select("scenario_id", "metric").is_duplicated().any()
    assert set(measures.filter(metric=known.headline)["scenario_id"]) == set(scenarios["scenario_id"])
