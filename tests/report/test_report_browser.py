"""The page in a real Chromium: all figures drawn, a silent console, nothing asked for, nothing too wide."""

from pathlib import Path

import headless_chromium
import pytest
from hostile import HOSTILE

from pipeline.report import page

pytestmark = pytest.mark.browser

DRAWN = "[...document.querySelectorAll('.chart')].map(c => c.querySelectorAll('svg .mark-group').length > 0)"
OPEN_DETAILS = "document.querySelectorAll('details').forEach(d => d.open = true)"
CHOOSE = """(() => {
    const list = document.querySelector('#hpc_memory-replay select');
    list.value = 'unlimited';
    list.dispatchEvent(new Event('change'));
})()"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable = headless_chromium.find()
    if executable is None:
        pytest.skip("Chromium absent: install the package chromium to test the page in a browser")
    with headless_chromium.Chromium(executable, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(hostile_database, bare_database, tmp_path_factory) -> dict[str, Path]:
    built = {}
    for name, database in (("full", hostile_database), ("bare", bare_database)):
        built[name] = tmp_path_factory.mktemp(name) / "index.html"
        page.build(database, built[name], built[name].parent / "figures")
    return built


@pytest.mark.parametrize(("which", "figures"), [("full", 28), ("bare", 6)])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_page_draws_everything_within_the_window(chromium, pages, which, figures, dark, width):
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open(pages[which], width, dark)
    assert chromium.evaluate(DRAWN) == [True] * figures
    chromium.evaluate(OPEN_DETAILS)
    assert chromium.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        chromium.evaluate("Math.max(...[...document.querySelectorAll('.chart svg')].map(s => s.clientWidth))") <= width
    )
    assert chromium.errors == []
    assert chromium.requests == [pages[which].resolve().as_uri()]


def test_the_hostile_name_is_a_heading_of_its_panel_and_nothing_more(chromium, pages):
    chromium.open(pages["full"], 1200)
    texts = chromium.evaluate("[...document.querySelectorAll('#hpc_memory-traces svg text')].map(t => t.textContent)")
    assert any(text.startswith(HOSTILE[:20]) for text in texts)
    assert chromium.evaluate("document.querySelectorAll('img').length") == 0


def test_the_list_of_schedulers_changes_the_replay(chromium, pages):
    chromium.errors.clear()
    chromium.open(pages["full"], 1200)
    boxes = "document.querySelector('#hpc_memory-replay .chart').innerHTML"
    before = chromium.evaluate(boxes)
    chromium.evaluate(CHOOSE)
    chromium.wait_for("!document.querySelector('#hpc_memory-replay .chart').innerHTML.includes('machine ')")
    assert chromium.evaluate(boxes) != before
    assert chromium.evaluate("document.querySelector('#hpc_memory-replay .role-title-text').textContent") == "unlimited"
    assert chromium.errors == []


def test_figures_follow_the_window(chromium, pages):
    chromium.open(pages["full"], 1200)
    chromium.call("Emulation.setDeviceMetricsOverride", width=500, height=900, deviceScaleFactor=1, mobile=False)
    chromium.wait_for(
        "document.documentElement.dataset.figures === 'drawn' && "
        "[...document.querySelectorAll('.chart svg')].every(s => s.clientWidth <= 500)"
    )
    assert chromium.evaluate("document.documentElement.scrollWidth") <= 500
