"""The verbs of `apportion`: those that users call, and the steps that the workflow calls."""

from __future__ import annotations

import errno
import io
import logging
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pipeline import __version__
from pipeline.runtime import bounded, one_run, sources
from pipeline.runtime.bounded import DROP_S, MEMORY_GB, RECOGNITION_S, Bounds
from pipeline.runtime.wording import FORMATS, escaped
from pipeline.stages import one_part

try:
    import typer
except ModuleNotFoundError:
    sys.exit(
        f"{sys.executable} has no typer: it is not the Python of this project's environment; "
        "`make` makes one, and .venv/bin/apportion uses it"
    )

ABOUT = """Which scheduler to use on a shared machine, and how much of the machine is enough.

Exit codes: 0 all is well. 1 a row was rejected, or a check failed. 2 wrong use, or the drop was refused. 3 the
database is whole, but drops were refused or failed; of `answer FILE`: a study failed, or nothing was answered. 130
interrupted (Ctrl-C). 143 ended (SIGTERM).
"""
app = typer.Typer(name="pipeline", add_completion=False, pretty_exceptions_enable=False, help=ABOUT)
ROOT = sources.ROOT
WITHOUT_ANSWER = 3
FULL = (errno.ENOSPC, errno.EDQUOT)
SIGNALLED = 128
"""Exit code after a signal less its number, as shells have it: 130 after Ctrl-C."""
LEAVE_NOTHING = ("answer", "check", "add")
"""Verbs that remove their temporary folders on SIGTERM, too; all other ends at once."""

FIRST = """\
apportion check FILE    says what a trace is, and what it would answer
apportion answer FILE   says which scheduler to use, and how much of the machine is enough
apportion open          opens the page, with all answers and figures

apportion --help lists all commands."""
STEPS = "Steps of a run, which the workflow calls"
OF_WORKFLOW = ("altair", "jinja2", "snakemake", "vl_convert")
"""Packages that come with `apportion[workflow]` alone."""

Folder = Annotated[Path, typer.Argument(help="folder", show_default=False)]
DropS = Annotated[float, typer.Option(help="longest time for the drop, s; inf = no limit")]
MemoryGb = Annotated[float, typer.Option(help="most memory for the drop, GB; inf = no limit")]
Target = Annotated[Path, typer.Option("--target", help="file or folder to write; replaced as a whole")]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"apportion {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _begin(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", help="show warnings and errors only")] = False,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", help="show the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING if quiet else logging.INFO,
        format="%(asctime)s %(message)s",
        datefmt="%H:%M:%S",
    )
    if context.invoked_subcommand is None:
        typer.echo(FIRST)
    verb = context.command.commands.get(context.invoked_subcommand)
    if context.invoked_subcommand in LEAVE_NOTHING:
        signal.signal(signal.SIGTERM, _interrupted)
    elif verb is not None and verb.rich_help_panel == STEPS:
        # Python would see Ctrl-C only when a compiled loop is done; the workflow says what there is to say.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _require_folder(drop: Path) -> None:
    if not drop.is_dir():
        what = "is a file; a drop is the folder around it" if drop.exists() else "does not exist"
        raise NotADirectoryError(f"{drop} {what}")


def _require_no_pipe(path: Path) -> None:
    """Raise ValueError for what can be read once only, or never ends."""
    if path == Path("-") or (path.exists() and not path.is_file() and not path.is_dir()):
        raise ValueError(
            f"{path} is a pipe or a device, and a trace is read more than once: write it to a file first, with the "
            "ending of its format, and ask for the file"
        )


def _bounds(
    recognition_s: float = RECOGNITION_S, drop_s: float = DROP_S, memory_gb: float = MEMORY_GB
) -> dict[str, Bounds]:
    """What recognition and reading of a drop may take."""
    return {"recognition": Bounds(recognition_s, memory_gb), "reading": Bounds(drop_s, memory_gb)}


