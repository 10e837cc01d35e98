"""The figures of every study, found by name, and their files.

A study's figures are the functions `fig_<name>` of its module `figures`, or of the modules that it lists there as
`THEMES`, each from a connection to the database to a Figure. A study without that module has none.
"""

from __future__ import annotations

import importlib
import logging
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import vl_convert

from pipeline.report import chart, contact_sheet
from pipeline.report.pdf import pdf
from pipeline.runtime import sources, storage, threads
from pipeline.studies import declared

log = logging.getLogger(__name__)

PREFIX = "fig_"
DRAWN = ".drawn"
"""Folder beside that of the figures with what is drawn, by look."""
DEFINED = re.compile(r'<[^<>]* id="([^"]+)"')
REFERRED = re.compile(r"""( id="|url\(#|href="#)([^")]+)("|\))""")


def functions() -> dict[str, Callable[[duckdb.DuckDBPyConnection], chart.Figure]]:
    """What draws each figure, by `<study>/<name>`, in the order of their definition."""
    found = {}
    for study in (name for name in declared() if name in sources.with_module("figures")):
        module = importlib.import_module(f"pipeline.studies.{study}.figures")
        for theme in getattr(module, "THEMES", (module,)):
            for name, function in vars(theme).items():
                if name.startswith(PREFIX):
                    found[f"{study}/{name.removeprefix(PREFIX)}"] = function
    return found


def draw(connection: duckdb.DuckDBPyConnection) -> dict[str, chart.Figure]:
    """All figures by name, in the order of their definition."""
    found = functions()
    # Threads ask the database side by side through connections of their own.
    tasks = [(function, connection.cursor()) for function in found.values()]
    return dict(zip(found, threads.each(lambda task: task[0](task[1]), tasks), strict=True))


def svg(figure: chart.Figure) -> str:
    """A figure as SVG, on white."""
    text = vl_convert.vegalite_to_svg(
        figure.specification, vl_version=chart.VEGA_LITE, config=chart.config(chart.WIDTH)
    )
    return renumbered(text).rstrip("\n") + "\n"


def renumbered(text: str) -> str:
    """An SVG with its ids numbered from 0: Vega goes on counting from the figures that it drew before."""
    names: dict[str, str] = {}
    for name in DEFINED.findall(text):
        names.setdefault(name, f"part{len(names)}")
    return REFERRED.sub(lambda m: m[1] + names.get(m[2], m[2]) + m[3], text)


def write(figures: dict[str, chart.Figure], folder: Path) -> None:
    """Write each figure that has data as `<folder>/<study>/<name>.svg` and `.pdf`, and a contact sheet of all.

    The folder is replaced as a whole. What is drawn is kept beside it by its look, in DRAWN, until a run needs it no
    more: a figure that looks as it did is not drawn again.
    """
    kept = folder.with_name(DRAWN)
    kept.mkdir(parents=True, exist_ok=True)
    looks = set()
    with storage.replacing_folder(folder) as whole:
        for name, figure in figures.items():
            if figure.chart is None:
                log.info("figure %s left out: %s", name, figure.absent)
                continue
            path = whole / f"{name}.svg"
            path.parent.mkdir(exist_ok=True)
            look = chart.look(figure)
            looks.add(look)
            drawn = [kept / f"{look}{suffix}" for suffix in (".svg", ".pdf")]
            if not all(file.is_file() for file in drawn):
                text = svg(figure)
                for file, content in zip(drawn, (text.encode(), pdf(text)), strict=True):
                    with storage.replacing_file(file) as part:
                        part.write_bytes(content)
            for file in drawn:
                shutil.copyfile(file, path.with_suffix(file.suffix))
        (whole / "index.html").write_text(contact_sheet.html(figures), encoding="utf-8")
        (whole / "figures.json").write_text(contact_sheet.listing(figures), encoding="utf-8")
    for file in (*kept.glob("*.svg"), *kept.glob("*.pdf")):
        if file.stem not in looks:
            file.unlink()
