"""Which source files a stage runs, found by following imports: what its results depend on, and their version."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent
OF_DROP = "trace-"
"""What the name of a part begins with that holds the workloads of a drop: the drop's name follows."""

IMPORT = re.compile(
    r"""
    ^(?P<indent>[ \t]*)(?P<block>def\ __getattr__\b|if\ TYPE_CHECKING:)
    | (?:^|[;:])[ \t]*from\s+(?P<of>[\w.]+)\s+import\s*(?P<names>\([^)]*\)|(?:\\\n|[^\n;])*)
    | (?:^|[;:])[ \t]*import\s+(?P<whole>(?:\\\n|[^\n;#])+)
    """,
    re.MULTILINE | re.VERBOSE,
)
"""An import, or the beginning of a block whose imports no stage needs."""
WORD = re.compile(r"(?:^|[,(])\s*\\?\s*([\w.]+)")
"""A name in a list of imports, without what it is imported as."""


def studies() -> list[str]:
    """Names of the studies: the folders of pipeline/studies."""
    return sorted(p.name for p in (PACKAGE / "studies").iterdir() if (p / "__init__.py").is_file())


def schedulers(study: str) -> list[str]:
    """Names of a study's schedulers: the files of its folder."""
    return sorted(p.stem for p in (PACKAGE / "studies" / study / "schedulers").glob("[!_]*.py"))


def orders(study: str) -> list[str]:
    """Names of a study's orders of the queue, where it has a folder of them."""
    return sorted(p.stem for p in (PACKAGE / "studies" / study / "orders").glob("[!_]*.py"))


