"""Work on one drop in a process of its own, within bounds: whatever ends it, the caller lives and is told.

The process is forked, which the threads of polars do not survive. Where they run already, as in a notebook, the work is
done in the caller's process, without bounds; the verbs ask before they use polars. Importing it does no harm.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import multiprocessing
import os
import re
import resource
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

GIGABYTE = 1e9
ENDED = 75
"""Exit code of a process whose caller is gone, as that of a job whose run is (one_run)."""


class Bounds(NamedTuple):
    """What work may take: time, and memory beyond that of the process that asks for it."""

    seconds: float = math.inf
    memory_gb: float = math.inf


RECOGNITION_S, DROP_S, MEMORY_GB = 60.0, 14400.0, 64.0
"""By default: of telling what a drop is, of each later step on it, and of each."""
LIMITS = "(the configuration's `limits` say what it may take)"
TOO_LONG, TOO_LARGE = f"took more than {{:g}} s {LIMITS}", f"needs more memory than it may take {LIMITS}"
SET_PARENT_DEATH_SIGNAL = 1


class OutOfBounds(Exception):  # noqa: N818 - says what became of the work
    """The work took more than it may, or its process crashed; the message says which, of the work as its subject."""


def run(work: Callable[[], Any], bounds: Bounds | None) -> Any:
    """What `work` returns or raises, done in a process of its own; with None in this one.

    Raises OutOfBounds where the process crashes or takes more than the bounds.
    """
    if bounds is None:
        return work()
    outcome = next(each(lambda _: work(), [None], [bounds]))
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def each(work: Callable[[Any], Any], items: Sequence[Any], bounds: Sequence[Bounds]) -> Iterator[Any]:
    """For each item what `work` returns, or the exception it raises, or OutOfBounds: as many as there are items.

    One process works on all of them; another one goes on after an item that ended it. bounds: those of each item; the
    memory is that of the first item of a process.
    """
    if _polars_runs():
        yield from (_outcome(work, item) for item in items)
        return
    context, done = multiprocessing.get_context("fork"), 0
    while done < len(items):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(work, items[done:], bounds[done].memory_gb, sender), daemon=True)
        child.start()
        sender.close()
        try:
            while done < len(items):
                seconds = bounds[done].seconds
                done += 1
                try:
                    if not receiver.poll(None if math.isinf(seconds) else seconds):
                        yield OutOfBounds(TOO_LONG.format(seconds))
                        break
                    yield receiver.recv()
                except (EOFError, OSError):
                    child.join()
                    yield OutOfBounds(_end(child.exitcode))
                    break
        finally:
            child.kill()
            child.join()
            receiver.close()


def _work(work: Callable[[Any], Any], items: Sequence[Any], memory_gb: float, sender: Connection) -> None:
    """Send an outcome for each item; ends where the caller is gone, and leaves signals of a terminal to the caller."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # A thread has no turn while compiled code holds the interpreter's lock.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    threading.Thread(target=_end_with_caller, daemon=True).start()
    if not math.isinf(memory_gb):
        _limit_memory(memory_gb)
    for item in items:
        sender.send(_outcome(work, item))


def _outcome(work: Callable[[Any], Any], item: Any) -> Any:
    """What the work returns of an item, or an exception that can be sent."""
    try:
        return work(item)
    except MemoryError:
        return OutOfBounds(TOO_LARGE)
    except (OSError, ValueError) as error:
        return error
    except (KeyboardInterrupt, SystemExit):
        raise
    # A panic of polars is no Exception, and not all that are can be sent.
    except BaseException as error:
        return RuntimeError(f"{type(error).__name__}: {error}")


def _polars_runs() -> bool:
    """Whether this process has threads of polars: it begins them when it is used, in any order."""
    for name in Path("/proc/self/task").glob("*/comm"):
        with contextlib.suppress(OSError):
            if re.match(r"polars-\d", name.read_text(encoding="utf-8")):
                return True
    return False


def _end_with_caller() -> None:
    caller = multiprocessing.parent_process()
    if caller is not None:
        caller.join()
        os._exit(ENDED)


def _limit_memory(gigabytes: float) -> None:
    """Let this process have so much more writable memory than it has, and never more than the machine has."""
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
        machine = os.sysconf("SC_PHYS_PAGES") * resource.getpagesize()
        most = pages * resource.getpagesize() + min(int(gigabytes * GIGABYTE), machine)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _end(code: int | None) -> str:
    """How a process ended that said nothing, in words."""
    if code is None or code >= 0:
        return f"ended with code {code} before it was done"
    name = signal.Signals(-code).name
    hint = ", as the system does where memory runs out" if name == "SIGKILL" else ""
    return f"crashed ({name}{hint})"
