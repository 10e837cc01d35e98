"""Predictions at left-out points and their errors, compared with small computations of their own."""

import duckdb
import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline.fit import perf_table, sm_curve
from pipeline.fit.jackknife import jackknife
from pipeline.report.contents import NOT_LEFT_OUT, UNMEASURED, _how_true
from pipeline.runtime.study import declared
from pipeline.warehouse.definitions import Definition, files_of
from pipeline.warehouse.load import create_student_t

KEY = ["trace", "run", "setting"]
LEVELS = {"relative_error_median": 0.5, "relative_error_p90": 0.9}


def keyed(rows, columns=("predicted", "measured")):
    """{(trace, point): values} of predictions, each point once."""
    found = {(row["trace"], row["point"]): tuple(row[name] for name in columns) for row in rows.to_dicts()}
    assert len(found) == len(rows)
    return found


def curves(ask, alone="beside IS NULL AND app NOT LIKE '%+%'"):
    rows = ask(f"SELECT trace, app, sms, ipc, time_s FROM sm_curve WHERE {alone} ORDER BY trace, app, sms")
    return rows.group_by("trace", "app", maintain_order=True)


def test_times_at_rank_counts_are_those_of_a_table_without_the_point(ask):
    predictions, expected = ask("FROM prediction_pim_ranks"), {}
    measured = ask("SELECT trace, curve, app, ranks, time_s FROM perf_table WHERE source = 'measured' ORDER BY ALL")
    for (trace, curve), points in measured.group_by("trace", "curve", maintain_order=True):
        for ranks, time_s in points.select("ranks", "time_s").rows()[1:-1]:
            most = points["ranks"].max()
            rest = points.filter(pl.col("ranks") != ranks).select(
                "app", pl.col("ranks") - points["ranks"][0] + 1, "time_s"
            )
            table = perf_table.from_points(rest, most - points["ranks"][0] + 1)
            at = table.filter(pl.col("ranks") == ranks - points["ranks"][0] + 1)["time_s"][0]
            expected[trace, f"{curve} on {ranks}"] = (at, time_s)
    found = keyed(predictions)
    assert found.keys() == expected.keys()
    assert len(found) > 10
    assert list(found.values()) == [pytest.approx(expected[key]) for key in found]


def test_throughputs_are_interpolated_without_the_point(ask):
    predictions, expected = ask("FROM prediction_gpu_sharing"), {}
    for (trace, app), points in curves(ask):
        rates = points.select(pl.coalesce("ipc", 1 / pl.col("time_s"))).to_series().to_numpy()
        sms = points["sms"].to_numpy()
        for i in range(len(sms) - 1):
            without = np.interp(sms[i], np.append(0, np.delete(sms, i)), np.append(0, np.delete(rates, i)))
            expected[trace, f"{app} on {sms[i]}"] = (without, rates[i])
    slices = ask("FROM slice_point WHERE rate_per_s > 0 ORDER BY ALL")
    for (trace, app, batch, processes), of in slices.group_by(
        "trace", "app", "batch", "processes", maintain_order=True
    ):
        size, rates = of["slices"].to_numpy(), of["rate_per_s"].to_numpy()
        for i in range(len(size) - 1):
            without = np.interp(size[i], np.append(0, np.delete(size, i)), np.append(0, np.delete(rates, i)))
            expected[trace, f"{app} batch {batch} processes {processes} on {size[i]}"] = (without, rates[i])
    found = keyed(predictions)
    assert found.keys() == expected.keys()
    assert {trace for trace, _ in found} >= {"parvagpu_a100", "thesis_table_6"}
    assert list(found.values()) == [pytest.approx(expected[key]) for key in found]


def test_task_times_are_those_of_a_fit_without_the_point(ask):
    predictions, expected, setting = ask("FROM prediction_gpu_partition"), {}, {}
    for (trace, app), points in curves(ask):
        timed = points.select("app", "sms", time_s=pl.coalesce("time_s", 1 / pl.col("ipc")))
        if len(timed) < 3:
            continue
        for sms, time_s in timed.select("sms", "time_s").iter_rows():
            fitted = sm_curve.fit(timed.filter(pl.col("sms") != sms)).row(0, named=True)
            key = trace, f"{app} on {sms}"
            expected[key] = (fitted["a"] / sms + fitted["b"], time_s)
            setting[key] = "beyond" if sms in (timed["sms"].min(), timed["sms"].max()) else "between"
    found = keyed(predictions)
    assert found.keys() == expected.keys()
    assert list(found.values()) == [pytest.approx(expected[key]) for key in found]
    assert {key: value for key, (value,) in keyed(predictions, ["setting"]).items()} == setting


