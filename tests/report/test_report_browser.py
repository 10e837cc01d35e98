"""The page in a real Chromium: all figures drawn, a silent console, nothing asked for, nothing too wide."""

import csv
import io
import json
import struct
import time
import zlib
from pathlib import Path
from xml.etree import ElementTree

import headless_chromium
import pytest
from hostile import HOSTILE

from pipeline.claims import evaluate

pytestmark = pytest.mark.browser

DRAWN = "[...document.querySelectorAll('.chart')].map(c => c.querySelectorAll('svg .mark-group').length > 0)"
OPEN_DETAILS = "document.querySelectorAll('details').forEach(d => d.open = true)"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable = headless_chromium.find()
    if executable is None:
        pytest.skip("Chromium absent: install the package chromium to test the page in a browser")
    with headless_chromium.Chromium(executable, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.mark.parametrize("which", ["full", pytest.param("bare", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [pytest.param(1200, marks=pytest.mark.exhaustive), 400])
def test_page_draws_everything_within_the_window(chromium, pages, which, dark, width):
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open(pages[which], width, dark)
    # As many as there are files of figures beside the page: those that have data.
    files = list((pages[which].parent.parent / "figures").rglob("*.svg"))
    assert len(files) > (20 if which == "full" else 5)
    assert chromium.evaluate(DRAWN) == [True] * len(files)
    chromium.evaluate(OPEN_DETAILS)
    assert chromium.evaluate("document.documentElement.scrollWidth") <= width
    assert (
        chromium.evaluate("Math.max(...[...document.querySelectorAll('.chart svg')].map(s => s.clientWidth))") <= width
    )
    assert chromium.errors == []
    assert chromium.requests == [pages[which].resolve().as_uri()]


def test_figures_of_papers_are_folded_and_drawn_once_somebody_asks_for_one(chromium, pages):
    folded = "[...document.querySelectorAll('details.papers:not([open]) .chart')]"
    chromium.call("Page.navigate", url=pages["full"].resolve().as_uri())
    chromium.wait_for("document.readyState === 'complete' && document.documentElement.dataset.figures === 'drawn'")
    before = chromium.evaluate(f"{folded}.length")
    assert before > 10
    assert not chromium.evaluate(f"{folded}.some((chart) => chart.dataset.width)")
    chromium.evaluate("location.hash = '#hpc_memory-utilisation'")
    chromium.wait_for("document.querySelector('#hpc_memory-utilisation .chart').dataset.width > 0")
    assert chromium.evaluate(f"{folded}.length") < before


def test_the_hostile_name_is_a_heading_of_its_panel_and_nothing_more(chromium, pages):
    chromium.open(pages["full"], 1200)
    texts = chromium.evaluate(
        "[...document.querySelectorAll('#hpc_memory-memory_for_loss svg text')].map(t => t.textContent)"
    )
    assert any(text.startswith(HOSTILE[:20]) for text in texts)
    assert chromium.evaluate("document.querySelectorAll('img').length") == 0


def test_figures_follow_the_window(chromium, pages):
    chromium.open(pages["full"], 1200)
    chromium.call("Emulation.setDeviceMetricsOverride", width=500, height=900, deviceScaleFactor=1, mobile=False)
    chromium.wait_for(
        "document.documentElement.dataset.figures === 'drawn' && "
        "[...document.querySelectorAll('.chart svg')].every(s => s.clientWidth <= 500)"
    )
    assert chromium.evaluate("document.documentElement.scrollWidth") <= 500


def test_the_page_is_there_before_its_figures(chromium, pages):
    count = "document.querySelectorAll('.chart svg').length"
    chromium.call(
        "Page.addScriptToEvaluateOnNewDocument",
        source=f"addEventListener('load', () => {{ window.atLoad = {count}; }})",
    )
    chromium.open(pages["full"], 1200)
    assert chromium.evaluate("window.atLoad") < chromium.evaluate(count) / 2


def _shown(chromium) -> list[str]:
    rows = "[...document.querySelectorAll('#claims-table > tbody > tr')].filter(r => r.offsetHeight).map(r => r.id)"
    return chromium.evaluate(rows)


def test_claims_are_filtered_by_choice_and_words_and_shown_when_linked_to(chromium, pages):
    chromium.errors.clear()
    chromium.open(pages["full"], 1200)
    whole = _shown(chromium)
    assert whole == [f"claim-{path.stem}" for path in evaluate.files()]

    def of(study):
        return [f"claim-{path.stem}" for path in evaluate.files() if path.parent.parent.name == study]

    choose = """(() => {{
        const field = document.querySelector('form[data-filters]').elements['{}'];
        field.value = {};
        field.dispatchEvent(new Event('input', {{bubbles: true}}));
    }})()"""
    chromium.evaluate(choose.format("study", json.dumps("pim_ranks")))
    assert _shown(chromium) == of("pim_ranks")
    chromium.evaluate(choose.format("verdict", json.dumps("input")))
    assert _shown(chromium) == ["claim-C9", "claim-C12"]
    chromium.evaluate(choose.format("text", json.dumps("TRANSFERS scan")))
    assert _shown(chromium) == ["claim-C12"]
    assert chromium.evaluate("document.querySelector('form[data-filters] output').textContent") == f"1 of {len(whole)}"
    chromium.evaluate("location.hash = '#claim-M1'")
    chromium.wait_for("document.getElementById('claim-M1').offsetHeight > 0")
    assert _shown(chromium) == whole
    chromium.evaluate(choose.format("paper", json.dumps("HiPC 2024")))
    assert _shown(chromium) == of("hpc_memory")
    assert chromium.errors == []


def test_claims_are_sorted_by_a_column_and_back(chromium, pages):
    chromium.open(pages["full"], 1200)
    heading = "document.querySelector('#claims-table thead th:nth-child({})')"
    verdicts = "[...document.querySelectorAll('#claims-table > tbody > tr')].map(r => r.dataset.verdict)"
    whole = _shown(chromium)
    chromium.evaluate(f"{heading.format(5)}.querySelector('button').click()")
    result = chromium.evaluate(verdicts)
    order = list(dict.fromkeys(result))
    assert len(order) > 2
    assert result == sorted(result, key=order.index)
    assert chromium.evaluate(f"{heading.format(5)}.getAttribute('aria-sort')") == "ascending"
    chromium.evaluate(f"{heading.format(5)}.querySelector('button').click()")
    assert chromium.evaluate(verdicts) == sorted(result, key=order[::-1].index)
    chromium.evaluate(f"{heading.format(1)}.querySelector('button').click()")
    assert _shown(chromium) == whole
    assert chromium.evaluate(f"{heading.format(5)}.getAttribute('aria-sort')") is None


def _saved(folder: Path, name: str) -> bytes:
    for _ in range(headless_chromium.MOST_LOOKS):
        if (folder / name).is_file():
            break
        time.sleep(0.05)
    else:
        raise TimeoutError(f"{name} was not saved; there are {list(folder.iterdir())}")
    return (folder / name).read_bytes()


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.exhaustive)], ids=["light", "dark"])
def test_a_figure_and_its_data_are_saved(chromium, pages, tmp_path, dark):
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open(pages["full"], 1200, dark)
    chromium.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    for kind in ("svg", "png", "csv"):
        chromium.evaluate(f"document.querySelector('#hpc_memory-utilisation [data-save={kind}]').click()")
    svg = ElementTree.fromstring(_saved(tmp_path, "hpc_memory-utilisation.svg"))
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert any(text.text == "memory per node (GB)" for text in svg.iter("{http://www.w3.org/2000/svg}text"))
    width, height = struct.unpack(">II", _saved(tmp_path, "hpc_memory-utilisation.png")[16:24])
    assert (width, height) > (1000, 400)
    rows = list(csv.DictReader(io.StringIO(_saved(tmp_path, "hpc_memory-utilisation.csv").decode())))
    assert {"scheduler", "memory_per_node_gb", "utilisation"} <= set(rows[0])
    shown = chromium.evaluate(
        "document.querySelectorAll('#hpc_memory-utilisation details:first-of-type tbody tr').length"
    )
    assert len(rows) == shown > 0
    assert chromium.evaluate("document.querySelector('#hpc_memory-utilisation .chart svg').clientWidth") > 0
    assert chromium.errors == []
    assert [url for url in chromium.requests if not url.startswith("blob:")] == [pages["full"].resolve().as_uri()]