def constants(study: str, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Constants of these names in the files of a study's schedulers, as written there; absent ones are left out."""
    by_scheduler = {}
    for scheduler in schedulers(study):
        written = _assigned(PACKAGE / "studies" / study / "schedulers" / f"{scheduler}.py")
        by_scheduler[scheduler] = {name: ast.unparse(written[name]) for name in names if name in written}
    return by_scheduler


def with_module(name: str) -> list[str]:
    """Studies whose folder has a module, or a package, of this name."""
    return [study for study in studies() if _path(f"pipeline.studies.{study}.{name}")]


def of_ingest() -> list[Path]:
    """Files that reading a drop depends on: all readers among them, since recognition asks each, and looks inside."""
    readers = [f"pipeline.readers.{p.stem}" for p in (PACKAGE / "readers").glob("[!_]*.py")]
    return [*closure(["pipeline.stages.ingest", *readers]), *_files("names.yaml")]


def of_fit() -> list[Path]:
    """Files that the fits of a drop depend on."""
    return closure(["pipeline.stages.fit"])


def of_fidelity(study: str) -> list[Path]:
    """Files that comparing a study's replays with what a drop measured depends on."""
    return closure(["pipeline.stages.fidelity", f"pipeline.studies.{study}.fidelity", *_orders(study)])


def of_scenarios(study: str) -> list[Path]:
    """Files that a study's workloads and scenarios depend on, beside what `traits` says of its schedulers."""
    return closure(
        ["pipeline.stages.scenarios", f"pipeline.studies.{study}.config", f"pipeline.studies.{study}.workload"]
    )


def fidelity_takes(study: str) -> str:
    """The canonical table that a drop needs for a study's module `fidelity`."""
    return _constant(PACKAGE / "studies" / study / "fidelity.py", "TAKES")[0]


def with_threads() -> list[str]:
    """Studies whose replays use the threads of `pipeline.runtime.threads`."""
    used = PACKAGE / "runtime" / "threads.py"
    return [study for study in studies() if used.resolve() in {path.resolve() for path in of_part(study)}]


def _constant(path: Path, name: str) -> Any:
    """Value of a module's constant, read without importing the module; None where it has none of that name."""
    value = _assigned(path).get(name)
    return None if value is None else ast.literal_eval(value)


@cache
def _assigned(path: Path) -> dict[str, ast.expr]:
    """What a module assigns to names of its own, unevaluated."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {getattr(node.targets[0], "id", ""): node.value for node in body if isinstance(node, ast.Assign)}


def of_replay(study: str, scheduler: str) -> list[Path]:
    """Files that the replays of one scheduler depend on: its own, not those of the others."""
    return closure(
        [
            "pipeline.stages.replay",
            f"pipeline.studies.{study}.replay",
            f"pipeline.studies.{study}.schedulers.{scheduler}",
            *_orders(study),
        ]
    )


def of_part(study: str) -> list[Path]:
    """Files that a study's scenarios and the replays by all its schedulers depend on."""
    modules = [f"pipeline.studies.{study}.schedulers.{name}" for name in schedulers(study)]
    modules += [f"pipeline.studies.{study}.{name}" for name in ("config", "workload")]
    return closure(["pipeline.stages.together", f"pipeline.studies.{study}.replay", *modules, *_orders(study)])


def _orders(study: str) -> list[str]:
    return [f"pipeline.studies.{study}.orders.{name}" for name in orders(study)]


def of_warehouse() -> list[Path]:
    """Files that the database depends on: what studies declare, views, macros and claims among them."""
    return [*closure(["pipeline.warehouse.load", *_parts("tables", "intervals")]), *_files("*.sql", "assumptions.csv")]


def of_report() -> list[Path]:
    """Files that figures and page depend on."""
    return [*closure(["pipeline.report.page", *_parts("figures")]), *_files("*.html", "*.css", "*.js")]


def _parts(*names: str) -> list[str]:
    """The studies' packages, and their modules of these names."""
    packages = [f"pipeline.studies.{study}" for study in studies()]
    return packages + [f"pipeline.studies.{study}.{name}" for name in names for study in with_module(name)]


def version(files: Iterable[Path]) -> str:
    """Code version: hash of the files' names and contents, 12 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(path.resolve() for path in files):
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def closure(modules: Iterable[str]) -> list[Path]:
    """Files of the modules and of all that they import from this package, packages' __init__ files included.

    The versions of the libraries belong to every stage. What a package imports in its `__getattr__`, when one of its
    names is asked for, does not: stages import the module that has the name. Nor does what types alone need.
    """
    paths = {path for path in (ROOT / "requirements.lock",) if path.is_file()}
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        while module and module not in seen:
            seen.add(module)
            path = _path(module)
            if path is not None:
                paths.add(path)
                waiting.extend(_imports(path))
            module = module.rpartition(".")[0]
    return _near(paths)


def _near(paths: Iterable[Path]) -> list[Path]:
    """The paths, sorted, and relative to the working directory where they lie below it."""
    here = Path.cwd()
    return sorted(path.relative_to(here) if path.is_relative_to(here) else path for path in paths)


def imported_by(path: Path) -> list[Path]:
    """Files of this package that a Python file imports, itself in this package or not, and all that these import."""
    return closure(_imports(path))


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """Modules of this package that a file imports, wherever in the file it does.

    Read from its lines: the workflow asks for hundreds of files at each start, and to parse them takes half a second.
    """
    text = path.read_text(encoding="utf-8")
    names: list[str] = []
    needed_from = 0
    for match in IMPORT.finditer(text):
        if match.start() < needed_from:
            continue
        if match["block"]:
            after = re.compile(rf"^[ \t]{{0,{len(match['indent'])}}}[^\s)]", re.MULTILINE).search(text, match.end())
            needed_from = after.start() if after else len(text)
        elif match["whole"]:
            names += WORD.findall(match["whole"])
        else:
            listed = re.sub(r"#.*", "", match["names"])
            names += [match["of"], *(f"{match['of']}.{name}" for name in WORD.findall(listed))]
    return tuple(name for name in names if name.partition(".")[0] == PACKAGE.name)


@cache
def _path(module: str) -> Path | None:
    """File of a module, or None where the name is not one."""
    base = ROOT.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _files(*patterns: str) -> list[Path]:
    return _near(path for pattern in patterns for path in PACKAGE.rglob(pattern))


@cache
def kernel_folder() -> Path:
    """Folder for compiled kernels: what NUMBA_CACHE_DIR names, else the user's cache folder.

    Where that cannot be written, it is one in the project. Where that cannot be written either, it is the user's.
    """
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(named)
    of_user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "apportion" / "kernels"
    for folder in (of_user, ROOT / ".kernels"):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if os.access(folder, os.W_OK):
                return folder
    return of_user


@cache
def kernel_version(path: Path) -> str:
    """Name of the folder of a file's kernels: of the file, what it imports from this package, compilers, Python, and
    whether indices are checked.

    What belongs to the processor is in numba's own index.
    """
    made_with = [metadata.version(name) for name in ("numba", "llvmlite", "numpy")]
    made_with += [sys.version, os.environ.get("NUMBA_BOUNDSCHECK", "0")]
    digest = hashlib.sha256(repr(made_with).encode())
    digest.update(path.read_bytes())
    digest.update(version(imported_by(path)).encode())
    return digest.hexdigest()[:16]


def uncompiled() -> list[str]:
    """Studies of whose model no kernel is compiled, of this version."""

    def compiled(study: str) -> bool:
        folder = PACKAGE / "studies" / study
        files = [folder / "model.py", *(folder / "model").rglob("*.py")]
        return any((kernel_folder() / kernel_version(path)).is_dir() for path in files if path.is_file())

    return [study for study in studies() if not compiled(study)]