def test_slowdowns_are_those_of_the_replays(ask):
    blind = ask("FROM prediction_gpu_corun")
    pairs = ask("FROM modelled_and_measured_pairs")
    assert set(blind["setting"]) == set(pairs["scheduler"])
    assert set(blind["kind"]) == {"blind"}
    assert len(blind) == 2 * len(pairs) - len(pairs.filter(pl.col("app_a") == pl.col("app_b")))
    for name, modelled in (("measured", "measured"), ("predicted", "modelled")):
        both = pl.concat(
            [
                pairs[f"{modelled}_slowdown_a"],
                pairs.filter(pl.col("app_a") != pl.col("app_b"))[f"{modelled}_slowdown_b"],
            ]
        )
        assert blind[name].sort().to_list() == both.sort().to_list()
    assert set(blind.filter("reported")["setting"]) == {"mps"}


def summed(points):
    """(measure: value, lo, hi) of predictions of one setting, by the jackknife of the best pairs."""
    signed = (points["predicted"] / points["measured"] - 1).to_numpy()
    beside = points["beside"].fill_null(points["independent"])
    names = sorted({*points["independent"], *beside})
    members = np.array([[names.index(a), names.index(b)] for a, b in zip(points["independent"], beside, strict=True)])
    error, enough = np.abs(signed), len(names) >= 5
    rows = {"points": (len(points), None, None), "independent": (len(names), None, None)}
    _, lo, hi = jackknife(lambda keep: signed[keep].mean(), members, len(names))
    rows["signed_error_mean"] = (signed.mean(), *((lo, hi) if enough else (None, None)))
    for name, level in LEVELS.items():
        value = np.quantile(error, level)
        # Equal in all but the last bits: the median of an even number of points is between two of them.
        _, lo, hi = jackknife(lambda keep, v=value: (error[keep] <= v).mean(), members, len(names))
        half = (hi - lo) / 2
        ends = np.quantile(error, np.clip([level - half, level + half], 0, 1)) if enough else (None, None)
        rows[name] = (value, *ends)
    return rows


@pytest.mark.parametrize("study", ["pim_ranks", "gpu_corun", "gpu_sharing", "gpu_partition"])
def test_errors_and_intervals_are_those_of_the_predictions(ask, study):
    rows, points = ask(f"FROM fidelity WHERE study = '{study}'"), ask(f"FROM prediction WHERE study = '{study}'")
    assert rows.select(KEY).n_unique() == points.select(KEY).n_unique() > 0
    for key, of in points.group_by(KEY):
        expected = summed(of)
        own = rows.filter(pl.all_horizontal(pl.col(name) == value for name, value in zip(KEY, key, strict=True)))
        assert set(own["measure"]) == set(expected)
        for row in own.to_dicts():
            known = [row["value"], row["lo"], row["hi"]]
            assert known == [pytest.approx(each) for each in expected[row["measure"]]], (key, row["measure"])
            assert (row["unit"], row["noise"], row["half"], row["closest"]) == ("1", None, None, None)
            assert row["lo"] is None or row["lo"] <= row["value"] <= row["hi"]
        assert set(own["kind"]) == set(of["kind"])


def own_database(**frames):
    """A database of the tables and of the shared definitions that errors are made with."""
    connection = duckdb.connect()
    create_student_t(connection)
    for name, frame in frames.items():
        connection.register("given", frame.to_arrow())
        connection.execute(f"CREATE TABLE {name} AS FROM given")
        connection.unregister("given")
    return connection


def define(connection, *names):
    for name in names:
        connection.execute(Definition(files_of(name)[0]).text)


@pytest.mark.parametrize(
    ("study", "table", "changed"),
    [("pim_ranks", "perf_table", "ranks"), ("gpu_sharing", "sm_curve", "sms"), ("gpu_partition", "sm_curve", "sms")],
)
def test_a_left_out_point_is_not_used(study, table, changed):
    places = [1, 3, 6, 10, 15]
    known = {"trace": "t", "app": "a", "curve": "a", "source": "measured", changed: places}
    # 24/m + 1 s
    frame = pl.DataFrame(known | {"time_s": [24 / m + 1 for m in places]}).with_columns(
        ipc=pl.lit(None, pl.Float64), beside=pl.lit(None, pl.String)
    )
    points = {"trace": pl.String, "app": pl.String, "batch": pl.Int64, "processes": pl.Int64, "slices": pl.Int64}
    slices = pl.DataFrame(schema=points | {"rate_per_s": pl.Float64})
    frames = (frame, frame.with_columns(time_s=pl.when(pl.col(changed) == 6).then(50.0).otherwise("time_s")))
    before, after = (own_database(**{table: each, "slice_point": slices}) for each in frames)
    predicted = []
    for connection in (before, after):
        define(connection, f"prediction_{study}")
        query = f"SELECT point, predicted FROM prediction_{study}"
        predicted.append(dict(connection.execute(query).fetchall()))
    assert predicted[0]["a on 6"] == predicted[1]["a on 6"]
    assert predicted[0]["a on 3"] != predicted[1]["a on 3"]
    if study == "gpu_partition":
        assert predicted[0] == pytest.approx({f"a on {m}": 24 / m + 1 for m in places})


