"""The notebook runs from its first cell to its last, in the folder it lies in, on the results that are there."""

import json

import examples
import polars as pl
import pytest

from docs import notebook
from pipeline.runtime import sources
from pipeline.stages import interactive


@pytest.fixture(scope="module")
def kept():
    return json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def executed(kept, small_results, tmp_path_factory):
    """The notebook, run where the results of a small configuration take the place of the default ones."""
    project = tmp_path_factory.mktemp("project")
    (project / "docs").mkdir()
    (project / "results").symlink_to(small_results)
    (project / "traces").symlink_to(sources.ROOT / "traces")
    return notebook.execute(kept, project / "docs")


def code(cells):
    return [cell for cell in cells["cells"] if cell["cell_type"] == "code"]


def test_every_cell_with_a_value_shows_it(executed, kept):
    for ran, was in zip(code(executed), code(kept), strict=True):
        assert ran["execution_count"] == was["execution_count"]
        (output,) = ran["outputs"]
        assert set(output["data"]) == set(was["outputs"][0]["data"])


def test_charts_are_drawn_from_rows(executed):
    pictures = [
        o["data"]["image/svg+xml"] for c in code(executed) for o in c["outputs"] if "image/svg+xml" in o["data"]
    ]
    assert len(pictures) == 2
    assert all("".join(picture).count("<path") > 10 for picture in pictures)


def test_what_does_not_hang_on_the_configuration_is_as_the_notebook_has_it(executed, kept):
    """The trace and the replay of two jobs: the outputs that are kept are real ones."""
    ran, was = code(executed), code(kept)
    same = [
        i
        for i, cell in enumerate(was)
        if "trace" in "".join(cell["source"]) and "db.sql" not in "".join(cell["source"])
    ]
    assert len(same) >= 3
    for i in (*same, len(was) - 1):
        assert ran[i]["outputs"] == was[i]["outputs"], was[i]["source"]


def test_prints_and_values_are_outputs_and_errors_are_raised(tmp_path):
    def run(*cells):
        book = {"cells": [{"cell_type": "code", "source": [text]} for text in cells]}
        return [cell["outputs"] for cell in notebook.execute(book, tmp_path)["cells"]]

    (first, second) = run("x = 2\nprint('a')\nprint('b')", "x + 1")
    assert first == [{"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]}]
    assert second[0]["data"] == {"text/plain": ["3"]}
    with pytest.raises(ZeroDivisionError):
        run("1 / 0")


def test_a_trace_in_memory_is_what_the_stages_write(small_results):
    result = interactive.trace(examples.trace("marconi_like"))
    for name in ("jobs", "samples"):
        written = pl.read_parquet(small_results / "ingest" / "marconi_like" / f"{name}.parquet")
        assert result[name].equals(written), name
    for name in ("phases", "profiles", "temporal_classes"):
        assert result[name].equals(pl.read_parquet(small_results / "fit" / "marconi_like" / f"{name}.parquet")), name
    assert "rejected_rows" not in result


def test_a_folder_that_is_not_there_and_a_drop_that_is_refused_are_sentences(tmp_path):
    with pytest.raises(NotADirectoryError, match="a drop is the folder around its files"):
        interactive.trace(tmp_path / "none")
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "log.swf").write_text("")
    with pytest.raises(ValueError, match="was refused: file_empty"):
        interactive.trace(tmp_path / "drop")
