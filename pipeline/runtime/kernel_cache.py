"""Kernels: compiled once a machine, by one process at a time, for no more than they are called with, and checked.

numba imports this module because NUMBA_CACHE_LOCATOR_CLASSES names its locator (see pipeline/__init__.py). It differs
from what numba does by itself in these ways:

* Kernels lie in the user's cache folder, below a name that is made of the contents of their file and of all that it
  imports from this package, and of the versions of the compilers. So all copies of the project share them, and none
  gets the code of another version: numba by itself looks at the kernel's own file alone.
* Where two processes need a kernel that is not there, one compiles it and the other waits.
* Each file begins with the SHA-256 of the rest. A damaged file is compiled anew instead of trusted, and so is one that
  another user wrote or may write.
* The folder does not grow for ever: versions that were not used for the longest time go.
* A kernel that another one calls with a constant is not compiled once more for that constant.
* Garbage is not collected while numba compiles, which makes a great many objects that stay.
"""

from __future__ import annotations

import fcntl
import gc
import hashlib
import logging
import os
import pickle
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching, event, types
from numba.core.dispatcher import Dispatcher

from pipeline.runtime import sources

log = logging.getLogger(__name__)

PACKAGE = __name__.partition(".")[0]
DIGEST_BYTES = hashlib.sha256().digest_size
MOST_BYTES = 1 << 30
"""What the folder may take; a version of all kernels of the project takes some 40 MB."""
PATIENCE_S, POLL_S = 900.0, 0.05
"""How long a process waits for another one that compiles the same kernel, before it compiles for itself."""


class Locator(caching.UserProvidedCacheLocator):
    """Where the compiled code of a function lies: `<folder>/<version of all that it is made of>/`."""

    def __init__(self, py_func: Any, py_file: str):
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._version = _used(Path(py_file).resolve())
        self._cache_path = str(sources.kernel_folder() / self._version)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Locator | None:
        """The locator of a function; None for one without a file, such as those of a notebook."""
        return cls(py_func, py_file) if Path(py_file).is_file() else None

    def get_source_stamp(self) -> str:
        """What the code was compiled from; the same as in the name of its folder."""
        return self._version

    def ensure_cache_path(self) -> None:
        """Make the folder, and room for it; where that cannot be, what is to be kept there is not (see `save`)."""
        with suppress(OSError):
            _make(Path(self._cache_path))


@cache
def _used(path: Path) -> str:
    """Version of the kernels of a file, whose folder counts as used from now on."""
    version = sources.kernel_version(path)
    with suppress(OSError):
        os.utime(sources.kernel_folder() / version)
    return version


def _make(version: Path) -> None:
    """Make the folder of a version; those that were not used for the longest time go where all take over MOST_BYTES."""
    if version.is_dir():
        return
    version.mkdir(parents=True, exist_ok=True, mode=0o700)
    aged = []
    with suppress(OSError):
        for folder in version.parent.iterdir():
            with suppress(OSError):
                taken = sum(path.stat().st_size for path in folder.iterdir())
                aged.append((folder.stat().st_mtime_ns, folder, taken))
    total = sum(taken for _, _, taken in aged)
    for _, folder, taken in sorted(aged):
        if total <= MOST_BYTES:
            break
        if folder != version:
            shutil.rmtree(folder, ignore_errors=True)
            total -= taken


