"""Colours that can be distinguished, and what the figures draw."""

import json
from itertools import combinations
from xml.etree import ElementTree

import duckdb
import numpy as np
import polars as pl
import pytest

from pipeline.report import chart, figures
from pipeline.runtime import sources
from pipeline.runtime.study import declared
from pipeline.studies.hpc_memory.figures.encodings import at_least_memory
from pipeline.studies.pim_graph import figures as pim_graph


def _linear(colour: str) -> np.ndarray:
    srgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _luminance(colour: str) -> float:
    return float(_linear(colour) @ [0.2126, 0.7152, 0.0722])


# Machado, Oliveira and Fernandes (2009), severity 1, in linear RGB.
SIGHT = {
    "usual": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def _lab(rgb: np.ndarray) -> np.ndarray:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.clip(to_xyz @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089], 1e-4, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("scheduler", chart.LOOKS)
@pytest.mark.parametrize("ground", ["#ffffff", "#14171a"])
def test_every_colour_stands_out_from_light_and_dark_ground(scheduler, ground):
    pair = sorted((_luminance(chart.LOOKS[scheduler][0]), _luminance(ground)))
    assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 3


@pytest.mark.parametrize("colour", chart.STEPS)
@pytest.mark.parametrize("ground", ["#ffffff", "#14171a"])
def test_every_step_of_a_parameter_stands_out_too(colour, ground):
    pair = sorted((_luminance(colour), _luminance(ground)))
    assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 3


@pytest.mark.parametrize("sight", SIGHT)
def test_steps_of_a_parameter_lie_in_order_for_every_sight(sight):
    seen = [_lab(np.array(SIGHT[sight]) @ _linear(colour)) for colour in chart.STEPS]
    apart = np.array([[np.linalg.norm(a - b) for b in seen] for a in seen])
    assert apart[~np.eye(len(seen), dtype=bool)].min() > 12
    for place in range(len(seen)):
        assert (np.diff(apart[place][place:]) > 0).all()
    assert len(set(chart.STEP_SYMBOLS)) == len(chart.STEP_SYMBOLS) == len(chart.STEPS)


def test_few_steps_are_spread_over_all_colours():
    frame = chart.pl.DataFrame({"alpha": [0.1, 0.1, 0.3, 0.5]})
    series = chart.steps(frame, "alpha", "alpha")
    assert series.names == [0.1, 0.3, 0.5]
    assert (series.colours[0], series.colours[-1]) == (chart.STEPS[0], chart.STEPS[-1])
    assert chart.steps(frame.head(1), "alpha", "alpha").colours == [chart.STEPS[0]]


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_differ_for_every_sight_and_so_do_symbols(sight):
    seen = {name: _lab(np.array(SIGHT[sight]) @ _linear(colour)) for name, (colour, _) in chart.LOOKS.items()}
    closest = min(float(np.linalg.norm(seen[a] - seen[b])) for a, b in combinations(seen, 2))
    assert closest > 25
    assert len({symbol for _, symbol in chart.LOOKS.values()}) == len(chart.LOOKS)


def test_a_scheduler_has_one_look():
    said = {(name, look) for declaration in declared().values() for name, look in declaration.looks.items()}
    assert len({name for name, _ in said}) == len(said)


def test_studies_declare_looks_that_there_are():
    for study, declaration in declared().items():
        assert set(declaration.looks) <= set(sources.schedulers(study))
        assert set(declaration.looks.values()) <= set(chart.LOOKS)


@pytest.mark.parametrize("study", sources.studies())
def test_no_two_schedulers_of_a_study_have_the_same_colour(study):
    colours, symbols = chart.appearance(sources.schedulers(study))
    assert len(set(colours)) == len(set(zip(colours, symbols, strict=True))) == len(colours)


@pytest.mark.parametrize("ground", ["#ffffff", "#14171a"])
def test_every_further_colour_stands_out_and_differs_from_all(ground):
    every = [colour for colour, _ in (*chart.LOOKS.values(), *chart.OTHERS)]
    for colour in every:
        pair = sorted((_luminance(colour), _luminance(ground)))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 3, colour
    assert min(float(np.linalg.norm(_lab(_linear(a)) - _lab(_linear(b)))) for a, b in combinations(every, 2)) > 13


@pytest.mark.parametrize(("name", "schedulers", "jobs"), [("example", 6, 5), ("timelines", 5, 24)])
def test_boxes_of_the_timelines_hold_the_ranks_of_their_jobs_and_none_overlap(drawn, name, schedulers, jobs):
    frame = drawn[f"pim_ranks/{name}"].frame
    assert frame["scheduler"].n_unique() == schedulers
    for _, boxes in frame.group_by("scheduler"):
        held = boxes.group_by("job_id").agg((chart.pl.col("past_rank") - chart.pl.col("first_rank")).sum(), "ranks")
        assert len(held) == jobs
        assert (held["past_rank"] == held["ranks"].list.first()).all()
        for a, b in combinations(boxes.iter_rows(named=True), 2):
            apart_s = min(a["end_s"], b["end_s"]) - max(a["start_s"], b["start_s"])
            ranks = min(a["past_rank"], b["past_rank"]) - max(a["first_rank"], b["first_rank"])
            assert ranks <= 0 or apart_s <= 1e-5 * a["end_s"]


def test_bars_of_one_application_alone_are_stacked_without_gaps(drawn):
    frame = drawn["gpu_corun/alone"].frame
    assert len(frame) == 5 * 3 * 3
    for _, bar in frame.group_by("bar"):
        parts = bar.sort("part", descending=False)
        assert parts["from_s"].sort().to_list() == pytest.approx([0.0, *parts["until_s"].sort().to_list()[:-1]])
        assert parts["time_s"].sum() == pytest.approx(parts["until_s"].max())


def test_boxes_of_a_pair_share_the_sms_and_none_overlap(drawn):
    frame = drawn["gpu_corun/timelines"].frame
    assert set(frame["scheduler"]) == set(sources.schedulers("gpu_corun"))
    for _, boxes in frame.group_by("scheduler"):
        for a, b in combinations(boxes.iter_rows(named=True), 2):
            apart_s = min(a["end_s"], b["end_s"]) - max(a["start_s"], b["start_s"])
            assert min(a["past_sm"], b["past_sm"]) <= max(a["first_sm"], b["first_sm"]) or apart_s <= 1e-5 * a["end_s"]
    assert frame["past_sm"].max() == 30
    assert frame["first_sm"].min() == 0


def test_the_papers_gains_stand_beside_ours(drawn):
    frame = drawn["gpu_corun/gain"].frame
    assert len(frame) == 2 * 16
    printed = frame.filter(chart.pl.col("printed").is_not_null())
    assert dict(printed.filter(over="over MPS").select("pair", "printed").iter_rows()) == {
        "GS-RG": 0.35, "BS-MM": -0.02, "GS-GS": 0.24, "mean": 0.11
    }  # fmt: skip
    assert set(frame.filter(runs="side by side")["pair"]) == {"BS-RG", "GS-RG", "MM-RG", "RG-RG", "RG-TR"}
    assert (frame["gain"] <= frame["gain_optimal"] + 1e-5).all()


def test_each_modelled_pair_is_drawn(drawn):
    assert drawn["gpu_corun/modelled_pairs"].frame.height == 4 * 45


def test_slices_are_drawn_for_each_way_to_choose_them(drawn):
    frame = drawn["gpu_partition/slices"].frame
    # 50 a second of each of two models at 10 a seventh: five sevenths each, as 3 + 1 + 1, or a whole GPU.
    assert frame.select("method", "gpus", "sevenths").rows() == [
        ("whole GPUs", 2, 14), ("one process per slice", 2, 10), ("heuristic", 2, 10), ("optimum", 2, 10)
    ]  # fmt: skip
    assert frame["rate_per_s"].to_list() == [100.0] * 4


def test_every_scheduler_of_the_study_has_a_colour_of_its_own():
    looks = declared()["hpc_memory"].looks
    assert set(sources.schedulers("hpc_memory")) == set(looks)
    assert len(set(looks.values())) == len(looks)


def test_a_scheduler_that_is_not_listed_gets_a_colour_all_the_same():
    names = chart.ordered(chart.pl.Series(["zebra", "priority", "unlimited", "ant"]))
    assert names == ["priority", "unlimited", "ant", "zebra"]
    colours, symbols = chart.appearance(names)
    assert len(set(colours)) == len(set(symbols)) == 4


NAMES = {
    "hpc_memory": (
        "explore", "response_by_memory", "memory_for_loss", "waiting", "queue_measured_and_replayed",
        "memory_use", "machine_memory", "examples", "jobs", "utilisation", "response_by_size", "alpha_oldest_first",
        "alpha", "reconfiguration_time", "dynamic", "dynamic_response_by_size", "dynamic_alpha_priority",
        "dynamic_alpha",
    ),
    "pim_ranks": (
        "throughput", "turnaround", "jobs", "speed", "example", "timelines", "overhead", "virtual_pim",
        "virtual_pim_turnaround",
    ),
    "gpu_corun": (
        "gain", "alone", "task_size", "saturation", "timelines", "modelled_pairs",
    ),
    "gpu_sharing": (
        "curves", "own_splits", "splits", "table_6", "speedups", "unfairness", "prediction", "paths",
        *(f"qos_{name}" for name in ("path", "rounds", "spare", "gain", "power", "loss")),
        *(f"variation_{name}" for name in ("map", "threshold", "sensitivity", "combinations", "pairs", "assignment")),
        "variation_three",
    ),
    "gpu_partition": (
        "schedulable_50", "schedulable_200", "workload_50", "workload_200", "partitions", "tests",
        "chosen_partition", "slices",
    ),
    "pim_graph": ("time", "energy", "queues", "neighbours"),
    "memory_tiers": ("cost_against_loss", "local_and_pool"),
}  # fmt: skip


def test_figures_are_found_by_name(drawn):
    assert list(drawn) == [f"{module}/{name}" for module, names in NAMES.items() for name in names]


def test_every_figure_is_drawn_where_all_studies_have_results(drawn):
    # These five are of dropped curves, four of them of Table 6 of the thesis: they are drawn in tests/warehouse; and
    # those of dropped cards in tests/probe.
    of_curves = {f"gpu_sharing/{name}" for name in ("own_splits", "splits", "table_6", "prediction", "paths")}
    of_curves.add("gpu_sharing/curves")
    # What needs logs with memory, or with starts, is drawn in tests/warehouse, too.
    of_curves |= {"hpc_memory/queue_measured_and_replayed", "hpc_memory/machine_memory"}
    of_curves |= {f"memory_tiers/{name}" for name in ("cost_against_loss", "local_and_pool")}
    assert {name for name, figure in drawn.items() if figure.chart is None} == of_curves


@pytest.mark.parametrize(
    "name",
    ["hpc_memory/utilisation", "hpc_memory/dynamic", "hpc_memory/response_by_memory", "hpc_memory/memory_for_loss"],
)
def test_a_scheduler_has_its_colour_in_every_figure(drawn, name):
    figure = drawn[name]
    text = json.dumps(figure.specification)
    for scheduler in figure.frame["scheduler"].unique():
        assert chart.appearance([scheduler])[0][0] in text


def test_every_chart_is_valid_vega_lite(drawn):
    with chart.alt.data_transformers.enable(max_rows=None):
        for name, figure in drawn.items():
            if figure.chart is not None:
                valid = figure.chart.to_dict(validate=True)
                assert {"description", *valid} - {"config"} == set(figure.specification), name


def test_specifications_do_not_depend_on_what_was_drawn_before(drawn, hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        connection.execute("SET threads = 1")  # as the page does: sums of several threads vary
        again = figures.draw(connection)
    for name, figure in drawn.items():
        if figure.chart is not None:
            assert figure.specification == again[name].specification, name


def test_ids_do_not_depend_on_what_was_drawn_before():
    text = '<svg><g clip-path="url(#clip7)"/><defs><clipPath id="clip7"/><linearGradient id="gradient_3"/></defs></svg>'
    other = text.replace("clip7", "clip12").replace("gradient_3", "gradient_9")
    assert figures.renumbered(other) == figures.renumbered(text)
    assert 'url(#part0)"/><defs><clipPath id="part0"/>' in figures.renumbered(text)


def test_files_are_svg(drawn, pages):
    folder = pages["full"].parent.parent / "figures"
    for name in (name for name, figure in drawn.items() if figure.chart is not None):
        root = ElementTree.parse(folder / f"{name}.svg").getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_stale_files_go(drawn, tmp_path):
    folder = tmp_path / "figures"
    stale = folder / "hpc_memory" / "old.svg"
    stale.parent.mkdir(parents=True)
    stale.write_text("<svg/>")
    figures.write({"hpc_memory/utilisation": drawn["hpc_memory/utilisation"]}, folder)
    assert not stale.exists()
    assert (folder / "hpc_memory" / "utilisation.svg").exists()


def test_without_data_a_figure_says_what_would_fill_it(bare_database):
    with duckdb.connect(str(bare_database), read_only=True) as connection:
        connection.execute("SET threads = 1")  # as the page does: sums of several threads vary
        drawn = figures.draw(connection)
    absent = {name for name, figure in drawn.items() if figure.chart is None}
    assert {name.partition("/")[2] for name in absent if not name.startswith("gpu_sharing/")} == {
        "dynamic", "dynamic_response_by_size", "dynamic_alpha_priority", "dynamic_alpha",
        "queue_measured_and_replayed", "memory_use", "machine_memory", "waiting", "examples", "jobs",
        "cost_against_loss",
        "local_and_pool", "throughput", "turnaround", "speed", "example", "timelines", "overhead",
        "virtual_pim", "virtual_pim_turnaround", "gain", "alone", "task_size",
        "modelled_pairs", "slices",
        "schedulable_50", "schedulable_200", "workload_50", "workload_200", "partitions", "tests", "chosen_partition",
        "time", "energy", "queues", "neighbours",
    }  # fmt: skip
    assert all(drawn[name].absent.endswith(".") for name in absent)


def test_the_areas_of_neighbours_have_a_row_for_each_stack_at_each_level(hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        frame = pim_graph.fig_neighbours(connection).frame
    shares = frame.group_by("graph", "level").agg(pl.len(), pl.col("share").sum())
    assert shares["len"].unique().to_list() == [frame["stack"].n_unique()]
    # Shares are rounded where they are stored.
    assert shares["share"].to_list() == pytest.approx([1.0] * len(shares), abs=0.01)


def test_a_figure_that_looks_as_it_did_is_not_drawn_again(drawn, tmp_path, monkeypatch):
    named = [name for name, figure in drawn.items() if figure.chart is not None][:3]
    first = {name: drawn[name] for name in named}
    figures.write(first, tmp_path / "figures")
    before = {path: path.read_bytes() for path in (tmp_path / "figures").rglob("*") if path.is_file()}
    assert len(before) == len(named) + 1
    asked = []
    monkeypatch.setattr(figures, "svg", lambda figure: asked.append(figure) or "<svg/>")
    figures.write(first, tmp_path / "figures")
    assert asked == []
    assert {path: path.read_bytes() for path in (tmp_path / "figures").rglob("*") if path.is_file()} == before
    monkeypatch.setattr(figures, "listing", lambda shown: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        figures.write({named[0]: drawn[named[0]]}, tmp_path / "figures")
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in (tmp_path / "figures").rglob("*") if path.is_file()} == before
    monkeypatch.setattr(figures, "svg", lambda figure: asked.append(figure) or "<svg/>")
    # What no figure needs any more is forgotten, and what is damaged drawn anew.
    figures.write({named[0]: drawn[named[0]]}, tmp_path / "figures")
    assert len(list((tmp_path / figures.DRAWN).iterdir())) == 1
    figures.write(first, tmp_path / "figures")
    assert asked == [drawn[name] for name in named[1:]]


def test_a_title_says_the_finding_where_the_rows_have_one():
    title = chart.finding("Utilisation", at_least_memory("utilisation", "{gb}: {best} keeps {high}, {worst} {low}"))
    rows = {
        "scheduler": ["a", "b", "a", "b", "none"],
        "memory_per_node_gb": [8.0, 8.0, 4.0, 4.0, None],
        "utilisation": [0.9, 0.95, 0.8, 0.7, 1.0],
    }
    frame = pl.DataFrame(rows)
    assert title(frame).replace("\u00a0", " ") == "4 GB: a keeps 80 %, b 70 %"
    assert title(frame.filter(pl.col("scheduler") == "a")) == "Utilisation"
    assert title(frame.clear()) == "Utilisation"
