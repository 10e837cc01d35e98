"""The contact sheet in a real Chromium: every thumbnail is drawn, nothing else is asked for, nothing is too wide."""

import altair as alt
import headless_chromium
import polars as pl
import pytest

from pipeline.report import figures
from pipeline.report.chart import Figure

pytestmark = pytest.mark.browser
WIDTHS = [1200, 400]


def figure(title: str, drawn: bool = True) -> Figure:
    frame = pl.DataFrame({"x": [1, 2, 3], "y": [3, 1, 2]})
    chart = alt.Chart(frame).mark_line().encode(x="x:Q", y="y:Q") if drawn else None
    return Figure(title, "a paper, Figure 1", "A caption.", "SELECT 1", frame, chart, "Nothing was replayed.")


@pytest.fixture(scope="module")
def sheet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    drawn = {f"study_{i // 5}/figure_with_a_long_name_{i}": figure(f"Figure <b>{i}</b>") for i in range(12)}
    figures.write(drawn | {"study_2/absent": figure("Not there", drawn=False)}, folder)
    return folder / "index.html"


@pytest.mark.parametrize("width", WIDTHS)
def test_every_thumbnail_is_drawn_and_nothing_is_too_wide(sheet, width, tmp_path):
    executable = headless_chromium.find()
    if executable is None:
        pytest.skip("Chromium absent: install the package chromium to test the contact sheet in a browser")
    with headless_chromium.Chromium(executable, tmp_path / "profile") as browser:
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        browser.call("Page.navigate", url=sheet.resolve().as_uri())
        browser.wait_for("document.readyState === 'complete' && document.images.length === 12")
        # Images that are far below are loaded when they come near.
        browser.evaluate("[...document.images].forEach(image => { image.loading = 'eager'; })")
        browser.wait_for("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.evaluate("document.querySelectorAll('li').length") == 13
        assert "Nothing was replayed." in browser.evaluate("document.body.textContent")
        assert browser.evaluate("document.querySelectorAll('b').length") == 0
        assert browser.errors == []
        files = {
            sheet.parent.resolve().as_uri() + f"/study_{i // 5}/figure_with_a_long_name_{i}.svg" for i in range(12)
        }
        assert set(browser.requests) == files | {sheet.resolve().as_uri()}