class CheckedCacheFile(caching.IndexDataCacheFile):
    """numba's files of one function, an index and a file a signature, with a digest in front.

    Who finds a kernel missing holds the function's lock until it is compiled and kept.
    """

    _turn: int | None = None
    """The open lock of the function, while this process is the one to compile it."""

    def load(self, key: Any) -> Any:
        """A compiled kernel; None where this process is the one to compile it."""
        kernel = super().load(key)
        if kernel is None and self._turn is None and self._wait_for_turn():
            # Another process may have compiled it meanwhile.
            kernel = super().load(key)
            if kernel is not None:
                self.end_turn()
        return kernel

    def save(self, key: Any, data: Any) -> None:
        """Keep a compiled kernel; where that cannot be, each run compiles it, and nothing else is lost."""
        try:
            super().save(key, data)
        except OSError as error:
            _say_not_kept(error.strerror or str(error))
        finally:
            self.end_turn()

    def _wait_for_turn(self) -> bool:
        """Take the function's lock; False where there can be none, or its holder takes too long."""
        try:
            _make(Path(self._cache_path))
            lock = os.open(Path(self._index_path).with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return False
        for _ in range(round(PATIENCE_S / POLL_S)):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(POLL_S)
            except OSError:
                break
            else:
                self._turn = lock
                return True
        os.close(lock)
        return False

    def end_turn(self) -> None:
        """Let others compile, or find what was compiled."""
        if self._turn is not None:
            os.close(self._turn)
            self._turn = None

    def __del__(self) -> None:
        self.end_turn()

    def _load_index(self) -> dict:
        try:
            version, stamp, overloads = self._read(self._index_path)
        except OSError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, content: Any) -> None:
        dumped = self._dump(content)
        with self._open_for_write(path) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(hashlib.sha256(dumped).digest() + dumped)

    def _read(self, path: str) -> Any:
        """Content of a file. Raises OSError where it is not there, damaged or not safe; numba then compiles."""
        for each in (Path(path), Path(path).parent):
            require_own(each)
        content = Path(path).read_bytes()
        digest, dumped = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
        if hashlib.sha256(dumped).digest() != digest:
            log.warning("compiled kernel %s is damaged and compiled anew", path)
            raise OSError(f"{path} is damaged")
        try:
            return pickle.loads(dumped)
        except (ImportError, AttributeError) as error:
            # The same file was compiled as a module of another name.
            raise OSError(f"{path} is of a module that is not here") from error


def require_own(path: Path) -> None:
    """Raise PermissionError for a file or folder of somebody else, or that somebody else may write: loading runs it."""
    state = path.stat()
    if state.st_uid != os.geteuid() or state.st_mode & 0o022:
        log.warning("compiled kernels in %s are not used: others may write there; chmod go-w, or remove it", path)
        raise PermissionError(f"{path} may be written by others")


@cache
def _say_not_kept(why: str) -> None:
    """Say once a process what keeps compiled kernels from being kept."""
    log.warning(
        "compiled kernels are not kept in %s: %s; each process compiles its own, which is slow: "
        "NUMBA_CACHE_DIR names another folder",
        sources.kernel_folder(),
        why,
    )


class _Compiling(event.Listener):
    """Collects no garbage meanwhile, and ends the turn of a function whose compilation has ended, well or not."""

    _under_way = 0
    """Compilations; those of the kernels that a kernel calls are within its own."""
    _collects = True

    def on_start(self, _event: Any) -> None:
        """The turn began when the kernel was found missing."""
        if not self._under_way:
            self._collects = gc.isenabled()
            gc.disable()
        self._under_way += 1

    def on_end(self, event: Any) -> None:
        """Let others have their turn, unless the kernel is there now: it is kept next, which ends the turn."""
        self._under_way -= 1
        if not self._under_way and self._collects:
            gc.enable()
        dispatcher = event.data["dispatcher"]
        files = getattr(dispatcher._cache, "_cache_file", None)
        # Event.is_failed of numba 0.68 says the opposite.
        if files is not None and tuple(event.data["args"]) not in dispatcher.overloads:
            files.end_turn()


def _call_template(
    dispatcher: Dispatcher,
    args: tuple[types.Type, ...],
    kws: dict[str, types.Type],
    template: Callable = Dispatcher.get_call_template,
) -> tuple:
    """What a kernel is to another one that calls it, by the types of the arguments alone: numba's own for 0 is another
    than for an integer. Of functions outside this package nothing changes."""
    if dispatcher.py_func.__module__.partition(".")[0] == PACKAGE:
        args = tuple(map(types.unliteral, args))
        kws = {name: types.unliteral(kind) for name, kind in kws.items()}
    return template(dispatcher, args, kws)


event.register("numba:compile", _Compiling())
Dispatcher.get_call_template = _call_template
caching.IndexDataCacheFile = CheckedCacheFile
