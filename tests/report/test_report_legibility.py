"""Labels of figures do not overlap, and all text stands out, on small and large screens, in light and dark."""

import headless_chromium
import legibility
import pytest

from pipeline.report import chart

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    executable = headless_chromium.find()
    if executable is None:
        pytest.skip("Chromium absent: install the package chromium to test the page in a browser")
    with headless_chromium.Chromium(executable, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.mark.parametrize("width", [*(pytest.param(width, marks=pytest.mark.exhaustive) for width in (1280, 800)), 400])
def test_no_label_of_a_figure_lies_over_another(chromium, pages, width):
    chromium.open(pages["full"], width)
    assert chromium.evaluate(legibility.OVERLAPS) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_has_a_contrast_of_four_and_a_half(chromium, pages, dark):
    chromium.open(pages["full"], 1280, dark)
    assert chromium.evaluate(legibility.CONTRASTS) == {}
    # The measure finds text that does not stand out.
    chromium.evaluate(
        "document.querySelector('.lead').insertAdjacentHTML('afterend', '<p style=\"color: #777b80\">faint</p>')"
    )
    assert [said for _, said in chromium.evaluate(legibility.CONTRASTS).values()] == ["faint"]


def test_every_ink_has_one_for_dark_grounds():
    assert set(chart.DARK) == {chart.INK, chart.LABEL, chart.SOFT, chart.BLUE_TEXT, chart.RED_TEXT, chart.AMBER_TEXT}
    assert not set(chart.DARK) & {colour for colour, _ in chart.LOOKS.values()}
