"""The documentation as a site: links and anchors hold, and it needs no network, neither to be built nor to be read."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import util
from pathlib import Path

import pytest
from documented import DOCS

from pipeline.reference import database
from pipeline.reference import site as pages
from pipeline.runtime.sources import ROOT

SETTINGS = ROOT / "zensical.toml"
MADE = [f"reference/database/{name}.md" for name in (*database.TITLES, "files")]
KEPT = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
PAGES = sorted([*MADE, *KEPT])
BESIDE = ("models/", "formats/")
GENERATED = ("reference/configuration.md", "reference/claims.md", "reference/performance.md")
"""Pages of tables that a program made."""
WIDE = (
    "reference/performance",
    "reference/trials",
    "guides/cookbook",
    "models/gpu_corun",
    "models/gpu_partition-evaluation",
)
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
    if util.find_spec("zensical") is None:
        pytest.skip("zensical is not installed (extra docs)")
    pages.write(folder / "build" / "docs", docs)
    shutil.copy(SETTINGS, folder)
    # A proxy that nobody answers: what tries the network fails.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    return subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        env=os.environ | nowhere,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def site(once) -> Path:
    def make(folder: Path) -> None:
        run = build(folder)
        assert run.returncode == 0, run.stdout + run.stderr

    return once("site_of_the_documentation", make) / "results" / "site"


def in_navigation(entry) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    entries = entry.values() if isinstance(entry, dict) else entry
    return [page for part in entries for page in in_navigation(part)]


def test_every_page_is_in_the_navigation_once():
    assert sorted(in_navigation(tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["project"]["nav"])) == PAGES


def test_folders_are_four_beside_models_and_formats_and_pages_by_hand_are_few():
    folders = {name.partition("/")[0] for name in KEPT if "/" in name}
    assert folders == {"getting-started", "guides", "concepts", "reference", "models", "formats"}
    assert len([name for name in KEPT if not name.startswith(BESIDE) and name not in GENERATED]) <= 20


@pytest.mark.parametrize("name", KEPT)
def test_a_page_begins_with_what_its_reader_can_do_after_it(name):
    assert re.match(r"# .+\n\nAfter this page you can .+\.", (DOCS / name).read_text(encoding="utf-8"))


def read(folder: Path) -> list[Path]:
    """Pages of a built site that are read from the disk: all but the one that a server gives for a missing page."""
    return [page for page in folder.rglob("*.html") if page.name != "404.html"]


def absent(folder: Path) -> set[str]:
    """Pages, files and pictures of the project that pages of a built site lead to and that are not there."""
    found = set()
    for page in read(folder):
        targets = re.findall(r"""\s(?:href|src)="([^"#?]+)""", page.read_text(encoding="utf-8"))
        local = {target for target in targets if not re.match(r"\w+:|//", target)}
        found |= {target for target in local if not (page.parent / target).exists()}
    return found


def test_all_links_and_anchors_hold(site):
    assert len(list(site.rglob("*.html"))) > len(PAGES)
    assert absent(site) == set()


def test_one_that_does_not_hold_is_found(tmp_path):
    docs = tmp_path / "docs"
    shutil.copytree(DOCS, docs)
    with (docs / "concepts" / "limits.md").open("a", encoding="utf-8") as page:
        page.write("\n[a](no-such-page.md)\n\n[a](methods.md#no-such-heading)\n\n![a](images/none.svg)\n")
    run = build(tmp_path, docs)
    assert run.returncode != 0
    text = re.sub(r"\x1b\[[\d;]*m", "", run.stdout + run.stderr)
    assert text.count("concepts/limits.md:") == 2
    for what in ("page does not exist", "anchor does not exist"):
        assert what in text
    assert {"images/none.svg"} <= absent(tmp_path / "results" / "site")


def test_links_of_the_readme_hold():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text)]
    missing = [target for target in targets if "://" not in target and target and not (ROOT / target).exists()]
    assert not missing


def test_pages_load_nothing_from_the_network(site):
    loads = re.compile(
        r"<(?:script|img|iframe)[^>]*\ssrc=\"?(https?:)?//|<link[^>]*rel=\"?stylesheet[^>]*href=\"?(https?:)?//"
    )
    for page in read(site):
        assert not loads.search(page.read_text(encoding="utf-8")), page


@pytest.mark.browser
def test_read_from_the_disk_it_can_be_searched(site, chromium):
    chromium.call("Page.navigate", url=(site / "index.html").as_uri())
    chromium.wait_for("document.readyState === 'complete'")
    inside = "document.activeElement.shadowRoot"
    # The button opens the search once the page's script has come to it.
    chromium.wait_for(f"{inside} !== null || (document.querySelector('.md-search__button').click(), false)")
    chromium.wait_for(f"{inside}?.querySelector('[role=status]').textContent.includes('Loading') === false")
    chromium.call("Input.insertText", text="Wilson")
    chromium.wait_for(f"{inside}.querySelectorAll('a').length > 0")
    result = chromium.evaluate(f"[...{inside}.querySelectorAll('a')].map(a => a.href).join(' ')")
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