def test_the_interval_of_a_median_holds_the_true_one_in_19_of_20_cases():
    rng, cases, groups, each = np.random.default_rng(4), 300, 15, 8
    # Errors of points of one application are alike: |N(0, 2)|, half of the variance between applications.
    of_group = rng.normal(size=(cases, groups, 1))
    error = of_group + rng.normal(size=(cases, groups, each))
    case, group, point = (axis.ravel() for axis in np.indices(error.shape))
    frame = pl.DataFrame(
        {"study": "s", "trace": "t", "run": "t", "setting": [f"{c}" for c in case], "kind": "blind", "left_out": "x",
         "reported": True, "independent": [f"{g}" for g in group], "point": [f"{p}" for p in point],
         "predicted": 10 + error.ravel(), "measured": 10.0}
    ).with_columns(beside=pl.lit(None, pl.String))  # fmt: skip
    connection = own_database(prediction=frame)
    define(connection, "quantile_of", "prediction_errors")
    query = "SELECT lo, hi FROM prediction_errors('s') WHERE measure = '{}'"
    for measure, level in LEVELS.items():
        true = stats.norm.ppf((1 + level) / 2) * np.sqrt(2) / 10
        lo, hi = np.array(connection.execute(query.format(measure)).fetchall()).T
        assert 0.9 <= ((lo <= true) & (true <= hi)).mean() <= 0.99, measure


def test_of_fewer_than_five_applications_there_is_no_interval():
    frame = pl.DataFrame(
        {"study": "s", "trace": "t", "run": "t", "setting": "x", "kind": "blind", "left_out": "x", "reported": True,
         "independent": ["a", "b", "c", "d"], "point": "p", "predicted": [1.0, 2.0, 3.0, 4.0], "measured": 2.0}
    ).with_columns(beside=pl.lit(None, pl.String))  # fmt: skip
    connection = own_database(prediction=frame)
    define(connection, "quantile_of", "prediction_errors")
    rows = connection.execute("SELECT measure, value, lo, hi FROM prediction_errors('s') ORDER BY ALL").fetchall()
    assert {measure: value for measure, value, *_ in rows} == pytest.approx(
        {
            "independent": 4,
            "points": 4,
            "relative_error_median": 0.5,
            "relative_error_p90": 0.85,
            "signed_error_mean": 0.25,
        }
    )
    assert {row[2:] for row in rows} == {(None, None)}


def test_replays_of_logs_say_what_they_had_seen(ask):
    rows = ask("SELECT DISTINCT setting = 'measured' AS fact, half, closest, kind, reported FROM fidelity_hpc_memory")
    for row in rows.to_dicts():
        kind = "blind" if not row["closest"] else "held out" if row["half"] == "second" else "fitted"
        assert row["kind"] == (None if row["fact"] else kind)
        assert row["reported"] == (row["kind"] == "held out")
    assert {"blind", "fitted", "held out"} <= set(rows["kind"])


def test_the_page_has_the_weakest_trace_of_each_study_and_kind(ask, connection):
    rows = {(row["study"], row.get("kind")): row for row in _how_true(connection)}
    assert {study for study, _ in rows} == set(declared())
    told = ask("FROM fidelity WHERE reported AND measure IN ('relative_error_median', 'mean_wait_error')")
    told = told.join(ask("SELECT trace, kind AS origin FROM trace"), on="trace").drop_nulls("value")
    for (study, kind), of in told.group_by("study", "kind"):
        measured = of.filter(origin="measured")
        candidates = of if measured.is_empty() else measured
        row = rows[study, kind]
        assert abs(row["value"]) == pytest.approx(candidates["value"].abs().max())
        assert row["points"] > 0
        others = of.select("trace", "run").n_unique() - 1
        assert len((row["others"] or "").split(", ")) == max(others, 1)
    absent = {study: row["absent"] for (study, _), row in rows.items() if row["trace"] is None}
    assert {study for study, why in absent.items() if why == UNMEASURED} == {"pim_graph", "memory_tiers"}
    assert set(absent.values()) <= {UNMEASURED, NOT_LEFT_OUT}
