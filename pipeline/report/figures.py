"""The figures of every study, found by name, and their files.

A study's figures are the functions `fig_<name>` of its module `figures`, or of the modules that it lists there as
`THEMES`, each from a connection to the database to a Figure. A study without that module has none.
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import vl_convert

from pipeline.report import chart
from pipeline.runtime import sources, storage, threads
from pipeline.runtime.study import declared

log = logging.getLogger(__name__)

PREFIX = "fig_"
DRAWN = ".drawn"
"""Folder beside that of the figures with what is drawn, by look."""
DEFINED = re.compile(r'<[^<>]* id="([^"]+)"')
REFERRED = re.compile(r"""( id="|url\(#|href="#)([^")]+)("|\))""")


def functions() -> dict[str, Callable[[duckdb.DuckDBPyConnection], chart.Figure]]:
    """What draws each figure, by `<study>/<name>`, in the order of their definition."""
    by_name = {}
    for study in (name for name in declared() if name in sources.with_module("figures")):
        module = importlib.import_module(f"pipeline.studies.{study}.figures")
        for theme in getattr(module, "THEMES", (module,)):
            for name, function in vars(theme).items():
                if name.startswith(PREFIX):
                    by_name[f"{study}/{name.removeprefix(PREFIX)}"] = function
    return by_name


def draw(connection: duckdb.DuckDBPyConnection) -> dict[str, chart.Figure]:
    """All figures by name, in the order of their definition."""
    by_name = functions()
    # Threads ask the database side by side through connections of their own.
    tasks = [(function, connection.cursor()) for function in by_name.values()]
    return dict(zip(by_name, threads.each(lambda task: task[0](task[1]), tasks), strict=True))


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
    """Write each figure that has data as `<folder>/<study>/<name>.svg`, and `figures.json`, which lists them.

    The folder is replaced as a whole. What is drawn is kept beside it by its look, in DRAWN, until a run needs it no
    more: a figure that looks as it did is not drawn again.
    """
    cache = folder.with_name(DRAWN)
    cache.mkdir(parents=True, exist_ok=True)
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
            drawn = cache / f"{look}.svg"
            if not drawn.is_file():
                with storage.replacing_file(drawn) as part:
                    part.write_text(svg(figure), encoding="utf-8")
            shutil.copyfile(drawn, path)
        (whole / "figures.json").write_text(listing(figures), encoding="utf-8")
    for file in cache.iterdir():
        if file.stem not in looks:
            file.unlink()


def listing(figures: Mapping[str, chart.Figure]) -> str:
    """The figures that were drawn as JSON, for programs: name, title, source, caption and query of each."""
    rows = [
        {"name": name, "title": figure.title, "source": figure.source, "caption": figure.caption, "sql": figure.sql}
        for name, figure in figures.items()
        if figure.chart is not None
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