def _require_format(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise typer.BadParameter(f"{name!r} is not a format; known formats: {', '.join(known)}", param_hint="--format")


@app.command()
def check(
    drop: Annotated[Path, typer.Argument(help="folder of a drop, or a single file", show_default=False)],
    *,
    full: Annotated[bool, typer.Option("--full", help="show every line in full")] = False,
    write: Annotated[
        bool, typer.Option("--write", help="write the proposed trace.yaml into the drop, unless it has one")
    ] = False,
) -> None:
    """Say what a file or drop is, which answers it gives, and which rows are rejected."""
    from pipeline.stages import one_drop

    _require_no_pipe(drop)
    if not drop.is_file():
        _require_folder(drop)
    text, code = one_drop.check(drop, full=full, write=write, **_bounds())
    typer.echo(text)
    raise typer.Exit(code)


@app.command()
def add(
    source: Annotated[Path, typer.Argument(help="file or folder with a trace", show_default=False)],
    name: Annotated[str | None, typer.Option(help="name of the drop; none = that of the file")] = None,
    root: Annotated[Path, typer.Option(help="folder of the traces")] = Path("traces"),
    *,
    copy: Annotated[bool, typer.Option("--copy", help="copy the files instead of linking them")] = False,
    write: Annotated[bool, typer.Option("--write", help="write the proposed trace.yaml into the drop")] = False,
) -> None:
    """Put a file or folder among the traces if it can be read, else say what is wrong."""
    from pipeline.stages.add import add

    text, code = add(source, root, name, copy=copy, write=write, **_bounds())
    typer.echo(text)
    raise typer.Exit(code)


@app.command(rich_help_panel=STEPS)
def ingest(
    drop: Folder,
    target: Target,
    roots: Annotated[
        list[Path] | None, typer.Option(help="trace roots; the drop's name has to be unique among them")
    ] = None,
    delta: Annotated[float, typer.Option(help="|z-score| of a change that begins a phase")] = 2.0,
    node_memory: Annotated[
        Literal["mean", "max"],
        typer.Option(help="memory per node of a job on several nodes: their mean or their maximum"),
    ] = "mean",
    fitted: Annotated[Path | None, typer.Option(help="folder for its fits; none = not fitted")] = None,
    bin_gb: Annotated[float | None, typer.Option(help="width of profile levels, GB")] = None,
    recognition_s: Annotated[float, typer.Option(help="longest time to recognise the drop, s")] = RECOGNITION_S,
    drop_s: DropS = DROP_S,
    memory_gb: MemoryGb = MEMORY_GB,
) -> None:
    """Read a data drop into canonical tables, and fit what it holds."""
    from pipeline.stages import one_drop

    _require_folder(drop)
    bounds = _bounds(recognition_s, drop_s, memory_gb)
    one_drop.ingest(
        drop, target, roots or [], **bounds, fitted=fitted, bin_gb=bin_gb, delta=delta, node_memory=node_memory
    )


@app.command(rich_help_panel=STEPS)
def fidelity(
    study: str, ingested: Folder, target: Target, drop_s: DropS = DROP_S, memory_gb: MemoryGb = MEMORY_GB
) -> None:
    """Compare a study's replays of an ingested drop with what the drop measured."""

    def work() -> None:
        from pipeline.stages.fidelity import write_fidelity

        write_fidelity(study, ingested, target)

    part = f"{sources.OF_DROP}{ingested.name}"
    one_part.run(work, "fidelity", study, part, [target], Bounds(drop_s, memory_gb))


@app.command(rich_help_panel=STEPS)
def scenarios(
    study: str,
    folders: Annotated[list[Path] | None, typer.Argument(help="ingested and fitted drops")] = None,
    *,
    settings: Annotated[Path, typer.Option(help="settings of the study, JSON")],
    target: Target,
    drop: Annotated[str | None, typer.Option(help="drop whose jobs they replay; none = synthetic workloads")] = None,
    drop_s: DropS = DROP_S,
    memory_gb: MemoryGb = MEMORY_GB,
) -> None:
    """Write the workloads and scenarios of a study: those of one drop, or the synthetic ones."""

    def work() -> None:
        from pipeline.stages.scenarios import write_scenarios

        write_scenarios(study, settings, folders or [], target, drop)

    one_part.run(work, "scenarios", study, target.name, [target], Bounds(drop_s, memory_gb))


@app.command(rich_help_panel=STEPS)
def replay(
    study: str,
    scheduler: str,
    source: Annotated[Path, typer.Option("--scenarios", help="folder that the verb scenarios wrote")],
    target: Target,
    chunk: int = 0,
    chunks: int = 1,
    drop_s: DropS = DROP_S,
    memory_gb: MemoryGb = MEMORY_GB,
) -> None:
    """Replay one scheduler's scenarios, or one chunk of them."""

    def work() -> None:
        from pipeline.stages.replay import write_replay

        write_replay(study, scheduler, chunk, chunks, source, target)

    one_part.run(work, "replay", study, source.name, [target], Bounds(drop_s, memory_gb))


@app.command("replay-part", rich_help_panel=STEPS)
def replay_part(
    study: str,
    part: Annotated[str, typer.Argument(help="trace-<drop>, or synthetic")],
    folders: Annotated[list[Path] | None, typer.Argument(help="ingested and fitted drops")] = None,
    *,
    settings: Annotated[Path, typer.Option(help="settings of the study, JSON")],
    results: Annotated[Path, typer.Option(help="results folder")] = Path("results"),
    chunks: int = 1,
    drop_s: DropS = DROP_S,
    memory_gb: MemoryGb = MEMORY_GB,
) -> None:
    """Write and replay a part of a study's scenarios, under every scheduler, in one process."""

    def work() -> None:
        from pipeline.stages.together import write_part

        write_part(study, part, folders or [], settings, results, chunks)

    targets = one_part.folders(results, study, part, chunks)
    one_part.run(work, "replay", study, part, targets, Bounds(drop_s, memory_gb))


@app.command(rich_help_panel=STEPS)
def warehouse(
    results: Annotated[Path, typer.Option(help="results folder")] = Path("results"),
    target: Target = Path("results/apportion.duckdb"),
    drops: Annotated[list[str] | None, typer.Option("--drop", help="drop to load; all that were ingested")] = None,
    parts: Annotated[
        list[str] | None, typer.Option("--part", help="<study>/<part> to load; all that are found")
    ] = None,
    chunks: Annotated[int | None, typer.Option(help="chunks of a part; all that are found")] = None,
) -> None:
    """Assemble the database: tables, comments, views, and the ledger of claims."""
    from pipeline.warehouse.load import build

    build(results, target, drops, parts, chunks)


@app.command()
def claims(
    database: Annotated[Path, typer.Option(help="database")] = Path("results/apportion.duckdb"),
    markdown: Annotated[Path | None, typer.Option(help="write the ledger to this Markdown file instead")] = None,
    record: Annotated[
        bool, typer.Option("--record", help="record it as that of the default run: docs/reference/claims.*, README.md")
    ] = False,
) -> None:
    """Judge the papers' claims on a database, and print the ledger."""
    from pipeline.claims import evaluate

    if markdown is not None:
        from pipeline.claims.markdown import page
        from pipeline.runtime import storage

        with storage.replacing_file(markdown) as part:
            part.write_text(page(*evaluate.evaluated(database)), encoding="utf-8")
    if record:
        from pipeline.claims import record as recorded
        from pipeline.reference import generated

        recorded.write(database)
        generated.write()
    if markdown is None and not record:
        typer.echo(evaluate.ledger_text(database))


@app.command(rich_help_panel=STEPS)
def report(
    database: Annotated[Path, typer.Option(help="database")] = Path("results/apportion.duckdb"),
    target: Target = Path("results/report/index.html"),
    figures: Annotated[Path, typer.Option(help="folder of the figures as SVG")] = Path("results/figures"),
) -> None:
    """Write the figures and the page."""
    from pipeline.report.page import build

    build(database, target, figures)


@app.command()
def query(
    sql: Annotated[str | None, typer.Argument(help="SQL; none = that of --file", show_default=False)] = None,
    database: Annotated[Path, typer.Option(help="database")] = Path("results/apportion.duckdb"),
    *,
    file: Annotated[Path | None, typer.Option(help="file that holds the SQL")] = None,
    format_: Annotated[str, typer.Option("--format", help="table, csv or json")] = "table",
    full: Annotated[bool, typer.Option("--full", help="show all rows and whole texts, as in pipes and files")] = False,
) -> None:
    """Ask the database in SQL."""
    from pipeline.warehouse.answer import answer

    if (sql is None) == (file is None):
        raise typer.BadParameter("give the SQL, or --file with a file that holds it")
    _require_format(format_, FORMATS)
    asked = file.read_text(encoding="utf-8") if sql is None else sql
    text = answer(database, asked, full=full or not sys.stdout.isatty(), form=format_)
    typer.echo(_shown(text))


@app.command()
def answer(
    traces: Annotated[
        list[str] | None,
        typer.Argument(help="traces or drops, or one file or folder; none = all that were read", show_default=False),
    ] = None,
    database: Annotated[Path, typer.Option(help="database")] = Path("results/apportion.duckdb"),
    format_: Annotated[str, typer.Option("--format", help="table, lines (one for each trace), csv or json")] = "table",
    *,
    short: Annotated[bool, typer.Option("--short", help="leave out the line of each setting")] = False,
    keep: Annotated[
        Path | None, typer.Option(help="new or empty folder that keeps the database of a file that was never added")
    ] = None,
) -> None:
    """Say which scheduler to use, how much of the machine is enough, and what is assumed.

    A file or folder that was never added is read, replayed and answered at once. It needs no project, and leaves
    nothing behind without --keep.
    """
    # Before what sums floats is loaded: in the jobs of the workflow each of these has one thread.
    for library in ("POLARS_MAX", "OMP_NUM", "OPENBLAS_NUM", "MKL_NUM"):
        os.environ.setdefault(f"{library}_THREADS", "1")
    _require_format(format_, (*FORMATS, "lines"))
    names = traces or []
    new = [name for name in names if _is_new(name, database)]
    if new and len(names) > 1:
        raise typer.BadParameter(f"{new[0]} was never added; ask for one such file or folder at a time")
    if keep and not new:
        raise typer.BadParameter("--keep is for a file or folder that was never added", param_hint="--keep")
    if new:
        text, complete = _answer_of_file(Path(new[0]), keep, format_, short=short)
        typer.echo(_shown(text))
        raise typer.Exit(0 if complete else WITHOUT_ANSWER)
    from pipeline.report import answers

    typer.echo(_shown(answers.text(database, names, format_, short=short)))


def _shown(text: str) -> str:
    """Text with what a terminal would act on escaped; files and pipes get it as it is."""
    return escaped(text, "\n\t") if sys.stdout.isatty() else text


def _is_new(name: str, database: Path) -> bool:
    """Whether a name is a file, or a folder of which the database has no drop; a path has to be there."""
    path = Path(name)
    if path.is_file():
        return True
    _require_no_pipe(path)
    is_path = os.sep in name or bool(path.suffix)
    if not path.is_dir() and not is_path:
        return False
    if database.is_file() and bounded.run(partial(_knows, database, name), Bounds()):
        return False
    if not path.is_dir():
        raise FileNotFoundError(f"{name} is not there")
    return True


def _knows(database: Path, name: str) -> bool:
    from pipeline.report import answers

    return answers.knows(database, name)


def _answer_of_file(source: Path, keep: Path | None, form: str, *, short: bool) -> tuple[str, bool]:
    """The answer for a file or folder that was never added, and whether something was answered and nothing failed."""
    from tempfile import TemporaryDirectory

    if keep and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise typer.BadParameter(f"{keep} is there and not empty", param_hint="--keep")
    logging.getLogger("pipeline").setLevel(logging.WARNING)
    from pipeline.runtime import storage
    from pipeline.stages import one_file

    def ask(database: Path, name: str) -> tuple[str, bool]:
        from pipeline.report import answers

        return answers.said_of(database, [name], form, short=short)

    with storage.replacing_folder(keep) if keep else TemporaryDirectory(prefix="apportion-") as scratch:
        answered = one_file.build(source, Path(scratch), say=lambda line: typer.echo(line, err=True), ask=ask)
    if keep:
        typer.echo(f"the database is {keep / one_file.DATABASE}", err=True)
    return answered


@app.command()
def status(
    database: Annotated[Path, typer.Option(help="database")] = Path("results/apportion.duckdb"),
) -> None:
    """Say what the database holds: traces, refused drops, rejected rows and verdicts."""
    from pipeline.warehouse.status import code, summary

    typer.echo(summary(database))
    raise typer.Exit(code(database))


@app.command("open")
def open_page(
    page: Annotated[Path, typer.Option(help="the page")] = Path("results/report/index.html"),
) -> None:
    """Open the page in a browser."""
    import webbrowser

    if not page.is_file():
        raise FileNotFoundError(f"{page} is not there; run `make` first")
    shown = webbrowser.open(page.resolve().as_uri())
    typer.echo(page if shown else f"{page}: no browser was found here; open this file in one")


@app.command()
def doctor(
    results: Annotated[Path, typer.Option(help="results folder")] = Path("results"),
    *,
    probe: Annotated[bool, typer.Option("--probe", help="also the compiler that builds the probe")] = False,
) -> None:
    """Say what is missing for a run, and how to fix it."""
    from pipeline.stages.doctor import missing

    found = missing(results, probe=probe)
    typer.echo("\n".join(found) or "ready: make")
    raise typer.Exit(1 if found else 0)


@app.command(rich_help_panel=STEPS)
def generate(
    check: Annotated[bool, typer.Option("--check", help="write nothing, and fail if a file is out of date")] = False,
    outputs: Annotated[
        Path | None, typer.Option(help="database of the default run: write the output that the documentation shows")
    ] = None,
) -> None:
    """Write the files that are made from the code: default configuration, its schema and reference.

    With --outputs it writes the answers that README and docs show, as that database gives them.
    """
    from pipeline.reference import documented_output, generated

    if outputs is not None:
        text = documented_output.refresh(outputs, check=check)
        verdict = "documented output is up to date"
    elif check:
        text = generated.differences()
        verdict = f"{len(generated.FILES)} generated files are up to date"
    else:
        generated.write()
        return
    typer.echo(text or verdict)
    raise typer.Exit(1 if check and text else 0)


def _interrupted(number: int, _: object) -> None:
    # `timeout` sends its signal twice.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    sys.stderr.write("interrupted; results are replaced when they are whole, so the previous ones are as they were\n")
    sys.exit(SIGNALLED + number)


def _full(error: OSError) -> str:
    """Where the disk is full, and what to do."""
    named = error.filename2 or error.filename
    where = (
        escaped(Path(os.fsdecode(named)).absolute().parent) if isinstance(named, (str, bytes)) else "where it writes"
    )
    return f"the disk is full: {where}; make room there, or have TMPDIR, --keep or --target name a folder with room"


def main() -> None:
    """Run a verb; an error that is a sentence is printed as one."""
    signal.signal(signal.SIGINT, _interrupted)
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding does not have is shown as a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    one_run.end_with_run()
    # dataframely loads it where it is installed, for exports that are not made here: as long as all else of it takes.
    sys.modules.setdefault("sqlalchemy", None)
    try:
        app()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OF_WORKFLOW:
            raise
        sys.exit(f"this needs {error.name}, which is not installed: pip install 'apportion[workflow]'")
    except (ValueError, OSError, MemoryError) as error:
        text = _full(error) if isinstance(error, OSError) and error.errno in FULL else escaped(error, "\n")
        logging.getLogger(__name__).error("%s", text or "memory ran out; fewer jobs at a time need less of it")
        if logging.getLogger().isEnabledFor(logging.DEBUG):
            raise
        sys.exit(2)
    except Exception as error:
        # Where it is not loaded, it is none of its errors.
        duckdb = sys.modules.get("duckdb")
        if duckdb is None or not isinstance(error, duckdb.Error):
            raise
        logging.getLogger(__name__).error(
            "the database cannot be read or written; where it is damaged, the next run makes it anew: %s",
            escaped(error, "\n"),
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
