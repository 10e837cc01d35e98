"""The figure of how much memory is enough: what is in it, and that it is drawn whatever a trace is called."""

import json
from xml.etree import ElementTree

import duckdb
import pytest
from hostile import HOSTILE

from pipeline.report import figures
from pipeline.studies.hpc_memory.figures import capacity


@pytest.fixture(scope="module")
def figure(hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        return capacity.fig_memory_for_loss(connection)


def test_it_has_a_panel_for_each_trace_and_for_the_papers_workloads(figure, hostile_database):
    with duckdb.connect(str(hostile_database), read_only=True) as connection:
        workloads = connection.execute(
            "SELECT DISTINCT workload FROM smallest_memory_for_loss JOIN workload ON family = workload"
        ).fetchall()
    panels = set(figure.frame["jobs_from"])
    assert len(panels) == len(workloads) == figure.frame["panel"].n_unique()
    assert {"phased jobs", "dynamic jobs"} <= panels
    assert sum(HOSTILE in name for name in panels) == 2  # replayed, and the shapes of what is composed


def test_it_shows_every_bound_and_scheduler_once_a_panel(figure):
    rows = figure.frame.select("panel", "scheduler", "loss_bound")
    assert rows.is_unique().all()
    assert len(rows) == len(rows["panel"].unique()) * 5 * 4
    assert set(figure.frame["accepted"]) == {"0.5 %", "1 %", "2 %", "5 %"}


def test_savings_in_the_figure_are_those_of_the_view(figure):
    known = figure.frame.drop_nulls("saved_kusd")
    assert len(known)
    assert known["saved_kusd"].to_list() == pytest.approx((known["gb_saved"] * 7.8125 / 1000).to_list(), rel=1e-5)


def test_it_is_drawn_with_a_mark_for_each_size_that_is_enough(figure):
    root = ElementTree.fromstring(figures.svg(figure))
    marks = [g for g in root.iter() if "mark-symbol" in g.get("class", "") and "layer" in g.get("class", "")]
    points = sum(len(list(g)) for g in marks)
    assert points == len(figure.frame.drop_nulls("memory_per_node_gb"))
    # A name stands in the data and in the description, never in an expression that Vega would compile.
    spec = dict(figure.specification)
    spec.pop("description")  # the title, which may have the name
    data = json.dumps(spec.pop("datasets"))
    assert json.dumps(HOSTILE)[1:-1] in data
    assert json.dumps(HOSTILE)[1:-1] not in json.dumps(spec)
