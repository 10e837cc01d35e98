"""Compiled kernels on disk that are checked before they run: a damaged file is compiled anew instead of trusted.

numba takes the files of its cache as they are: one that was cut short stops every later run, and machine code with a
wrong byte in it crashes or computes something else. Here each file begins with the SHA-256 of the rest. numba imports
this module because NUMBA_CACHE_LOCATOR_CLASSES names its locator (see pipeline/__init__.py).
"""

from __future__ import annotations

import hashlib
import logging
import pickle
from pathlib import Path
from typing import Any

from numba.core import caching

log = logging.getLogger(__name__)

DIGEST_BYTES = hashlib.sha256().digest_size
Locator = caching.UserProvidedCacheLocator
"""Where compiled kernels lie: below NUMBA_CACHE_DIR."""


class CheckedCacheFile(caching.IndexDataCacheFile):
    """numba's files of one function, an index and a file a signature, with a digest in front."""

    def save(self, key: Any, data: Any) -> None:
        """Keep a compiled kernel; a disk that takes no more costs the next run a compilation, and nothing else."""
        try:
            super().save(key, data)
        except OSError as error:
            log.warning("a compiled kernel is not kept: %s", error)

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
            file.write(hashlib.sha256(dumped).digest() + dumped)

    def _read(self, path: str) -> Any:
        """Content of a file. Raises OSError where it is not there or damaged; numba then compiles."""
        content = Path(path).read_bytes()
        digest, dumped = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
        if hashlib.sha256(dumped).digest() != digest:
            log.warning("compiled kernel %s is damaged and compiled anew", path)
            raise OSError(f"{path} is damaged")
        return pickle.loads(dumped)


caching.IndexDataCacheFile = CheckedCacheFile
