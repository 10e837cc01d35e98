"""`snakemake --report`: figures with titles and sources, without a network."""

import json

import pytest

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def report(project) -> str:
    """The report of the run, written where nothing outside can be reached."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
            patch.setenv(name, "http://127.0.0.1:9")
        run = project.run("--report", "report.html")
    assert "Report created" in run.stdout
    path = project.folder / "report.html"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    return text


def test_every_figure_is_there_with_its_title_and_source(tiny, report):
    figures = json.loads((tiny.results / "figures" / "figures.json").read_text(encoding="utf-8"))
    assert len(figures) > 20
    for figure in figures:
        assert json.dumps(figure["title"]) in report, figure["name"]
        assert json.dumps(figure["source"]) in report, figure["name"]


def test_the_page_is_in_a_category_of_its_own(report):
    assert '"Answers"' in report
    assert '"Figures"' in report
    assert "Answers, figures and claims on one page" in report
