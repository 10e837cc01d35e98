"""Figures of Chapters 4 and 5 of gpu_sharing from a small ensemble of surrogates."""

import duckdb
import pytest

from pipeline.report import figures
from pipeline.studies.gpu_sharing.figures import qos as gpu_qos
from pipeline.studies.gpu_sharing.figures import variation as gpu_variation

MODULES = {
    name: module for module in (gpu_qos, gpu_variation) for name in vars(module) if name.startswith(figures.PREFIX)
}


@pytest.fixture(scope="module")
def drawn(small_database):
    with duckdb.connect(str(small_database), read_only=True) as connection:
        return {name: getattr(module, name)(connection) for name, module in MODULES.items()}


@pytest.fixture
def empty(small_database):
    """A figure of a database whose views hold nothing of the chapters."""
    with duckdb.connect(str(small_database), read_only=True) as connection:
        views = connection.sql(
            "SELECT view_name FROM duckdb_views() WHERE view_name LIKE 'fig_gpu_sharing%'"
        ).fetchall()
        schemas = {name: connection.sql(f"DESCRIBE {name}").fetchall() for (name,) in views}
    with duckdb.connect() as connection:
        for name, columns in schemas.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(f'{c[0]} {c[1]}' for c in columns)})")
        yield lambda name: getattr(MODULES[name], name)(connection)


@pytest.mark.parametrize("name", MODULES)
def test_each_figure_is_drawn(drawn, name):
    text = figures.svg(drawn[name])
    assert text.startswith("<svg")
    assert "undefined" not in text
    assert "NaN" not in text


@pytest.mark.parametrize("name", MODULES)
def test_without_scenarios_a_figure_says_so(empty, name):
    figure = empty(name)
    assert figure.chart is None
    assert figure.absent.endswith(".")


def test_what_is_printed_stands_beside_ours(drawn):
    printed = {name: drawn[name].frame["printed"].drop_nulls().to_list() for name in ("fig_qos_power", "fig_qos_loss")}
    assert sorted(printed["fig_qos_power"]) == [2.6, 5.8, 6.9, 8.8, 11.2, 13, 15.8, 18.1, 22.2, 28.6]
    assert sorted(printed["fig_qos_loss"]) == [0.003, 0.003, 0.16, 0.182, 0.232, 0.24]
    spare = drawn["fig_qos_spare"].frame
    assert sorted(spare["printed"].drop_nulls()) == [0, 4, 11]
    table_3 = drawn["fig_variation_assignment"].frame.filter(whose="printed")
    assert dict(table_3.select("pair", "cfms").rows())["AES-E / NN"] == 1.98
    assert len(table_3) == 25