def test_names_that_are_attacks_are_cells_of_the_csv(chromium, pages, tmp_path):
    chromium.open(pages["full"], 1200)
    chromium.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    chromium.evaluate("document.querySelector('#hpc_memory-memory_for_loss [data-save=csv]').click()")
    rows = list(csv.DictReader(io.StringIO(_saved(tmp_path, "hpc_memory-memory_for_loss.csv").decode())))
    assert any(HOSTILE in (value or "") for row in rows for value in row.values())


def _pixels(png: bytes) -> set[bytes]:
    """Distinct rows of pixels of a PNG, as they are filtered: one alone for a picture that is blank."""
    (width,) = struct.unpack(">I", png[16:20])
    channels = {2: 3, 6: 4}[png[25]]
    data, at = b"", 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += size + 12
    raw, stride = zlib.decompress(data), 1 + width * channels
    return {raw[i : i + stride] for i in range(0, len(raw), stride)}


@pytest.mark.parametrize("width", [pytest.param(1200, marks=pytest.mark.exhaustive), 400])
def test_light_and_dark_are_two_pictures_with_something_in_them(chromium, pages, tmp_path, width):
    pictures = []
    for dark in (False, True):
        chromium.open(pages["full"], width, dark)
        chromium.screenshot(tmp_path / "page.png", whole=False)
        pictures.append((tmp_path / "page.png").read_bytes())
        assert len(_pixels(pictures[-1])) > 100
        ground = chromium.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(20, 23, 26)" if dark else "rgb(255, 255, 255)")
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.exhaustive), True], ids=["light", "dark"])
def test_print_is_light_whole_and_no_wider_than_the_paper(chromium, pages, dark):
    chromium.open(pages["full"], 1200, dark)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    chromium.call("Emulation.setEmulatedMedia", media="print", features=[scheme])
    chromium.call("Emulation.setDeviceMetricsOverride", width=720, height=1000, deviceScaleFactor=1, mobile=False)
    try:
        chromium.wait_for("document.documentElement.dataset.figures === 'drawn'")
        assert chromium.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert set(chromium.evaluate(DRAWN)) == {True}
        assert chromium.evaluate("document.documentElement.scrollWidth") <= 720
        widest = (
            "Math.max(...[...document.querySelectorAll('table, .chart svg')].map(e => e.getBoundingClientRect().right))"
        )
        assert chromium.evaluate(widest) <= 720
        assert chromium.evaluate("[...document.querySelectorAll('nav, .save, .filters')].every(e => !e.offsetHeight)")
        label = "getComputedStyle(document.querySelector('#hpc_memory-utilisation .role-axis text')).fill"
        assert chromium.evaluate(label) == "rgb(35, 40, 45)"
    finally:
        chromium.call("Emulation.setEmulatedMedia", media="")


def test_the_first_key_leads_past_the_navigation_and_all_that_is_focused_has_a_name(chromium, pages):
    chromium.open(pages["full"], 1200)
    chromium.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
    assert chromium.evaluate("document.activeElement.textContent") == "Skip to the answers"
    assert chromium.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    nameless = """[...document.querySelectorAll('button, input, select, [tabindex], .chart svg[role]')]
        .filter(e => !(e.labels?.length || e.getAttribute('aria-label') || e.textContent.trim()))
        .map(e => e.outerHTML.slice(0, 80))"""
    assert chromium.evaluate(nameless) == []
