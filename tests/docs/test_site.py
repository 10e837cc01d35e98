"""The documentation as a site: links and anchors hold, and it needs no network, neither to be built nor to be read."""

import os
import re
import shutil
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest
import yaml
from documented import DOCS

from pipeline.reference import database
from pipeline.runtime.sources import ROOT

SETTINGS = ROOT / "mkdocs.yml"
MADE = [name for name in database.pages() if name.endswith(".md")] + ["database/files.md"]
PAGES = sorted([*MADE, *(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))])
WIDE = ("performance", "trials", "cookbook", "models/gpu_corun", "models/gpu_partition-evaluation")
"""Pages with tables and outputs that are wider than a page."""
CUT = """(() => {
    const width = document.documentElement.clientWidth
    const inside = box => box.getBoundingClientRect().right <= width + 1
    const scrolls = box => ["auto", "scroll"].includes(getComputedStyle(box).overflowX)
    const reachable = box => box !== document.body && (scrolls(box) && inside(box) || reachable(box.parentElement))
    return [...document.querySelectorAll("article table, article pre > code")]
        .filter(box => box.offsetParent && (box.scrollWidth > box.clientWidth + 1 || !inside(box)) && !reachable(box))
        .map(box => box.innerText.slice(0, 60))
})()"""
"""Beginnings of the tables and outputs that neither fit the window nor lie in a box within it that scrolls."""


def build(folder: Path, docs: Path = DOCS) -> subprocess.CompletedProcess:
    """Build the site of the pages in `docs` below `folder`, as `make docs` does."""
    if util.find_spec("mkdocs") is None:
        pytest.skip("mkdocs is not installed (extra docs)")
    settings = folder / "mkdocs.yml"
    text = SETTINGS.read_text(encoding="utf-8")
    text = text.replace("docs_dir: docs", f"docs_dir: {docs}").replace("site_dir: results/site", "site_dir: site")
    text = text.replace("[pipeline/reference/", f"[{ROOT}/pipeline/reference/")
    settings.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(settings)]
    # A proxy that nobody answers: what tries the network fails.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    environment = os.environ | nowhere | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def site(once) -> Path:
    def make(folder: Path) -> None:
        run = build(folder)
        assert run.returncode == 0, run.stdout + run.stderr

    return once("site_of_the_documentation", make) / "site"


def in_navigation(entry) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    entries = entry.values() if isinstance(entry, dict) else entry
    return [page for part in entries for page in in_navigation(part)]


def test_every_page_is_in_the_navigation_once():
    assert sorted(in_navigation(yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))["nav"])) == PAGES


def test_all_links_and_anchors_hold(site):
    assert len(list(site.rglob("*.html"))) > len(PAGES)


def test_one_that_does_not_hold_fails_the_build(tmp_path):
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs)
    with (docs / "limits.md").open("a", encoding="utf-8") as page:
        page.write("\n[a](no-such-page.md)\n\n[a](methods.md#no-such-heading)\n\n![a](images/none.svg)\n")
    run = build(tmp_path, docs)
    assert run.returncode != 0
    # A strict build fails for each warning, and here is one for each link.
    warnings = [line for line in (run.stdout + run.stderr).splitlines() if "WARNING" in line]
    for target in ("no-such-page.md", "#no-such-heading", "images/none.svg"):
        assert any("limits.md" in line and target in line for line in warnings), target


def test_links_of_the_readme_hold():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text)]
    missing = [target for target in targets if "://" not in target and target and not (ROOT / target).exists()]
    assert not missing


def test_pages_load_nothing_from_the_network(site):
    loads = re.compile(
        r"<(?:script|img|iframe)[^>]*\ssrc=\"?(https?:)?//|<link[^>]*rel=\"?stylesheet[^>]*href=\"?(https?:)?//"
    )
    for page in site.rglob("*.html"):
        assert not loads.search(page.read_text(encoding="utf-8")), page


@pytest.mark.browser
def test_read_from_the_disk_it_can_be_searched(site, chromium):
    chromium.call("Page.navigate", url=(site / "index.html").as_uri())
    chromium.wait_for("document.readyState === 'complete'")
    chromium.evaluate("document.querySelector('[name=query]').focus()")
    chromium.call("Input.insertText", text="Wilson")
    chromium.wait_for("document.querySelectorAll('.md-search-result__item').length > 0")
    result = chromium.evaluate("[...document.querySelectorAll('.md-search-result__link')].map(a => a.href).join(' ')")
    assert "methods.html" in result
    assert chromium.errors == []
    assert [request for request in chromium.requests if not request.startswith(("file:", "data:"))] == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 400])
def test_what_is_wider_than_the_page_scrolls_in_its_box(site, chromium, width):
    chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    for page in WIDE:
        chromium.call("Page.navigate", url=(site / f"{page}.html").as_uri())
        chromium.wait_for("document.readyState === 'complete'")
        chromium.wait_for(
            "document.querySelectorAll('article table').length === 0 || "
            "document.querySelectorAll('.md-typeset__scrollwrap').length > 0"
        )
        assert chromium.evaluate(CUT) == [], page
        assert chromium.evaluate("document.documentElement.scrollWidth") <= width, page
        # What would be cut is found.
        chromium.evaluate("document.querySelectorAll('article *').forEach(box => box.style.overflowX = 'hidden')")
        assert chromium.evaluate(CUT) != [] or width == 1280, page
